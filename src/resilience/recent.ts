import type { Clock } from '../clock.ts';

interface Kept<V> {
  readonly value: V;
  readonly bytes: number;
  readonly keptAt: number;
  readonly staleAt: number;
}

/** What was found, and how old it is in milliseconds. */
export interface Hit<V> {
  readonly value: V;
  readonly ageMs: number;
}

/**
 * Values that are kept for a time, and of too many those that were used last. Nothing is thrown away by a timer: what is
 * stale is never given, and makes room when it is met or when room is needed.
 */
export class Recent<V> {
  // Oldest use first, as a Map keeps the order in which keys came in.
  readonly #kept = new Map<string, Kept<V>>();
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #clock: Clock;
  /** What was used last: it stands at the end already. */
  #newest: Kept<V> | undefined = undefined;
  #bytes = 0;

  constructor(most: number, mostBytes: number, clock: Clock) {
    this.#most = most;
    this.#mostBytes = mostBytes;
    this.#clock = clock;
  }

  get size(): number {
    return this.#kept.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What is kept under a key and is not stale; counts as a use. */
  get(key: string): Hit<V> | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    const now = this.#clock.now();
    if (now >= kept.staleAt) {
      this.delete(key);
      return undefined;
    }
    if (kept !== this.#newest) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      this.#newest = kept;
    }
    return { value: kept.value, ageMs: now - kept.keptAt };
  }

  /** Keeps a value for so many milliseconds, if there is room for its bytes at all. */
  set(key: string, value: V, bytes: number, milliseconds: number): void {
    this.delete(key);
    if (bytes > this.#mostBytes) return;
    const now = this.#clock.now();
    this.#newest = { value, bytes, keptAt: now, staleAt: now + milliseconds };
    this.#kept.set(key, this.#newest);
    this.#bytes += bytes;
    if (this.#isTooMuch()) this.#makeRoom(now);
  }

  delete(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    if (kept === this.#newest) this.#newest = undefined;
    this.#bytes -= kept.bytes;
  }

  deleteWhere(matches: (value: V) => boolean): void {
    for (const [key, { value }] of this.#kept) if (matches(value)) this.delete(key);
  }

  clear(): void {
    this.#kept.clear();
    this.#newest = undefined;
    this.#bytes = 0;
  }

  #isTooMuch(): boolean {
    return this.#kept.size > this.#most || this.#bytes > this.#mostBytes;
  }

  /** Of many a sixteenth at once: finding the oldest in a Map passes over all that were deleted before it. */
  #makeRoom(now: number): void {
    const enough = this.#kept.size - 1 - (this.#most >> 4);
    for (const [oldest, kept] of this.#kept) {
      if (!this.#isTooMuch() && this.#kept.size <= enough && kept.staleAt > now) return;
      this.delete(oldest);
    }
  }
}
