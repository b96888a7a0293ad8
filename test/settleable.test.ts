import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { concluded, concluding, following, interrupt, settleable, settlementOf } from '../src/settleable.ts';

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Whose promises these are. */
const own = {};

const said = (outcome: unknown, threw: boolean): string => `${threw ? 'threw' : 'gave'} ${String(outcome)}`;

describe('a promise that can be settled from outside', () => {
  test('settles as what it was made from, through the function for each case', async () => {
    const yes = settleable(Promise.resolve(1), own, String, () => 'no');
    const no = settleable(Promise.reject(new Error('x')), own, String, (error) => `not: ${(error as Error).message}`);
    expect(await Promise.all([yes, no])).toEqual(['1', 'not: x']);
  });

  test('follows another promise, also when that rejects', async () => {
    expect(await following(Promise.resolve(1), own)).toBe(1);
    await expect(following(Promise.reject(new Error('x')), own)).rejects.toThrow('x');
  });

  test('is interrupted once, and what comes later is dropped', async () => {
    const { promise, resolve } = deferred<string>();
    const given = concluded(promise, own, said);
    interrupt(given, 'reason');
    interrupt(given, 'another');
    resolve('late');
    expect(await given).toBe('threw reason');
  });

  test('without a last word an interruption is a rejection', async () => {
    const given = following(new Promise<string>(() => {}), own);
    interrupt(given, new Error('stop'));
    await expect(given).rejects.toThrow('stop');
  });

  test('any other promise is not touched by an interruption', async () => {
    const plain = Promise.resolve('as it was');
    interrupt(plain, 'reason');
    expect(settlementOf(plain)).toBeUndefined();
    expect(await plain).toBe('as it was');
  });

  test('the last word is had once, in place, and not about what has settled or was made elsewhere', async () => {
    const given = settleable(Promise.resolve(1), own, String, String);
    expect(concluding(given, own, said)).toBe(true);
    expect(concluding(given, own, said)).toBe(false);
    expect(concluded(given, own, said)).not.toBe(given);
    expect(await given).toBe('gave 1');
    expect(concluding(given, own, said)).toBe(false);
    expect(concluding(Promise.resolve('1'), own, said)).toBe(false);
  });

  test('nobody has the last word about a promise of somebody else, who may hand it over', async () => {
    const lent = settleable(Promise.resolve(1), own, String, String);
    const another = {};
    expect(concluding(lent, another, said)).toBe(false);
    const around = concluded(lent, another, said);
    expect(around).not.toBe(lent);
    interrupt(around, 'reason');
    expect(concluding(lent, own, said)).toBe(true);
    expect(await around).toBe('threw reason');
    expect(await lent).toBe('gave 1');
  });

  test('a last word that throws is a rejection', async () => {
    const given = concluded(Promise.resolve('1'), own, () => {
      throw new Error('mine');
    });
    await expect(given).rejects.toThrow('mine');
  });

  test('whatever happens in whatever order, it settles once, by the first, and whoever waits for it leaves once', async () => {
    const step = fc.constantFrom('resolve', 'reject', 'interrupt', 'turn', 'conclude');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { promise, resolve, reject } = deferred<string>();
        const given = following(promise, own);
        let left = 0;
        const settlement = settlementOf(given);
        if (settlement !== undefined) settlement.waiting = { isFresh: true, leave: () => left++ };
        const outcomes: string[] = [];
        given.then(
          (value) => outcomes.push(value),
          (error) => outcomes.push(`rejected ${String(error)}`),
        );
        let first: string | undefined;
        let spoken = false;
        let hasSettled = false;
        const settled = (how: 'gave' | 'threw', what: string): void => {
          first ??= spoken ? `${how} ${what}` : how === 'gave' ? what : `rejected ${what}`;
        };
        // What was resolved takes a turn to get here, which an interruption does not.
        let coming: (() => void) | undefined;
        const arrive = (): void => {
          coming?.();
          coming = undefined;
          hasSettled ||= first !== undefined;
        };
        for (const doing of [...steps, 'resolve', 'turn'] as const) {
          if (doing === 'resolve') {
            resolve('a');
            coming ??= () => settled('gave', 'a');
          } else if (doing === 'reject') {
            reject('b');
            coming ??= () => settled('threw', 'b');
          } else if (doing === 'interrupt') {
            interrupt(given, 'c');
            if (!hasSettled) settled('threw', 'c');
            hasSettled = true;
          } else if (doing === 'conclude') {
            const may: boolean = !hasSettled && !spoken;
            expect(concluding(given, own, said)).toBe(may);
            spoken ||= may;
          } else {
            await new Promise((turn) => setImmediate(turn));
            arrive();
          }
        }
        expect(outcomes).toEqual([first]);
        expect(left).toBe(1);
      }),
    );
  });
});
