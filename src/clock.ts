import process from 'node:process';

/**
 * Where stages take the time from, and how they wait. Every stage that looks at the time takes one as its option `clock`,
 * so that a test can let hours pass at once (`fakeClock` of `callgate/testing`). All times in milliseconds.
 */
export interface Clock {
  /** Time since some fixed point; it never goes back. */
  now(): number;
  /** Calls `callback` once, after at least this time. */
  setTimeout(callback: () => void, milliseconds: number): unknown;
  /** Takes back what `setTimeout` gave. */
  clearTimeout(timer: unknown): void;
}

/** The machine's own clock: timers, and `process.hrtime`. */
export const systemClock: Clock = Object.freeze({
  // Not `performance.now()`: reading that global runs a function each time, and every call of a tool reads the time.
  now: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  setTimeout: (callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds),
  clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
});

/** Throws a TypeError for what is no clock, so that a deadline never fails at the moment when it is set. */
export function checkClock(clock: unknown, what: string): Clock {
  const { now, setTimeout, clearTimeout } = (clock ?? {}) as Partial<Clock>;
  if (typeof now === 'function' && typeof setTimeout === 'function' && typeof clearTimeout === 'function') {
    return clock as Clock;
  }
  throw new TypeError(`${what} must be a clock { now, setTimeout, clearTimeout }, in milliseconds.`);
}
