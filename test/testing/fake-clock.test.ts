import { fakeClock } from 'callgate/testing';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';

describe('a fake clock', () => {
  test('stands still until time is let pass', async () => {
    const clock = fakeClock(1_000);
    let fired = 0;
    clock.setTimeout(() => fired++, 5);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect([clock.now(), fired]).toEqual([1_000, 0]);
    expect(clock.pending()).toEqual([{ dueAt: 1_005, dueIn: 5 }]);
    await clock.advance(4);
    expect([clock.now(), fired]).toEqual([1_004, 0]);
    await clock.advance(1);
    expect([clock.now(), fired]).toEqual([1_005, 1]);
    expect(clock.pending()).toEqual([]);
  });

  test('fires in order, each at its time, and those set for one time in the order they were set', async () => {
    const clock = fakeClock();
    const fired: string[] = [];
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
    ] as const) {
      clock.setTimeout(() => fired.push(`${name} ${clock.now()}`), ms);
    }
    await clock.advance(100);
    expect(fired).toEqual(['a 10', 'b1 20', 'b2 20', 'c 30']);
    expect(clock.now()).toBe(100);
  });

  test('lets what waits for a timer go on before the next one fires', async () => {
    const clock = fakeClock();
    const sleep = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
    const seen: string[] = [];
    const looping = async (): Promise<void> => {
      for (let round = 0; round < 3; round++) {
        await sleep(10);
        await new Promise(setImmediate);
        seen.push(`round ${round} at ${clock.now()}`);
      }
    };
    const done = looping();
    clock.setTimeout(() => seen.push(`timer at ${clock.now()}`), 15);
    await clock.advance(30);
    await done;
    expect(seen).toEqual(['round 0 at 10', 'timer at 15', 'round 1 at 20', 'round 2 at 30']);
  });

  test('forgets a timer that is taken back, also by one that fires before it at the same time', async () => {
    const clock = fakeClock();
    let fired = 0;
    const later = clock.setTimeout(() => fired++, 10);
    const never = clock.setTimeout(() => fired++, 10);
    clock.clearTimeout(never);
    clock.clearTimeout(never);
    clock.clearTimeout(undefined);
    clock.setTimeout(() => clock.clearTimeout(second), 20);
    const second = clock.setTimeout(() => fired++, 20);
    await clock.advance(10);
    clock.clearTimeout(later);
    await clock.advance(10);
    expect(fired).toBe(1);
  });

  test('tells what timers threw once the time has passed, and fires the others', async () => {
    const clock = fakeClock();
    let fired = 0;
    const broken = new Error('broken');
    clock.setTimeout(() => {
      throw broken;
    }, 1);
    clock.setTimeout(() => fired++, 2);
    await expect(clock.advance(5)).rejects.toBe(broken);
    expect([clock.now(), fired]).toEqual([5, 1]);
    for (const ms of [1, 2]) {
      clock.setTimeout(() => {
        throw broken;
      }, ms);
    }
    await expect(clock.advance(5)).rejects.toThrow('2 timers threw');
    await clock.advance(1);
  });

  test('can be let pass from within a timer, and by several at once: one after the other', async () => {
    const clock = fakeClock();
    const seen: number[] = [];
    let nested: Promise<void> | undefined;
    clock.setTimeout(() => {
      nested = clock.advance(100);
      seen.push(clock.now());
    }, 10);
    clock.setTimeout(() => seen.push(clock.now()), 15);
    clock.setTimeout(() => seen.push(clock.now()), 70);
    await Promise.all([clock.advance(20), clock.advance(20)]);
    await nested;
    expect(seen).toEqual([10, 15, 70]);
    expect(clock.now()).toBe(140);
  });

  test('waits for timers that are set after what takes real time', async () => {
    const clock = fakeClock();
    setTimeout(() => clock.setTimeout(() => {}, 5), 5);
    setTimeout(() => clock.setTimeout(() => {}, 5), 10);
    await clock.untilPending(2);
    expect(clock.pending()).toHaveLength(2);
    expect(clock.now()).toBe(0);
  });

  test('ends a timer that sets itself again for ever', async () => {
    const clock = fakeClock();
    const again = (): void => void clock.setTimeout(again, 0);
    again();
    await clock.advance(50);
    expect(clock.now()).toBe(50);
    expect(clock.pending()).toHaveLength(1);
  });

  test('has timers that never fire, and odd times that are 1 ms', async () => {
    const clock = fakeClock();
    let fired = 0;
    clock.setTimeout(() => fired++, Number.POSITIVE_INFINITY);
    for (const ms of [0, -5, Number.NaN]) clock.setTimeout(() => fired++, ms);
    await clock.advance(1);
    expect(fired).toBe(3);
    await clock.advance(1e12);
    expect(fired).toBe(3);
    expect(clock.pending()).toHaveLength(1);
  });

  test('goes on under the fake timers of a test runner', async () => {
    vi.useFakeTimers();
    try {
      const clock = fakeClock();
      let fired = 0;
      clock.setTimeout(() => fired++, 5);
      await clock.advance(5);
      expect(fired).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, '5' as never])('does not advance by %s', async (ms) => {
    await expect(fakeClock().advance(ms)).rejects.toThrow(TypeError);
  });

  test('fires every timer once, never early and in the order of their times, however time passes', async () => {
    const plan = fc.record({
      timers: fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 12 }),
      steps: fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ timers, steps }) => {
        const clock = fakeClock();
        const fired: number[] = [];
        for (const ms of timers) {
          clock.setTimeout(() => {
            expect(clock.now()).toBe(ms);
            fired.push(ms);
          }, ms);
        }
        for (const step of steps) await clock.advance(step);
        const now = steps.reduce((sum, step) => sum + step, 0);
        const due = timers.filter((ms) => ms <= now).sort((one, other) => one - other);
        expect(fired).toEqual(due);
        expect(clock.pending()).toHaveLength(timers.length - due.length);
      }),
      { numRuns: 50 },
    );
  });
});
