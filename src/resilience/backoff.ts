import type { Failure } from '../result.ts';

/** How long to wait between attempts. All times in milliseconds. */
export interface Waits {
  /** The upper bound of the first wait; it doubles with every further one. */
  readonly delay: number;
  /** The upper bound of every wait. */
  readonly maxDelay: number;
  /** A number from 0 to below 1. */
  readonly random: () => number;
}

/**
 * How long to wait after the attempt with this number (counted from 1) has failed: anything from nothing to an upper bound
 * that doubles ("full jitter"), so that many callers do not come back together. Where the failure says how long to wait, that
 * long at least, and up to `delay` more. `undefined` when it says more than `maxDelay`: then it is no use to wait.
 *
 * @see https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
 */
export function backoff(failure: Failure, attempt: number, { delay, maxDelay, random }: Waits): number | undefined {
  const asked = retryAfterOf(failure);
  if (asked === undefined) return random() * Math.min(maxDelay, delay * 2 ** (attempt - 1));
  return asked > maxDelay ? undefined : asked + random() * delay;
}

/**
 * How long a failure says to wait, in milliseconds: its details' `retry_after_ms`, a number; or `retry_after`, the text of a
 * Retry-After header as it came: seconds, or a date. `undefined` where it says nothing that can be read.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function retryAfterOf({ details }: Failure): number | undefined {
  if (typeof details !== 'object' || details === null) return undefined;
  const { retry_after_ms: milliseconds, retry_after: header } = details as Record<string, unknown>;
  if (typeof milliseconds === 'number' && milliseconds >= 0) return milliseconds;
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // A date needs letters: a bare number with a sign or a fraction is no date, whatever Date.parse makes of it.
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
