/** How many ids of calls are remembered of a run. */
const mostIds = 256;

/** What is known of the calls of a run, to tell whether one is made a second time. */
export class Changes {
  /** The number of the latest change. */
  last: number;
  /** Whether every call had an id of its own, as far as is remembered: some models count from 0 in every answer. */
  hasOwnIds = true;
  readonly #contents = new Map<string, string>();

  constructor(last: number) {
    this.last = last;
  }

  /** Notes that a call has this id and this content. */
  note(id: string, content: string): void {
    const before = this.#contents.get(id);
    if (before !== undefined && before !== content) this.hasOwnIds = false;
    this.#contents.set(id, content);
    if (this.#contents.size <= mostIds) return;
    // A quarter at once, as the oldest in a Map is found by passing over all that were deleted before it.
    let spare = mostIds / 4;
    for (const oldest of this.#contents.keys()) {
      this.#contents.delete(oldest);
      if (--spare === 0) return;
    }
  }
}
