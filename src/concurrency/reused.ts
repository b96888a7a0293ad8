/** Something that is found by its name, and of use as long as somebody is at it. */
export interface Reusable {
  readonly name: string;
  /** Nobody is at it. */
  isIdle: boolean;
}

/** So many idle ones are kept in any case. */
const fewIdle = 64;

/**
 * Things by their names, made when they are asked for. What has become idle is kept for a while, as the next call mostly asks
 * for the same again, and making it and dropping it each time costs more than all the rest; never more than are in use, but for
 * a few.
 */
export class Reused<T extends Reusable> {
  readonly #kept = new Map<string, T>();
  readonly #make: (name: string) => T;
  #idle = 0;

  constructor(make: (name: string) => T) {
    this.#make = make;
  }

  /** How many are in use. */
  get size(): number {
    return this.#kept.size - this.#idle;
  }

  /** The one with this name, in use from now on. */
  of(name: string): T {
    let item = this.#kept.get(name);
    if (item === undefined) {
      item = this.#make(name);
      this.#kept.set(name, item);
    } else if (item.isIdle) {
      item.isIdle = false;
      this.#idle--;
    }
    return item;
  }

  /** It is no longer in use. */
  rest(item: T): void {
    if (item.isIdle) return;
    item.isIdle = true;
    this.#idle++;
    if (this.#idle > fewIdle && this.#idle > this.size) this.#sweep();
  }

  #sweep(): void {
    for (const [name, { isIdle }] of this.#kept) if (isIdle) this.#kept.delete(name);
    this.#idle = 0;
  }
}
