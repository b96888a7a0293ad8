/** Makes the final outcome of a promise of what it was settled with, or with `threw` of what it was rejected with. */
export type LastWord<T> = (outcome: unknown, threw: boolean) => T;

/** Somebody who waits for a promise, and leaves when it has settled. */
interface Waiting {
  /** Whether it has not yet outlasted the turn of the event loop in which it began. */
  readonly isFresh: boolean;
  leave(): void;
}

/** Keeps account of what is to be settled some day. */
export interface Keeper<Subject> {
  add(subject: Subject, promise: Promise<unknown>): void;
}

/** What is known of a promise that may be settled from outside. */
export interface Settlement<T> {
  resolve(outcome: T): void;
  reject(error: unknown): void;
  last: LastWord<T> | undefined;
  waiting: Waiting | undefined;
  /** Who is told when it has outlasted a turn. */
  keeper: Keeper<unknown> | undefined;
  /** Whose promise it is. A stage may hand over one of another call, which is not its to settle. */
  readonly subject: unknown;
  settled: boolean;
}

interface Settleable<T> extends Promise<T> {
  [key]?: Settlement<T>;
}

const key = Symbol('callgate.settleable');

/**
 * As `pending.then(fulfilled, rejected)`, where neither throws; but the promise can be settled before, and others who act for
 * the same subject can have the last word about it, without another promise around it and the turn that this would take.
 */
export function settleable<V, T>(
  pending: Promise<V>,
  subject: unknown,
  fulfilled: (value: V) => T,
  rejected: (error: unknown) => T,
): Promise<T> {
  const settlement = newSettlement<T>(subject);
  const promise = promiseOf(settlement);
  pending.then(
    (value) => settle(settlement, fulfilled(value), false),
    (error: unknown) => settle(settlement, rejected(error), false),
  );
  return promise;
}

/** A promise that settles as `pending` does unless it is settled before. */
export function following<T>(pending: Promise<T>, subject: unknown): Promise<T> {
  const settlement = newSettlement<T>(subject);
  const promise = promiseOf(settlement);
  pending.then(
    (outcome) => settle(settlement, outcome, false),
    (error: unknown) => settle(settlement, error, true),
  );
  return promise;
}

/** What is known of a promise; `undefined` of one that nobody else may settle. */
export function settlementOf<T>(promise: Promise<T>): Settlement<T> | undefined {
  return (promise as Settleable<T>)[key];
}

/** Gives somebody the last word about a promise: whether that can be, which is once and only where it is the subject's own. */
export function concluding<T>(promise: Promise<T>, subject: unknown, last: LastWord<T>): boolean {
  const settlement = settlementOf(promise);
  if (settlement === undefined || settlement.subject !== subject) return false;
  if (settlement.settled || settlement.last !== undefined) return false;
  settlement.last = last;
  return true;
}

/** What `last` makes of how `promise` settles, as a promise that can be settled before. */
export function concluded<T>(promise: Promise<T>, subject: unknown, last: LastWord<T>): Promise<T> {
  if (concluding(promise, subject, last)) return promise;
  const around = following(promise, subject);
  concluding(around, subject, last);
  return around;
}

/** Tells `keeper` of a subject's own promise: where somebody waits for it, only when it has outlasted a turn, since most never do. */
export function keep<Subject>(promise: Promise<unknown>, keeper: Keeper<Subject>, subject: Subject): void {
  const settlement = settlementOf(promise);
  if (!settlement?.waiting?.isFresh) {
    keeper.add(subject, promise);
    return;
  }
  settlement.keeper = keeper as Keeper<unknown>;
}

/** Settles a promise by what stopped it from outside; one that has settled stays as it is. */
export function interrupt<T>(promise: Promise<T>, reason: unknown): void {
  const settlement = settlementOf(promise);
  if (settlement !== undefined) settle(settlement, reason, true);
}

/** Settles a promise, unless it has settled. */
export function settle<T>(settlement: Settlement<T>, outcome: unknown, threw: boolean): void {
  if (settlement.settled) return;
  settlement.settled = true;
  const { waiting, last } = settlement;
  if (waiting !== undefined) waiting.leave();
  if (last === undefined) {
    if (threw) settlement.reject(outcome);
    else settlement.resolve(outcome as T);
    return;
  }
  try {
    settlement.resolve(last(outcome, threw));
  } catch (error) {
    settlement.reject(error);
  }
}

function newSettlement<T>(subject: unknown): Settlement<T> {
  return {
    resolve: noop,
    reject: noop,
    last: undefined,
    waiting: undefined,
    keeper: undefined,
    subject,
    settled: false,
  };
}

function noop(): void {}

function promiseOf<T>(settlement: Settlement<T>): Promise<T> {
  const promise: Settleable<T> = new Promise<T>((resolve, reject) => {
    settlement.resolve = resolve;
    settlement.reject = reject;
  });
  promise[key] = settlement;
  return promise;
}
