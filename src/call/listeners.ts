import { ignore } from '../basics/thenable.ts';

type Listener = (reason: unknown) => unknown;
/** Mostly there is one or none, and an array for one would weigh as much as the function. */
export type Listeners = Listener | Listener[] | undefined;

/** With one more. */
export function joined(listeners: Listeners, listener: Listener): Listeners {
  if (listeners === undefined) return listener;
  if (typeof listeners === 'function') return [listeners, listener];
  listeners.push(listener);
  return listeners;
}

/** Calls them all; what one throws, or rejects with, is its own. */
export function tell(listeners: Listeners, reason: unknown): void {
  if (listeners === undefined) return;
  for (const listener of typeof listeners === 'function' ? [listeners] : listeners) {
    try {
      ignore(listener(reason));
    } catch {
      // A listener's own fault must not keep the others from running, nor the call from ending.
    }
  }
}
