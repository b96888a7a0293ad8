import { checkMilliseconds } from '../src/basics/milliseconds.ts';
import { checkOptions } from '../src/basics/options.ts';
import { atOnce } from '../src/basics/thenable.ts';
import type { NamedTools } from '../src/chain/named-tools.ts';
import { type Clock, checkClock, systemClock } from '../src/clock.ts';
import { checkFunction, checkWhole, spoken } from '../src/resilience/numbers.ts';
import { BucketsByOwner, TokenBuckets } from '../src/resilience/token-buckets.ts';
import { waitFor } from '../src/resilience/wait.ts';
import type { Failure } from '../src/result.ts';
import { makesStages, step } from '../src/traits.ts';
import type { Found, Maybe, Stage } from '../src/types.ts';

export interface RateLimitOptions<In extends Found = Found> {
  /** Calls a second. Exactly one of `perSecond`, `perMinute` and `perHour` is needed. */
  readonly perSecond?: number;
  /** Calls a minute. */
  readonly perMinute?: number;
  /** Calls an hour. */
  readonly perHour?: number;
  /** How many calls may come at once after a quiet time. Default: the number above, and at least 1. */
  readonly burst?: number;
  /** Limits only the calls of tools with this tag, all of them together. Default: every tool by itself. */
  readonly tag?: string;
  /** What is limited together, such as a host among the arguments: calls with the same text. Not with `tag`. */
  readonly key?: (ctx: In) => string;
  /**
   * Whether all principals share the limit, as for a service that counts them as one. One of them can then use up what the
   * others need. Default false: each has its own.
   */
  readonly shared?: boolean;
  /** How long a call may wait for its turn instead of being refused, in milliseconds. Default 0. */
  readonly maxWait?: number;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/**
 * Lets so many calls through in a time, and a burst of them at once (a token bucket), by principal and tool. Calls without a
 * principal count together. Of more than 10,000 keys of a principal at a time, further ones share a limit.
 *
 * It is no guard: behind permission, calls that are refused cost nothing; inside a cache, neither do answers from it; inside a
 * retry, every attempt counts.
 *
 * Fails with `rate_limited`; `details` has `reason: 'rate_limit'` and `retry_after_ms`, which `retry` heeds.
 *
 * @example
 * defaultPipeline().before('timeout', 'rateLimit', forTools('search_*', rateLimit({ perMinute: 10, burst: 3 })))
 */
export function rateLimit<In extends Found = Found>(options: RateLimitOptions<In>): Stage<In> {
  const { calls, perMs, every, burst, tag, shared, partOf, maxWait, clock } = checked(options);
  const owners = new BucketsByOwner(() => new TokenBuckets(burst, perMs));

  function rateLimit(ctx: In): Maybe<Failure | undefined> {
    if (tag !== undefined && ctx.tool.tags?.includes(tag) !== true) return undefined;
    const part = partOf(ctx);
    const now = clock.now();
    const buckets = owners.of(shared ? undefined : ctx.run.principal, now);
    const taken = buckets.take(part, now, maxWait);
    if ('retryAfterMs' in taken) return refused(ctx, wholeMs(taken.retryAfterMs));
    return taken.waitMs === 0 ? undefined : wait(ctx, buckets, part, taken.waitMs);
  }

  async function wait(ctx: In, buckets: TokenBuckets, part: string, waitMs: number): Promise<Failure | undefined> {
    const ended = await waitFor(ctx, waitMs, clock);
    if (ended !== undefined) buckets.giveBack(part, clock.now());
    return ended;
  }

  function refused(ctx: In, retryAfterMs: number): Failure {
    const what = tag === undefined ? ctx.tool.name : `tools with the tag ${tag}`;
    const text = `Too many calls of ${what}: the limit is ${calls} ${every}. Wait ${spoken(retryAfterMs)} before the next one, or go on without it.`;
    return ctx.fail('rate_limited', text, { details: { reason: 'rate_limit', retry_after_ms: retryAfterMs } });
  }

  const stage = step(rateLimit, { needs: ['tool'] }) as Stage<In>;
  return Object.assign(stage, { namesTools: tag === undefined ? [] : [taggedTools(tag)] });
}
makesStages(rateLimit);

function taggedTools(tag: string): NamedTools {
  return { option: 'rateLimit({ tag })', name: tag, means: ({ tags }) => tags?.includes(tag) === true };
}

interface Checked<In extends Found> {
  readonly calls: number;
  readonly perMs: number;
  /** The unit in words. */
  readonly every: string;
  readonly burst: number;
  readonly tag: string | undefined;
  readonly shared: boolean;
  readonly partOf: (ctx: In) => string;
  readonly maxWait: number;
  readonly clock: Clock;
}

const optionNames = [
  'perSecond',
  'perMinute',
  'perHour',
  'burst',
  'tag',
  'key',
  'shared',
  'maxWait',
  'clock',
] satisfies (keyof RateLimitOptions)[];

const units = {
  perSecond: { ms: 1_000, text: 'a second' },
  perMinute: { ms: 60_000, text: 'a minute' },
  perHour: { ms: 3_600_000, text: 'an hour' },
} as const;

/** Rounded up, but not for what a division of fractions leaves over. */
function wholeMs(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds - 1e-6));
}

function checked<In extends Found>(options: RateLimitOptions<In>): Checked<In> {
  checkOptions('rateLimit', options, optionNames);
  const { burst, tag, key, shared = false, maxWait = 0, clock = systemClock } = options;
  checkClock(clock, 'rateLimit({ clock })');
  const given = (['perSecond', 'perMinute', 'perHour'] as const).filter((unit) => options[unit] !== undefined);
  const [unit] = given;
  if (unit === undefined || given.length > 1) {
    throw new TypeError('rateLimit() needs one of perSecond, perMinute and perHour, and only one.');
  }
  const calls = options[unit];
  if (typeof calls !== 'number' || !(calls > 0) || calls === Number.POSITIVE_INFINITY) {
    throw new TypeError(`rateLimit({ ${unit} }) must be a number of calls above 0; it is ${String(calls)}.`);
  }
  if (tag !== undefined && (typeof tag !== 'string' || tag === '')) {
    throw new TypeError('rateLimit({ tag }) must be the text of a tag.');
  }
  if (tag !== undefined && key !== undefined) throw new TypeError('rateLimit() takes a tag or a key, and not both.');
  if (typeof shared !== 'boolean') throw new TypeError('rateLimit({ shared }) must be true or false.');
  checkFunction(key, 'rateLimit({ key })');
  return {
    calls,
    perMs: calls / units[unit].ms,
    every: units[unit].text,
    burst: checkWhole(burst ?? Math.max(1, Math.floor(calls)), 'rateLimit({ burst })', 1),
    tag,
    shared,
    partOf: partFor(tag, key),
    maxWait: maxWait === 0 ? 0 : checkMilliseconds(maxWait, 'rateLimit({ maxWait })'),
    clock,
  };
}

function partFor<In extends Found>(
  tag: string | undefined,
  key: ((ctx: In) => string) | undefined,
): (ctx: In) => string {
  if (tag !== undefined) return () => tag;
  if (key === undefined) return (ctx) => ctx.tool.name;
  return (ctx) => {
    const part = atOnce(key(ctx));
    // Anything else might be the same text for different things.
    if (typeof part !== 'string') throw new TypeError(`rateLimit({ key }) must give a text; it gave ${typeof part}.`);
    return part;
  };
}
