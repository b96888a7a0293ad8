import type pTimeout from 'p-timeout';
import { longestTimer } from './milliseconds.ts';

/** A promise that is waited for, and what to do when it takes too long. */
interface Waiting {
  readonly pending: Promise<unknown>;
  readonly dueAt: number;
  readonly expire: () => void;
  /** Its place in `fresh`, or -1 once it has a timer or has settled. */
  place: number;
}

// Most calls settle within the turn of the event loop in which they began, and no timer could fire before the next
// one. So a timer is armed only for what is still pending then, and one immediate serves all of them.
const fresh: Waiting[] = [];
let scheduled = false;
let timeoutOf: typeof pTimeout | undefined;

/** Settles the promise that {@link withDeadline} gave, unless it has settled. */
export type Settle<T> = (outcome: T) => void;

/**
 * Gives the outcome of `pending`, unless somebody settles it before: `expired` is called when it takes longer than
 * `limit` milliseconds after `begunAt` (by `performance.now()`), `watch` at once. The promise waited for goes on.
 */
export function withDeadline<T>(
  pending: Promise<T>,
  begunAt: number,
  limit: number,
  expired: (settle: Settle<T>) => void,
  watch: (settle: Settle<T>) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const waiting: Waiting = { pending, dueAt: begunAt + limit, expire: () => expired(resolve), place: fresh.length };
    fresh.push(waiting);
    if (!scheduled) {
      scheduled = true;
      setImmediate(arm);
    }
    pending.then(
      (outcome) => {
        if (waiting.place >= 0) forget(waiting);
        resolve(outcome);
      },
      (error: unknown) => {
        if (waiting.place >= 0) forget(waiting);
        reject(error);
      },
    );
    watch(resolve);
  });
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

function start({ pending, dueAt, expire }: Waiting): void {
  const left = dueAt - performance.now();
  // p-timeout 7 fires at once for what is longer than a timer can be.
  const milliseconds = left > longestTimer ? Number.POSITIVE_INFINITY : left;
  if (milliseconds <= 0) expire();
  else void (timeoutOf as typeof pTimeout)(pending, { milliseconds, fallback: expire }).catch(() => {});
}
