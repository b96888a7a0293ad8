import type pTimeout from 'p-timeout';
import { type Clock, systemClock } from './clock.ts';
import { longestTimer } from './milliseconds.ts';
import { following, type Settlement, settle, settlementOf } from './settleable.ts';
import { withoutStack } from './stackless.ts';

/** Settles the promise that {@link withDeadline} gave, unless it has settled. */
export type Settle<T> = (outcome: T) => void;

/**
 * What a deadline means to whoever set it. One object for all of its calls, which differ only in their `subject`: so
 * a call that settles in time, as nearly all do, costs no closures.
 */
export interface DeadlineRules<Subject, T> {
  /** By which the time passes. */
  readonly clock: Clock;
  /** The time is up. */
  expired(subject: Subject, limit: number, settle: Settle<T>): void;
  /** Called when the wait outlasts a turn of the event loop: for those who may settle it for another reason. */
  watch(subject: Subject, settle: Settle<T>): void;
}

// Most calls settle within the turn of the event loop in which they began, and no timer could fire before the next
// one. So a timer is armed only for what is still pending then, and one immediate serves all of them.
const fresh: Waiting[] = [];
let scheduled = false;
let timeoutOf: typeof pTimeout | undefined;

/** A promise with a deadline, until it has a timer or has settled. */
class Waiting {
  readonly promise: Promise<unknown>;
  readonly settlement: Settlement<unknown>;
  readonly begunAt: number;
  readonly limit: number;
  readonly subject: unknown;
  readonly rules: DeadlineRules<unknown, unknown>;
  /** Its place in `fresh`, or -1. */
  #place: number = fresh.length;

  constructor(
    promise: Promise<unknown>,
    settlement: Settlement<unknown>,
    begunAt: number,
    limit: number,
    subject: unknown,
    rules: DeadlineRules<unknown, unknown>,
  ) {
    this.promise = promise;
    this.settlement = settlement;
    this.begunAt = begunAt;
    this.limit = limit;
    this.subject = subject;
    this.rules = rules;
    fresh.push(this);
    if (scheduled) return;
    scheduled = true;
    setImmediate(arm);
  }

  get isFresh(): boolean {
    return this.#place >= 0;
  }

  /** Swaps the last one into its place: cheaper than any collection that keeps an order. */
  leave(): void {
    const place = this.#place;
    if (place < 0) return;
    this.#place = -1;
    // Those that are about to be armed stand there no more.
    if (fresh[place] !== this) return;
    const last = fresh.pop() as Waiting;
    if (last === this) return;
    fresh[place] = last;
    last.#place = place;
  }

  arm(): void {
    this.#place = -1;
    const { keeper, subject, settled } = this.settlement;
    // By one that was armed just before.
    if (settled) return;
    if (keeper !== undefined) keeper.add(subject, this.promise);
    if (timeoutOf === undefined) void load().then(() => start(this));
    else start(this);
  }
}

/**
 * Gives the outcome of `pending`, unless the rules settle it before: because it took longer than `limit` milliseconds
 * after `begunAt` (by the rules' clock), or for a reason of their own. What was waited for goes on. A promise of this subject
 * that may be settled from outside, and that nobody has set a deadline to, is given back itself.
 */
export function withDeadline<Subject, T>(
  pending: Promise<T>,
  begunAt: number,
  limit: number,
  subject: Subject,
  rules: DeadlineRules<Subject, T>,
): Promise<T> {
  let promise = pending;
  let settlement = settlementOf(promise);
  if (settlement === undefined || settlement.subject !== subject || settlement.waiting !== undefined) {
    promise = following(pending, subject);
    settlement = settlementOf(promise) as Settlement<T>;
  }
  settlement.waiting = new Waiting(
    promise,
    settlement as Settlement<unknown>,
    begunAt,
    limit,
    subject,
    rules as DeadlineRules<unknown, unknown>,
  );
  return promise;
}

function arm(): void {
  scheduled = false;
  for (const waiting of fresh.splice(0)) waiting.arm();
}

async function load(): Promise<void> {
  timeoutOf ??= (await import('p-timeout')).default;
}

function start({ promise, settlement, subject, rules, begunAt, limit }: Waiting): void {
  const settled = (outcome: unknown): void => settle(settlement, outcome, false);
  const { clock } = rules;
  const left = begunAt + limit - clock.now();
  // p-timeout 7 fires at once for what is longer than a timer can be.
  const milliseconds = left > longestTimer ? Number.POSITIVE_INFINITY : left;
  if (milliseconds <= 0) {
    rules.expired(subject, limit, settled);
    return;
  }
  const fallback = (): void => rules.expired(subject, limit, settled);
  // It makes an error for each of its timers, in case they fire, and the stack of one is what costs most here.
  const timed = withoutStack(() =>
    (timeoutOf as typeof pTimeout)(promise, { milliseconds, fallback, ...timersOf(clock) }),
  );
  timed.catch(() => {});
  rules.watch(subject, (outcome) => {
    settled(outcome);
    // What was withdrawn leaves no timer behind to keep the process alive.
    timed.clear();
  });
}

// Those of the machine's own clock are p-timeout's own: what tests put in their place is then found when a timer is set.
function timersOf(clock: Clock): { customTimers?: NonNullable<Parameters<typeof pTimeout>[1]['customTimers']> } {
  if (clock === systemClock) return {};
  return {
    customTimers: {
      setTimeout: ((callback: () => void, milliseconds = 0) => clock.setTimeout(callback, milliseconds)) as never,
      clearTimeout: ((timer: unknown) => clock.clearTimeout(timer)) as never,
    },
  };
}
