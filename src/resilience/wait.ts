import type { Clock } from '../clock.ts';
import { toFailure } from '../failure.ts';
import type { Failure } from '../result.ts';
import type { Call } from '../types.ts';

/** Waits so many milliseconds, but not longer than the call lasts: then gives what the call ended with, at once. */
export function waitFor(ctx: Call, milliseconds: number, clock: Clock): Promise<Failure | undefined> {
  return unlessEnded<undefined>(ctx, (done) => {
    const timer = clock.setTimeout(() => done(undefined), milliseconds);
    return () => clock.clearTimeout(timer);
  });
}

/** How something ended that was waited for: with a value, with what it threw, or not in time. */
export type Waited = { readonly value: unknown } | { readonly error: unknown } | { readonly late: true };

/** Waits for something, so many milliseconds and not longer than the call lasts. */
export function within(
  ctx: Call,
  pending: PromiseLike<unknown>,
  milliseconds: number,
  clock: Clock,
): Promise<Waited | Failure> {
  return unlessEnded<Waited>(ctx, (done) => {
    const timer =
      milliseconds === Number.POSITIVE_INFINITY
        ? undefined
        : clock.setTimeout(() => done({ late: true }), milliseconds);
    const stop = (): void => {
      if (timer !== undefined) clock.clearTimeout(timer);
    };
    pending.then(
      (value) => {
        stop();
        done({ value });
      },
      (error: unknown) => {
        stop();
        done({ error });
      },
    );
    return stop;
  });
}

/**
 * A promise that `begin` settles, or the end of the call. `begin` gives what is to be undone when the call ends first.
 * Settled once it stays so, and the call's listeners then do nothing.
 */
export function unlessEnded<T>(ctx: Call, begin: (done: (value: T) => void) => () => void): Promise<T | Failure> {
  return new Promise((resolve) => {
    let pending = true;
    const settle = (value: T | Failure): void => {
      pending = false;
      resolve(value);
    };
    const undo = begin(settle);
    const end = (failure: () => Failure): void => {
      if (!pending) return;
      undo();
      settle(failure());
    };
    ctx.onAbort((reason) => end(() => toFailure(ctx, reason)));
    ctx.onSettled(() => end(() => ctx.fail('aborted', 'The call had ended before.')));
  });
}
