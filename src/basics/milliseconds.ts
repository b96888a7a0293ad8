/** The longest that Node's timers can wait, in milliseconds: about 25 days. */
export const longestTimer: number = 2 ** 31 - 1;

/**
 * Checks a limit in milliseconds. Node's timers fire at once when asked to wait longer than 2^31-1 ms, so anything
 * above that (about 25 days) is taken as no limit at all: `Infinity`.
 *
 * Throws a TypeError for 0, negative numbers, NaN and whatever is not a number.
 */
export function checkMilliseconds(value: unknown, what: string): number {
  if (typeof value !== 'number' || !(value > 0)) {
    throw new TypeError(`${what} must be a number of milliseconds above 0, or Infinity; it is ${String(value)}.`);
  }
  return value > longestTimer ? Number.POSITIVE_INFINITY : value;
}
