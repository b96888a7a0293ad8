import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Reusable, Reused } from '../../src/concurrency/reused.ts';

const make = (name: string): Reusable => ({ name, isIdle: false });

test('what is in use is found again, and what has become idle is used again', () => {
  const reused = new Reused(make);
  const a = reused.of('a');
  expect(reused.of('a')).toBe(a);
  reused.rest(a);
  expect([reused.size, a.isIdle]).toEqual([0, true]);
  expect(reused.of('a')).toBe(a);
  expect([reused.size, a.isIdle]).toEqual([1, false]);
});

test('of very many names few are kept that are idle', () => {
  let made = 0;
  const reused = new Reused((name) => {
    made++;
    return make(name);
  });
  const names = Array.from({ length: 10_000 }, (_, at) => `${at}`);
  for (const name of names) reused.rest(reused.of(name));
  made = 0;
  for (const name of names) reused.of(name);
  expect(made).toBeGreaterThan(9_900);
});

test('whatever comes and goes, the count is of those in use, and nobody in use is forgotten', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), fc.boolean()), { maxLength: 2_000 }), (steps) => {
      const reused = new Reused(make);
      const used = new Map<string, Reusable>();
      for (const [number, comes] of steps) {
        const name = `${number}`;
        const known = used.get(name);
        if (comes) {
          const item = reused.of(name);
          if (known !== undefined) expect(item).toBe(known);
          used.set(name, item);
        } else if (known !== undefined) {
          reused.rest(known);
          reused.rest(known);
          used.delete(name);
        }
        expect(reused.size).toBe(used.size);
      }
    }),
    { numRuns: 50 },
  );
});
