import { createRouter, defaultPipeline, defineTool, type Router, type Stage, step, type ToolResult } from 'callgate';
import { forTools, when } from 'callgate/middleware';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { nextTurn } from '../support.ts';

/** A tool whose calls end when they are told to, or when they are aborted unless they ignore that. */
function stoppable({ ignoresAbort = false } = {}) {
  const ends = new Map<string, () => void>();
  const tool = defineTool({
    name: 'work',
    description: 'Works until it is told to end.',
    parameters: { type: 'object' },
    permission: 'read',
    handler: (_, { call, signal }) =>
      new Promise((resolve, reject) => {
        ends.set(call.id, () => resolve('done'));
        if (!ignoresAbort) signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  return { tool, end: (id: string) => ends.get(id)?.(), ends };
}

/** Whether a promise has settled by now. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await nextTurn();
  return settled;
}

beforeAll(async () => {
  const tool = defineTool({ name: 'warm', description: 'Warms up.', parameters: { type: 'object' }, handler: () => 1 });
  await createRouter({ tools: [tool], mode: 'trusted' }).call({ name: 'warm' });
});

describe('a router that is closed', () => {
  test('takes no more calls, and says so at once', async () => {
    const { tool } = stoppable();
    const router = createRouter({ tools: [tool] });
    await router.close();
    const expected = { ok: false, code: 'unavailable', retryable: false, effect: 'none' };
    expect(await router.call({ id: 'c1', name: 'work' })).toMatchObject({ ...expected, call_id: 'c1' });
    expect(await router.callAll([{ name: 'work' }, { name: 'nobody' }])).toMatchObject([expected, expected]);
    const events: unknown[] = [];
    for await (const event of router.stream([{ name: 'work' }])) events.push(event);
    expect(events).toMatchObject([{ type: 'result', result: expected }]);
  });

  test('lets calls under way finish, and waits for them', async () => {
    const { tool, end } = stoppable();
    const router = createRouter({ tools: [tool] });
    const call = router.call({ id: 'c1', name: 'work' });
    await nextTurn();
    const closed = router.close();
    expect(await hasSettled(closed)).toBe(false);
    end('c1');
    expect(await call).toMatchObject({ ok: true });
    expect(await hasSettled(closed)).toBe(true);
  });

  test('aborts what takes longer than the drain', async () => {
    const { tool } = stoppable();
    const router = createRouter({ tools: [tool] });
    const call = router.call({ id: 'c1', name: 'work' });
    await nextTurn();
    await router.close({ drain: 5 });
    expect(await call).toMatchObject({
      code: 'aborted',
      effect: 'unknown',
      error: 'The call was stopped, since its router was closed.',
    });
  });

  test('aborts at once where it is to, also when it was draining', async () => {
    const { tool } = stoppable();
    const router = createRouter({ tools: [tool] });
    const calls = router.callAll([{ name: 'work' }, { name: 'work' }]);
    await nextTurn();
    const draining = router.close({ drain: 60_000 });
    const closed = router.close({ drain: 0 });
    await Promise.all([draining, closed]);
    expect((await calls).map((result) => !result.ok && result.code)).toEqual(['aborted', 'aborted']);
    await router.close();
  });

  test('waits for handlers that ignore their signal, but no longer than the grace', async () => {
    const { tool, end } = stoppable({ ignoresAbort: true });
    for (const grace of [60_000, 5]) {
      const router = createRouter({ tools: [tool] });
      const call = router.call({ id: 'c1', name: 'work' });
      await nextTurn();
      const closed = router.close({ drain: 0, grace });
      expect(await call).toMatchObject({ code: 'aborted', effect: 'unknown' });
      if (grace > 5) {
        expect(await hasSettled(closed)).toBe(false);
        end('c1');
      }
      await closed;
    }
  });

  test('waits for a handler that was left behind by its deadline', async () => {
    const { tool, end } = stoppable({ ignoresAbort: true });
    const router = createRouter({ tools: [{ ...tool, timeout: 5 }] });
    expect(await router.call({ id: 'c1', name: 'work' })).toMatchObject({ code: 'timeout' });
    const closed = router.close();
    expect(await hasSettled(closed)).toBe(false);
    end('c1');
    await closed;
  });

  test('answers calls that hang in a stage, or wait for their turn', async () => {
    const hanging: Stage = () => new Promise<ToolResult>(() => {});
    const { tool } = stoppable();
    const locked = { ...tool, locks: () => [{ key: 'k', mode: 'write' } as const] };
    for (const pipeline of [defaultPipeline(), defaultPipeline().before('lookup', 'hanging', hanging)]) {
      const router = createRouter({ tools: [locked], pipeline });
      const calls = router.callAll([{ name: 'work' }, { name: 'work' }, { name: 'work' }]);
      await nextTurn();
      await router.close({ drain: 0 });
      expect((await calls).map((result) => !result.ok && result.code)).toEqual(['aborted', 'aborted', 'aborted']);
    }
  });

  test('answers calls of a pipeline that sets no deadline', async () => {
    const { tool } = stoppable({ ignoresAbort: true });
    const router = createRouter({ tools: [tool], pipeline: defaultPipeline().without('timeout') });
    const call = router.call({ id: 'c1', name: 'work' });
    await nextTurn();
    await router.close({ drain: 0, grace: 0 });
    expect(await call).toMatchObject({ code: 'aborted', effect: 'unknown' });
  });

  test('a handler under way may still call it, until it is aborted', async () => {
    let router: Router;
    const outcomes: boolean[] = [];
    let go = (): void => {};
    const inner = defineTool({
      name: 'inner',
      description: 'Is called by the other.',
      parameters: { type: 'object' },
      permission: 'read',
      handler: () => 'done',
    });
    const outer = defineTool({
      ...inner,
      name: 'outer',
      async handler(_: unknown, { signal }: { signal: AbortSignal }) {
        await new Promise<void>((resolve) => (go = resolve));
        outcomes.push((await router.call({ name: 'inner' }, { signal })).ok);
        outcomes.push((await router.call({ name: 'inner' })).ok);
        return 'done';
      },
    });
    router = createRouter({ tools: [inner, outer] });
    const call = router.call({ name: 'outer' });
    await nextTurn();
    const closed = router.close();
    go();
    expect(await call).toMatchObject({ ok: true });
    expect(outcomes).toEqual([true, false]);
    await closed;
  });

  test('is closed at the end of its block', async () => {
    const closes = vi.fn();
    const stage = Object.assign(
      step(function owner() {}),
      { closes },
    );
    const router = createRouter({ tools: [], pipeline: defaultPipeline().before('lookup', 'owner', stage) });
    await router[Symbol.asyncDispose]();
    expect(closes).toHaveBeenCalledOnce();
  });

  test('refuses options that cannot be, and is not closed by them', async () => {
    const { tool, end } = stoppable();
    const router = createRouter({ tools: [tool] });
    await expect(router.close({ drain: -1 })).rejects.toThrow('close({ drain })');
    await expect(router.close({ wait: 1 } as never)).rejects.toThrow('no option "wait"');
    const call = router.call({ id: 'c1', name: 'work' });
    await nextTurn();
    end('c1');
    expect((await call).ok).toBe(true);
  });
});

test('a decision about a call that waited for one is not used up by a router that is closed', async () => {
  const store = { load: vi.fn(), use: vi.fn(), save: vi.fn() };
  const router = createRouter({ tools: [] });
  await router.close();
  const result = await router.resume({} as never, { store: store as never, key: 'k'.repeat(32) });
  expect(result).toMatchObject({ code: 'unavailable', retryable: false });
  expect(store.use).not.toHaveBeenCalled();
});

describe('what stages own', () => {
  test('is given up also where a condition stands around the stage', async () => {
    const closes = vi.fn();
    const owner = Object.assign(((_, next) => next()) as Stage, { closes });
    const pipeline = defaultPipeline()
      .before('lookup', 'some', forTools('some_*', owner))
      .before(
        'lookup',
        'sometimes',
        when(() => true, owner),
      );
    await createRouter({ tools: [], pipeline }).close();
    expect(closes).toHaveBeenCalledTimes(2);
  });

  test('is given up after the calls have ended, the innermost first, and all of it though one fails', async () => {
    const order: string[] = [];
    const owning = (name: string, fails = false) =>
      Object.assign(
        step(() => {}),
        {
          async closes() {
            order.push(name);
            if (fails) throw new Error(`${name} cannot be closed`);
          },
        },
      );
    const pipeline = defaultPipeline()
      .before('lookup', 'outer', owning('outer'))
      .before('execute', 'inner', owning('inner', true));
    const { tool, end } = stoppable();
    const router = createRouter({ tools: [tool], pipeline });
    const call = router.call({ id: 'c1', name: 'work' }).then(() => order.push('call'));
    await nextTurn();
    const closed = router.close();
    end('c1');
    await expect(closed).rejects.toThrow('not all that its stages own');
    await call;
    expect(order).toEqual(['call', 'inner', 'outer']);
  });
});
