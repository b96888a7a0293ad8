import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LockRequest, LockTable } from '../../src/locking/lock-table.ts';
import type { Lock } from '../../src/tool.ts';

const runs = process.env['CALLGATE_FULL'] === '1' ? 2_000 : 200;

/** Each key once; who writes it need not read it. */
const modes = (...locks: readonly Lock[]) => new Map(locks.map(({ key, mode }) => [key, mode]));
const read = (key: string): Lock => ({ key, mode: 'read' });
const write = (key: string): Lock => ({ key, mode: 'write' });

/** Asks, and notes under its name when it is held. */
function asking(table: LockTable): { held: string[]; ask(name: string, ...locks: Lock[]): LockRequest } {
  const held: string[] = [];
  return {
    held,
    ask(name, ...locks) {
      const request = table.request(modes(...locks), { name }, () => held.push(name));
      if (request.isHeld) held.push(name);
      return request;
    },
  };
}

describe('locks by key', () => {
  test('readers share, a writer is alone, other keys go on', () => {
    const { held, ask } = asking(new LockTable());
    const first = ask('r1', read('a'));
    const second = ask('r2', read('a'));
    const writer = ask('w', write('a'));
    ask('other', write('b'));
    expect(held).toEqual(['r1', 'r2', 'other']);
    first.release();
    expect(writer.isHeld).toBe(false);
    second.release();
    expect(held).toEqual(['r1', 'r2', 'other', 'w']);
  });

  test('a writer that waits is not starved by readers that come later, and these then run together', () => {
    const { held, ask } = asking(new LockTable());
    const reader = ask('r1', read('a'));
    const writer = ask('w', write('a'));
    ask('r2', read('a'));
    ask('r3', read('a'));
    expect(held).toEqual(['r1']);
    reader.release();
    expect(held).toEqual(['r1', 'w']);
    writer.release();
    expect(held).toEqual(['r1', 'w', 'r2', 'r3']);
  });

  test('several keys are held together or not at all, in whatever order they are named', () => {
    const { held, ask } = asking(new LockTable());
    const first = ask('first', write('a'), write('b'));
    const second = ask('second', write('b'), write('a'));
    ask('third', write('a'));
    expect(held).toEqual(['first']);
    first.release();
    expect(held).toEqual(['first', 'second']);
    second.release();
    expect(held).toEqual(['first', 'second', 'third']);
  });

  test('who gives up waiting lets through whoever stood behind', () => {
    const table = new LockTable();
    const { held, ask } = asking(table);
    const reader = ask('r1', read('a'));
    const writer = ask('w', write('a'));
    ask('r2', read('a'));
    writer.release();
    writer.release();
    expect(held).toEqual(['r1', 'r2']);
    reader.release();
    expect(table.size).toBe(1);
  });

  test('what is read already may be read again from within, though a writer waits; written it may not be', () => {
    const table = new LockTable();
    const outer = {};
    table.request(modes(read('a')), outer, () => {});
    const writer = table.request(modes(write('a')), {}, () => {});
    const inner = table.request(modes(read('a')), {}, () => {}, [outer]);
    expect(inner.isHeld).toBe(true);
    expect(writer.isHeld).toBe(false);
    const hopeless = table.request(modes(write('a')), {}, () => {}, [outer]);
    expect(hopeless.isHeld).toBe(false);
    expect(hopeless.isHopeless()).toBe(true);
  });

  test('a circle of waiting over others is found', () => {
    const table = new LockTable();
    const [first, second, between] = [{ name: 'first' }, { name: 'second' }, { name: 'between' }];
    table.request(modes(write('a')), first, () => {});
    table.request(modes(write('b')), second, () => {});
    table.request(modes(write('b'), write('c')), between, () => {});
    const fromFirst = table.request(modes(write('c')), {}, () => {}, [first]);
    expect(fromFirst.isHopeless()).toBe(false);
    const fromSecond = table.request(modes(write('a')), {}, () => {}, [second]);
    expect(fromSecond.isHopeless()).toBe(true);
    fromSecond.release();
    const unrelated = table.request(modes(write('c')), {}, () => {});
    expect(unrelated.isHopeless()).toBe(false);
  });

  test('many that wait for one key come and go without a search', () => {
    const table = new LockTable();
    const holder = table.request(modes(write('a')), {}, () => {});
    const waiting = Array.from({ length: 100_000 }, () => table.request(modes(write('a')), {}, () => {}));
    // Were it quadratic, the test would run out of its time by far.
    for (const request of waiting) request.release();
    holder.release();
    expect(table.size).toBe(0);
  });
});

describe('whatever is asked for and given up, in whatever order', () => {
  const lock = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), mode: fc.constantFrom('read', 'write') });
  const locks = fc.uniqueArray(lock, { selector: ({ key }) => key, minLength: 1, maxLength: 3 });
  const operation = fc.oneof(
    { weight: 3, arbitrary: fc.record({ ask: locks }) },
    { weight: 2, arbitrary: fc.record({ giveUp: fc.nat() }) },
  );

  interface Asked {
    readonly locks: readonly Lock[];
    readonly request: LockRequest;
    told: boolean;
  }

  function conflict(one: Asked, other: Asked): boolean {
    return one.locks.some((a) =>
      other.locks.some((b) => a.key === b.key && (a.mode === 'write' || b.mode === 'write')),
    );
  }

  test('held is exactly who conflicts with nobody that came before and has not ended', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const table = new LockTable();
        const alive: Asked[] = [];
        for (const step of operations) {
          if ('ask' in step) {
            const asked: Asked = {
              locks: step.ask as Lock[],
              request: table.request(modes(...(step.ask as Lock[])), {}, () => {
                asked.told = true;
              }),
              told: false,
            };
            asked.told ||= asked.request.isHeld;
            alive.push(asked);
          } else if (alive.length > 0) {
            alive.splice(step.giveUp % alive.length, 1)[0]?.request.release();
          }
          // No writer beside anybody else, nobody overtaken, nobody left waiting for nothing: all three in one.
          for (const [at, asked] of alive.entries()) {
            const isFree = !alive.slice(0, at).some((earlier) => conflict(earlier, asked));
            expect(asked.request.isHeld).toBe(isFree);
            expect(asked.told).toBe(isFree);
          }
        }
        for (const { request } of alive) request.release();
        expect(table.size).toBe(0);
      }),
      { numRuns: runs },
    );
  });
});
