import { beforeAll, describe, expect, test } from 'vitest';
import { type DedupeOptions, dedupe } from '../../middleware/dedupe.ts';
import { forTools } from '../../middleware/for-tools.ts';
import { retry } from '../../middleware/retry.ts';
import { when } from '../../middleware/when.ts';
import { type DefaultPipelineOptions, defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import { ToolError } from '../../src/errors.ts';
import type { Approve } from '../../src/policy/approval.ts';
import type { Failure } from '../../src/result.ts';
import { createRouter, type Router } from '../../src/router.ts';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts';
import type { Tool } from '../../src/tool.ts';
import type { ToolCall } from '../../src/types.ts';
import { Gate, until, warmUp } from '../resilience/support.ts';

beforeAll(warmUp);

interface Setup {
  readonly router: Router<unknown>;
  readonly clock: FakeClock;
  /** What was done, in order. */
  readonly done: string[];
  readonly gates: Gate<unknown>[];
}

/** Tools that note what they do: `write` writes, `look` reads, `slow` writes once a gate is opened. */
function setup(options: DedupeOptions = {}, pipelineOptions: DefaultPipelineOptions = {}, more: Tool[] = []): Setup {
  const clock = fakeClock();
  const done: string[] = [];
  const gates: Gate<unknown>[] = [];
  const tool = (name: string, permission: string, more: Partial<Tool> = {}): Tool => ({
    ...(defineTool({
      name,
      description: name,
      parameters: { type: 'object' },
      permission,
      handler: (args) => {
        const { text = '', fail } = args as { text?: string; fail?: boolean };
        done.push(`${name} ${text}`);
        if (fail) throw new Error('it broke');
        if (name === 'slow') {
          const gate = new Gate<unknown>();
          gates.push(gate);
          return gate.passed;
        }
        return { number: done.length };
      },
    }) as Tool),
    ...more,
  });
  const tools = [
    tool('write', 'write'),
    tool('look', 'read'),
    tool('slow', 'write', { timeout: 25 }),
    tool('poll', 'execute', { tags: ['polling'] }),
    ...more,
  ];
  const pipeline = defaultPipeline(pipelineOptions).before('timeout', 'dedupe', dedupe({ clock, ...options }));
  const router = createRouter<unknown>({ tools, mode: 'trusted', pipeline, state: undefined });
  return { router, clock, done, gates };
}

const write = (text: string, id?: string): ToolCall => ({
  name: 'write',
  arguments: { text },
  ...(id !== undefined && { id }),
});

describe('a call that is made a second time', () => {
  test('gets what the first one gave, whatever the tool has done with that since', async () => {
    const list: string[] = [];
    const grow = defineTool({
      name: 'grow',
      description: 'Gives a list of its own, which it goes on writing.',
      parameters: { type: 'object' },
      permission: 'write',
      handler: () => {
        list.push('line');
        return list;
      },
    });
    const { router } = setup({ resets: () => false }, {}, [grow as Tool]);
    await router.call({ name: 'grow', arguments: {} });
    await router.call({ name: 'grow', arguments: { more: true } });
    expect(list).toHaveLength(2);
    expect(await router.call({ name: 'grow', arguments: {} })).toMatchObject({ ok: true, data: ['line'] });
  });

  test('in one answer of a model: it is done once, and each has a result', async () => {
    const { router, done } = setup();
    const results = await router.callAll([write('x', 'a'), write('x', 'b')]);
    expect(done).toEqual(['write x']);
    expect(results).toEqual([
      { ok: true, tool_name: 'write', data: { number: 1 }, error: null, call_id: 'a', meta: {} },
      {
        ok: true,
        tool_name: 'write',
        data: { number: 1 },
        error: null,
        call_id: 'b',
        meta: { deduplicated: { call_id: 'a' } },
      },
    ]);
  });

  test('while the first is under way: it waits', async () => {
    const { router, done, gates } = setup();
    const calls = ['a', 'b'].map((id) => router.call({ id, name: 'slow' }));
    await until(() => gates.length === 1);
    gates[0]?.open({ list: [1] });
    const [first, second] = await Promise.all(calls);
    expect(second).toMatchObject({ ok: true, data: { list: [1] }, meta: { deduplicated: { call_id: 'a' } } });
    expect(second?.data).not.toBe(first?.data);
    expect(done).toEqual(['slow ']);
  });

  test('within the window, and not after it', async () => {
    const { router, done, clock } = setup({ window: 100 });
    await router.call(write('x'));
    await clock.advance(99);
    await router.call(write('x'));
    expect(done).toHaveLength(1);
    await clock.advance(1);
    expect((await router.call(write('x'))).meta).toEqual({});
    expect(done).toHaveLength(2);
  });

  test('after a look at what was done', async () => {
    const { router, done } = setup();
    for (const call of [write('x'), { name: 'look' }, write('x')]) await router.call(call);
    expect(done).toEqual(['write x', 'look ']);
  });
});

describe('a call that is no second one', () => {
  const differing: [string, [ToolCall, object], [ToolCall, object]][] = [
    ['with other arguments', [write('x'), {}], [write('y'), {}]],
    ['of another run', [write('x'), { run: { id: 'r1' } }], [write('x'), { run: { id: 'r2' } }]],
    [
      'of another principal in a run of the same name',
      [write('x'), { run: { id: 'r', principal: 'ann' } }],
      [write('x'), { run: { id: 'r', principal: 'bob' } }],
    ],
    ['with another state', [write('x'), { state: { tenant: 'a' } }], [write('x'), { state: { tenant: 'b' } }]],
    ['with the same id and other arguments', [write('x', 'same'), {}], [write('y', 'same'), {}]],
    ['of a tool that reads', [{ name: 'look' }, {}], [{ name: 'look' }, {}]],
    ['of a tool for polling', [{ name: 'poll' }, {}], [{ name: 'poll' }, {}]],
  ];
  test.each(differing)('%s', async (_, one, other) => {
    const { router, done } = setup();
    for (const [call, options] of [one, other]) expect((await router.call(call, options)).meta).toEqual({});
    expect(done).toHaveLength(2);
  });

  test('after something else was changed: doing it again may undo that', async () => {
    const { router, done } = setup();
    for (const text of ['before', 'after', 'before']) await router.call(write(text));
    expect(done).toEqual(['write before', 'write after', 'write before']);
    // The same in one batch, whether or not the calls overlap.
    const results = await router.callAll(['p', 'q', 'p'].map((text) => write(text)));
    expect(results.map(({ meta }) => meta)).toEqual([{}, {}, {}]);
  });

  test('unless the program says that these have nothing to do with each other', async () => {
    const { router, done } = setup({ resets: () => false });
    await router.callAll(['p', 'q', 'p', 'q'].map((text) => write(text)));
    expect(done).toEqual(['write p', 'write q']);
  });

  test('when another run has changed something is not known: that run has writes of its own', async () => {
    const { router, done } = setup();
    await router.call(write('x'), { run: { id: 'r1' } });
    await router.call(write('y'), { run: { id: 'r2' } });
    expect((await router.call(write('x'), { run: { id: 'r1' } })).meta).toHaveProperty('deduplicated');
    expect(done).toHaveLength(2);
  });
});

describe('a call that is sent again under its id', () => {
  test('is a second one whatever was changed meanwhile', async () => {
    const { router, done } = setup();
    const batch = [write('x', 'one'), write('y', 'two')];
    await router.callAll(batch);
    const again = await router.callAll(batch);
    expect(done).toEqual(['write x', 'write y']);
    expect(again.map(({ meta }) => meta)).toEqual([
      { deduplicated: { call_id: 'one' } },
      { deduplicated: { call_id: 'two' } },
    ]);
  });

  test('not in a run in which ids mean nothing, as of models that count from 0 in every answer', async () => {
    const { router, done } = setup();
    for (const text of ['before', 'after', 'before']) await router.call(write(text, 'call_0'));
    expect(done).toEqual(['write before', 'write after', 'write before']);
  });
});

describe('a first that fails', () => {
  test('is told to each with details of their own', async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const tool = defineTool({
      name: 'fail',
      description: 'Fails.',
      parameters: { type: 'object' },
      permission: 'write',
      handler: async () => {
        await gate;
        throw new ToolError('no', { details: { tried: [1] } });
      },
    });
    const pipeline = defaultPipeline()
      .replace('normalize', (_, next) => next())
      .before('timeout', 'dedupe', dedupe());
    const router = createRouter({ tools: [tool], mode: 'trusted', pipeline });
    const calls = ['a', 'b', 'c'].map((id) => router.call({ id, name: 'fail', arguments: {} }));
    open();
    const details = (await Promise.all(calls)).map((result) => (result as Failure).details as { tried: number[] });
    details[0]?.tried.push(2);
    details[1]?.tried.push(3);
    expect(details).toEqual([{ tried: [1, 2] }, { tried: [1, 3] }, { tried: [1] }]);
  });

  test('is shared with whoever waited for it, and then forgotten', async () => {
    const { router, done, gates } = setup();
    const calls = ['a', 'b'].map((id) => router.call({ id, name: 'slow' }));
    await until(() => gates.length === 1);
    gates[0]?.fail(new ToolError('disk full', { retryable: true }));
    const [, second] = await Promise.all(calls);
    expect(second).toMatchObject({
      ok: false,
      call_id: 'b',
      code: 'tool_error',
      error: 'disk full',
      effect: 'unknown',
      retryable: true,
      meta: { deduplicated: { call_id: 'a' } },
    });
    const third = router.call({ name: 'slow' });
    await until(() => gates.length === 2);
    gates[1]?.open('ok');
    expect(await third).toMatchObject({ ok: true, meta: {} });
    expect(done).toHaveLength(2);
  });

  test('stands in the way when it did not finish and may have taken effect, for the time of the window', async () => {
    const { router, done, clock } = setup({ window: 5_000 });
    const [first, second] = await router.callAll(['a', 'b'].map((id) => ({ id, name: 'slow' })));
    expect(first).toMatchObject({ code: 'timeout', effect: 'unknown' });
    const expected = {
      ok: false,
      code: 'conflict',
      retryable: false,
      effect: 'unknown',
      details: { reason: 'duplicate', first: 'timeout', retry_after_ms: 5_000 },
      meta: { deduplicated: { call_id: 'a' } },
    };
    expect(second).toMatchObject(expected);
    await router.call({ name: 'look' });
    expect(await router.call({ name: 'slow' })).toMatchObject(expected);
    expect(done.filter((what) => what === 'slow ')).toHaveLength(1);
    await clock.advance(5_000);
    expect(await router.call({ name: 'slow' })).toMatchObject({ code: 'timeout' });
  });

  test('stands in the way also when the stage stands inside the timeout and never hears of its end', async () => {
    const { router, done } = setup();
    const pipeline = defaultPipeline().after('timeout', 'dedupe', dedupe());
    const inner = createRouter({ tools: router.registry.list(), mode: 'trusted', pipeline });
    expect(await inner.call({ name: 'slow' })).toMatchObject({ code: 'timeout' });
    expect(await inner.call({ name: 'slow' })).toMatchObject({ code: 'conflict', details: { first: 'aborted' } });
    expect(done).toEqual(['slow ']);
  });

  test('lets another take over when it was withdrawn before its tool was started', async () => {
    const { router, done } = setup({}, {});
    const gate = new Gate<void>();
    let isFirst = true;
    const pipeline = defaultPipeline()
      .before('timeout', 'dedupe', dedupe())
      .before('timeout', 'slowStage', async (_, next) => {
        if (isFirst) {
          isFirst = false;
          await gate.passed;
        }
        return next();
      });
    const other = createRouter({ tools: router.registry.list(), mode: 'trusted', pipeline });
    const controller = new AbortController();
    const first = other.call(write('x', 'a'), { signal: controller.signal });
    const second = other.call(write('x', 'b'));
    controller.abort();
    gate.open();
    expect(await first).toMatchObject({ code: 'aborted', effect: 'none' });
    expect(await second).toMatchObject({ ok: true, meta: {} });
    expect(done).toEqual(['write x']);
  });

  test('a second that waits can be withdrawn by itself', async () => {
    const { router, gates } = setup();
    const controller = new AbortController();
    const first = router.call({ name: 'slow' });
    const second = router.call({ name: 'slow' }, { signal: controller.signal });
    await until(() => gates.length === 1);
    controller.abort();
    expect(await second).toMatchObject({ ok: false, code: 'aborted', effect: 'none' });
    gates[0]?.open('done');
    expect(await first).toMatchObject({ ok: true, data: 'done' });
  });
});

describe('its place', () => {
  test('behind every guard, also under `when` and `forTools`', () => {
    for (const stage of [dedupe(), when(() => true, dedupe()), forTools('*', dedupe())]) {
      expect(() => defaultPipeline().before('permission', 'dedupe', stage)).toThrow('must stand after the guard');
    }
  });

  test('a second call is approved like the first', async () => {
    let asked = 0;
    const approve: Approve = async () => (++asked === 1 ? { decision: 'allow' } : { decision: 'deny' });
    const { router, done } = setup({}, { approve });
    const first = await router.call(write('x'), { run: { mode: 'ask' } });
    const second = await router.call(write('x'), { run: { mode: 'ask' } });
    expect([first.ok, second.ok]).toEqual([true, false]);
    expect(asked).toBe(2);
    expect(done).toHaveLength(1);
  });

  test('a retry outside of it may make its attempts', async () => {
    const clock = fakeClock();
    let calls = 0;
    const tool = defineTool({
      name: 'put',
      description: 'put',
      parameters: { type: 'object' },
      permission: 'write',
      annotations: { idempotent: true },
      timeout: 15,
      handler: async () => (++calls === 1 ? new Promise(() => {}) : 'done'),
    });
    const pipeline = defaultPipeline()
      .before('timeout', 'retry', retry({ clock, random: () => 0 }))
      .before('timeout', 'dedupe', dedupe({ clock }));
    const pending = createRouter({ tools: [tool], mode: 'trusted', pipeline }).call({ name: 'put' });
    const timer = setInterval(() => void clock.advance(1), 5);
    expect(await pending).toMatchObject({ ok: true, data: 'done', meta: { attempts: 2 } });
    clearInterval(timer);
    expect(calls).toBe(2);
  });

  test('data that cannot be copied is handed on rather than made a second time', async () => {
    const data = new Map([['a', 1]]);
    let calls = 0;
    const tool = defineTool({
      name: 'odd',
      description: '',
      parameters: { type: 'object' },
      permission: 'write',
      handler: () => {
        calls++;
        return data;
      },
    });
    const { router } = setup({}, {}, [tool as Tool]);
    await router.call({ name: 'odd' });
    expect(await router.call({ name: 'odd' })).toMatchObject({ ok: true, data: { a: 1 } });
    expect(calls).toBe(1);
  });
});

test('what is kept is bounded: the oldest of very many calls are forgotten, and none is answered with another', async () => {
  const { router } = setup({ resets: () => false });
  for (let at = 0; at < 10_200; at++) await router.call(write(`${at}`));
  expect((await router.call(write('10199'))).meta).toHaveProperty('deduplicated');
  expect((await router.call(write('0'))).meta).toEqual({});
});

test.each<[string, unknown]>([
  ['window: 0', { window: 0 }],
  ['a window without an end', { window: Number.POSITIVE_INFINITY }],
  ['tools as a list', { tools: ['write'] }],
  ['resets as a boolean', { resets: false }],
  ['vary as a text', { vary: 'tenant' }],
  ['an option that does not exist', { ttl: 3 }],
])('refuses %s', (_, options) => {
  expect(() => dedupe(options as DedupeOptions)).toThrow(TypeError);
});
