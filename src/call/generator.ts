export type Generator = Iterator<unknown, unknown> | AsyncIterator<unknown, unknown>;

/** Generators only: a stream or a list that happens to be iterable is data, and not the handler still at work. */
export function isGenerator(value: unknown): value is Generator {
  if (typeof value !== 'object' || value === null) return false;
  const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  return (tag === 'AsyncGenerator' || tag === 'Generator') && typeof (value as Generator).next === 'function';
}

/** How long a generator may go on without a turn of the event loop, in milliseconds: a deadline needs one to pass. */
const longestStretch = 10;

/** For whom a generator works. */
export interface Drain {
  readonly aborted: boolean;
  readonly signal: AbortSignal;
  /** Gets each yield. The generator goes on when what it gives, if it is a promise, has settled. */
  progress(data: unknown): unknown;
}

/** The data of a handler that is a generator: what it returns, or else its last yield. Every yield is progress. */
export async function drain(whom: Drain, generator: Generator): Promise<unknown> {
  let last: unknown;
  let ended = false;
  let turnAt = performance.now();
  try {
    while (!whom.aborted) {
      const { done, value } = await generator.next();
      ended = done === true;
      if (ended) return value === undefined ? last : value;
      last = await value;
      const heard = whom.progress(last);
      if (heard !== undefined) await heard;
      if (performance.now() - turnAt > longestStretch) {
        await new Promise((resolve) => setImmediate(resolve));
        turnAt = performance.now();
      }
    }
    // How far it had come is not what it was asked for.
    throw whom.signal.reason;
  } finally {
    // Lets the generator's own `finally` run.
    if (!ended) await generator.return?.(undefined);
  }
}
