import type { Clock } from '../clock.ts';
import { type Answer, readAnswer } from './approval.ts';

/** How waiting for somebody ended. */
export type Waited =
  | { readonly how: 'answered'; readonly answer: Answer }
  | { readonly how: 'failed'; readonly cause: unknown }
  | { readonly how: 'expired' }
  | { readonly how: 'aborted' };

/**
 * Waits for an answer until it comes, `signal` aborts or `milliseconds` have passed (`Infinity`: no limit). Never
 * rejects, leaves no timer and no listener behind, and does not listen to what comes later.
 */
export function waitForAnswer(
  ask: () => unknown,
  signal: AbortSignal,
  milliseconds: number,
  clock: Clock,
): Promise<Waited> {
  if (signal.aborted) return Promise.resolve({ how: 'aborted' });
  return new Promise((resolve) => {
    const timer = Number.isFinite(milliseconds)
      ? clock.setTimeout(() => end({ how: 'expired' }), milliseconds)
      : undefined;
    const onAbort = (): void => end({ how: 'aborted' });
    const end = (waited: Waited): void => {
      if (timer !== undefined) clock.clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(waited);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    // Started from a promise, so that an approver that throws at once fails like one that rejects.
    Promise.resolve()
      .then(ask)
      .then(readAnswer)
      .then(
        (answer) => end({ how: 'answered', answer }),
        (cause: unknown) => end({ how: 'failed', cause }),
      );
  });
}
