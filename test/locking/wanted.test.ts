import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LockRequest, LockTable } from '../../src/locking/lock-table.ts';
import { wantedLocks } from '../../src/locking/wanted.ts';
import type { Lock, Tool } from '../../src/tool.ts';
import type { Ready } from '../../src/types.ts';

function wanted(locks: readonly Lock[]): ReadonlyMap<string, Lock['mode']> {
  const tool = { name: 'touch', locks: () => locks } as unknown as Tool;
  return wantedLocks({ tool, args: {}, effects: undefined } as unknown as Ready) ?? new Map();
}

const mode = fc.constantFrom<Lock['mode']>('read', 'write');

describe('what a call has to hold', () => {
  test('is every key it names, in the stronger mode, and all that stand above for reading', () => {
    // Names that are no paths stand for themselves, letter by letter.
    const key = fc.array(fc.constantFrom('a', 'A', '.', '/'), { maxLength: 8 }).map((parts) => `k${parts.join('')}`);
    fc.assert(
      fc.property(fc.array(fc.record({ key, mode }), { minLength: 1, maxLength: 6 }), (locks) => {
        const expected = new Map<string, Lock['mode']>();
        for (const { key: name, mode: wish } of locks) {
          const whole = name.endsWith('/') ? name.slice(0, -1) : name;
          for (let at = 1; at < whole.length; at++) {
            const above = whole.slice(0, at);
            if (whole[at] === '/' && !expected.has(above)) expected.set(above, 'read');
          }
          if (wish === 'write' || !expected.has(whole)) expected.set(whole, wish);
        }
        expect(new Map([...wanted(locks)].sort())).toEqual(new Map([...expected].sort()));
      }),
    );
  });

  test('of many keys far down in one place, is found without walking all the way up for each', () => {
    const place = 'a/'.repeat(2_000);
    const locks = Array.from({ length: 2_000 }, (_, at): Lock => ({ key: `${place}${at}`, mode: 'write' }));
    // Walked up each time, this takes the better part of a minute.
    expect(wanted(locks).size).toBe(4_000);
  });
});

describe('paths', () => {
  /** A place in a tree of files, and ways to write it down. */
  interface Spelt {
    readonly place: readonly string[];
    readonly key: string;
  }
  const names: Readonly<Record<string, readonly string[]>> = {
    a: ['a', 'A'],
    é: ['é', 'e\u0301', 'É'],
    ss: ['ss', 'ß', 'ẞ', 'SS'],
    σς: ['σς', 'ΣΣ', 'ςσ'],
  };
  const part = fc.constantFrom(...Object.keys(names)).chain((name) =>
    fc.record({
      name: fc.constant(name),
      spelling: fc.constantFrom(...(names[name] as readonly string[])),
      before: fc.constantFrom('/', '//', '/./', '/a/../'),
    }),
  );
  const spelt: fc.Arbitrary<Spelt> = fc
    .tuple(fc.array(part, { maxLength: 3 }), fc.constantFrom('', '/', '//', '/.'))
    .map(([parts, end]) => ({
      place: parts.map(({ name }) => name),
      key: `${parts.map(({ before, spelling }) => before + spelling).join('')}${end}` || '/',
    }));
  type Wish = Spelt & Pick<Lock, 'mode'>;
  const wishes: fc.Arbitrary<readonly Wish[]> = fc.array(
    fc.tuple(spelt, mode).map(([one, wish]) => ({ ...one, mode: wish })),
    { minLength: 1, maxLength: 3 },
  );

  /** Whether `outer` is the folder that `inner` lies in, however far down, or is `inner`. */
  const holds = (outer: Spelt, inner: Spelt): boolean => outer.place.every((name, at) => inner.place[at] === name);
  const exclude = (one: Wish, other: Wish): boolean =>
    (one.mode === 'write' && holds(one, other)) || (other.mode === 'write' && holds(other, one));
  const conflict = (some: readonly Wish[], others: readonly Wish[]): boolean =>
    some.some((one) => others.some((other) => exclude(one, other)));

  test('a call holds its own when nobody before it writes the same, above or below, however it is spelt', () => {
    const step = fc.oneof({ weight: 2, arbitrary: wishes }, { weight: 1, arbitrary: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
        const table = new LockTable();
        const calls: { readonly wishes: readonly Wish[]; readonly request: LockRequest }[] = [];
        for (const next of steps) {
          if (typeof next === 'number') {
            calls.splice(next, 1)[0]?.request.release();
          } else {
            calls.push({ wishes: next, request: table.request(wanted(next), {}, () => {}) });
          }
          const expected = calls.map(({ wishes: own }, at) =>
            calls.slice(0, at).every((earlier) => !conflict(own, earlier.wishes)),
          );
          expect(calls.map(({ request }) => request.isHeld)).toEqual(expected);
        }
        for (const { request } of calls) request.release();
        expect(table.size).toBe(0);
      }),
    );
  });

  test.each([
    ['the root', '/', '/a/b'],
    ['a folder of the root', '/a', '/a/b/c'],
    ['a folder, with a slash at its end', '/a/', '/a/b'],
    ['a folder, with steps to and fro in it', '/b/../a/.', '/a/b'],
    ['a file in other letters', '/Notes/Todo.txt', '/notes/TODO.TXT'],
    ['a file in letters that are put together', '/caf\u00e9', '/cafe\u0301'],
  ])('who writes %s is alone with it', (_, written, touched) => {
    for (const second of ['read', 'write'] as const) {
      const table = new LockTable();
      const first = table.request(wanted([{ key: written, mode: 'write' }]), {}, () => {});
      const other = table.request(wanted([{ key: touched, mode: second }]), {}, () => {});
      expect([first.isHeld, other.isHeld]).toEqual([true, false]);
      first.release();
      expect(other.isHeld).toBe(true);
    }
  });

  test('who reads a folder, the root as well, does not wait for who writes below it, nor they for it', () => {
    const table = new LockTable();
    const requests = ['/', '/a'].map((key) => table.request(wanted([{ key, mode: 'read' }]), {}, () => {}));
    requests.push(table.request(wanted([{ key: '/a/b', mode: 'write' }]), {}, () => {}));
    requests.push(table.request(wanted([{ key: '/a', mode: 'read' }]), {}, () => {}));
    expect(requests.map(({ isHeld }) => isHeld)).toEqual([true, true, true, true]);
  });

  test('names beside each other that begin alike are not below each other', () => {
    const table = new LockTable();
    table.request(wanted([{ key: '/docs', mode: 'write' }]), {}, () => {});
    expect(table.request(wanted([{ key: '/docs-of-others/a', mode: 'write' }]), {}, () => {}).isHeld).toBe(true);
  });
});
