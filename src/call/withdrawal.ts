import { withoutStack } from '../basics/stackless.ts';

/** Something that can be told that its caller no longer wants it. Holds its own place in the list it stands in. */
export interface Withdrawable {
  place: number;
  withdraw(reason: unknown): void;
}

// One listener a signal, however many calls wait on it: adding a listener per call costs more than the whole chain.
const waiting = new WeakMap<AbortSignal, Withdrawable[]>();
let lastSignal: AbortSignal | undefined;
let lastList: Withdrawable[] | undefined;

/** Has `item` withdrawn when `signal` aborts. Not to be called with a signal that is aborted already. */
export function watchSignal(signal: AbortSignal, item: Withdrawable): void {
  const list = listOf(signal);
  item.place = list.length;
  list.push(item);
}

/** The call has ended: its caller's signal no longer matters to it. */
export function unwatchSignal(signal: AbortSignal, item: Withdrawable): void {
  const list = listOf(signal);
  if (list[item.place] !== item) return;
  const last = list.pop() as Withdrawable;
  if (last === item) return;
  list[item.place] = last;
  last.place = item.place;
}

function listOf(signal: AbortSignal): Withdrawable[] {
  if (signal === lastSignal && lastList !== undefined) return lastList;
  let list = waiting.get(signal);
  if (list === undefined) {
    const created: Withdrawable[] = [];
    list = created;
    waiting.set(signal, created);
    signal.addEventListener(
      'abort',
      () => {
        for (const item of created.splice(0)) item.withdraw(signal.reason);
      },
      { once: true },
    );
  }
  lastSignal = signal;
  lastList = list;
  return list;
}

/** The reason of an abort for which none was given. */
export function withdrawn(): DOMException {
  return withoutStack(() => new DOMException('The call was withdrawn.', 'AbortError'));
}
