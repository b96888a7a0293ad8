/** Random numbers that a seed decides, so that what they led to can be repeated. Not for secrets. */
export interface Random {
  /** From 0 up to, but never, 1. */
  fraction(): number;
  /** A whole number from 0 up to, but never, `limit`. */
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
}

/** A generator by its seed, any whole number: a Weyl sequence whose terms are mixed as in MurmurHash3's finalizer. */
export function seededRandom(seed: number): Random {
  let state = Math.trunc(seed) | 0;
  const fraction = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x85ebca6b);
    mixed ^= mixed >>> 13;
    mixed = Math.imul(mixed, 0xc2b2ae35);
    mixed ^= mixed >>> 16;
    return (mixed >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return { fraction, below, pick: <T>(list: readonly T[]) => list[below(list.length)] as T };
}
