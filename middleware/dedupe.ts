import { checkOptions } from '../src/basics/options.ts';
import { atOnce } from '../src/basics/thenable.ts';
import { type Clock, checkClock, systemClock } from '../src/clock.ts';
import { PerRun, runKey } from '../src/policy/per-run.ts';
import { callKey } from '../src/resilience/call-key.ts';
import { Changes } from '../src/resilience/changes.ts';
import { copyData } from '../src/resilience/copy-data.ts';
import { Flight } from '../src/resilience/flight.ts';
import { checkFinite, checkFunction, spoken } from '../src/resilience/numbers.ts';
import { judged, noted } from '../src/resilience/outcome.ts';
import { Recent } from '../src/resilience/recent.ts';
import { isPolling, isReadOnly } from '../src/resilience/safety.ts';
import { causeOf, type Failure, rememberCause, type ToolResult } from '../src/result.ts';
import type { Tool } from '../src/tool.ts';
import { isAnswer, makesStages, withTraits } from '../src/traits.ts';
import type { Maybe, Next, Ready, Stage } from '../src/types.ts';

export interface DedupeOptions {
  /** How long after its end a call still counts as the first of equal ones, in milliseconds. Default 10,000. */
  readonly window?: number;
  /** Which tools are not to do the same twice. Default: those that do not only read, but for those with the tag `polling`. */
  readonly tools?: (tool: Tool) => boolean;
  /**
   * Which other calls of a run make an earlier one count no more, since doing it again may now mean something else: a file is
   * written, changed, and written as before. Default: those that may change something. `() => false` for tools whose calls have
   * nothing to do with each other, such as sending mails.
   */
  readonly resets?: (ctx: Ready) => boolean;
  /** What of the state makes calls differ; as in `cache`. */
  readonly vary?: (ctx: Ready) => unknown;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/**
 * Answers a call that is made a second time with what the first one gave, so that it is not done twice: a model that emits the same
 * write twice in one answer, a program that sends a call again. The same means: the same run and principal, tool, state,
 * arguments and effects; and either nothing else was changed in the run meanwhile, or the call has the same id. Ids count only in
 * runs in which no id was used for two different calls.
 *
 * A call whose first is still under way waits for it. A first that failed is not kept, as whoever was told of it decides; only one
 * that did not finish (`timeout`, `aborted`) and may have taken effect stands in the way for the time of the window. One that was
 * withdrawn before its tool was started does not count.
 *
 * How that differs from `cache`: a cache saves work, across runs, for tools that read, and drops everything when something
 * changes. This keeps from doing twice, within one run, for tools that change something, for a few seconds.
 *
 * `meta.deduplicated` has the `call_id` of the first. Keeps 10,000 answers of the 1,000 runs that were used last, 16 MiB together.
 * Its place is behind all guards, each of which sees the second call too: the pipeline checks that.
 *
 * Fails with `conflict` when the first may have taken effect and did not finish (`details.reason` is `duplicate`); with
 * `aborted` or `timeout` when a call ends while it waits; and otherwise with what the first fails with.
 *
 * @example
 * defaultPipeline({ roots }).before('timeout', 'dedupe', dedupe({ window: 5_000 }))
 */
export function dedupe(options: DedupeOptions = {}): Stage<Ready> {
  const { window, isWatched, resets, vary, clock } = checked(options);
  const recent = new Recent<First>(mostKept, mostBytes, clock);
  const underWay = new Map<string, First>();
  let changes = 0;
  const runs = new PerRun(() => new Changes(++changes), 1_000);

  function dedupe(ctx: Ready, next: Next): Maybe<ToolResult> {
    const isMeant = isWatched(ctx);
    const isChange = atOnce(resets(ctx)) !== false;
    if (!isMeant && !isChange) return next();
    const run = runs.of(ctx.run);
    const content = isMeant ? callKey(ctx, vary) : undefined;
    if (content === undefined) {
      run.last = ++changes;
      return next();
    }
    const call: Made = { run, isChange, key: `${runKey(ctx.run)}\n${content}` };
    const first = underWay.get(call.key) ?? recent.get(call.key)?.value;
    return first !== undefined && isTheSame(first, ctx, run) ? second(ctx, next, call, first) : begin(ctx, next, call);
  }

  function begin(ctx: Ready, next: Next, { run, isChange, key }: Made): Maybe<ToolResult> {
    const { call } = ctx;
    if (isChange) run.last = ++changes;
    run.note(call.id, key);
    const first: First = { id: call.id, call, change: run.last, flight: new Flight() };
    underWay.set(key, first);
    // It may end without its tool, which is then still at work, or was never started.
    ctx.onSettled(() => first.flight.hasLanded || land(key, first, ctx.fail('aborted', 'The call was withdrawn.')));
    return judged(ctx, next, (result) => {
      land(key, first, result);
      return result;
    });
  }

  function land(key: string, first: First, result: ToolResult): void {
    if (first.flight.hasLanded) return;
    if (underWay.get(key) === first) underWay.delete(key);
    // What succeeded is not tried again, and its arguments need not be held for that.
    if (result.ok) first.call = undefined;
    const kept = ownCopy(result);
    if (standsInTheWay(result)) recent.set(key, first, kept.bytes + 2 * key.length, window);
    first.flight.land(kept);
  }

  async function second(ctx: Ready, next: Next, call: Made, first: First): Promise<ToolResult> {
    const landed = await first.flight.wait(ctx);
    if (isAnswer(landed)) return landed;
    const { result } = landed;
    if (result.ok || result.effect === 'unknown') return again(ctx, result, first.id, window);
    // Nothing was done, so it is done now, by one of those who wait.
    const other = underWay.get(call.key);
    return other === undefined ? begin(ctx, next, call) : second(ctx, next, call, other);
  }

  return withTraits(dedupe as Stage<Ready>, { needs: ['tool', 'args'], stores: true });
}
makesStages(dedupe);

const mostKept = 10_000;
const mostBytes = 16_777_216;

/** A call that may be one of several equal ones. */
interface Made {
  readonly run: Changes;
  readonly isChange: boolean;
  readonly key: string;
}

/** The first of equal calls. */
interface First {
  readonly id: string;
  /** The call itself, as long as there may be a further attempt of it. */
  call: object | undefined;
  /** The number of the latest change when it began. */
  readonly change: number;
  readonly flight: Flight<Kept>;
}

function isTheSame(first: First, ctx: Ready, run: Changes): boolean {
  // A further attempt of one and the same call is meant to be made.
  if (first.call === ctx.call) return false;
  return first.change === run.last || (run.hasOwnIds && first.id === ctx.call.id);
}

function didNotFinish({ code }: Failure): boolean {
  return code === 'timeout' || code === 'aborted';
}

function standsInTheWay(result: ToolResult): boolean {
  return result.ok || (result.effect === 'unknown' && didNotFinish(result));
}

/** What is kept of a result; its size is in bytes, roughly. */
interface Kept {
  readonly result: ToolResult;
  readonly bytes: number;
}

/** It as it is now, whatever the first caller or the tool does with it. What cannot be copied is taken for small. */
function ownCopy(result: ToolResult): Kept {
  const copied = copyData(result.ok ? result.data : result.details);
  if (copied === undefined) return { result, bytes: 1_024 };
  const { data, bytes } = copied;
  if (result.ok) return { result: { ...result, data }, bytes };
  return data === undefined
    ? { result, bytes }
    : { result: rememberCause({ ...result, details: data }, causeOf(result)), bytes };
}

/** The answer to a call whose first came to this. */
function again(ctx: Ready, result: ToolResult, id: string, window: number): ToolResult {
  const notes = { ...result.meta, deduplicated: { call_id: id } };
  if (result.ok) return noted(ctx.ok(copyOf(result.data)), notes);
  if (!didNotFinish(result)) {
    const { code, error, retryable, effect } = result;
    const details = copyOf(result.details);
    return noted(ctx.fail(code, error, { retryable, effect, details, cause: causeOf(result) }), notes);
  }
  const text =
    `${ctx.tool.name} was called with these very arguments a moment ago and did not finish: it may have taken effect. ` +
    `Check, and if it has not, make the call again after ${spoken(window)}.`;
  const details = { reason: 'duplicate', first: result.code, retry_after_ms: window };
  return noted(ctx.fail('conflict', text, { retryable: false, effect: 'unknown', details }), notes);
}

function copyOf(value: unknown): unknown {
  const copied = copyData(value);
  return copied === undefined ? value : copied.data;
}

interface Checked {
  readonly window: number;
  readonly isWatched: (ctx: Ready) => boolean;
  readonly resets: (ctx: Ready) => boolean;
  readonly vary: ((ctx: Ready) => unknown) | undefined;
  readonly clock: Clock;
}

const optionNames = ['window', 'tools', 'resets', 'vary', 'clock'] satisfies (keyof DedupeOptions)[];

function checked(options: DedupeOptions): Checked {
  checkOptions('dedupe', options, optionNames);
  const { window = 10_000, tools, resets, vary, clock = systemClock } = options;
  checkClock(clock, 'dedupe({ clock })');
  checkFunction(tools, 'dedupe({ tools })');
  checkFunction(resets, 'dedupe({ resets })');
  checkFunction(vary, 'dedupe({ vary })');
  return {
    window: checkFinite(window, 'dedupe({ window })'),
    // A promise is no verdict: taken for one, it would always be true.
    isWatched: tools === undefined ? changesSomething : ({ tool }) => atOnce(tools(tool)) === true,
    resets: resets ?? ((ctx) => !isReadOnly(ctx)),
    vary,
    clock,
  };
}

function changesSomething(ctx: Ready): boolean {
  return !isReadOnly(ctx) && !isPolling(ctx.tool);
}
