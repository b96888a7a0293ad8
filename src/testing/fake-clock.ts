import type { Clock } from '../clock.ts';
import { turns } from './turns.ts';

/** A timer that waits on a fake clock. */
export interface PendingTimer {
  /** When it is due, in milliseconds as `now()` counts them. */
  readonly dueAt: number;
  /** How long it still has to wait, in milliseconds. */
  readonly dueIn: number;
}

/** A clock whose time passes when a test says so. */
export interface FakeClock extends Clock {
  /**
   * Lets this time pass, in milliseconds. Timers that come due fire in their order, each at its own time, also those that
   * are set on the way; between them the event loop turns, so that what waits for one can go on before the next. Rejects
   * with what timers threw, once the time has passed.
   */
  advance(milliseconds: number): Promise<void>;
  /**
   * Settles once so many timers wait (default 1). For a call that is to wait for one: the first calls of a process load
   * modules, and how long that takes no fake clock decides. Rejects when there are fewer after 5 real seconds.
   */
  untilPending(count?: number): Promise<void>;
  /** The timers that wait, in the order in which they will fire. */
  pending(): readonly PendingTimer[];
}

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

/** More than this in one `advance` is a timer that sets itself again for ever. */
const mostTimers = 100_000;
/** In real milliseconds. */
const patience = 5_000;

/**
 * Makes a clock for tests, to be given to stages as their option `clock`. Time begins at `start`, in milliseconds
 * (default 0), and as with the timers of Node.js less than 1 ms is 1 ms.
 *
 * @example
 * const clock = fakeClock();
 * const pending = router.call(call);        // its pipeline has retry({ clock })
 * await clock.untilPending();
 * await clock.advance(5_000);
 * const result = await pending;
 */
export function fakeClock(start = 0): FakeClock {
  if (!Number.isFinite(start)) throw new TypeError(`fakeClock(start) takes milliseconds; it got ${String(start)}.`);
  let now = start;
  let last = Promise.resolve();
  const timers = new Set<Timer>();

  async function advance(milliseconds: number): Promise<void> {
    const target = now + milliseconds;
    const errors: unknown[] = [];
    let fired = 0;
    // What was called just before may be about to set its timers.
    await turns(2);
    for (let next = earliest(timers, target); next !== undefined; next = earliest(timers, target)) {
      timers.delete(next);
      if (++fired > mostTimers) throw new Error(`More than ${mostTimers} timers fired in ${milliseconds} ms.`);
      now = Math.max(now, next.dueAt);
      try {
        next.callback();
      } catch (error) {
        errors.push(error);
      }
      await turns(2);
    }
    now = target;
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} timers threw.`);
    if (errors.length === 1) throw errors[0];
  }

  return Object.freeze({
    now: () => now,
    setTimeout(callback: () => void, milliseconds: number): unknown {
      if (typeof callback !== 'function') throw new TypeError('A timer takes a function to be called.');
      const timer = { dueAt: now + Math.max(1, milliseconds || 0), callback };
      timers.add(timer);
      return timer;
    },
    clearTimeout: (timer: unknown) => void timers.delete(timer as Timer),
    advance(milliseconds: number): Promise<void> {
      if (!Number.isFinite(milliseconds) || milliseconds < 0) {
        const got = String(milliseconds);
        return Promise.reject(new TypeError(`advance() takes a finite number of milliseconds from 0; it got ${got}.`));
      }
      // One after the other: time does not pass twice at once.
      const passed = last.then(() => advance(milliseconds));
      last = passed.catch(() => {});
      return passed;
    },
    async untilPending(count = 1): Promise<void> {
      const givenUpAt = performance.now() + patience;
      while (timers.size < count) {
        if (performance.now() > givenUpAt) {
          throw new Error(`Within ${patience} real ms, ${timers.size} of ${count} timers were set on the fake clock.`);
        }
        await turns(1);
      }
    },
    pending: () =>
      [...timers].sort((one, other) => one.dueAt - other.dueAt).map(({ dueAt }) => ({ dueAt, dueIn: dueAt - now })),
  });
}

/** The timer that fires next, if it is due by then; of two for the same time, the one that was set first. */
function earliest(timers: ReadonlySet<Timer>, by: number): Timer | undefined {
  let found: Timer | undefined;
  for (const timer of timers)
    if (timer.dueAt <= by && (found === undefined || timer.dueAt < found.dueAt)) found = timer;
  return found;
}
