import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRouter, defaultPipeline, defineTool, finish, repeatable, type Stage, type ToolResult } from 'callgate';
import {
  cache,
  circuitBreaker,
  concurrency,
  dedupe,
  fallback,
  isolate,
  locks,
  permission,
  rateLimit,
  retry,
  timeout,
} from 'callgate/middleware';
import { fakeClock } from 'callgate/testing';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { nextTurn } from '../support.ts';

function held(more: object = {}) {
  const signals: AbortSignal[] = [];
  const ends: (() => void)[] = [];
  const tool = defineTool({
    name: 'held',
    description: 'Ends when it is told to.',
    parameters: { type: 'object' },
    permission: 'read',
    handler: (_, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => ends.push(() => resolve('done')));
    },
    ...more,
  });
  return { tool, signals, ends };
}

beforeAll(async () => {
  const warm = held({ name: 'warm', timeout: 1 });
  await createRouter({ tools: [warm.tool] }).call({ name: 'warm' });
});

describe('by a clock of your own', () => {
  test("a tool's timeout passes: the signal aborts, the answer is there at once, and it tells how late the handler is", async () => {
    const clock = fakeClock();
    const { tool, signals, ends } = held({ timeout: 1_000 });
    const router = createRouter({ tools: [tool], clock });
    const late: number[] = [];
    router.on('late', ({ lateMs }) => late.push(lateMs));
    const answer = router.call({ name: 'held' });
    await clock.advance(999);
    expect(signals[0]?.aborted).toBe(false);
    await clock.advance(1);
    expect(signals[0]?.aborted).toBe(true);
    expect(await answer).toMatchObject({ code: 'timeout', effect: 'unknown', details: { limit_ms: 1_000 } });
    await clock.advance(5_000);
    ends[0]?.();
    await nextTurn();
    expect(late).toEqual([5_000]);
    expect(clock.pending()).toEqual([]);
  });

  test('a deadline that passes just after the answer aborts nothing', async () => {
    const timers: (() => void)[] = [];
    const clock = { now: () => 0, setTimeout: (callback: () => void) => timers.push(callback), clearTimeout: () => {} };
    const { tool, signals, ends } = held({ timeout: 1_000 });
    const router = createRouter({ tools: [tool], clock });
    const answer = router.call({ name: 'held' });
    await nextTurn();
    ends[0]?.();
    expect(await answer).toMatchObject({ ok: true });
    expect(timers).toHaveLength(1);
    timers[0]?.();
    expect(signals[0]?.aborted).toBe(false);
  });

  test("the default, the tool's own and the call's each hold, the shortest first", async () => {
    const clock = fakeClock();
    const router = createRouter({
      tools: [held().tool, held({ name: 'slow', timeout: 500 }).tool],
      timeout: 100,
      clock,
    });
    const settled: string[] = [];
    const noted = (name: string, deadline?: number) =>
      router
        .call({ name }, deadline === undefined ? {} : { deadline })
        .then((result) => settled.push(`${clock.now()} ${name} ${!result.ok && result.code}`));
    const all = [noted('held'), noted('slow'), noted('slow', 50), noted('held', 1_000)];
    for (let at = 0; at < 60; at++) await clock.advance(10);
    await Promise.all(all);
    expect(settled).toEqual(['50 slow timeout', '100 held timeout', '100 held timeout', '500 slow timeout']);
    expect(clock.pending()).toEqual([]);
  });

  test('a batch has one deadline for all, and nothing starts after it', async () => {
    const clock = fakeClock();
    const { tool, ends } = held();
    const router = createRouter({ tools: [tool], clock });
    const answer = router.callAll(
      Array.from({ length: 4 }, () => ({ name: 'held' })),
      { concurrency: 2, deadline: 300 },
    );
    await clock.advance(200);
    ends[0]?.();
    await nextTurn();
    expect(ends).toHaveLength(3);
    await clock.advance(100);
    expect((await answer).map((result) => (result.ok ? 'ok' : result.effect))).toEqual([
      'ok',
      'unknown',
      'unknown',
      'none',
    ]);
    expect(ends).toHaveLength(3);
    expect(clock.pending()).toEqual([]);
  });

  test('waiting for a turn ends with the deadline of the call, and nothing happened', async () => {
    const clock = fakeClock();
    const { tool, ends } = held({ locks: () => [{ key: 'k', mode: 'write' }] });
    const router = createRouter({ tools: [tool], clock, locks: { wait: 1_000 } });
    const answers = [
      router.call({ name: 'held' }),
      router.call({ name: 'held' }),
      router.call({ name: 'held' }, { deadline: 50 }),
    ];
    await clock.advance(50);
    expect(await answers[2]).toMatchObject({ code: 'timeout', effect: 'none' });
    await clock.advance(950);
    expect(await answers[1]).toMatchObject({ code: 'timeout', effect: 'none', details: { reason: 'wait' } });
    ends[0]?.();
    expect(await answers[0]).toMatchObject({ ok: true });
    await nextTurn();
    expect(clock.pending()).toEqual([]);
  });

  test('a router is drained and given grace', async () => {
    const clock = fakeClock();
    const { tool } = held();
    const router = createRouter({ tools: [tool], clock });
    const answer = router.call({ name: 'held' });
    await nextTurn();
    let closed = false;
    const closing = router.close({ drain: 100, grace: 50 }).then(() => {
      closed = true;
    });
    await clock.advance(100);
    expect(await answer).toMatchObject({ code: 'aborted', effect: 'unknown' });
    expect(closed).toBe(false);
    await clock.advance(50);
    await closing;
    expect(clock.pending()).toEqual([]);
  });

  test('also with a pipeline of your own, whose stages have clocks of their own', async () => {
    const clock = fakeClock();
    const { tool } = held();
    const pipeline = defaultPipeline().replace('timeout', timeout({ default: 50, clock }));
    const router = createRouter({ tools: [tool], pipeline, clock });
    const answer = router.call({ name: 'held' });
    await clock.advance(50);
    expect(await answer).toMatchObject({ code: 'timeout' });
  });

  const timed = {
    cache,
    circuitBreaker,
    concurrency,
    dedupe,
    fallback: (options: object) => fallback({ data: () => null, ...options }),
    isolate,
    locks,
    permission,
    rateLimit: (options: object) => rateLimit({ perMinute: 1, ...options }),
    retry,
    timeout,
  };

  test('what is no clock is refused where it is given', () => {
    for (const clock of [null, 5, {}, { now: () => 0 }]) {
      expect(() => createRouter({ tools: [], clock: clock as never })).toThrow('must be a clock');
      for (const [name, stage] of Object.entries(timed)) {
        expect(() => stage({ clock: clock as never }), name).toThrow(`${name}({ clock }) must be a clock`);
      }
    }
  });
});

test('a handler that never awaits is answered as soon as it lets the event loop turn', async () => {
  const tool = defineTool({
    name: 'busy',
    description: 'Keeps the thread busy.',
    parameters: { type: 'object' },
    permission: 'read',
    timeout: 5,
    handler: async () => {
      const end = performance.now() + 20;
      await null;
      while (performance.now() < end);
      await new Promise(() => {});
    },
  });
  expect(await createRouter({ tools: [tool] }).call({ name: 'busy' })).toMatchObject({
    code: 'timeout',
    effect: 'unknown',
  });
});

describe('the idempotency key', () => {
  async function keys(calls: { name: string; arguments?: object }[], options: object = {}): Promise<unknown[]> {
    const common = {
      description: 'Gives its key.',
      parameters: { type: 'object' },
      permission: 'read',
      handler: (_: unknown, { idempotencyKey }: { idempotencyKey: string }) => idempotencyKey,
    } as const;
    const tools = [defineTool({ ...common, name: 'one' }), defineTool({ ...common, name: 'two' })];
    const results = await createRouter({ tools, ...options }).callAll(calls, { run: { id: 'run_1' } });
    return results.map(({ data }) => data);
  }

  test('is the same for the same tool, arguments and run, in whatever order the arguments stand', async () => {
    const [first, second, otherTool, otherArguments] = await keys([
      { name: 'one', arguments: { a: 1, b: [2] } },
      { name: 'one', arguments: { b: [2], a: 1 } },
      { name: 'two', arguments: { a: 1, b: [2] } },
      { name: 'one', arguments: { a: 1, b: [3] } },
    ]);
    expect(first).toMatch(/^[0-9a-f]{64}$|^sha256:/);
    expect(second).toBe(first);
    expect(new Set([first, otherTool, otherArguments]).size).toBe(3);
  });

  test('differs by run', async () => {
    const handler = vi.fn((_: unknown, { idempotencyKey }: { idempotencyKey: string }) => idempotencyKey);
    const tool = defineTool({
      name: 'one',
      description: '',
      parameters: { type: 'object' },
      permission: 'read',
      handler,
    });
    const router = createRouter({ tools: [tool] });
    const call = async (id: string) => (await router.call({ name: 'one' }, { run: { id } })).data;
    expect(await call('run_1')).toBe(await call('run_1'));
    expect(await call('run_1')).not.toBe(await call('run_2'));
  });

  test('differs by principal, also where runs have one id', async () => {
    const run = (principal?: string) => ({ run: { id: 'run_1', ...(principal !== undefined && { principal }) } });
    const router = createRouter({
      tools: [
        defineTool({
          name: 'one',
          description: '',
          parameters: { type: 'object' },
          permission: 'read',
          handler: (_, { idempotencyKey }) => idempotencyKey,
        }),
      ],
    });
    const call = async (principal?: string) => (await router.call({ name: 'one' }, run(principal))).data;
    expect(await call('ada')).toBe(await call('ada'));
    expect(new Set([await call('ada'), await call('bob'), await call()]).size).toBe(3);
  });

  test('is the same for every attempt of one call', async () => {
    const seen: string[] = [];
    const tool = defineTool({
      name: 'one',
      description: '',
      parameters: { type: 'object' },
      permission: 'read',
      handler: (_, { idempotencyKey }) => seen.push(idempotencyKey),
    });
    const again: Stage = repeatable(async function again(_, next) {
      await next();
      return next();
    });
    const pipeline = defaultPipeline().after('timeout', 'again', again);
    await createRouter({ tools: [tool], pipeline }).call({ name: 'one', arguments: { a: 1 } });
    expect(seen).toHaveLength(2);
    expect(seen[1]).toBe(seen[0]);
  });
});

test('no timer is left behind, and none keeps the process alive', async () => {
  const script = fileURLToPath(new URL('../fixtures/leaves-nothing-behind.ts', import.meta.url));
  // Killed, and so rejected, if it does not end by itself.
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script], { timeout: 15_000 });
  expect(stdout).toBe('nothing left\n');
});

test.each([
  ['its timeout', { timeout: 1 }, {}],
  ['its overall deadline', {}, { deadline: 1 }],
])(
  'what a handler is told of %s has no stack, which would keep all that it passed through',
  async (_, more, options) => {
    const { tool, signals } = held(more);
    const router = createRouter({ tools: [tool], mode: 'trusted' });
    expect(await router.call({ name: 'held' }, options)).toMatchObject({ code: 'timeout' });
    const reason: unknown = signals[0]?.reason;
    expect(reason).toBeInstanceOf(Error);
    expect((reason as Error).stack ?? '').not.toMatch(/^\s+at /m);
  },
);

test('by a clock that has gone back below zero, a handler that comes late has ended', async () => {
  let now = -5_000;
  const clock = { ...fakeClock(), now: () => now };
  const { tool, ends } = held();
  const router = createRouter({ tools: [tool], mode: 'trusted', clock });
  const late: number[] = [];
  router.on('late', ({ lateMs }) => late.push(lateMs));
  const controller = new AbortController();
  const answer = router.call({ name: 'held' }, { signal: controller.signal });
  controller.abort();
  expect(await answer).toMatchObject({ code: 'aborted', effect: 'unknown' });
  now -= 1_000;
  ends[0]?.();
  await nextTurn();
  expect(late).toEqual([-1_000]);
  await router.close();
});

describe('stages that hand over promises which others may settle', () => {
  test.each([
    ['within the turn', async () => 1],
    ['later', () => new Promise((resolve) => setTimeout(resolve, 5, 1))],
  ])('a call with two deadlines that settles %s is under way no more', async (_, handler) => {
    const { tool } = held({ handler });
    const pipeline = defaultPipeline().before('timeout', 'outer', timeout({ default: 1_000 }));
    const clock = fakeClock();
    const router = createRouter({ tools: [tool], pipeline, mode: 'trusted', clock });
    expect(await router.call({ name: 'held' })).toMatchObject({ ok: true, data: 1 });
    await nextTurn();
    await nextTurn();
    // By a clock that stands still this would never settle if the router still waited for a call.
    await router.close();
  });

  test('the shorter of two deadlines that have both passed when they are first looked at answers the call', async () => {
    const handler = (): Promise<unknown> => {
      const begun = performance.now();
      while (performance.now() - begun < 5);
      return new Promise(() => {});
    };
    const pipeline = defaultPipeline().before('timeout', 'outer', timeout());
    const router = createRouter({ tools: [held({ handler, timeout: 1 }).tool], pipeline, mode: 'trusted' });
    expect(await router.call({ name: 'held' })).toMatchObject({ code: 'timeout', effect: 'unknown' });
    await router.close({ drain: 0, grace: 0 });
  });

  test('a stage inside of the deadline makes nothing of it', async () => {
    const clock = fakeClock();
    const { tool, ends } = held();
    const seen: unknown[] = [];
    const watch = finish((_, outcome) => {
      seen.push(outcome);
      return outcome as ToolResult;
    });
    const pipeline = defaultPipeline({ clock, timeout: 100 }).before('execute', 'watch', watch);
    const answer = createRouter({ tools: [tool], pipeline }).call({ name: 'held' });
    await clock.advance(100);
    expect(await answer).toMatchObject({ ok: false, code: 'timeout' });
    expect(seen).toEqual([]);
    ends[0]?.();
    await nextTurn();
    expect(seen).toMatchObject([{ ok: true }]);
  });

  test('a call that a stage answers with the promise of another one is withdrawn without that other one', async () => {
    let stored: Promise<ToolResult> | undefined;
    const share: Stage = (_, next) => {
      if (stored !== undefined) return stored;
      stored = next() as Promise<ToolResult>;
      return stored.then((result) => result);
    };
    const { tool, ends } = held();
    const pipeline = defaultPipeline().after('timeout', 'share', share);
    const router = createRouter({ tools: [tool], pipeline, mode: 'trusted' });
    const first = router.call({ id: 'first', name: 'held' });
    const controller = new AbortController();
    const second = router.call({ id: 'second', name: 'held' }, { signal: controller.signal });
    controller.abort();
    expect(await second).toMatchObject({ code: 'aborted', call_id: 'second' });
    ends[0]?.();
    expect(await first).toMatchObject({ ok: true, call_id: 'first', data: 'done' });
  });

  test('a call of another router that a stage waits for is not ended by the deadline of the one that waits', async () => {
    const { tool, ends } = held();
    const inner = createRouter({ tools: [tool], mode: 'trusted' });
    let made: Promise<ToolResult> | undefined;
    const delegate: Stage = () => {
      made = inner.call({ id: 'inner', name: 'held' });
      return made;
    };
    const pipeline = defaultPipeline({ timeout: 10 }).after('timeout', 'delegate', delegate);
    const outer = createRouter({ tools: [tool], pipeline, mode: 'trusted' });
    expect(await outer.call({ id: 'outer', name: 'held' })).toMatchObject({ code: 'timeout', call_id: 'outer' });
    ends[0]?.();
    expect(await made).toMatchObject({ ok: true, call_id: 'inner' });
  });

  test('a handler whose promise has a `then` that throws has ended', async () => {
    const handler = () =>
      Object.defineProperty(Promise.resolve(1), 'then', {
        value: () => {
          throw new Error('of bad manners');
        },
      });
    const router = createRouter({ tools: [held({ handler }).tool], mode: 'trusted', clock: fakeClock() });
    expect(await router.call({ name: 'held' })).toMatchObject({ code: 'tool_error', effect: 'unknown' });
    await router.close();
  });
});
