import { checkOptions } from '../src/basics/options.ts';
import { atOnce, isThenable } from '../src/basics/thenable.ts';
import { type Clock, checkClock, systemClock } from '../src/clock.ts';
import { callKey } from '../src/resilience/call-key.ts';
import { type Copied, copyData } from '../src/resilience/copy-data.ts';
import { Flight } from '../src/resilience/flight.ts';
import { checkFinite, checkFunction, checkWhole } from '../src/resilience/numbers.ts';
import { judged } from '../src/resilience/outcome.ts';
import { Recent } from '../src/resilience/recent.ts';
import { isPolling, isReadOnly, isReadOnlyTool } from '../src/resilience/safety.ts';
import type { Meta, ToolResult } from '../src/result.ts';
import type { Tool } from '../src/tool.ts';
import { isAnswer, makesStages, withTraits } from '../src/traits.ts';
import type { Maybe, Next, Ready, Stage } from '../src/types.ts';

export interface CacheOptions {
  /** How long an answer is good for, in milliseconds; as a function by tool, where 0 means not at all. Default 30,000. */
  readonly ttl?: number | ((tool: Tool) => number);
  /** How many answers are kept; of more, those that were used last. Default 1,000. */
  readonly maxEntries?: number;
  /** How much they may take together, in bytes, roughly. Default 67,108,864 (64 MiB). */
  readonly maxBytes?: number;
  /** Whose answers are kept. Default: tools that only read, but for those with the tag `polling`. */
  readonly tools?: (tool: Tool) => boolean;
  /**
   * What of the state, or of what stages of yours added, makes answers differ, as plain data; it takes the place of the
   * state in the key. Default: the state, its plain members by value, the objects among them by identity. A change deep
   * inside an object of the state is therefore not noticed without this option.
   */
  readonly vary?: (ctx: Ready) => unknown;
  /**
   * Which answers a call that is not kept makes stale: `true` all of them, `false` none, or those of the tools listed. They are
   * dropped when it begins and when it ends. Default: all of them for a call that may change something.
   */
  readonly invalidates?: (ctx: Ready) => boolean | readonly string[];
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/** The stage, and what a program may do with what it keeps. */
export type CacheStage = Stage<Ready> & {
  /** How many answers are kept. */
  readonly size: number;
  /** Forgets everything. */
  clear(): void;
  /** Forgets the answers of the tool with this name. */
  delete(tool: string): void;
};

/**
 * Answers a call with what an equal one gave a moment ago. Equal means: the same principal (without one, the same run), tool, mode,
 * state, arguments and effects; so nobody gets what was made for somebody else. Equal calls at the same time share one run of the
 * tool; if that is withdrawn another one takes over, and if it fails each of them runs by itself. Failures are not kept,
 * nor what `fallback` gave, nor data that is not plain (class instances, bytes, streams).
 *
 * What is kept is a copy, and so is what is given: nobody can change another's answer. It is what the stages inside gave; those outside
 * (`normalize` with its redaction, an audit) see every answer anew. `meta.cached` has its `age_ms`.
 *
 * An answer may be stale by as much as `ttl`: a file that another program has changed, a page that is new. Calls that may change
 * something drop everything that is kept, whoever makes them, as far as this stage sees them: under `forTools` it sees
 * only those of the tools named there, and what others change it does not notice.
 *
 * Its place is behind all guards, or it would answer what they refuse: the pipeline checks that. Put it outside the timeout, for
 * answers that need no deadline. One cache for one pipeline.
 *
 * Fails with nothing of its own; `aborted` or `timeout` when a call ends while it waits for another's answer.
 *
 * @example
 * defaultPipeline({ roots }).before('timeout', 'cache', cache({ ttl: 60_000 }))
 */
export function cache(options: CacheOptions = {}): CacheStage {
  const { ttlOf, isKept, vary, invalidates, recent } = checked(options);
  const flights = new Map<string, Reading>();
  const readings = new Set<Reading>();

  function cache(ctx: Ready, next: Next): Maybe<ToolResult> {
    if (!isKept(ctx)) return pass(ctx, next);
    // Looked at first, as an option that fails must not lose an answer that is there.
    const key = ttlOf(ctx.tool) > 0 ? callKey(ctx, vary) : undefined;
    return key === undefined ? next() : answer(ctx, next, key);
  }

  function answer(ctx: Ready, next: Next, key: string): Maybe<ToolResult> {
    const hit = recent.get(key);
    if (hit !== undefined) return given(ctx, hit.value, hit.ageMs);
    const flight = flights.get(key);
    return flight === undefined ? read(ctx, next, key, true) : join(ctx, next, key, flight);
  }

  /** Runs the call, for whoever joins as well if it is `shared`. */
  function read(ctx: Ready, next: Next, key: string, isShared: boolean): Maybe<ToolResult> {
    const reading: Reading = { tool: ctx.tool.name, flight: new Flight(), isFresh: true };
    readings.add(reading);
    const outcome = judged(ctx, next, (result) => {
      if (!reading.flight.hasLanded) land(key, reading, landingOf(ctx, key, result, reading.isFresh));
      return result;
    });
    if (isThenable(outcome)) {
      if (isShared && reading.isFresh) flights.set(key, reading);
      // It may end without its run, which then hangs for nobody but itself.
      ctx.onSettled(() => land(key, reading, 'withdrawn'));
    }
    return outcome;
  }

  function land(key: string, reading: Reading, landing: Landing): void {
    if (reading.flight.hasLanded) return;
    readings.delete(reading);
    if (flights.get(key) === reading) flights.delete(key);
    reading.flight.land(landing);
  }

  async function join(ctx: Ready, next: Next, key: string, { flight }: Reading): Promise<ToolResult> {
    const landed = await flight.wait(ctx);
    if (landed === 'withdrawn') return answer(ctx, next, key);
    if (landed === 'failed') return read(ctx, next, key, false);
    return isAnswer(landed) ? landed : given(ctx, landed, 0);
  }

  function landingOf(ctx: Ready, key: string, result: ToolResult, isFresh: boolean): Landing {
    if (!result.ok) return result.code === 'aborted' ? 'withdrawn' : 'failed';
    // While the tool is still at work, nobody knows what it will have given.
    // A stage of yours may answer without `meta`, which is added at the end.
    const isFinal = !('fallback' in (result.meta ?? {})) && (ctx as { awaited?: boolean }).awaited !== true;
    const data = isFinal ? copyData(result.data) : undefined;
    const meta = isFinal ? copyData(result.meta) : undefined;
    if (data === undefined || meta === undefined) return 'failed';
    const kept: Kept = { tool: ctx.tool.name, data: data.data, meta: meta.data as Meta };
    if (isFresh) recent.set(key, kept, data.bytes + meta.bytes + 2 * key.length, ttlOf(ctx.tool));
    return kept;
  }

  /** A call that is not kept, but may make stale what is. */
  function pass(ctx: Ready, next: Next): Maybe<ToolResult> {
    const verdict = atOnce(invalidates(ctx));
    if (verdict === false) return next();
    // In doubt everything: a stale answer does more harm than none.
    const what = Array.isArray(verdict) ? (verdict as readonly string[]) : true;
    forget(what);
    return judged(ctx, next, (result) => {
      forget(what);
      return result;
    });
  }

  /** What is being read at the moment may have been read before the change: it is for those who wait, and not kept. */
  function forget(what: true | readonly string[]): void {
    const isMeant = ({ tool }: { readonly tool: string }): boolean => what === true || what.includes(tool);
    if (what === true) recent.clear();
    else recent.deleteWhere(isMeant);
    for (const reading of readings) if (isMeant(reading)) reading.isFresh = false;
    for (const [key, reading] of flights) if (isMeant(reading)) flights.delete(key);
  }

  const stage = withTraits(cache as Stage<Ready>, { needs: ['tool', 'args'], stores: true });
  Object.defineProperty(stage, 'size', { get: () => recent.size });
  return Object.assign(stage as CacheStage, {
    clear: () => forget(true),
    delete: (tool: string) => forget([tool]),
  });
}
makesStages(cache);

interface Kept {
  readonly tool: string;
  readonly data: unknown;
  readonly meta: Meta;
}

/** How a run of the tool ended for those who wait for it: with an answer, or with none that they could use. */
type Landing = Kept | 'withdrawn' | 'failed';

interface Reading {
  readonly tool: string;
  readonly flight: Flight<Landing>;
  /** Nothing has changed since it began, as far as is known. */
  isFresh: boolean;
}

function given(ctx: Ready, { data, meta }: Kept, ageMs: number): ToolResult {
  const own = { ...copyOf(meta), cached: { age_ms: Math.round(ageMs) } };
  return { ...ctx.ok(copyOf(data)), meta: own };
}

/** What was copied once can be copied again. */
function copyOf<T>(kept: T): T {
  return (copyData(kept) as Copied).data as T;
}

interface Checked {
  readonly ttlOf: (tool: Tool) => number;
  readonly isKept: (ctx: Ready) => boolean;
  readonly vary: ((ctx: Ready) => unknown) | undefined;
  readonly invalidates: (ctx: Ready) => boolean | readonly string[];
  readonly recent: Recent<Kept>;
}

const optionNames = [
  'ttl',
  'maxEntries',
  'maxBytes',
  'tools',
  'vary',
  'invalidates',
  'clock',
] satisfies (keyof CacheOptions)[];

function checked(options: CacheOptions): Checked {
  checkOptions('cache', options, optionNames);
  const { ttl = 30_000, tools, vary, invalidates, clock = systemClock } = options;
  checkClock(clock, 'cache({ clock })');
  checkFunction(tools, 'cache({ tools })');
  checkFunction(vary, 'cache({ vary })');
  checkFunction(invalidates, 'cache({ invalidates })');
  const maxEntries = checkWhole(options.maxEntries ?? 1_000, 'cache({ maxEntries })', 1);
  const maxBytes = checkWhole(options.maxBytes ?? 67_108_864, 'cache({ maxBytes })', 1);
  if (typeof ttl !== 'function') checkFinite(ttl, 'cache({ ttl })');
  return {
    ttlOf: typeof ttl === 'function' ? (tool) => atOnce(ttl(tool)) : () => ttl,
    // A promise is no verdict: taken for one, it would always be true.
    isKept: tools === undefined ? readsOnly : (ctx) => atOnce(tools(ctx.tool)) === true,
    vary,
    invalidates: invalidates ?? ((ctx) => !isReadOnly(ctx)),
    recent: new Recent(maxEntries, maxBytes, clock),
  };
}

function readsOnly(ctx: Ready): boolean {
  return isReadOnlyTool(ctx.tool) && isReadOnly(ctx) && !isPolling(ctx.tool);
}
