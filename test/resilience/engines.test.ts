import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import { backoff, retryAfterOf } from '../../src/resilience/backoff.ts';
import { Breaker, type BreakerLimits, type Report } from '../../src/resilience/breaker.ts';
import { checkCodes } from '../../src/resilience/codes.ts';
import { copyData } from '../../src/resilience/copy-data.ts';
import { Recent } from '../../src/resilience/recent.ts';
import { BucketsByOwner, TokenBuckets } from '../../src/resilience/token-buckets.ts';
import type { Failure } from '../../src/result.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';

const failed = (details?: unknown): Failure => ({ code: 'unavailable', details }) as Failure;

describe('waits between attempts', () => {
  const limits = { delay: 100, maxDelay: 1_000 };

  test('lie between nothing and a bound that doubles, whatever the random source says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 0.999_999, noNaN: true }),
        (attempt, random) => {
          const wait = backoff(failed(), attempt, { ...limits, random: () => random }) as number;
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(Math.min(1_000, 100 * 2 ** (attempt - 1)));
          expect(wait).toBe(random * Math.min(1_000, 100 * 2 ** (attempt - 1)));
        },
      ),
    );
  });

  test('last at least as long as the failure says, and are given up when that is too long', () => {
    const random = (): number => 0.5;
    expect(backoff(failed({ retry_after_ms: 700 }), 1, { ...limits, random })).toBe(750);
    expect(backoff(failed({ retry_after: '1' }), 1, { ...limits, random })).toBe(1_050);
    expect(backoff(failed({ retry_after_ms: 1_001 }), 1, { ...limits, random })).toBeUndefined();
    expect(backoff(failed({ retry_after: '3600' }), 1, { ...limits, random })).toBeUndefined();
  });

  test.each([
    [{ retry_after_ms: 0 }, 0],
    [{ retry_after_ms: 12.5 }, 12.5],
    [{ retry_after_ms: -1 }, undefined],
    [{ retry_after_ms: Number.NaN }, undefined],
    [{ retry_after_ms: '5' }, undefined],
    [{ retry_after: ' 3 ' }, 3_000],
    [{ retry_after: '-3' }, undefined],
    [{ retry_after: '1.5' }, undefined],
    [{ retry_after: 'soon' }, undefined],
    [{ retry_after: '' }, undefined],
    [{ retry_after: null }, undefined],
    [{ retry_after: 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    ['text', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('details %j ask for %j ms', (details, milliseconds) => {
    expect(retryAfterOf(failed(details))).toBe(milliseconds);
  });

  test('a date in a Retry-After header counts from now', () => {
    const date = new Date(Date.now() + 90_000).toUTCString();
    const wait = retryAfterOf(failed({ retry_after: date })) as number;
    expect(wait).toBeGreaterThan(80_000);
    expect(wait).toBeLessThanOrEqual(90_000);
  });
});

describe('token buckets', () => {
  const calls = fc.array(
    fc.record({ afterMs: fc.integer({ min: 0, max: 400 }), key: fc.constantFrom('a', 'b', '__proto__') }),
    {
      maxLength: 200,
    },
  );

  test('let through at most their capacity and what time gave back, in every stretch of time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 20 }),
        calls,
        (capacity, perSecond, list) => {
          const buckets = new TokenBuckets(capacity, perSecond / 1_000);
          const passed = new Map<string, number[]>();
          let now = 0;
          for (const { afterMs, key } of list) {
            now += afterMs;
            const taken = buckets.take(key, now, 0);
            if ('waitMs' in taken) passed.set(key, [...(passed.get(key) ?? []), now]);
          }
          for (const times of passed.values()) {
            for (const [first, from] of times.entries()) {
              for (const [last, to] of times.entries()) {
                if (last < first) continue;
                const most = capacity + ((to - from) * perSecond) / 1_000;
                expect(last - first + 1).toBeLessThanOrEqual(most + 1e-6);
              }
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('whoever is refused and waits as long as was said gets through', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: 0.001, max: 50, noNaN: true }),
        calls,
        (capacity, rate, list) => {
          const buckets = new TokenBuckets(capacity, rate / 1_000);
          let now = 0;
          for (const { afterMs, key } of list) {
            now += afterMs;
            const taken = buckets.take(key, now, 0);
            if ('waitMs' in taken) continue;
            now += taken.retryAfterMs;
            expect(buckets.take(key, now, 0)).toEqual({ waitMs: 0 });
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('those who wait for their turn come at the rate of the bucket', () => {
    const buckets = new TokenBuckets(1, 1 / 100);
    expect([1, 2, 3].map(() => buckets.take('a', 0, 250))).toEqual([{ waitMs: 0 }, { waitMs: 100 }, { waitMs: 200 }]);
    expect(buckets.take('a', 0, 250)).toEqual({ retryAfterMs: 300 });
    buckets.giveBack('a', 0);
    expect(buckets.take('a', 0, 250)).toEqual({ waitMs: 200 });
  });

  test('a bucket that is full again takes no room', () => {
    const buckets = new TokenBuckets(2, 1);
    for (let at = 0; at < 10_000; at++) buckets.take(`key ${at}`, at, 0);
    expect(buckets.size).toBeLessThanOrEqual(64);
  });

  test('owners whose buckets are all full take no room', () => {
    const owners = new BucketsByOwner(() => new TokenBuckets(2, 1, 2));
    for (let at = 0; at < 5_000; at++) {
      const buckets = owners.of(`owner ${at}`, at);
      for (const key of ['a', 'b', 'c']) buckets.take(key, at, 0);
    }
    expect(owners.size).toBeLessThanOrEqual(64);
  });

  test('an owner keeps its buckets while one of them is not full', () => {
    const owners = new BucketsByOwner(() => new TokenBuckets(1, 1e-6));
    owners.of('a', 0).take('key', 0, 0);
    for (let at = 1; at < 100; at++) owners.of(`${at}`, at);
    expect(owners.of('a', 100).take('key', 100, 0)).toHaveProperty('retryAfterMs');
  });

  test('with too many keys at a time further ones share a bucket, and nobody gets tokens back by it', () => {
    const buckets = new TokenBuckets(1, 1e-9, 3);
    for (const key of ['a', 'b', 'c']) expect(buckets.take(key, 0, 0)).toEqual({ waitMs: 0 });
    expect(buckets.take('d', 1, 0)).toEqual({ waitMs: 0 });
    for (const key of ['e', 'f', 'a', 'b', 'c', 'd']) expect(buckets.take(key, 1, 0)).toHaveProperty('retryAfterMs');
    expect(buckets.size).toBe(3);
  });
});

describe('what was used of late', () => {
  const commands = fc.array(
    fc.oneof(
      fc.record({
        do: fc.constant('set' as const),
        key: fc.constantFrom('a', 'b', 'c', '__proto__'),
        bytes: fc.integer({ min: 1, max: 40 }),
        ttl: fc.integer({ min: 1, max: 50 }),
      }),
      fc.record({ do: fc.constant('get' as const), key: fc.constantFrom('a', 'b', 'c', '__proto__') }),
      fc.record({ do: fc.constant('delete' as const), key: fc.constantFrom('a', 'b', 'c', '__proto__') }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 30 }) }),
    ),
    { maxLength: 60 },
  );

  test('holds what a plain list by last use would hold, and never gives what is stale', () => {
    fc.assert(
      fc.property(commands, (list) => {
        let now = 0;
        const clock = { ...fakeClock(), now: () => now };
        const recent = new Recent<number>(3, 100, clock);
        // The model: oldest use first; stale ones stay until they are met or room is needed.
        let model: { key: string; value: number; bytes: number; staleAt: number }[] = [];
        let value = 0;
        for (const command of list) {
          if (command.do === 'wait') now += command.ms;
          else if (command.do === 'delete') {
            recent.delete(command.key);
            model = model.filter(({ key }) => key !== command.key);
          } else if (command.do === 'get') {
            const known = model.find(({ key }) => key === command.key);
            model = model.filter((entry) => entry !== known);
            const isFresh = known !== undefined && known.staleAt > now;
            if (isFresh) model.push(known);
            expect(recent.get(command.key)?.value).toBe(isFresh ? known.value : undefined);
          } else {
            const { key, bytes, ttl } = command;
            recent.set(key, ++value, bytes, ttl);
            model = [...model.filter((entry) => entry.key !== key), { key, value, bytes, staleAt: now + ttl }];
            const sum = (): number => model.reduce((total, entry) => total + entry.bytes, 0);
            const isTooMuch = (): boolean => model.length > 3 || sum() > 100;
            const isStale = (): boolean => (model[0]?.staleAt ?? Number.POSITIVE_INFINITY) <= now;
            if (isTooMuch()) while (isTooMuch() || isStale()) model.shift();
          }
          expect(recent.size).toBe(model.length);
          expect(recent.bytes).toBe(model.reduce((total, entry) => total + entry.bytes, 0));
        }
      }),
    );
  });

  test('of many, some more than is needed make room at once, and never the newest', () => {
    const recent = new Recent<number>(1_000, 1_000_000, fakeClock());
    for (let at = 0; at < 5_000; at++) {
      recent.set(`${at}`, at, 1, 1_000);
      expect(recent.size).toBeLessThanOrEqual(1_000);
      expect(recent.size).toBeGreaterThanOrEqual(Math.min(at + 1, 900));
      expect(recent.get(`${at}`)?.value).toBe(at);
    }
  });

  test('what is larger than all the room is not kept, and throws nothing else out', () => {
    const recent = new Recent<string>(10, 100, fakeClock());
    recent.set('small', 'small', 10, 1_000);
    recent.set('large', 'large', 101, 1_000);
    expect(recent.get('small')?.value).toBe('small');
    expect(recent.get('large')).toBeUndefined();
    recent.set('small', 'grown', 101, 1_000);
    expect(recent.size).toBe(0);
  });
});

describe('copies of data', () => {
  test('are equal to what they were made from and share nothing with it', () => {
    fc.assert(
      fc.property(fc.object({ withBigInt: true, withDate: true, withNullPrototype: true, maxDepth: 5 }), (data) => {
        const copied = copyData(data);
        expect(copied?.data).toEqual(data);
        const shared = new Set<unknown>();
        (function collect(value: unknown): void {
          if (typeof value !== 'object' || value === null) return;
          shared.add(value);
          for (const member of Object.values(value)) collect(member);
        })(data);
        (function check(value: unknown): void {
          if (typeof value !== 'object' || value === null) return;
          expect(shared.has(value)).toBe(false);
          for (const member of Object.values(value)) check(member);
        })(copied?.data);
      }),
    );
  });

  test('a member named __proto__ stays a member', () => {
    const copied = copyData(JSON.parse('{"__proto__":{"admin":true}}'));
    expect(Object.getPrototypeOf(copied?.data)).toBe(Object.prototype);
    expect(JSON.stringify(copied?.data)).toBe('{"__proto__":{"admin":true}}');
  });

  const cycle: unknown[] = [];
  cycle.push(cycle);
  let deep: unknown = 1;
  for (let level = 0; level < 200; level++) deep = [deep];
  let wide: unknown = [1, 2];
  for (let level = 0; level < 30; level++) wide = [wide, wide];
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();

  test.each<[string, unknown]>([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['an instance of a class', new (class Point {})()],
    ['a Map', new Map()],
    ['bytes', new Uint8Array(2)],
    ['a promise', Promise.resolve()],
    ['a cycle', cycle],
    ['what is nested too deep', deep],
    ['what shares its parts until it is huge', wide],
    ['a list that is mostly holes', new Array(4_000_000_000)],
    [
      'what throws when it is read',
      {
        get value(): never {
          throw new Error('no');
        },
      },
    ],
    ['a Proxy that was revoked', revoked.proxy],
    ['any of these inside of something', { list: [1, { fn: () => 1 }] }],
  ])('%s is not copied', (_, value) => {
    expect(copyData(value)).toBeUndefined();
  });
});

describe('a breaker', () => {
  const limits: BreakerLimits = { failures: 3, withinMs: 1_000, openMs: 100, probes: 2 };

  test('moves only as a breaker may, for any calls at any times', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('enter' as const) }),
      fc.record({
        do: fc.constant('report' as const),
        which: fc.nat(),
        outcome: fc.constantFrom('success', 'failure', 'none'),
      }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 60 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const moves: string[] = [];
        const breaker = new Breaker(limits, (from, to) => moves.push(`${from} ${to}`));
        let now = 0;
        let openedAt = 0;
        const passing: Report[] = [];
        for (const one of steps) {
          const before = breaker.state;
          if (one.do === 'wait') now += one.ms;
          else if (one.do === 'enter') {
            const entered = breaker.enter(now);
            if (typeof entered === 'function') {
              expect(breaker.state).not.toBe('open');
              if (before === 'open') expect(now - openedAt).toBeGreaterThanOrEqual(limits.openMs);
              passing.push(entered);
            } else {
              expect(breaker.state).not.toBe('closed');
              expect(entered.retryAfterMs).toBeGreaterThan(0);
              expect(entered.retryAfterMs).toBeLessThanOrEqual(limits.openMs);
            }
          } else if (passing.length > 0) {
            const [report] = passing.splice(one.which % passing.length, 1) as [Report];
            report(one.outcome as 'success', now);
            // Told a second time, it changes nothing.
            const after = breaker.state;
            report('failure', now);
            expect(breaker.state).toBe(after);
          }
          if (before !== 'open' && breaker.state === 'open') openedAt = now;
        }
        const allowed = new Set(['closed open', 'open half-open', 'half-open open', 'half-open closed']);
        expect(moves.every((move) => allowed.has(move))).toBe(true);
        // However it was treated, it is not stuck: once its time is over a call passes.
        expect(typeof breaker.enter(now + limits.openMs)).toBe('function');
      }),
    );
  });

  const passed = (breaker: Breaker, now: number): Report => {
    const entered = breaker.enter(now);
    if (typeof entered !== 'function') throw new Error('it was refused');
    return entered;
  };

  test('opens after failures in a row, and not after as many with a success between or far apart', () => {
    const breaker = new Breaker(limits, () => {});
    for (const outcome of ['failure', 'failure', 'success', 'failure', 'failure', 'none'] as const)
      passed(breaker, 0)(outcome, 0);
    expect(breaker.state).toBe('closed');
    passed(breaker, 2_000)('failure', 2_000);
    expect(breaker.state).toBe('closed');
    passed(breaker, 2_001)('failure', 2_001);
    passed(breaker, 2_002)('failure', 2_002);
    expect(breaker.state).toBe('open');
    expect(breaker.enter(2_052)).toEqual({ retryAfterMs: 50 });
  });

  function opened(): Breaker {
    const breaker = new Breaker(limits, () => {});
    for (let count = 0; count < 3; count++) passed(breaker, 0)('failure', 0);
    return breaker;
  }

  test('closes when as many probes have succeeded as may be under way, and opens again when one fails', () => {
    const breaker = opened();
    passed(breaker, 100)('success', 100);
    expect(breaker.state).toBe('half-open');
    passed(breaker, 100)('success', 100);
    expect(breaker.state).toBe('closed');
    const other = opened();
    const [one, two] = [passed(other, 100), passed(other, 100)];
    expect(other.enter(100)).toHaveProperty('retryAfterMs');
    one('failure', 110);
    expect(other.state).toBe('open');
    two('success', 111);
    expect(other.state).toBe('open');
  });

  test('what began before it opened neither closes it nor opens it again', () => {
    const breaker = new Breaker(limits, () => {});
    const early = [passed(breaker, 0), passed(breaker, 0)];
    for (let count = 0; count < 3; count++) passed(breaker, 0)('failure', 0);
    passed(breaker, 100);
    early[0]?.('success', 101);
    early[1]?.('failure', 101);
    expect(breaker.state).toBe('half-open');
  });

  test('a probe that hangs gives its place up', () => {
    const breaker = opened();
    passed(breaker, 100);
    passed(breaker, 120);
    expect(breaker.enter(150)).toEqual({ retryAfterMs: 50 });
    passed(breaker, 200);
    expect(breaker.enter(210)).toHaveProperty('retryAfterMs');
  });
});

test.each<[string, unknown]>([
  ['a denial', ['denied']],
  ['wrong arguments', ['unavailable', 'invalid_arguments']],
  ['a call that was withdrawn', ['aborted']],
  ['a path that is not allowed', ['path_denied']],
  ['a budget that is used up', ['budget_exceeded']],
  ['a code that does not exist', ['broken']],
  ['no codes', []],
  ['a text', 'timeout'],
])('no stage reacts to %s', (_, codes) => {
  expect(() => checkCodes('stage({ codes })', codes as ErrorCode[])).toThrow(/^stage\(\{ codes \}\)/);
});
