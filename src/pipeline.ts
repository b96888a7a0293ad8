import { didYouMean } from './basics/nearest.ts';
import type { Entry } from './chain/chain.ts';
import { checkOrder } from './chain/order.ts';
import { type AnyStage, checkCalled, type Guard, type Traits, traitsOf } from './traits.ts';
import type { Call, Stage } from './types.ts';

/** What the types know of one place in a pipeline. */
export interface Place<In = unknown, Adds = unknown, Guards extends boolean = boolean> {
  readonly in: In;
  readonly adds: Adds;
  readonly guards: Guards;
}

// Looked up and met with `string` where it is used, so that an error about a wrong name lists the names there are.
type Name<Known> = { [N in keyof Known]: N }[keyof Known];
type At<Known, N> = N extends keyof Known ? Known[N] : never;
type InOf<P> = P extends Place<infer In> ? In : never;
type GuardIf<P> = P extends { readonly guards: true } ? Guard : unknown;
type AddsOf<P> = P extends Place<unknown, infer Adds> ? Adds : never;
/** A name that is free, or a text that says that it is not. */
type Free<Known, N extends string> = N extends keyof Known ? `"${N}" is taken: names are used once in a pipeline` : N;
type After<P> = P extends Place<infer In, infer Adds> ? With<In, Adds> : never;
/** A context with what a stage adds to it. */
export type With<In, Adds> = unknown extends Adds ? In : Omit<In, keyof Adds> & Adds;
/** The names that `without` takes: neither guards nor stages that others build on. */
type Removable<Known> = {
  [N in keyof Known]: Known[N] extends { adds: infer Adds; guards: false } ? (unknown extends Adds ? N : never) : never;
}[keyof Known];
/** Such a name; of a stage that must stay, a text that says why; and else the names that there are. */
type Leaving<Known, N extends string> =
  N extends Removable<Known>
    ? N
    : N extends keyof Known
      ? Known[N] extends { guards: false }
        ? `"${N}" cannot be left out: it adds what other stages build on. Replace it by one that adds the same`
        : `"${N}" is a guard and cannot be left out. To switch it off: replace('${N}', allowAll())`
      : Removable<Known> & string;

/** One line of {@link Pipeline.describe}. */
export interface StageDescription {
  readonly name: string;
  /** The stage function's own name; where it has none, `(anonymous)`, or `(anonymous step)`. */
  readonly stage: string;
  readonly needs: readonly string[];
  readonly adds: readonly string[];
  /** What the pipeline knows of it: `guard`, `repeats`, `rewrites`, `stores`, `ends`, `provides fs`, `files kernel-anchored`, `runs in bubblewrap`. */
  readonly traits: readonly string[];
}

/**
 * An ordered, frozen list of named stages; the first is outermost. Every edit returns a new pipeline, and an edit that
 * cannot work (unknown anchor, a name used twice, an order that is not safe) throws at once and lists the names there are.
 */
export interface Pipeline<State, Known, Out> {
  /** Never there: says in the types what state the stages expect of the router. */
  readonly expects?: (state: State) => void;
  /** The names, outermost first. */
  readonly names: readonly (Name<Known> & string)[];
  /** The stages under their names, outermost first. */
  readonly entries: readonly Entry[];
  /** Adds a stage at the end: innermost. */
  use<N extends string, Adds, G extends boolean = false>(
    name: Free<Known, N>,
    stage: Stage<Out, Adds> & { readonly guards?: G },
  ): Pipeline<State, Known & Record<N, Place<Out, Adds, G>>, With<Out, Adds>>;
  /**
   * Puts another stage in the place of `name`. It may need what the old one could, must add what the old one did, and be
   * a guard if that was one: `guard(stage)`, or `allowAll()` to switch permission off where a reviewer can find it.
   */
  replace<N extends Name<Known> & string, Adds extends AddsOf<At<Known, N>>>(
    name: N,
    stage: Stage<InOf<At<Known, N>>, Adds> & GuardIf<At<Known, N>>,
  ): Pipeline<State, Known, Out>;
  /** Puts a stage just outside `anchor`; of several, the newest stands nearest. */
  before<A extends Name<Known> & string, N extends string, Adds, G extends boolean = false>(
    anchor: A,
    name: Free<Known, N>,
    stage: Stage<InOf<At<Known, A>>, Adds> & { readonly guards?: G },
  ): Pipeline<State, Known & Record<N, Place<InOf<At<Known, A>>, Adds, G>>, With<Out, Adds>>;
  /** Puts a stage just inside `anchor`; of several, the newest stands nearest. */
  after<A extends Name<Known> & string, N extends string, Adds, G extends boolean = false>(
    anchor: A,
    name: Free<Known, N>,
    stage: Stage<After<At<Known, A>>, Adds> & { readonly guards?: G },
  ): Pipeline<State, Known & Record<N, Place<After<At<Known, A>>, Adds, G>>, With<Out, Adds>>;
  /** Takes a stage out. Not a guard, and not one whose additions others need. */
  without<N extends string>(name: Leaving<Known, N>): Pipeline<State, Omit<Known, N>, Out>;
  /** What runs, in which order, and what each stage needs, adds and is. */
  describe(): readonly StageDescription[];
}

/** What a router takes: a pipeline of any stages that make do with its state. */
export interface RouterPipeline<State> {
  readonly expects?: (state: State) => void;
  readonly names: readonly string[];
  readonly entries: readonly Entry[];
  describe(): readonly StageDescription[];
}

/**
 * Starts a pipeline from nothing.
 *
 * @example
 * const mine = pipeline()
 *   .use('normalize', normalize())
 *   .use('lookup', lookup())
 *   .use('validate', validate())
 *   .use('execute', execute());
 */
export function pipeline<State = unknown>(): Pipeline<State, unknown, Call<State>> {
  return build(Object.freeze([])) as Pipeline<State, unknown, Call<State>>;
}

// The interface above is the promise made to callers; here stages of every kind meet in one list.
type Built = {
  [Verb in keyof Pipeline<unknown, unknown, unknown>]: Pipeline<unknown, unknown, unknown>[Verb] extends (
    ...args: never[]
  ) => unknown
    ? (...args: never[]) => unknown
    : unknown;
};

function build(entries: readonly Entry[]): Built {
  checkOrder(entries);
  const names = Object.freeze(entries.map(({ name }) => name));
  const edit = (at: number, removed: number, ...added: Entry[]): Built =>
    build(Object.freeze(entries.toSpliced(at, removed, ...added)));
  const place = (name: string): number => {
    const at = names.indexOf(name);
    if (at < 0)
      throw new TypeError(
        `There is no stage "${name}" here. The stages are: ${names.join(', ') || '(none)'}.${didYouMean(String(name), names)}`,
      );
    return at;
  };
  const entry = (name: string, stage: AnyStage): Entry => {
    if (typeof name !== 'string' || name === '') throw new TypeError('A stage needs a name: a text that is not empty.');
    if (typeof stage !== 'function') {
      throw new TypeError(
        `Stage "${name}" must be a function (ctx, next); it is ${stage === null ? 'null' : typeof stage}.`,
      );
    }
    checkCalled(`Stage "${name}"`, stage);
    return Object.freeze({ name, stage });
  };
  const fresh = (name: string, stage: AnyStage): Entry => {
    if (names.includes(name)) {
      throw new TypeError(
        `"${name}" is taken: names are used once in a pipeline. The stages are: ${names.join(', ')}.`,
      );
    }
    return entry(name, stage);
  };
  return Object.freeze({
    names,
    entries,
    use: (name: string, stage: AnyStage) => edit(entries.length, 0, fresh(name, stage)),
    replace: (name: string, stage: AnyStage) => {
      const at = place(name);
      const replacing = entry(name, stage);
      if (traitsOf(entries[at]?.stage).guard && !traitsOf(stage).guard) {
        throw new TypeError(
          `"${name}" is a guard, and what replaces it must be one: write guard(stage), or allowAll() to switch it off.`,
        );
      }
      return edit(at, 1, replacing);
    },
    before: (anchor: string, name: string, stage: AnyStage) => edit(place(anchor), 0, fresh(name, stage)),
    after: (anchor: string, name: string, stage: AnyStage) => edit(place(anchor) + 1, 0, fresh(name, stage)),
    without: (name: string) => {
      const at = place(name);
      if (traitsOf(entries[at]?.stage).guard) {
        throw new TypeError(
          `"${name}" is a guard and cannot be left out. To switch it off where a reviewer can find it, ` +
            `write replace('${name}', allowAll()).`,
        );
      }
      return edit(at, 1);
    },
    describe: () => entries.map(describe),
  });
}

/** What a stage says beside its traits: where its work is done on this machine. */
function tierOf(stage: AnyStage): readonly string[] {
  return 'tier' in stage ? [`runs in ${String(stage.tier)}`] : [];
}

/** How far the operating system helps the stage that lends files: see `FsLevel`. */
function levelOf(stage: AnyStage): readonly string[] {
  return 'level' in stage && traitsOf(stage).provides?.includes('fs') ? [`files ${String(stage.level)}`] : [];
}

/** What there is to say of a function without a name, such as an arrow function that was given to `step`. */
function formOf({ step, finish }: Traits): string {
  if (step !== undefined) return '(anonymous step)';
  return finish === undefined ? '(anonymous)' : '(anonymous finish)';
}

function describe({ name, stage }: Entry): StageDescription {
  const traits = traitsOf(stage);
  const flags = (['guard', 'repeats', 'rewrites', 'stores', 'ends'] as const satisfies (keyof Traits)[]).filter(
    (flag) => traits[flag],
  );
  return {
    name,
    stage: stage.name || formOf(traits),
    needs: traits.needs ?? [],
    adds: traits.adds ?? [],
    traits: [
      ...flags,
      ...(traits.provides ?? []).map((capability) => `provides ${capability}`),
      ...levelOf(stage),
      ...tierOf(stage),
    ],
  };
}
