import type { Failure } from '../result.ts';
import type { Call } from '../types.ts';
import { unlessEnded } from './wait.ts';

/** A call under way, for whose outcome equal calls wait. It lands once, however it ends. */
export class Flight<Landed extends object | string> {
  /** Mostly nobody does. */
  #waiting: Set<(landed: Landed) => void> | undefined = undefined;
  #landed: Landed | undefined = undefined;

  get hasLanded(): boolean {
    return this.#landed !== undefined;
  }

  /** What it lands as; or a failure as soon as the call that waits for it has ended. */
  wait(ctx: Call): Promise<Landed | Failure> {
    if (this.#landed !== undefined) return Promise.resolve(this.#landed);
    const waiting = this.#waiting ?? new Set();
    this.#waiting = waiting;
    return unlessEnded<Landed>(ctx, (done) => {
      waiting.add(done);
      return () => waiting.delete(done);
    });
  }

  /** Whoever waits goes on in the order in which they came. Later landings count for nothing. */
  land(as: Landed): void {
    if (this.#landed !== undefined) return;
    this.#landed = as;
    if (this.#waiting === undefined) return;
    const waiting = [...this.#waiting];
    this.#waiting = undefined;
    for (const done of waiting) done(as);
  }
}
