import { setImmediate } from 'node:timers';

const longestMilliseconds = 8;

/** Lets everything else that waits in this process have its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Keeps long work that never waits from holding up the process, and with it the deadline that would end the work. */
export class Breath {
  readonly #after: () => void;
  #since = performance.now();

  /** @param after called after each turn of the others, to throw when the work is no longer wanted */
  constructor(after: () => void) {
    this.#after = after;
  }

  /** Whether others have waited long enough. */
  get due(): boolean {
    return performance.now() - this.#since > longestMilliseconds;
  }

  async take(): Promise<void> {
    await turn();
    this.#since = performance.now();
    this.#after();
  }
}
