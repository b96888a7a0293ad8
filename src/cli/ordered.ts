/** What became of one item, in its turn. */
export interface Ordered<Item, Result> {
  readonly item: Item;
  readonly result: Result;
}

/** How many results are kept for one slow one before it, so that their order can be kept. */
const mostWaiting = 256;

/**
 * Runs `work` on the items of a stream, at most `concurrency` at a time, and yields the results in the order of the
 * items, each as soon as it and those before it are there. Items are taken from the stream only when there is room, so
 * a stream of any length needs little memory. When the stream itself fails, everything begun is yielded first, and then
 * its error is thrown. `work` must not reject.
 *
 * An abort of `signal` takes no further items: what was begun is still yielded.
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  options: { readonly concurrency: number; readonly signal: AbortSignal },
): AsyncGenerator<Ordered<Item, Result>> {
  const { concurrency, signal } = options;
  const begun: Promise<Ordered<Item, Result>>[] = [];
  const changed = new Bell();
  let running = 0;
  let ended = false;
  let failure: { readonly error: unknown } | undefined;

  // One at a time means that the next begins when the reader is done with the result of the one before.
  const window = concurrency === 1 ? 1 : concurrency + mostWaiting;
  const hasRoom = (): boolean => running < concurrency && begun.length < window;
  const over = (): boolean => ended || signal.aborted;
  const begin = (item: Item): void => {
    running++;
    begun.push(
      work(item).then((result) => {
        running--;
        changed.ring();
        return { item, result };
      }),
    );
    changed.ring();
  };
  const source = items[Symbol.asyncIterator]();
  const take = async (): Promise<void> => {
    try {
      for (;;) {
        while (!hasRoom() && !over()) await changed.rung();
        if (over()) break;
        const next = await source.next();
        if (next.done || over()) break;
        begin(next.value);
      }
    } catch (error) {
      failure = { error };
    }
    ended = true;
    changed.ring();
  };
  const onAbort = (): void => changed.ring();
  signal.addEventListener('abort', onAbort);
  try {
    void take();
    for (;;) {
      const first = begun[0];
      if (first !== undefined) {
        yield await first;
        begun.shift();
        changed.ring();
      } else if (over()) {
        break;
      } else {
        await changed.rung();
      }
    }
  } finally {
    ended = true;
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a reader that waits for a person's next line would never come back.
    void Promise.resolve(source.return?.()).catch(() => {});
  }
  if (failure !== undefined) throw failure.error;
}

/** Wakes everybody who waits for it. */
class Bell {
  #ring: () => void = () => {};
  #next: Promise<void> = this.#new();

  ring(): void {
    const ring = this.#ring;
    this.#next = this.#new();
    ring();
  }

  rung(): Promise<void> {
    return this.#next;
  }

  #new(): Promise<void> {
    return new Promise((resolve) => {
      this.#ring = resolve;
    });
  }
}
