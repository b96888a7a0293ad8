import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { allow, ask, deny, judge, type Policy, policy } from '../../src/policy/policy.ts';
import { type Decision, type Ruling, stricter } from '../../src/policy/verdict.ts';
import { requestOf } from './stand-in.ts';

const request = requestOf();
const saying = (verdict: unknown, name = 'p'): Policy => policy(() => verdict as never, { name });
const later = (verdict: unknown): Policy => policy(async () => verdict as never, { name: 'later' });
const judged = (...policies: Policy[]) => judge(policies, request, 1000);

describe('several policies', () => {
  test('the strictest of allow, ask and deny wins (R6)', () => {
    expect(judged(saying('allow'), saying('ask'), saying('deny'))).toMatchObject({ decision: 'deny' });
  });

  test('no opinion of all of them is no opinion', () => {
    expect(judged(saying(undefined), saying(undefined))).toBeUndefined();
    expect(judged()).toBeUndefined();
  });

  const verdict = fc.constantFrom<Decision | undefined>('allow', 'ask', 'deny', undefined);
  const kind = fc.record({ verdict, isAsync: fc.boolean() });
  const toPolicies = (kinds: { verdict: Decision | undefined; isAsync: boolean }[]): Policy[] =>
    kinds.map((one) => (one.isAsync ? later(one.verdict) : saying(one.verdict)));
  const strictness = ['allow', 'ask', 'deny'];
  const strictest = (kinds: { verdict: Decision | undefined }[]): Decision | undefined =>
    strictness.findLast((decision) => kinds.some((one) => one.verdict === decision)) as Decision | undefined;

  test('decide the same in any order, synchronous or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(kind, { maxLength: 8 }), async (kinds) => {
        const forth = await judge(toPolicies(kinds), request, 1000);
        const back = await judge(toPolicies([...kinds].reverse()), request, 1000);
        expect(forth?.decision).toBe(strictest(kinds));
        expect(back?.decision).toBe(forth?.decision);
      }),
    );
  });

  test('one more of them never loosens what was decided', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(kind, { maxLength: 6 }), kind, async (kinds, more) => {
        const before = (await judge(toPolicies(kinds), request, 1000))?.decision;
        const after = (await judge(toPolicies([...kinds, more]), request, 1000))?.decision;
        if (before !== undefined)
          expect(strictness.indexOf(after ?? '')).toBeGreaterThanOrEqual(strictness.indexOf(before));
      }),
    );
  });

  test('the reason and name are those of the first of the strictest', () => {
    expect(judged(saying('allow'), saying(deny('one'), 'a'), saying(deny('two'), 'b'))).toMatchObject({
      decision: 'deny',
      reason: 'one',
      rule: 'a',
    });
  });

  test('are judged without a promise when none of them needs one', () => {
    expect(judged(saying(allow('fine')))).not.toBeInstanceOf(Promise);
  });
});

describe('a policy that does not decide has denied', () => {
  test.each<[string, unknown]>([
    ['true', true],
    ['false', false],
    ['null', null],
    ['an unknown word', 'permit'],
    ['a word in capitals', 'ALLOW'],
    ['a number', 1],
    ['an empty object', {}],
    ['an unknown decision', { decision: 'yes' }],
    ['a reason that is no text', { decision: 'allow', reason: 1 }],
    ['a list', ['allow']],
    ['a function', () => 'allow'],
    [
      'a decision that throws when read',
      {
        get decision() {
          throw new TypeError('boom');
        },
      },
    ],
    ['an inherited word', new String('allow')],
  ])('%s is an unknown verdict', async (_, verdict) => {
    expect(judged(saying(verdict))).toMatchObject({ decision: 'deny', cause: expect.any(TypeError) });
    expect(await judged(later(verdict))).toMatchObject({ decision: 'deny' });
  });

  test.each<[string, () => never]>([
    [
      'an error',
      () => {
        throw new Error('boom');
      },
    ],
    [
      'a string',
      () => {
        throw 'boom';
      },
    ],
    [
      'undefined',
      () => {
        throw undefined;
      },
    ],
  ])('one that throws %s (R14)', async (_, decide) => {
    expect(judged(policy(decide))).toMatchObject({ decision: 'deny', reason: 'a policy could not decide' });
    expect(await judged(policy(async () => decide()))).toMatchObject({ decision: 'deny' });
  });

  test('its error is kept for observers and not told', () => {
    const error = new Error('password is hunter2');
    const ruling = judged(
      policy(() => {
        throw error;
      }),
    ) as Ruling;
    expect(ruling.cause).toBe(error);
    expect(ruling.reason).not.toContain('hunter2');
  });

  test('a thenable of another library is awaited', async () => {
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
    const thenable = { then: (resolve: (verdict: string) => void) => resolve('ask') };
    expect(await judged(saying(thenable))).toMatchObject({ decision: 'ask' });
  });

  test('a thenable whose `then` throws has denied', async () => {
    const thenable = {
      // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
      then: () => {
        throw new Error('no');
      },
    };
    expect(await judged(saying(thenable))).toMatchObject({ decision: 'deny' });
  });

  describe('in time', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    test('one that hangs denies at the deadline, and no timer is left (R14)', async () => {
      const hanging = policy(() => new Promise<never>(() => {}));
      const ruling = judge([hanging, saying('allow')], request, 1000) as Promise<Ruling>;
      await vi.advanceTimersByTimeAsync(999);
      expect(vi.getTimerCount()).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(await ruling).toMatchObject({ decision: 'deny', rule: 'deadline' });
      expect(vi.getTimerCount()).toBe(0);
    });

    test('one that is in time leaves no timer', async () => {
      expect(await judge([later('allow')], request, 1000)).toMatchObject({ decision: 'allow' });
      expect(vi.getTimerCount()).toBe(0);
    });

    test('a denial does not wait for those that hang, nor trip over those that reject', async () => {
      const rejecting = policy(() => Promise.reject(new Error('late')));
      expect(judge([rejecting, saying('deny')], request, 1000)).toMatchObject({ decision: 'deny' });
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});

describe('verdicts', () => {
  test('have helpers with a reason', () => {
    expect([allow(), ask('why'), deny('no')]).toEqual([
      { decision: 'allow' },
      { decision: 'ask', reason: 'why' },
      { decision: 'deny', reason: 'no' },
    ]);
  });

  test('of two equally strict ones the first stays', () => {
    const first = ask('one');
    expect(stricter(first, ask('two'))).toBe(first);
  });

  test('policy() takes a function and nothing else', () => {
    expect(() => policy('allow' as never)).toThrow(TypeError);
    expect(
      policy(function officeHours() {
        return undefined;
      }).name,
    ).toBe('officeHours');
  });
});
