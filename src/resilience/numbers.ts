import { checkMilliseconds } from '../basics/milliseconds.ts';

/** Throws a TypeError for what is not a whole number from `least` on. */
export function checkWhole(value: unknown, what: string, least: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new TypeError(`${what} must be a whole number from ${least}; it is ${String(value)}.`);
}

/** As `checkMilliseconds`, for a time that has to have an end. */
export function checkFinite(value: unknown, what: string): number {
  const milliseconds = checkMilliseconds(value, what);
  if (milliseconds !== Number.POSITIVE_INFINITY) return milliseconds;
  throw new TypeError(`${what} needs a limit: a number of milliseconds, at most 2,147,483,647.`);
}

/** Throws a TypeError for an option that is given and no function. */
export function checkFunction(value: unknown, what: string): void {
  if (value === undefined || typeof value === 'function') return;
  throw new TypeError(`${what} must be a function; it is ${value === null ? 'null' : typeof value}.`);
}

/** A time for people and models, in the unit that fits. */
export function spoken(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.ceil(milliseconds)} ms`;
  const seconds = Math.ceil(milliseconds / 1_000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}
