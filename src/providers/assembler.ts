import { type CallMakerOptions, callMaker, isWhole } from './calls.ts';
import type { ProviderCall } from './types.ts';

interface Part {
  id: unknown;
  name: unknown;
  /** JSON text that grows, or an object that came whole. */
  arguments: unknown;
  open: boolean;
  call?: ProviderCall;
}

/** Puts calls together from the pieces of a stream. `key` is what the provider tells parallel calls apart by. */
export interface Assembler {
  /** A call begins, or its id or name comes later; what is undefined changes nothing. */
  begin(key: unknown, id: unknown, name: unknown): void;
  /** More text of the arguments. */
  append(key: unknown, text: string): void;
  /** The arguments as a whole, in place of what there is. */
  replace(key: unknown, args: unknown): void;
  /** Nothing more comes for this call. It is ready when it can be told from a part of itself. */
  close(key: unknown): readonly ProviderCall[];
  /** The response has ended, properly or `cut` short. Returns the calls that had not been ready. */
  finish(cut: boolean): readonly ProviderCall[];
  /** All calls in the order they began. A response that never finished counts as cut. */
  end(): readonly ProviderCall[];
  /** The keys of calls that are still open. */
  openKeys(): readonly unknown[];
  /** The text of a call so far. */
  textOf(key: unknown): string | undefined;
  idOf(key: unknown): unknown;
}

export function assembler(options: CallMakerOptions): Assembler {
  const make = callMaker(options);
  const parts = new Map<unknown, Part>();
  const part = (key: unknown): Part => {
    const found = parts.get(key) ?? { id: undefined, name: undefined, arguments: undefined, open: true };
    parts.set(key, found);
    return found;
  };
  const settle = (which: Part, cut: boolean): readonly ProviderCall[] => {
    which.open = false;
    if (which.call) return [];
    which.call = make(which, cut);
    return [which.call];
  };
  const finish = (cut: boolean): readonly ProviderCall[] => {
    const all = [...parts.values()];
    // Only what stood last, or had not been closed, can have been cut.
    return all.flatMap((which, index) => settle(which, cut && (which.open || index === all.length - 1)));
  };
  return {
    begin(key, id, name) {
      const which = part(key);
      which.id ??= id;
      which.name ??= name;
    },
    append(key, text) {
      const which = part(key);
      const before = typeof which.arguments === 'string' ? which.arguments : '';
      // A server that repeats the whole text at the end: after a whole object nothing may follow, so nothing is lost.
      if (text !== '' && text === before && isWhole(before)) return;
      which.arguments = before + text;
    },
    replace(key, args) {
      part(key).arguments = args;
    },
    close(key) {
      const which = part(key);
      which.open = false;
      return isWhole(which.arguments) ? settle(which, false) : [];
    },
    finish,
    end() {
      finish(true);
      return [...parts.values()].map((which) => which.call!);
    },
    openKeys: () => [...parts].filter(([, which]) => which.open).map(([key]) => key),
    textOf: (key) => {
      const text = parts.get(key)?.arguments;
      return typeof text === 'string' ? text : undefined;
    },
    idOf: (key) => parts.get(key)?.id,
  };
}
