import { createRouter, defaultPipeline, defineTool, type Found, type Ready } from 'callgate';
import { concurrency } from 'callgate/middleware';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { heldCalls, nextTurn } from '../support.ts';

/** Tools whose calls end when they are told to. */
function stoppable(...names: string[]) {
  const { begun, handler, end } = heldCalls();
  const tools = names.map((name) =>
    defineTool({
      name,
      description: 'Ends when it is told to.',
      parameters: { type: 'object' },
      permission: 'read',
      handler,
    }),
  );
  return { tools, begun, end };
}

const calls = (name: string, ...ids: string[]) => ids.map((id) => ({ id, name }));

beforeAll(async () => {
  const tool = defineTool({ name: 'warm', description: 'Warms up.', parameters: { type: 'object' }, handler: () => 1 });
  await createRouter({ tools: [tool], mode: 'trusted' }).call({ name: 'warm' });
});

describe('limits', () => {
  test('in all: the others wait, and tools take turns', async () => {
    const { tools, begun, end } = stoppable('a', 'b');
    const router = createRouter({ tools, limits: { total: 2 } });
    const all = router.callAll([...calls('a', 'a1', 'a2', 'a3', 'a4'), ...calls('b', 'b1')]);
    await nextTurn();
    expect(begun).toEqual(['a1', 'a2']);
    await end('a1', 'a2');
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
    await end('a3', 'b1');
    await end('a4');
    expect((await all).every(({ ok }) => ok)).toBe(true);
  });

  test('of each tool, or of single ones', async () => {
    for (const perTool of [1, { a: 1, b: 1 }]) {
      const { tools, begun, end } = stoppable('a', 'b');
      const router = createRouter({ tools, limits: { perTool } });
      const all = router.callAll([...calls('a', 'a1', 'a2'), ...calls('b', 'b1', 'b2')]);
      await nextTurn();
      expect(begun).toEqual(['a1', 'b1']);
      await end('b1');
      expect(begun).toEqual(['a1', 'b1', 'b2']);
      await end('a1', 'b2');
      await end('a2');
      await all;
    }
  });

  test('by a key of your own; what has none does not count', async () => {
    const { tools, begun, end } = stoppable('a');
    const key = (ctx: Ready): string | undefined => ctx.run.principal;
    const router = createRouter({ tools, limits: { perKey: { key, limit: 1 } } });
    const as = (principal: string, id: string) => router.call({ id, name: 'a' }, { run: { principal } });
    const all = [as('ann', 'a1'), as('ann', 'a2'), as('bob', 'b1'), router.callAll(calls('a', 'x1', 'x2'))];
    await nextTurn();
    expect(begun).toEqual(['a1', 'b1', 'x1', 'x2']);
    await end('a1', 'b1', 'x1', 'x2');
    await end('a2');
    await Promise.all(all);
  });

  test('a call that waits for its turn at a file takes no place from others', async () => {
    const { tools, begun, end } = stoppable('a');
    const [tool] = tools;
    const locked = { ...tool, name: 'locked', locks: () => [{ key: 'k', mode: 'write' }] } as never;
    const router = createRouter({ tools: [...tools, locked], limits: { total: 2 } });
    const all = router.callAll([...calls('locked', 'l1', 'l2', 'l3'), ...calls('a', 'a1')]);
    await nextTurn();
    expect(begun).toEqual(['l1', 'a1']);
    for (const id of ['a1', 'l1', 'l2', 'l3']) await end(id);
    expect((await all).every(({ ok }) => ok)).toBe(true);
  });
});

describe('a call that waits for a place', () => {
  test('is refused when too many do, with what to do about it', async () => {
    const { tools, end } = stoppable('a');
    const router = createRouter({ tools, limits: { total: 1, queue: 1 } });
    const all = router.callAll(calls('a', 'c1', 'c2', 'c3'));
    await nextTurn();
    await end('c1');
    await end('c2');
    expect(await all).toMatchObject([
      { ok: true },
      { ok: true },
      {
        code: 'rate_limited',
        retryable: true,
        effect: 'none',
        error:
          '"a" was not started: too many calls are waiting already (no more than 1 may). ' +
          'Wait until some of them have been answered, then try again, with fewer calls at a time.',
      },
    ]);
  });

  test('is answered when it is withdrawn, and leaves no trace', async () => {
    const { tools, begun, end } = stoppable('a');
    const router = createRouter({ tools, limits: { total: 1 } });
    const controller = new AbortController();
    const first = router.call({ id: 'c1', name: 'a' });
    const second = router.call({ id: 'c2', name: 'a' }, { signal: controller.signal });
    const third = router.call({ id: 'c3', name: 'a' });
    await nextTurn();
    controller.abort();
    expect(await second).toMatchObject({ code: 'aborted', effect: 'none' });
    await end('c1');
    expect(begun).toEqual(['c1', 'c3']);
    await end('c3');
    await Promise.all([first, third]);
  });

  test('a handler that goes on after its answer counts until it has ended, or had its time', async () => {
    const { tools, begun, end } = stoppable('a');
    const hanging = tools.map((tool) => ({ ...tool, name: 'hang', timeout: 5 }));
    const router = createRouter({ tools: [...tools, ...hanging], limits: { total: 1, afterAnswer: 20 } });
    for (const endsByItself of [true, false]) {
      expect(await router.call({ id: 'h', name: 'hang' })).toMatchObject({ code: 'timeout' });
      const next = router.call({ id: 'next', name: 'a' });
      await nextTurn();
      expect(begun).toEqual(['h']);
      if (endsByItself) await end('h');
      await vi.waitFor(() => expect(begun).toEqual(['h', 'next']));
      await end('next');
      await next;
      begun.length = 0;
    }
  });
});

test('a call made from within a handler runs on the place of that one', async () => {
  const { tools, end } = stoppable('inner');
  const outer = defineTool({
    name: 'outer',
    description: 'Calls another tool.',
    parameters: { type: 'object' },
    permission: 'read',
    async handler(_, { signal }): Promise<boolean> {
      return (await router.call({ id: 'c1', name: 'inner' }, { signal })).ok;
    },
  });
  const router = createRouter({ tools: [outer, ...tools], limits: { total: 1, queue: 0 } });
  const result = router.call({ name: 'outer' });
  await nextTurn();
  await end('c1');
  expect(await result).toMatchObject({ ok: true, data: true });
});

describe('what cannot be', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['gives no text', () => 7],
    ['gives a promise', async () => 'k'],
  ])('a key that %s: the tool is not started', async (_, key) => {
    const { tools, begun } = stoppable('a');
    const router = createRouter({ tools, limits: { perKey: { key: key as never, limit: 1 } } });
    expect(await router.call({ name: 'a' })).toMatchObject({ code: 'internal', effect: 'none' });
    expect(begun).toEqual([]);
  });

  test.each([
    [{ totl: 1 }, 'no option "totl"'],
    [{ total: 0 }, '"total" must be'],
    [{ total: 1.5 }, '"total" must be'],
    [{ perTool: 0 }, '"perTool" must be'],
    [{ perTool: 'one' }, 'perTool'],
    [{ perTool: { a: -1 } }, '"perTool.a" must be'],
    [{ perKey: { key: 'host', limit: 1 } }, 'must be a function'],
    [{ perKey: { key: () => 'k', limit: 0 } }, '"perKey.limit" must be'],
    [{ queue: Number.NaN }, 'concurrency({ queue })'],
    [{ clock: 1 }, 'must be a clock'],
  ])('%o is refused', (options, text) => {
    expect(() => concurrency(options as never)).toThrow(text);
  });
});

test('it may be used more than once, each for calls of its own', async () => {
  const { tools, begun, end } = stoppable('a', 'b');
  const ofA = concurrency({ perKey: { key: (ctx: Found) => (ctx.tool.name === 'a' ? 'a' : undefined), limit: 1 } });
  const router = createRouter({ tools, pipeline: defaultPipeline().after('concurrency', 'ofA', ofA) });
  const all = router.callAll([...calls('a', 'a1', 'a2'), ...calls('b', 'b1', 'b2')]);
  await nextTurn();
  expect(begun).toEqual(['a1', 'b1', 'b2']);
  await end('a1', 'b1', 'b2');
  await end('a2');
  await all;
});
