import { checkOptions } from '../src/basics/options.ts';
import { atOnce } from '../src/basics/thenable.ts';
import { type Clock, checkClock, systemClock } from '../src/clock.ts';
import { backoff, type Waits } from '../src/resilience/backoff.ts';
import { copyData } from '../src/resilience/copy-data.ts';
import { checkFinite, checkFunction, checkWhole } from '../src/resilience/numbers.ts';
import { judged, noted, outcomeOf } from '../src/resilience/outcome.ts';
import { isSafeToRepeat } from '../src/resilience/safety.ts';
import { waitFor } from '../src/resilience/wait.ts';
import { causeOf, type Failure, rememberCause, type ToolResult } from '../src/result.ts';
import type { Tool } from '../src/tool.ts';
import { makesStages, repeatable } from '../src/traits.ts';
import type { Found, Maybe, Next, Ready, Stage } from '../src/types.ts';

export interface RetryOptions {
  /** How often a call is tried altogether. Default 3. */
  readonly attempts?: number;
  /** The longest first wait, in milliseconds; it doubles with every further one. Default 200. */
  readonly delay?: number;
  /** The longest wait, in milliseconds; a failure that asks for a longer one is not retried. Default 10,000. */
  readonly maxDelay?: number;
  /** How long all attempts and waits may take together, in milliseconds: no wait begins that would end later. Default 60,000. */
  readonly budget?: number;
  /**
   * Tools that may be called twice beside those that say so: after two of their calls no more has happened than after one.
   * Default: none.
   */
  readonly safe?: (tool: Tool) => boolean;
  /** A number from 0 to below 1, for waits that differ. Default `Math.random`. */
  readonly random?: () => number;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/**
 * Tries a call again that failed in a way that may go away by itself (`retryable`). A tool is called twice only when that does
 * no harm: it reads (level `read`, or `annotations.readOnly`), is `annotations.idempotent`, or is `safe` by your word; or when it
 * had not been started (`effect: 'none'`), whatever tool it is. Of a tool from elsewhere its annotations do not count.
 *
 * Waits are random, from nothing to a bound that doubles. A failure may say how long to wait, by its details:
 * `{ retry_after_ms: 1500 }`, or `{ retry_after: response.headers['retry-after'] }`, the header as it came. An abort or a
 * deadline ends the waiting at once. `meta.attempts` tells how many it took, if more than one; observers hear of each
 * (`router.on('retry')`).
 *
 * Its place is inside permission and outside the timeout: then every attempt has the tool's whole time. Inside the timeout
 * all attempts share it, and an attempt that hangs leaves no time for another.
 *
 * Fails with what the last attempt failed with; `aborted` or `timeout` when the call ends while it waits.
 *
 * @example
 * defaultPipeline({ roots }).before('timeout', 'retry', retry({ attempts: 4 }))
 */
export function retry(options: RetryOptions = {}): Stage<Found> {
  const set = checked(options);

  function retry(ctx: Found, next: Next): Maybe<ToolResult> {
    const begunAt = set.clock.now();
    const isSafe = isSafeToRepeat(ctx) || atOnce(set.safe(ctx.tool)) === true;
    const first: Attempts = { begunAt, isSafe, argsOf: isSafe ? argumentsOf(ctx) : undefined };
    return judged(ctx, next, (result) => {
      if (result.ok) return result;
      const delayMs = delayBefore(ctx, result, 1, first, set);
      return delayMs === undefined ? result : again(ctx, next, result, delayMs, first, set);
    });
  }

  return repeatable(retry as Stage<Found>, { needs: ['tool'] });
}
makesStages(retry);

/** What is known of a call before its first attempt. */
interface Attempts {
  readonly begunAt: number;
  /** Two calls do no more than one. */
  readonly isSafe: boolean;
  /** The arguments as they were: a handler may have changed its own. */
  readonly argsOf: (() => object) | undefined;
}

function argumentsOf(ctx: Found): (() => object) | undefined {
  const { args } = ctx as Partial<Ready>;
  const copied = args === undefined ? undefined : copyData(args);
  return copied === undefined ? undefined : () => ({ args: copyData(copied.data)?.data });
}

async function again(
  ctx: Found,
  next: Next,
  first: Failure,
  firstDelay: number,
  attempts: Attempts,
  set: Checked,
): Promise<ToolResult> {
  let failure = first;
  let delayMs: number | undefined = firstDelay;
  let attempt = 1;
  // Whatever a later attempt says of itself: what an earlier one did may have been done.
  let { effect } = first;
  while (delayMs !== undefined) {
    ctx.tell?.('retry', { attempt, code: failure.code, reason: failure.error, delayMs });
    const ended = await waitFor(ctx, delayMs, set.clock);
    if (ended !== undefined) {
      failure = ended;
      break;
    }
    attempt++;
    const result = await outcomeOf(ctx, () => (next as Next<object | undefined>)(attempts.argsOf?.()));
    if (result.ok) return noted(result, { attempts: attempt });
    failure = result;
    if (failure.effect === 'unknown') effect = 'unknown';
    delayMs = delayBefore(ctx, failure, attempt, attempts, set);
  }
  const told = failure.effect === effect ? failure : rememberCause({ ...failure, effect }, causeOf(failure));
  return attempt === 1 ? told : noted(told, { attempts: attempt });
}

/** How long to wait before the next attempt, in milliseconds; `undefined` when there is to be none. */
function delayBefore(
  ctx: Found,
  failure: Failure,
  attempt: number,
  { begunAt, isSafe }: Attempts,
  { attempts, budget, clock, ...limits }: Checked,
): number | undefined {
  if (!failure.retryable || attempt >= attempts || ctx.aborted) return undefined;
  if (failure.effect !== 'none' && !isSafe) return undefined;
  const delayMs = backoff(failure, attempt, limits);
  if (delayMs === undefined || clock.now() - begunAt + delayMs > budget) return undefined;
  return delayMs;
}

interface Checked extends Waits {
  readonly attempts: number;
  readonly budget: number;
  readonly safe: (tool: Tool) => boolean;
  readonly clock: Clock;
}

const optionNames = [
  'attempts',
  'delay',
  'maxDelay',
  'budget',
  'safe',
  'random',
  'clock',
] satisfies (keyof RetryOptions)[];

function checked(options: RetryOptions): Checked {
  checkOptions('retry', options, optionNames);
  checkFunction(options.safe, 'retry({ safe })');
  checkFunction(options.random, 'retry({ random })');
  return {
    attempts: checkWhole(options.attempts ?? 3, 'retry({ attempts })', 1),
    delay: checkFinite(options.delay ?? 200, 'retry({ delay })'),
    maxDelay: checkFinite(options.maxDelay ?? 10_000, 'retry({ maxDelay })'),
    budget: checkFinite(options.budget ?? 60_000, 'retry({ budget })'),
    safe: options.safe ?? (() => false),
    random: options.random ?? Math.random,
    clock: checkClock(options.clock === undefined ? systemClock : options.clock, 'retry({ clock })'),
  };
}
