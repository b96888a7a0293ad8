import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOrder, type Ordered } from '../../src/cli/ordered.ts';

/** Work whose end the test decides. */
function controlled() {
  const open = new Map<number, () => void>();
  let running = 0;
  let most = 0;
  return {
    work: (item: number): Promise<number> => {
      running++;
      most = Math.max(most, running);
      return new Promise((resolve) => {
        open.set(item, () => {
          running--;
          open.delete(item);
          resolve(item * 10);
        });
      });
    },
    finish: (item: number): void => open.get(item)?.(),
    get open() {
      return [...open.keys()];
    },
    get most() {
      return most;
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function* upTo(count: number, taken: number[] = []): AsyncGenerator<number> {
  for (let item = 0; item < count; item++) {
    taken.push(item);
    yield item;
  }
}

const never = new AbortController().signal;

describe('inOrder', () => {
  it('yields in the order of the items, whatever ends first', async () => {
    const { work, finish } = controlled();
    const results: number[] = [];
    const done = (async () => {
      for await (const { result } of inOrder(upTo(3), work, { concurrency: 3, signal: never })) results.push(result);
    })();
    await turn();
    finish(2);
    finish(1);
    await turn();
    expect(results).toEqual([]);
    finish(0);
    await done;
    expect(results).toEqual([0, 10, 20]);
  });

  it('yields a result at once, also while the next item is still to come', async () => {
    let send = (): void => {};
    async function* slow(): AsyncGenerator<number> {
      yield 1;
      await new Promise<void>((resolve) => {
        send = resolve;
      });
      yield 2;
    }
    const results = inOrder(slow(), async (item) => item, { concurrency: 4, signal: never });
    expect((await results.next()).value).toEqual({ item: 1, result: 1 });
    send();
    expect((await results.next()).value).toEqual({ item: 2, result: 2 });
    expect((await results.next()).done).toBe(true);
  });

  it('one at a time begins the next when the reader is done with the one before', async () => {
    const control = controlled();
    const results = inOrder(upTo(3), control.work, { concurrency: 1, signal: never });
    const first = results.next();
    await turn();
    control.finish(0);
    expect((await first).value?.result).toBe(0);
    await turn();
    expect(control.open).toEqual([]);
    void results.next();
    await turn();
    expect(control.open).toEqual([1]);
  });

  it('takes no item before there is room for it', async () => {
    const taken: number[] = [];
    const control = controlled();
    const results = inOrder(upTo(1_000, taken), control.work, { concurrency: 2, signal: never });
    const first = results.next();
    await turn();
    expect(taken.length).toBeLessThanOrEqual(3);
    expect(control.open).toEqual([0, 1]);
    control.finish(0);
    await first;
    await turn();
    expect(control.open).toEqual([1, 2]);
  });

  it('keeps a bounded number of results behind a slow one', async () => {
    const taken: number[] = [];
    const results = inOrder(
      upTo(100_000, taken),
      (item) => (item === 0 ? new Promise<number>(() => {}) : Promise.resolve(item)),
      { concurrency: 4, signal: never },
    );
    void results.next();
    for (let count = 0; count < 2_000; count++) await turn();
    expect(taken.length).toBeLessThan(300);
  });

  it('yields everything before an item that could not be read, then throws its error', async () => {
    async function* broken(): AsyncGenerator<number> {
      yield 1;
      yield 2;
      throw new Error('line 3');
    }
    const { work, finish } = controlled();
    const seen: number[] = [];
    const done = (async () => {
      for await (const { item } of inOrder(broken(), work, { concurrency: 5, signal: never })) seen.push(item);
    })();
    const failure = expect(done).rejects.toThrow('line 3');
    await turn();
    finish(2);
    finish(1);
    await failure;
    expect(seen).toEqual([1, 2]);
  });

  it('after an abort yields what was begun and takes nothing more, even if the input hangs', async () => {
    const abort = new AbortController();
    async function* hanging(): AsyncGenerator<number> {
      yield 1;
      await new Promise(() => {});
    }
    const { work, finish } = controlled();
    const seen: number[] = [];
    const done = (async () => {
      for await (const { item } of inOrder(hanging(), work, { concurrency: 2, signal: abort.signal })) seen.push(item);
    })();
    await turn();
    abort.abort();
    finish(1);
    await done;
    expect(seen).toEqual([1]);
  });

  it('stops reading when the reader leaves', async () => {
    const taken: number[] = [];
    for await (const _ of inOrder(upTo(1_000, taken), async (item) => item, { concurrency: 2, signal: never })) break;
    const count = taken.length;
    await turn();
    await turn();
    expect(taken.length).toBe(count);
  });

  it('for any delays and any concurrency: every item once, in order, never too many at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        async (delays, concurrency) => {
          let running = 0;
          let most = 0;
          const work = async (item: number): Promise<number> => {
            most = Math.max(most, ++running);
            for (let count = delays[item] as number; count > 0; count--) await turn();
            running--;
            return item;
          };
          const all: Ordered<number, number>[] = [];
          for await (const one of inOrder(upTo(delays.length), work, { concurrency, signal: never })) all.push(one);
          expect(all.map(({ result }) => result)).toEqual(delays.map((_, index) => index));
          expect(most).toBeLessThanOrEqual(concurrency);
        },
      ),
      { numRuns: 60 },
    );
  });
});
