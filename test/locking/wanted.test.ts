import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wantedLocks } from '../../src/locking/wanted.ts';
import type { Lock, Tool } from '../../src/tool.ts';
import type { Ready } from '../../src/types.ts';

function wanted(locks: readonly Lock[]): ReadonlyMap<string, Lock['mode']> | undefined {
  const tool = { name: 'touch', locks: () => locks } as unknown as Tool;
  return wantedLocks({ tool, args: {}, effects: undefined } as unknown as Ready);
}

describe('what a call has to hold', () => {
  test('is every key it names, in the stronger mode, and all that stand above for reading', () => {
    const key = fc.array(fc.constantFrom('a', 'b', '/'), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
    const lock = fc.record({ key, mode: fc.constantFrom<Lock['mode']>('read', 'write') });
    fc.assert(
      fc.property(fc.array(lock, { minLength: 1, maxLength: 6 }), (locks) => {
        const expected = new Map<string, Lock['mode']>();
        for (const { key: name, mode } of locks) {
          const whole = name.length > 1 && name.endsWith('/') ? name.slice(0, -1) : name;
          for (let at = 1; at < whole.length; at++) {
            const above = whole.slice(0, at);
            if (whole[at] === '/' && !expected.has(above)) expected.set(above, 'read');
          }
          if (mode === 'write' || !expected.has(whole)) expected.set(whole, mode);
        }
        expect(new Map([...(wanted(locks) ?? [])].sort())).toEqual(new Map([...expected].sort()));
      }),
    );
  });

  test('of many keys far down in one place, is found without walking all the way up for each', () => {
    const place = 'a/'.repeat(2_000);
    const locks = Array.from({ length: 2_000 }, (_, at): Lock => ({ key: `${place}${at}`, mode: 'write' }));
    // Walked up each time, this takes the better part of a minute.
    expect(wanted(locks)?.size).toBe(4_000);
  });
});
