import { canonicalJson } from '../basics/canonical-json.ts';
import type { Run } from '../types.ts';

/** One text for a run: runs of two principals are two, also where they have one id. */
export function runKey({ id, principal }: Run): string {
  return canonicalJson([id, principal]);
}

/**
 * Something kept for each run of each principal. Of more than so many runs, the one that was used longest ago is forgotten.
 */
export class PerRun<Kept> {
  readonly #make: () => Kept;
  readonly #most: number;
  readonly #kept = new Map<string, Kept>();
  #lastId: string | undefined;
  #lastPrincipal: string | undefined;
  #last: Kept | undefined;

  constructor(make: () => Kept, most: number) {
    this.#make = make;
    this.#most = most;
  }

  /** What is kept for a run, made when there is nothing yet. */
  of(run: Run): Kept {
    // Calls of one run come one after another.
    if (this.#last !== undefined && this.#lastId === run.id && this.#lastPrincipal === run.principal) return this.#last;
    const key = runKey(run);
    const kept = this.#kept.get(key) ?? this.#make();
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    if (this.#kept.size > this.#most) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#lastId = run.id;
    this.#lastPrincipal = run.principal;
    this.#last = kept;
    return kept;
  }

  /** What is kept for a run, if anything is. */
  known(run: Run): Kept | undefined {
    return this.#kept.get(runKey(run));
  }
}
