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

/** The machine's own clock. */
export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  setTimeout: (callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds),
  clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
});
