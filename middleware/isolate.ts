import { checkMilliseconds } from '../src/basics/milliseconds.ts';
import { checkKinds, checkOptions } from '../src/basics/options.ts';
import { missingCapability, runHandler } from '../src/call/handler-run.ts';
import { type Clock, checkClock, systemClock } from '../src/clock.ts';
import { toFailure } from '../src/failure.ts';
import type { Isolation, IsolationSettings } from '../src/isolation/isolation.ts';
import type { ToolResult } from '../src/result.ts';
import type { SchemaEngine } from '../src/schema/engine.ts';
import { makesStages, withTraits } from '../src/traits.ts';
import type { Maybe, Ready, Stage } from '../src/types.ts';

export interface IsolateOptions {
  /** What checks data against the tool's `output` schema. Default: Ajv, loaded with the first tool that has one. */
  readonly engine?: SchemaEngine;
  /** Threads at a time, those that wait for work included. Default: as many as the machine runs side by side. */
  readonly threads?: number;
  /** Processes at a time, those that wait for work included. Default: as many as the machine runs side by side. */
  readonly processes?: number;
  /** Calls that may wait for a thread, and as many for a process; any more are answered `rate_limited`. Default 1,000. */
  readonly queue?: number;
  /**
   * The JavaScript heap of each, in bytes. Buffers are not in it: on Linux a process is held to this and 256 MiB more of
   * everything, elsewhere and in threads buffers are not bounded. Default 256 MiB (268,435,456).
   *
   * In a thread it is no protection: one that fills its heap fast may end the whole program before V8 stops it (seen with
   * Node 22 and 24). What may do so belongs into a process.
   */
  readonly memory?: number;
  /** How long a handler whose call was aborted may take to end by itself, in milliseconds; then it is killed. Default 200. */
  readonly grace?: number;
  /** How long a thread or process is kept without work, in milliseconds; `Infinity` for ever. Default 30,000. */
  readonly idle?: number;
  /** Whether a thread or process serves further calls of its module; `false` gives each call a fresh one. Default true. */
  readonly reuse?: boolean;
  /**
   * The longest message from a handler (its data, what it writes), in bytes. Larger data fails with `tool_error`, with the
   * reason `message-bytes` in `details`. Default 4 MiB (4,194,304).
   */
  readonly messageBytes?: number;
  /** Variables of their environment, which is otherwise empty but for `TZ`, `LANG` and what Windows needs. Default: none. */
  readonly env?: { readonly [name: string]: string };
  /** Options of Node.js for them, such as `['--import', 'tsx']`. Default: none. */
  readonly execArgv?: readonly string[];
  /**
   * What starts processes, before Node.js and its arguments: a sandbox of the system's, such as bubblewrap, for code that
   * means harm. It must hand on the handles 3 and 4. Default: nothing, so that a process has this one's rights.
   */
  readonly launcher?: readonly string[];
  /** Where what they print goes: nowhere, or to this process's standard error. Default `ignore`. */
  readonly output?: 'ignore' | 'stderr';
  /** What of the call's `state` a handler is given: what this returns, as a structured clone. Default: nothing. */
  readonly state?: (state: unknown) => unknown;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** The stage, and what ends its threads and processes; `router.close()` does so. */
export type IsolateStage = Stage<Ready> & { readonly closes: () => Promise<void> };

const optionNames: readonly string[] = [
  'engine',
  'threads',
  'processes',
  'queue',
  'memory',
  'grace',
  'idle',
  'reuse',
  'messageBytes',
  'env',
  'execArgv',
  'launcher',
  'output',
  'state',
  'clock',
] satisfies (keyof IsolateOptions)[];

/**
 * As `execute`, and runs tools with `isolate` in a thread or a process of their own, where they can be stopped whatever they
 * do: a handler that has not ended `grace` ms after its deadline is killed. One that crashes costs its own call.
 *
 * A thread shares this process: it stops endless loops and bounds the heap, and is no wall against code that means harm.
 *
 * Fails with: `tool_error`, `invalid_output`, `internal`, `unavailable` (the thread or process ended; `details.reason` is
 * `crashed`, `out-of-memory`, `rules`, `stopped` or `resting`), `rate_limited`.
 *
 * @example
 * defaultPipeline().replace('execute', isolate({ processes: 2, memory: 128 * 1_048_576 }))
 */
export function isolate(options: IsolateOptions = {}): IsolateStage {
  const settings = checked(options);
  let loading: Promise<Isolation> | undefined;

  // Loaded with the first call of an isolated tool; all others pay for a look at one member.
  const load = async (): Promise<Isolation> => {
    const { Isolation } = await import('../src/isolation/isolation.ts');
    return new Isolation(settings);
  };

  const stage = withTraits(
    function isolate(ctx: Ready): Maybe<ToolResult> {
      if (ctx.tool.isolate === undefined) return runHandler(ctx, settings.engine);
      const missing = missingCapability(ctx);
      if (missing !== undefined) return missing;
      loading ??= load();
      return loading.then(
        (isolation) => isolation.run(ctx),
        (error: unknown) => toFailure(ctx, error),
      );
    },
    { needs: ['tool', 'args'], provides: ['isolation'], ends: true, total: true },
  );
  return Object.assign(stage, { closes: async () => (await loading)?.close() });
}
makesStages(isolate);

function checked(options: IsolateOptions): IsolationSettings {
  checkOptions('isolate', options, optionNames, ['launcher']);
  checkKinds('isolate', options, { engine: 'engine', env: 'object', reuse: 'boolean', state: 'function' });
  const { threads, processes, queue = 1_000, memory = 268_435_456, messageBytes = 4_194_304 } = options;
  const {
    reuse = true,
    env = {},
    execArgv = [],
    launcher = [],
    output = 'ignore',
    state,
    clock = systemClock,
  } = options;
  checkClock(clock, 'isolate({ clock })');
  if (threads !== undefined) checkCount('threads', threads, 1);
  if (processes !== undefined) checkCount('processes', processes, 1);
  if (queue !== Number.POSITIVE_INFINITY) checkCount('queue', queue, 0);
  checkCount('memory', memory, 16_777_216);
  checkCount('messageBytes', messageBytes, 65_536);
  for (const [name, value] of Object.entries(env)) {
    if (typeof value === 'string' && !value.includes('\0') && /^[^=\0]+$/.test(name)) continue;
    throw new TypeError(`isolate({ env }): ${name} must be a variable with a text.`);
  }
  checkTexts('execArgv', execArgv);
  checkTexts('launcher', launcher);
  if (output !== 'ignore' && output !== 'stderr') {
    throw new TypeError(`isolate({ output }) must be 'ignore' or 'stderr'; it is ${String(output)}.`);
  }
  return {
    engine: options.engine,
    threads,
    processes,
    queue,
    memory,
    messageBytes,
    reuse,
    env: { ...env },
    execArgv: [...execArgv],
    launcher: [...launcher],
    output,
    state,
    clock,
    grace: checkMilliseconds(options.grace ?? 200, 'isolate({ grace })'),
    idle: checkMilliseconds(options.idle ?? 30_000, 'isolate({ idle })'),
  };
}

function checkTexts(name: string, value: unknown): void {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return;
  throw new TypeError(`isolate({ ${name} }) must be a list of texts.`);
}

function checkCount(name: string, value: unknown, least: number): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return;
  throw new TypeError(`isolate({ ${name} }) must be a whole number from ${least}; it is ${String(value)}.`);
}
