import type pTimeout from 'p-timeout';
import { type Clock, systemClock } from './clock.ts';
import { longestTimer } from './milliseconds.ts';

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

/** A promise that a deadline may settle itself, which saves a promise and a turn around it. */
interface Settleable<T> extends Promise<T> {
  [own]?: Own<T>;
  [watched]?: true;
}

interface Own<T> {
  settle: Settle<T>;
  /** Set while a deadline waits for it. */
  waiting: Waiting | undefined;
}

const own = Symbol('callgate.settleable');
/** A deadline waits for it and settles it, as its rules say, when the call is aborted. */
const watched = Symbol('callgate.watched');

/**
 * As `pending.then(fulfilled, rejected)`, where neither throws nor gives a promise; a deadline that stands right around it
 * settles the promise itself instead of putting another one around it.
 */
export function settleable<V, T>(
  pending: Promise<V>,
  fulfilled: (value: V) => T,
  rejected: (error: unknown) => T,
): Promise<T> {
  const record = { settle: undefined, waiting: undefined } as unknown as Own<T>;
  const promise: Settleable<T> = new Promise<T>((settle) => {
    record.settle = settle;
  });
  promise[own] = record;
  pending.then(
    (value) => {
      leave(record);
      record.settle(fulfilled(value));
    },
    (error: unknown) => {
      leave(record);
      record.settle(rejected(error));
    },
  );
  return promise;
}

function leave<T>({ waiting }: Own<T>): void {
  if (waiting !== undefined && waiting.place >= 0) forget(waiting);
}

/** Whether a deadline stands right around it, by whose rules it settles when the call is aborted. */
export function endsOnAbort(promise: Promise<unknown>): boolean {
  return (promise as Settleable<unknown>)[watched] === true;
}

interface Waiting {
  readonly pending: Promise<unknown>;
  readonly subject: unknown;
  readonly rules: DeadlineRules<unknown, unknown>;
  readonly begunAt: number;
  readonly limit: number;
  readonly settle: Settle<unknown>;
  /** Its place in `fresh`, or -1 once it has a timer or has settled. */
  place: number;
}

// Most calls settle within the turn of the event loop in which they began, and no timer could fire before the next
// one. So a timer is armed only for what is still pending then, and one immediate serves all of them.
const fresh: Waiting[] = [];
let scheduled = false;
let timeoutOf: typeof pTimeout | undefined;

/**
 * Gives the outcome of `pending`, unless the rules settle it before: because it took longer than `limit` milliseconds
 * after `begunAt` (by the rules' clock), or for a reason of their own. The promise waited for goes on.
 */
export function withDeadline<Subject, T>(
  pending: Promise<T>,
  begunAt: number,
  limit: number,
  subject: Subject,
  rules: DeadlineRules<Subject, T>,
): Promise<T> {
  const record = (pending as Settleable<T>)[own];
  if (record !== undefined) {
    (pending as Settleable<T>)[watched] = true;
    record.waiting = wait(pending, begunAt, limit, subject, rules as DeadlineRules<unknown, unknown>, record.settle);
    return pending;
  }
  const promise: Settleable<T> = new Promise<T>((settle, reject) => {
    const waiting = wait(pending, begunAt, limit, subject, rules as DeadlineRules<unknown, unknown>, settle);
    pending.then(
      (outcome) => {
        if (waiting.place >= 0) forget(waiting);
        settle(outcome);
      },
      (error: unknown) => {
        if (waiting.place >= 0) forget(waiting);
        reject(error);
      },
    );
  });
  promise[watched] = true;
  return promise;
}

function wait<T>(
  pending: Promise<T>,
  begunAt: number,
  limit: number,
  subject: unknown,
  rules: DeadlineRules<unknown, unknown>,
  settle: Settle<T>,
): Waiting {
  const waiting = { pending, subject, rules, begunAt, limit, settle, place: fresh.length } as Waiting;
  fresh.push(waiting);
  if (!scheduled) {
    scheduled = true;
    setImmediate(arm);
  }
  return waiting;
}

/** Swaps the last one into its place: cheaper than any collection that keeps an order. */
function forget(waiting: Waiting): void {
  const last = fresh.pop() as Waiting;
  if (last !== waiting) {
    fresh[waiting.place] = last;
    last.place = waiting.place;
  }
  waiting.place = -1;
}

function arm(): void {
  scheduled = false;
  for (const waiting of fresh.splice(0)) {
    waiting.place = -1;
    if (timeoutOf === undefined) void load().then(() => start(waiting));
    else start(waiting);
  }
}

async function load(): Promise<void> {
  timeoutOf ??= (await import('p-timeout')).default;
}

function start({ pending, subject, rules, begunAt, limit, settle }: Waiting): void {
  const { clock } = rules;
  const left = begunAt + limit - clock.now();
  // p-timeout 7 fires at once for what is longer than a timer can be.
  const milliseconds = left > longestTimer ? Number.POSITIVE_INFINITY : left;
  if (milliseconds <= 0) {
    rules.expired(subject, limit, settle);
    return;
  }
  const fallback = (): void => rules.expired(subject, limit, settle);
  // It makes an error for each of its timers, in case they fire; the stack of one is what costs most here.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const timed = (timeoutOf as typeof pTimeout)(pending, { milliseconds, fallback, ...timersOf(clock) });
  Error.stackTraceLimit = stackTraceLimit;
  timed.catch(() => {});
  rules.watch(subject, (outcome) => {
    settle(outcome);
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
