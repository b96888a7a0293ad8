import type { Clock } from '../clock.ts';

/** How long a module rests after its second failure in a row, in milliseconds; doubled with each further one. */
const firstRest = 250;
const longestRest = 30_000;

/** Keeps what cannot be loaded from being loaded with every call: each try may cost a process. */
export class LoadFailures {
  readonly #clock: Clock;
  readonly #failing = new Map<string, { failures: number; until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long a module still has to rest, if it does. */
  restOf(module: string): { failures: number; rest: number } | undefined {
    const failing = this.#failing.get(module);
    if (failing === undefined) return undefined;
    const rest = failing.until - this.#clock.now();
    return rest > 0 ? { failures: failing.failures, rest } : undefined;
  }

  note(module: string, loaded: boolean): void {
    if (loaded) {
      this.#failing.delete(module);
      return;
    }
    const failures = (this.#failing.get(module)?.failures ?? 0) + 1;
    const rest = failures < 2 ? 0 : Math.min(firstRest * 2 ** (failures - 2), longestRest);
    this.#failing.set(module, { failures, until: this.#clock.now() + rest });
  }
}
