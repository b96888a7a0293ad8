import { beforeAll, describe, expect, test } from 'vitest';
import { cache } from '../../middleware/cache.ts';
import { forTools } from '../../middleware/for-tools.ts';
import { type RateLimitOptions, rateLimit } from '../../middleware/rate-limit.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import type { ToolResult } from '../../src/result.ts';
import { createRouter, type Router } from '../../src/router.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import type { Tool } from '../../src/tool.ts';
import type { AnyStage } from '../../src/traits.ts';
import type { Ready } from '../../src/types.ts';
import { warmUp } from '../resilience/support.ts';

beforeAll(warmUp);

const tool = (name: string, tags: string[] = []): Tool =>
  defineTool({
    name,
    description: name,
    parameters: { type: 'object' },
    permission: 'read',
    tags,
    handler: () => name,
  });

function setup(options: RateLimitOptions<Ready>, around: (stage: AnyStage) => AnyStage = (stage) => stage) {
  const clock = fakeClock();
  const stage = around(rateLimit<Ready>({ clock, ...options }) as AnyStage);
  const pipeline = defaultPipeline().before('timeout', 'rateLimit', stage as never);
  const tools = [tool('a', ['costly']), tool('b', ['costly']), tool('c')];
  return { clock, router: createRouter({ tools, mode: 'trusted', pipeline }) };
}

const codes = async (router: Router, names: string, run: object = {}): Promise<string> => {
  let all = '';
  for (const name of names) {
    const result = await router.call({ name, arguments: { host: name } }, { run });
    all += result.ok ? '+' : result.code === 'rate_limited' ? '-' : '?';
  }
  return all;
};

describe('rateLimit', () => {
  test('lets a burst through, and then as many as the rate says', async () => {
    const { router, clock } = setup({ perMinute: 60, burst: 3 });
    expect(await codes(router, 'aaaaa')).toBe('+++--');
    await clock.advance(999);
    expect(await codes(router, 'a')).toBe('-');
    await clock.advance(1);
    expect(await codes(router, 'aa')).toBe('+-');
  });

  test('says what the limit is, and when to come again; nothing has happened', async () => {
    const { router } = setup({ perHour: 2 });
    await codes(router, 'aa');
    expect(await router.call({ id: 'x', name: 'a' })).toEqual({
      ok: false,
      tool_name: 'a',
      data: null,
      error: 'Too many calls of a: the limit is 2 an hour. Wait 30 minutes before the next one, or go on without it.',
      call_id: 'x',
      meta: {},
      code: 'rate_limited',
      retryable: true,
      effect: 'none',
      details: { reason: 'rate_limit', retry_after_ms: 1_800_000 },
    });
  });

  test('counts every tool by itself', async () => {
    expect(await codes(setup({ perSecond: 1 }).router, 'abcabc')).toBe('+++---');
  });

  test('counts the tools with a tag together, and lets the others alone', async () => {
    expect(await codes(setup({ perSecond: 1, tag: 'costly' }).router, 'abccc')).toBe('+-+++');
  });

  test('counts by what a function says', async () => {
    const key = ({ args }: Ready): string => (args as { host: string }).host;
    expect(await codes(setup({ perSecond: 1, key }).router, 'aabb')).toBe('+-+-');
    const { router } = setup({ perSecond: 1, key: (() => 7) as unknown as () => string });
    expect(await router.call({ name: 'a' })).toMatchObject({ ok: false, code: 'internal' });
  });

  test('counts every principal by itself, unless they share', async () => {
    const own = setup({ perSecond: 1 }).router;
    const shared = setup({ perSecond: 1, shared: true }).router;
    const seen: string[] = [];
    for (const router of [own, shared]) {
      for (const principal of ['ann', 'bob', '__proto__']) seen.push(await codes(router, 'aa', { principal }));
    }
    expect(seen).toEqual(['+-', '+-', '+-', '+-', '--', '--']);
  });

  test('counts calls of nobody in particular together, in whichever run', async () => {
    const { router } = setup({ perSecond: 1 });
    expect([await codes(router, 'a', { id: 'r1' }), await codes(router, 'a', { id: 'r2' })]).toEqual(['+', '-']);
  });

  test("very many keys of one principal are in nobody else's way", async () => {
    const clock = fakeClock();
    const stage = rateLimit<Ready>({ perHour: 1, clock, key: ({ args }) => (args as { host: string }).host });
    const router = createRouter({
      tools: [tool('a')],
      pipeline: defaultPipeline().before('timeout', 'rateLimit', stage),
    });
    const get = async (principal: string, host: string): Promise<boolean> =>
      (await router.call({ name: 'a', arguments: { host } }, { run: { principal } })).ok;
    for (let at = 0; at < 10_000; at++) await get('mallory', `${at}`);
    expect([await get('mallory', 'x'), await get('mallory', 'y'), await get('mallory', '0')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([await get('ann', 'x'), await get('ann', 'y'), await get('ann', 'x')]).toEqual([true, true, false]);
  });

  test('stands under forTools as well', async () => {
    const { router } = setup({ perSecond: 1 }, (stage) => forTools('a', stage as never) as AnyStage);
    expect(await codes(router, 'aabb')).toBe('+-++');
  });

  test('is no guard: it may stand before permission, and inside a cache, whose answers it does not count', async () => {
    const clock = fakeClock();
    const pipeline = defaultPipeline()
      .after('lookup', 'outer', rateLimit({ perSecond: 100, clock }))
      .before('timeout', 'cache', cache({ clock }))
      .before('timeout', 'inner', rateLimit({ perSecond: 1, clock }));
    const router = createRouter({ tools: [tool('a')], mode: 'trusted', pipeline });
    expect(await codes(router, 'aaa')).toBe('+++');
  });
});

describe('calls that wait for their turn', () => {
  test('come one after another, and are refused when they would wait too long', async () => {
    const { router, clock } = setup({ perSecond: 1, maxWait: 2_000 });
    const order: number[] = [];
    const calls = [0, 1, 2, 3].map(async (at): Promise<ToolResult> => {
      const result = await router.call({ name: 'a' });
      order.push(at);
      return result;
    });
    await clock.advance(0);
    expect(order).toEqual([0, 3]);
    await clock.advance(1_000);
    expect(order).toEqual([0, 3, 1]);
    await clock.advance(1_000);
    expect((await Promise.all(calls)).map(({ ok }) => ok)).toEqual([true, true, true, false]);
    expect((await calls[3])?.ok === false && (await calls[3])).toMatchObject({ details: { retry_after_ms: 3_000 } });
  });

  test('end at once when they are withdrawn, give their turn back and leave no timer', async () => {
    const { router, clock } = setup({ perSecond: 1, maxWait: 1_000 });
    await router.call({ name: 'a' });
    const controller = new AbortController();
    const waiting = router.call({ name: 'a' }, { signal: controller.signal });
    await clock.advance(0);
    expect(clock.pending()).toHaveLength(1);
    controller.abort();
    expect(await waiting).toMatchObject({ ok: false, code: 'aborted', effect: 'none' });
    expect(clock.pending()).toEqual([]);
    const next = router.call({ name: 'a' });
    await clock.advance(1_000);
    expect((await next).ok).toBe(true);
  });
});

test.each<[string, unknown]>([
  ['no rate', {}],
  ['two rates', { perSecond: 1, perMinute: 60 }],
  ['a rate of 0', { perSecond: 0 }],
  ['a rate without an end', { perMinute: Number.POSITIVE_INFINITY }],
  ['a rate that is no number', { perMinute: '10' }],
  ['a burst of 0', { perMinute: 1, burst: 0 }],
  ['a tag and a key', { perMinute: 1, tag: 'costly', key: () => '' }],
  ['an empty tag', { perMinute: 1, tag: '' }],
  ['a key that is no function', { perMinute: 1, key: 'host' }],
  ['shared as a text', { perMinute: 1, shared: 'no' }],
  ['a negative wait', { perMinute: 1, maxWait: -1 }],
  ['an option that does not exist', { perDay: 3 }],
])('refuses %s', (_, options) => {
  expect(() => rateLimit(options as RateLimitOptions)).toThrow(TypeError);
});
