import { checkMilliseconds } from './basics/milliseconds.ts';
import { didYouMean } from './basics/nearest.ts';
import { checkKinds, checkOptions, shown } from './basics/options.ts';
import { isPlainRecord } from './basics/plain-object.ts';
import { namedIn, namedTools, unmatched } from './chain/named-tools.ts';
import { type Clock, checkClock } from './clock.ts';
import {
  closingPipelineOptions,
  type DefaultPipelineOptions,
  defaultPipelineOptions,
  pipelineOptionKinds,
} from './default-pipeline.ts';
import { ToolError } from './errors.ts';
import type { RouterPipeline } from './pipeline.ts';
import type { Registry } from './registry.ts';
import type { Tool } from './tool.ts';
import type { Run } from './types.ts';

/** What every router can be given. */
export interface CommonOptions<State> {
  /** The tools, or a registry that is shared with others. */
  readonly tools?: Iterable<Tool>;
  readonly registry?: Registry;
  /** The permission mode: `plan`, `ask` (default), `auto`, `trusted`, or one of your own. */
  readonly mode?: string;
  /** On whose behalf calls are made. */
  readonly principal?: string;
  /** The names of the tools that may be called. Default: all. */
  readonly allowed?: readonly string[];
  /** What stages and handlers find as `ctx.state`, unless a call brings its own. */
  readonly state?: State;
  /** The most a whole call may take, waiting for people included, in milliseconds. Default: no limit. */
  readonly deadline?: number;
  /**
   * Where deadlines take the time from: those of calls and batches and, without a pipeline of your own, those of the
   * stages. Default: the machine's own.
   */
  readonly clock?: Clock;
  /** Names the asynchronous stage that answers nothing, or too early; costs a promise a stage. Default false. */
  readonly strict?: boolean;
}

/** A router's options: with a pipeline of your own, or with the options of the default one. */
export type RouterOptions<State = unknown> = CommonOptions<State> &
  (
    | ({ readonly pipeline: RouterPipeline<State> } & {
        readonly [K in Exclude<keyof DefaultPipelineOptions, 'clock'>]?: never;
      })
    | ({ readonly pipeline?: undefined } & DefaultPipelineOptions)
  );

/** What one call, or one batch, can be given. */
export interface CallOptions<State = unknown> {
  /** Withdraws the call: it is answered with `aborted` at once. */
  readonly signal?: AbortSignal | undefined;
  /** The most the whole call (or the whole batch) may take, in milliseconds. Default: the router's. */
  readonly deadline?: number;
  readonly state?: State;
  /** Fields of the run that differ from the router's. */
  readonly run?: Partial<Run>;
  /** Gets what the tool says about how far it has come. */
  readonly onProgress?: (data: unknown) => void;
}

export interface BatchOptions<State = unknown> extends Omit<CallOptions<State>, 'onProgress'> {
  /** How many calls run at the same time. Default: all. */
  readonly concurrency?: number;
}

/** The names of the options that are the router's alone, whatever its pipeline. */
export const routerOptionNames: readonly string[] = [
  'tools',
  'registry',
  'mode',
  'principal',
  'allowed',
  'state',
  'deadline',
  'strict',
] satisfies (keyof CommonOptions<unknown>)[];
const commonOptions: readonly string[] = [...routerOptionNames, 'clock', 'pipeline'];
export const callOptions: readonly string[] = ['signal', 'deadline', 'state', 'run', 'onProgress', 'concurrency'];

/** Throws a TypeError for options that do not exist, or that contradict each other. */
export function checkRouterOptions<State>(options: RouterOptions<State>): void {
  const known = new Set([...commonOptions, ...defaultPipelineOptions]);
  checkOptions('createRouter', options, [...known], ['allowed', ...closingPipelineOptions]);
  checkKinds<CommonOptions<State>>('createRouter', options, { principal: 'text', allowed: 'texts', strict: 'boolean' });
  checkKinds<DefaultPipelineOptions>('createRouter', options, pipelineOptionKinds);
  if (options.clock !== undefined) checkClock(options.clock, 'createRouter({ clock })');
  if (options.tools !== undefined && options.registry !== undefined) {
    throw new TypeError('createRouter() takes tools or a registry, not both: add the tools to the registry.');
  }
  if (options.pipeline !== undefined) {
    if (!Array.isArray(options.pipeline?.entries)) {
      throw new TypeError('The pipeline must come from pipeline() or defaultPipeline().');
    }
    const useless = defaultPipelineOptions.filter((option) => option in options && !commonOptions.includes(option));
    if (useless.length > 0) {
      throw new TypeError(
        `With a pipeline of your own, ${useless.join(', ')} would have no effect: give it to the stage.`,
      );
    }
  }
  checkNamedTools(options as RouterOptions<never>);
}

/** The options among a router's that are meant for the default pipeline. */
export function pipelineOptions(options: object): DefaultPipelineOptions {
  return Object.fromEntries(Object.entries(options).filter(([option]) => defaultPipelineOptions.includes(option)));
}

/** Throws a TypeError for what is no signal, `null` included: a call that cannot be withdrawn must not look as if it could. */
export function checkSignal(signal: unknown): void {
  if (signal === undefined) return;
  const listen = (signal as { addEventListener?: unknown } | null)?.addEventListener;
  if (typeof listen !== 'function') {
    throw new TypeError(`The signal of a call must be an AbortSignal; it is ${String(signal)}.`);
  }
}

const runMembers: readonly string[] = ['id', 'principal', 'mode', 'tools'] satisfies (keyof Run)[];

function checkRun(run: Partial<Run>): void {
  if (!isPlainRecord(run)) throw new TypeError(`The run of a call must be an object; it is ${shown(run)}.`);
  for (const member in run) {
    if (runMembers.includes(member)) continue;
    const advice = `Its members are: ${runMembers.join(', ')}.${didYouMean(member, runMembers)}`;
    throw new TypeError(`The run of a call has no member "${member}". ${advice}`);
  }
  for (const member of ['id', 'principal', 'mode'] as const) {
    const value: unknown = run[member];
    if (value === undefined || typeof value === 'string') continue;
    throw new TypeError(`The ${member} of a run must be a text; it is ${String(value)}.`);
  }
  if (run.tools !== undefined && !Array.isArray(run.tools)) {
    throw new TypeError('The tools of a run must be a list of names.');
  }
}

/** Options that cannot be used are an answer like any other: `call` never rejects. */
export function checkCallOptions(options: CallOptions): void {
  try {
    checkOptions('call', options, callOptions);
    checkSignal(options.signal);
    if (options.run !== undefined) checkRun(options.run);
    if (options.deadline !== undefined) checkMilliseconds(options.deadline, 'The deadline of a call');
  } catch (error) {
    throw new ToolError(error instanceof Error ? error.message : String(error), { code: 'internal', cause: error });
  }
}

/**
 * Throws a TypeError for a name that stands for none of the tools. Only where they are given: to a registry more may come, and
 * what names them may be there before. `allowed` may name others, since whoever misspells there opens nothing.
 */
function checkNamedTools({ tools, pipeline, ...options }: RouterOptions<never>): void {
  // What can be gone through once only is for the registry.
  if (!Array.isArray(tools) && !(tools instanceof Set)) return;
  const present = [...tools] as readonly Tool[];
  const { perTool } = (options as DefaultPipelineOptions).limits ?? {};
  const limited = typeof perTool === 'object' && perTool !== null ? Object.keys(perTool) : [];
  const named = pipeline === undefined ? namedTools('limits.perTool', limited) : namedIn(pipeline.entries);
  if (named.length === 0 || present.length === 0 || !present.every((tool) => typeof tool?.name === 'string')) return;
  const [problem] = unmatched(named, present);
  if (problem === undefined) return;
  throw new TypeError(`${problem} Tools that come later are added to a registry: createRouter({ registry }).`);
}

/** What a call says of its run; what it leaves open, also by `undefined`, stays as the router has it. */
export function mergedRun(run: Run, own: Partial<Run>): Run {
  if (merged !== undefined && merged.run === run && merged.own === own) return merged.result;
  const said = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  if (own.tools !== undefined) said['tools'] = Object.freeze([...own.tools]);
  const result = Object.freeze({ ...run, ...said });
  if (isFixed(own)) merged = { run, own, result };
  return result;
}

// Calls of one session come with the same run again and again.
let merged: { readonly run: Run; readonly own: Partial<Run>; readonly result: Run } | undefined;

/** Whether an object says the same whenever it is asked. */
function isFixed(own: Partial<Run>): boolean {
  if (!Object.isFrozen(own) || own.tools !== undefined) return false;
  return Object.values(Object.getOwnPropertyDescriptors(own)).every(({ value }) => typeof value === 'string');
}
