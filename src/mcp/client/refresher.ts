import type { Clock } from '../../clock.ts';
import { unrefTimer } from './timers.ts';

/** How long after the last word that the tools have changed they are asked for, in milliseconds. */
const pause = 50;
/** The longest that a server which says so again and again can put that off. */
const longestPause = 1_000;

/** Does something once for many requests in a row, never twice at a time, and again when requests came meanwhile. */
export class Refresher {
  readonly #clock: Clock;
  readonly #work: () => Promise<void>;
  #timer: unknown;
  #since: number | undefined;
  #running = false;
  #again = false;
  #stopped = false;

  constructor(clock: Clock, work: () => Promise<void>) {
    this.#clock = clock;
    this.#work = work;
  }

  request(): void {
    if (this.#stopped) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    const now = this.#clock.now();
    this.#since ??= now;
    this.#clock.clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(pause, this.#since + longestPause - now));
    this.#timer = unrefTimer(this.#clock.setTimeout(() => void this.#run(), wait));
  }

  stop(): void {
    this.#stopped = true;
    this.#clock.clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#running = true;
    this.#since = undefined;
    try {
      await this.#work();
    } finally {
      this.#running = false;
    }
    if (!this.#again) return;
    this.#again = false;
    this.request();
  }
}
