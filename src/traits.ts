import { checkKinds, checkOptions, type OptionKind } from './basics/options.ts';
import { isThenable, toPromise } from './basics/thenable.ts';
import type { ToolResult } from './result.ts';
import type { Tool } from './tool.ts';
import type { Call, Maybe, Next, Stage } from './types.ts';

/** What a stage can make available to handlers. */
export type Capability = 'fs' | 'fetch' | 'exec' | 'isolation';

/**
 * What the pipeline must know of a stage, said openly: never guessed from a function's length or name.
 * A bare function has no traits and is checked by its types only.
 */
export interface Traits {
  /** Names on the context that must have been added before. */
  readonly needs?: readonly string[];
  /** Names that the stage adds to the context. */
  readonly adds?: readonly string[];
  /** Capabilities that handlers get through this stage. */
  readonly provides?: readonly Capability[];
  /** Decides whether the call may go on. Cannot be removed, only replaced; nothing after it may rewrite arguments. */
  readonly guard?: boolean;
  /** May call `next()` more than once; each further try gets a fork of the context. */
  readonly repeats?: boolean;
  /** Hands on other arguments than it got. */
  readonly rewrites?: boolean;
  /** Answers later calls with what an earlier one gave, as a cache does. */
  readonly stores?: boolean;
  /** Answers itself and never calls `next()`. */
  readonly ends?: boolean;
  /** Neither throws nor rejects: whatever goes wrong inside it becomes an answer. */
  readonly total?: boolean;
  /**
   * Whether a step has anything to do for calls of a tool: it is not run for those of others. Asked once a tool, and only
   * for speed: a step must pass such calls by itself as well. Without it, a step is run for all.
   */
  readonly concerns?: (tool: Tool) => boolean;
  /** The stage as a look on the way in; see {@link step}. */
  readonly step?: StepFunction;
  /** The stage as a look on the way out; see {@link finish}. */
  readonly finish?: FinishFunction;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of stages holds stages of every context and every addition
export type AnyStage = Stage<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above, for a step
export type StepFunction = (ctx: any) => unknown;
/** Gets what came out of the chain inside: a result, or whatever was thrown. */
// biome-ignore lint/suspicious/noExplicitAny: as above, for a finish
export type FinishFunction = (ctx: any, outcome: unknown, threw: boolean) => ToolResult;

const key = Symbol.for('callgate.traits');
const none: Traits = Object.freeze({});

const makes = Symbol.for('callgate.makes-stages');

/** Marks a function that makes stages, so that it is refused where it stands for one itself and should have been called. */
export function makesStages(factory: (...args: never[]) => unknown): void {
  Object.defineProperty(factory, makes, { value: true });
}

/** Throws a TypeError for a function that makes stages and was not called; `what` begins the sentence. */
export function checkCalled(what: string, stage: unknown): void {
  if (typeof stage !== 'function' || !(makes in stage)) return;
  throw new TypeError(`${what} is ${stage.name} itself, which makes stages and was not called: write ${stage.name}().`);
}

/** The traits of a stage; an empty object for a bare function. */
export function traitsOf(stage: unknown): Traits {
  return (typeof stage === 'function' && (stage as { [key]?: Traits })[key]) || none;
}

/** Gives a stage further traits. Returns the same function, so that its name stays. */
export function withTraits<S extends AnyStage>(stage: S, traits: Traits): S {
  checkCalled('The stage', stage);
  checkTraits(traits);
  const known = traitsOf(stage);
  if (traits.guard === false && known.guard) {
    throw new TypeError(`"${stage.name || 'stage'}" is a guard and stays one.`);
  }
  if (traits.concerns !== undefined && known.guard) {
    throw new TypeError(`"${stage.name || 'stage'}" is a guard: which tools it concerns is its own to say.`);
  }
  // The orders that are not safe are refused by these: what a stage said of itself is not taken back by who wraps it.
  for (const trait of ['stores', 'repeats', 'rewrites'] as const) {
    if (traits[trait] === false && known[trait]) {
      throw new TypeError(`"${stage.name || 'stage'}" ${trait}, and that cannot be taken back.`);
    }
  }
  const given = Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== undefined));
  Object.defineProperty(stage, key, { value: Object.freeze({ ...known, ...given }), configurable: true });
  return stage;
}

const kinds = {
  needs: 'texts',
  adds: 'texts',
  provides: 'texts',
  guard: 'boolean',
  repeats: 'boolean',
  rewrites: 'boolean',
  stores: 'boolean',
  ends: 'boolean',
  total: 'boolean',
  concerns: 'function',
  step: 'function',
  finish: 'function',
} as const satisfies { readonly [T in keyof Required<Traits>]: OptionKind };

/** A trait that nobody knows, such as `store`, would leave an order allowed that is not safe. */
function checkTraits(traits: Traits): void {
  checkOptions('withTraits', traits, Object.keys(kinds));
  checkKinds('withTraits', traits, kinds);
}

/** Marks a stage as a guard in the types, so that `without` refuses it. */
export interface Guard {
  readonly guards: true;
}

/**
 * Declares that a stage decides whether a call may go on. A guard cannot be taken out of a pipeline by `without`;
 * switching it off is written `replace('permission', allowAll())`, so that a reviewer can search for it.
 */
export function guard<S extends AnyStage>(stage: S, traits: Traits = {}): S & Guard {
  withTraits(stage, { ...traits, guard: true });
  return Object.assign(stage, { guards: true } as const);
}

/** Declares that a stage may call `next()` again. Every further try starts from a fork of the context. */
export function repeatable<S extends AnyStage>(stage: S, traits: Traits = {}): S {
  return withTraits(stage, { ...traits, repeats: true });
}

/** What a step adds: what it returns, apart from answers and nothing. */
export type AddsOf<Returned> =
  // biome-ignore lint/suspicious/noConfusingVoidType: a step without a return statement adds nothing
  Exclude<Awaited<Returned>, ToolResult | undefined | null | void> extends infer Adds
    ? [Adds] extends [never]
      ? unknown
      : Adds
    : never;

/**
 * A stage that only looks on the way in. It returns what it adds, or an answer (`ctx.fail(...)`) that ends the call
 * here, or nothing to let it pass. Neighbouring steps run in a row without a closure each.
 *
 * @example
 * const tenant = step((ctx: Call<{ tenant?: string }>) =>
 *   ctx.state.tenant ? { tenant: ctx.state.tenant } : ctx.fail('denied', 'No tenant is set for this run.'));
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a step without a return statement is a step that lets pass
export function step<In extends Call = Call, Returned extends Maybe<object | undefined | void> = undefined>(
  look: (ctx: In) => Returned,
  traits: Traits = {},
): Stage<In, AddsOf<Returned>> {
  checkLook('step', look);
  const stage = (ctx: In, next: Next<AddsOf<Returned>>): Maybe<ToolResult> => {
    const found = look(ctx);
    return isThenable<unknown>(found)
      ? toPromise(found).then((settled) => proceed(settled, next))
      : proceed(found, next);
  };
  Object.defineProperty(stage, 'name', { value: look.name });
  return withTraits(stage, { ...traits, step: look }) as Stage<In, AddsOf<Returned>>;
}

function proceed(found: unknown, next: unknown): Maybe<ToolResult> {
  if (isAnswer(found)) return found;
  return (next as (adds?: unknown) => Maybe<ToolResult>)(found);
}

function checkLook(owner: string, look: unknown): void {
  if (typeof look !== 'function') throw new TypeError(`${owner}() takes a function; it got ${typeof look}.`);
}

/** Tells an answer from additions: no stage adds a `call_id`. */
export function isAnswer(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && 'call_id' in value;
}

/**
 * A stage that only looks on the way out: it turns what came out of the chain inside (a result, or with `threw`
 * whatever was thrown) into the answer. Finishing stages that stand outermost cost no promise of their own.
 */
export function finish<In extends Call = Call>(
  look: (ctx: In, outcome: unknown, threw: boolean) => ToolResult,
  traits: Traits = {},
): Stage<In> {
  checkLook('finish', look);
  const stage = (ctx: In, next: () => Maybe<ToolResult>): Maybe<ToolResult> => {
    let outcome: Maybe<ToolResult>;
    try {
      outcome = next();
    } catch (error) {
      return look(ctx, error, true);
    }
    return isThenable(outcome)
      ? toPromise(outcome).then(
          (result) => look(ctx, result, false),
          (error: unknown) => look(ctx, error, true),
        )
      : look(ctx, outcome, false);
  };
  Object.defineProperty(stage, 'name', { value: look.name });
  return withTraits(stage, { ...traits, finish: look });
}
