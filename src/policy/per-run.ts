/** Something kept for each run. Of more than so many runs, the one that was used longest ago is forgotten. */
export class PerRun<Kept> {
  readonly #make: () => Kept;
  readonly #most: number;
  readonly #kept = new Map<string, Kept>();
  #lastKey: string | undefined;
  #last: Kept | undefined;

  constructor(make: () => Kept, most: number) {
    this.#make = make;
    this.#most = most;
  }

  /** What is kept for a run, made when there is nothing yet. */
  of(run: string): Kept {
    // Calls of one run come one after another.
    if (this.#last !== undefined && this.#lastKey === run) return this.#last;
    const kept = this.#kept.get(run) ?? this.#make();
    this.#kept.delete(run);
    this.#kept.set(run, kept);
    if (this.#kept.size > this.#most) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#lastKey = run;
    this.#last = kept;
    return kept;
  }

  /** What is kept for a run, if anything is. */
  known(run: string): Kept | undefined {
    return this.#kept.get(run);
  }
}
