import type { Failure } from '../result.ts';
import type { Call } from '../types.ts';
import { unlessEnded } from './wait.ts';

/** A call under way, for whose outcome equal calls wait. It lands once, however it ends. */
export class Flight<Landed> {
  readonly #waiting = new Set<(landed: Landed) => void>();
  #landed: { readonly as: Landed } | undefined;

  get hasLanded(): boolean {
    return this.#landed !== undefined;
  }

  /** What it lands as; or a failure as soon as the call that waits for it has ended. */
  wait(ctx: Call): Promise<Landed | Failure> {
    if (this.#landed !== undefined) return Promise.resolve(this.#landed.as);
    return unlessEnded<Landed>(ctx, (done) => {
      this.#waiting.add(done);
      return () => this.#waiting.delete(done);
    });
  }

  /** Whoever waits goes on in the order in which they came. Later landings count for nothing. */
  land(as: Landed): void {
    if (this.#landed !== undefined) return;
    this.#landed = { as };
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const done of waiting) done(as);
  }
}
