import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LastWord, PendingAnswer } from '../../src/call/pending-answer.ts';
import type { ToolResult } from '../../src/result.ts';
import { contextFor, nextTurn } from '../support.ts';

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const said: LastWord = (ctx, outcome, threw) => {
  const text = threw ? String(outcome) : (outcome as ToolResult).data;
  return ctx.ok(`${threw ? 'threw' : 'gave'} ${text}`);
};

describe('an answer that is still to come', () => {
  test('settles as what it was made from, through the function for each case', async () => {
    const ctx = contextFor();
    const yes = PendingAnswer.from(
      ctx,
      Promise.resolve(1),
      (own, value) => own.ok(value),
      (own) => own.ok('no'),
    );
    const no = PendingAnswer.from(
      ctx,
      Promise.reject(new Error('x')),
      (own, value) => own.ok(value),
      (own, error) => own.fail('tool_error', (error as Error).message),
    );
    expect((await yes.promise).data).toBe(1);
    expect((await no.promise).error).toBe('x');
  });

  test('follows another promise, also when that rejects', async () => {
    const ctx = contextFor();
    expect((await PendingAnswer.following(ctx, Promise.resolve(ctx.ok(1))).promise).data).toBe(1);
    await expect(PendingAnswer.following(ctx, Promise.reject(new Error('x'))).promise).rejects.toThrow('x');
  });

  test('is settled once, and what comes later is dropped', async () => {
    const ctx = contextFor();
    const { promise, resolve } = deferred<ToolResult>();
    const answer = PendingAnswer.following(ctx, promise);
    answer.conclude(said);
    expect(answer.settle('reason', true)).toBe(true);
    expect(answer.settle('another', true)).toBe(false);
    resolve(ctx.ok('late'));
    expect((await answer.promise).data).toBe('threw reason');
  });

  test('is a rejection when it is settled so and nobody has the last word, or the last word throws', async () => {
    const ctx = contextFor();
    const bare = PendingAnswer.following(ctx, new Promise(() => {}));
    bare.settle(new Error('stop'), true);
    await expect(bare.promise).rejects.toThrow('stop');
    const worse = PendingAnswer.following(ctx, Promise.resolve(ctx.ok(1)));
    worse.conclude(() => {
      throw new Error('mine');
    });
    await expect(worse.promise).rejects.toThrow('mine');
  });

  test('is known by its promise, of its own call only, until it has settled', async () => {
    const ctx = contextFor();
    const another = contextFor();
    const answer = PendingAnswer.following(ctx, Promise.resolve(ctx.ok(1)));
    expect(PendingAnswer.of(ctx, answer.promise)).toBe(answer);
    expect(PendingAnswer.of(another, answer.promise)).toBeUndefined();
    expect(PendingAnswer.of(ctx, Promise.resolve(ctx.ok(1)))).toBeUndefined();
    await answer.promise;
    expect(PendingAnswer.of(ctx, answer.promise)).toBeUndefined();
  });

  test('has one last word and one deadline, and none once it has settled', () => {
    const ctx = contextFor();
    const timekeeper = { start: () => {} };
    const answer = PendingAnswer.following(ctx, new Promise(() => {}));
    expect([answer.due(timekeeper, 0, 1), answer.due(timekeeper, 0, 1)]).toEqual([true, false]);
    expect([answer.conclude(said), answer.conclude(said)]).toEqual([true, false]);
    const settled = PendingAnswer.following(ctx, new Promise(() => {}));
    settled.settle(ctx.ok(1), false);
    expect([settled.conclude(said), settled.due(timekeeper, 0, 1)]).toEqual([false, false]);
  });

  test('has no deadline once somebody has the last word: what stands inside of a deadline does not hear of it', () => {
    const ctx = contextFor();
    const answer = PendingAnswer.following(ctx, new Promise(() => {}));
    answer.conclude(said);
    expect(answer.due({ start: () => {} }, 0, 1)).toBe(false);
  });

  test('does not end the process when it fails and nobody looks', async () => {
    const ctx = contextFor();
    const seen: unknown[] = [];
    const listen = (error: unknown): unknown => seen.push(error);
    process.on('unhandledRejection', listen);
    PendingAnswer.following(ctx, Promise.reject(new Error('x')));
    await nextTurn();
    process.off('unhandledRejection', listen);
    expect(seen).toEqual([]);
  });

  test('has its deadline begun when its turn has ended without it, and not before', async () => {
    const ctx = contextFor();
    const started: unknown[] = [];
    const timekeeper = {
      start: (answer: PendingAnswer, ...times: number[]) => started.push([answer.promise, ...times]),
    };
    const slow = PendingAnswer.following(ctx, new Promise(() => {}));
    slow.due(timekeeper, 5, 100);
    const quick = PendingAnswer.following(ctx, Promise.resolve(ctx.ok(1)));
    quick.due(timekeeper, 6, 100);
    await quick.promise;
    expect(started).toEqual([]);
    await nextTurn();
    expect(started).toEqual([[slow.promise, 5, 100]]);
  });

  test('whatever happens in whatever order, it settles once, by the first', async () => {
    const step = fc.constantFrom('resolve', 'reject', 'interrupt', 'turn', 'conclude', 'due');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const ctx = contextFor();
        const { promise, resolve, reject } = deferred<ToolResult>();
        const answer = PendingAnswer.following(ctx, promise);
        const outcomes: unknown[] = [];
        answer.promise.then(
          ({ data }) => outcomes.push(data),
          (error) => outcomes.push(`rejected ${String(error)}`),
        );
        let first: string | undefined;
        let spoken = false;
        let dated = false;
        let hasSettled = false;
        let started = 0;
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
            resolve(ctx.ok('a'));
            coming ??= () => settled('gave', 'a');
          } else if (doing === 'reject') {
            reject('b');
            coming ??= () => settled('threw', 'b');
          } else if (doing === 'interrupt') {
            answer.settle('c', true);
            if (!hasSettled) settled('threw', 'c');
            hasSettled = true;
          } else if (doing === 'conclude') {
            const may: boolean = !hasSettled && !spoken;
            expect(answer.conclude(said)).toBe(may);
            spoken ||= may;
          } else if (doing === 'due') {
            const may: boolean = !hasSettled && !dated && !spoken;
            expect(answer.due({ start: () => started++ }, 0, 1)).toBe(may);
            dated ||= may;
          } else {
            await nextTurn();
            arrive();
            expect(started).toBeLessThanOrEqual(1);
          }
        }
        expect(outcomes).toEqual([first]);
        const told = started;
        await nextTurn();
        expect(started).toBe(told);
      }),
    );
  });
});
