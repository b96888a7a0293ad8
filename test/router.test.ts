import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { execute } from '../middleware/execute.ts';
import { lookup } from '../middleware/lookup.ts';
import { normalize } from '../middleware/normalize.ts';
import { validate } from '../middleware/validate.ts';
import { defaultPipeline } from '../src/default-pipeline.ts';
import { defineTool } from '../src/define-tool.ts';
import { errorCodes, ToolError } from '../src/errors.ts';
import { pipeline } from '../src/pipeline.ts';
import { createRegistry } from '../src/registry.ts';
import { isToolResult, type ToolResult } from '../src/result.ts';
import { createRouter, type Router } from '../src/router.ts';
import { type AnyStage, type Guard, guard, step } from '../src/traits.ts';
import type { Call, Maybe, Stage } from '../src/types.ts';
import { nextTurn } from './support.ts';

const add = defineTool({
  name: 'add',
  description: 'Add two numbers.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  permission: 'read',
  handler: ({ a, b }) => a + b,
});

/** A tool that ends when the test says so. */
function held(name = 'held') {
  const ends: { resolve: (value: unknown) => void; reject: (error: unknown) => void }[] = [];
  const signals: AbortSignal[] = [];
  const tool = defineTool({
    name,
    description: 'Waits.',
    parameters: { type: 'object' },
    permission: 'read',
    timeout: Number.POSITIVE_INFINITY,
    handler: (_, ctx) => {
      signals.push(ctx.signal);
      return new Promise((resolve, reject) => ends.push({ resolve, reject }));
    },
  });
  return { tool, ends, signals };
}

afterEach(() => vi.useRealTimers());

describe('call', () => {
  test('gives the flat envelope', async () => {
    const router = createRouter({ tools: [add] });
    expect(await router.call({ id: 'c1', name: 'add', arguments: '{"a":2,"b":3}' })).toEqual({
      ok: true,
      tool_name: 'add',
      data: 5,
      error: null,
      call_id: 'c1',
      meta: {},
    });
    expect(await router.call({ id: 'c2', name: 'add', arguments: { a: 2 } })).toMatchObject({
      ok: false,
      tool_name: 'add',
      data: null,
      call_id: 'c2',
      code: 'invalid_arguments',
      retryable: false,
      effect: 'none',
      error: expect.stringContaining('/b'),
    });
  });

  test('answers an unknown tool with the names that are near', async () => {
    const router = createRouter({ tools: [add] });
    const result = await router.call({ name: 'ad', arguments: {} });
    expect(result).toMatchObject({
      ok: false,
      code: 'unknown_tool',
      error: expect.stringContaining('Did you mean add?'),
    });
  });

  test.each(['__proto__', 'constructor', 'toString', '', ' add', 'add ', 'ADD', 'a\u200bdd', '\u0430dd', 'add\u0000'])(
    'finds nothing under the name %j',
    async (name) => {
      const result = await createRouter({ tools: [add] }).call({ name, arguments: { a: 1, b: 2 } });
      expect(result).toMatchObject({ ok: false, code: 'unknown_tool', tool_name: name });
    },
  );

  test('shows invisible and foreign letters of a wrong name as codes', async () => {
    const result = await createRouter({ tools: [add] }).call({ name: 'a\u200bdd' });
    expect(result.error).toContain('"a\\u200bdd"');
  });

  test('makes an id where there is none, each its own', async () => {
    const router = createRouter({ tools: [add] });
    const ids = await Promise.all(
      [{}, { id: '' }, { id: 7 as never }].map(async (more) => {
        return (await router.call({ name: 'add', arguments: { a: 1, b: 1 }, ...more })).call_id;
      }),
    );
    expect(ids).toEqual(['call_1', 'call_2', '7']);
  });

  test.each([
    ['null', null],
    ['undefined', undefined],
    ['a number', 3],
    ['a text', 'add'],
    ['a list', []],
    ['an empty object', {}],
    ['a name that is a number', { name: 5 }],
    [
      'a trap',
      Object.defineProperty({}, 'name', {
        get: () => {
          throw new Error('trap');
        },
      }),
    ],
  ])('answers %s, which is no call, without rejecting', async (_, call) => {
    expect(await createRouter({ tools: [add] }).call(call as never)).toMatchObject({ ok: false, effect: 'none' });
  });

  test("tells a call in a provider's own form from one with a wrong name", async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{}' } };
    const result = await createRouter({ tools: [add] }).call(call as never);
    expect(result).toMatchObject({
      code: 'invalid_arguments',
      call_id: 'c1',
      error: expect.stringContaining('callgate/providers'),
    });
  });

  test('answers options that do not exist without rejecting', async () => {
    const router = createRouter({ tools: [add] });
    const call = { name: 'add', arguments: { a: 1, b: 1 } };
    expect(await router.call(call, { dedline: 3 } as never)).toMatchObject({
      code: 'internal',
      error: expect.stringContaining('dedline'),
    });
    expect(await router.call(call, { deadline: -1 })).toMatchObject({
      code: 'internal',
      error: expect.stringContaining('above 0'),
    });
  });

  test('changes neither the call nor its arguments', async () => {
    const call = { id: 'c', name: 'add', arguments: { a: 1, b: 2 } };
    Object.freeze(call.arguments);
    Object.freeze(call);
    expect(await createRouter({ tools: [add] }).call(call)).toMatchObject({ data: 3 });
  });

  test('a handler may call back into the router', async () => {
    const router: Router = createRouter({
      tools: [
        add,
        defineTool({
          name: 'twice',
          description: 'Adds, twice.',
          parameters: { type: 'object' },
          permission: 'read',
          handler: async () => {
            const once = await router.call({ name: 'add', arguments: { a: 1, b: 2 } });
            return once.ok ? (once.data as number) * 2 : -1;
          },
        }),
      ],
    });
    expect(await router.call({ name: 'twice' })).toMatchObject({ data: 6 });
  });
});

describe('handlers of every kind', () => {
  const run = async (handler: () => unknown) => {
    const tool = defineTool({
      name: 't',
      description: '',
      parameters: { type: 'object' },
      permission: 'read',
      handler,
    });
    return createRouter({ tools: [tool] }).call({ name: 't' });
  };

  test('synchronous, asynchronous, thenable, promise of a promise', async () => {
    expect(await run(() => 1)).toMatchObject({ data: 1 });
    expect(await run(async () => 2)).toMatchObject({ data: 2 });
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library
    expect(await run(() => ({ then: (done: (value: number) => void) => done(3) }))).toMatchObject({ data: 3 });
    expect(await run(() => Promise.resolve(Promise.resolve(4)))).toMatchObject({ data: 4 });
  });

  test('generators: yields are progress, the return value is the data, else the last yield', async () => {
    const progress: unknown[] = [];
    const tools = [
      defineTool({
        name: 'returns',
        description: '',
        parameters: { type: 'object' },
        permission: 'read',
        handler: async function* () {
          yield 1;
          yield 2;
          return 'done';
        },
      }),
      defineTool({
        name: 'yields',
        description: '',
        parameters: { type: 'object' },
        permission: 'read',
        handler: function* () {
          yield 1;
          yield 2;
        },
      }),
    ];
    const router = createRouter({ tools });
    const onProgress = (data: unknown) => progress.push(data);
    expect(await router.call({ name: 'returns' }, { onProgress })).toMatchObject({ data: 'done' });
    expect(await router.call({ name: 'yields' }, { onProgress })).toMatchObject({ data: 2 });
    expect(progress).toEqual([1, 2, 1, 2]);
  });

  test.each([
    [
      'a text',
      () => {
        throw 'plain';
      },
      'plain',
    ],
    [
      'null',
      () => {
        throw null;
      },
      't',
    ],
    [
      'an object',
      () => {
        throw { code: 'E_X', message: 'boom' };
      },
      'boom',
    ],
    [
      'an error without a message',
      () => {
        throw new Error('');
      },
      't',
    ],
    [
      'an error with a cause',
      () => {
        throw new Error('outer', { cause: new Error('inner') });
      },
      'inner',
    ],
  ])('throwing %s gives a readable failure', async (_, handler, text) => {
    const result = await run(handler);
    expect(result).toMatchObject({
      ok: false,
      code: 'tool_error',
      effect: 'unknown',
      error: expect.stringContaining(text),
    });
    expect(result.error).not.toContain('[object Object]');
  });

  test('a ToolError keeps its code', async () => {
    const result = await run(() => {
      throw new ToolError('The note has changed.', { code: 'conflict', details: { reason: 'etag' } });
    });
    expect(result).toMatchObject({
      code: 'conflict',
      error: 'The note has changed.',
      retryable: true,
      details: { reason: 'etag' },
    });
  });

  test('output is checked against its schema', async () => {
    const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    const make = (handler: () => never) =>
      defineTool({ name: 't', description: '', parameters: { type: 'object' }, output, permission: 'read', handler });
    const good = createRouter({ tools: [make((() => ({ n: 1 })) as never)] });
    expect(await good.call({ name: 't' })).toMatchObject({ ok: true, data: { n: 1 } });
    const bad = createRouter({ tools: [make((() => ({ n: 'x' })) as never)] });
    expect(await bad.call({ name: 't' })).toMatchObject({ code: 'invalid_output', effect: 'unknown' });
  });

  test('the handler gets an object of its own, without the chain on it', async () => {
    let keys: string[] = [];
    let context: object = {};
    await run(((_: unknown, ctx: object) => {
      context = ctx;
      for (let at = ctx; at !== Object.prototype; at = Object.getPrototypeOf(at))
        keys = [...keys, ...Object.getOwnPropertyNames(at)];
    }) as never);
    expect(keys).not.toContain('restart');
    expect(keys).not.toContain('registry');
    expect('idempotencyKey' in context).toBe(true);
  });
});

describe('deadlines', () => {
  test('a tool that never settles is answered at its timeout, and its signal is aborted', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime'] });
    const { tool, signals } = held();
    const router = createRouter({ tools: [{ ...tool, timeout: 200 }] });
    const answer = router.call({ name: 'held' });
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(199);
    expect(signals[0]?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(2);
    expect(await answer).toMatchObject({
      ok: false,
      code: 'timeout',
      effect: 'unknown',
      retryable: true,
      details: { limit_ms: 200 },
    });
    expect(signals[0]?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a late end is dropped, and observers hear how late it was', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime'] });
    const { tool, ends } = held();
    const router = createRouter({ tools: [{ ...tool, timeout: 100 }] });
    const late: number[] = [];
    router.on('late', ({ lateMs }) => late.push(lateMs));
    const answer = router.call({ name: 'held' });
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(101);
    expect(await answer).toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(400);
    ends[0]?.resolve('too late');
    await vi.advanceTimersByTimeAsync(0);
    expect(late).toHaveLength(1);
    expect(late[0]).toBeGreaterThanOrEqual(399);
  });

  test('no timer is left behind by calls that settle in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime'] });
    const { tool, ends } = held();
    const router = createRouter({ tools: [{ ...tool, timeout: 1_000 }] });
    const answer = router.call({ name: 'held' });
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(10);
    expect(vi.getTimerCount()).toBe(1);
    ends[0]?.resolve(1);
    expect(await answer).toMatchObject({ data: 1 });
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([0, -1, Number.NaN, '5'])('a timeout of %s is refused where it is given', (timeout) => {
    expect(() => createRouter({ tools: [], timeout: timeout as number })).toThrow('milliseconds above 0');
    expect(() => createRouter({ tools: [{ ...add, timeout: timeout as number }] })).toThrow('milliseconds above 0');
    expect(() => createRouter({ tools: [], deadline: timeout as number })).toThrow('milliseconds above 0');
  });

  test('a timeout longer than a timer can be is no limit, and does not fire at once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime'] });
    const { tool, ends } = held();
    const router = createRouter({ tools: [{ ...tool, timeout: 2 ** 31 }] });
    const answer = router.call({ name: 'held' });
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(60_000);
    ends[0]?.resolve('in time');
    expect(await answer).toMatchObject({ data: 'in time' });
  });

  test('the overall deadline holds when a stage hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime'] });
    const hangs: Stage = () => new Promise(() => {});
    const router = createRouter({ tools: [add], pipeline: pipeline().use('hangs', hangs), deadline: 500 });
    const answer = router.call({ name: 'add' });
    await vi.advanceTimersByTimeAsync(501);
    expect(await answer).toMatchObject({
      code: 'timeout',
      effect: 'none',
      error: expect.stringMatching(/500 ms\. It had not been started\.$/),
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('abort', () => {
  test('a call whose signal is aborted already is not started', async () => {
    let started = false;
    const tool = defineTool({
      name: 't',
      description: '',
      parameters: { type: 'object' },
      handler: () => {
        started = true;
      },
    });
    const result = await createRouter({ tools: [tool], mode: 'trusted' }).call(
      { name: 't' },
      { signal: AbortSignal.abort('no more') },
    );
    expect(result).toMatchObject({ ok: false, code: 'aborted', effect: 'none' });
    expect(started).toBe(false);
  });

  test('settles at once, tells the handler, and says that the effect is unknown', async () => {
    const { tool, signals } = held();
    const controller = new AbortController();
    const answer = createRouter({ tools: [tool] }).call({ name: 'held' }, { signal: controller.signal });
    await nextTurn();
    controller.abort('enough');
    expect(await answer).toMatchObject({ ok: false, code: 'aborted', effect: 'unknown' });
    expect(signals[0]?.aborted).toBe(true);
  });

  test("one listener on the caller's signal serves many calls, and none of them stays behind", async () => {
    const controller = new AbortController();
    const listen = vi.spyOn(controller.signal, 'addEventListener');
    const { tool, ends } = held();
    const router = createRouter({ tools: [tool] });
    const answers = Array.from({ length: 50 }, () => router.call({ name: 'held' }, { signal: controller.signal }));
    expect(listen).toHaveBeenCalledTimes(1);
    for (const end of ends.slice(0, 49)) end.resolve('done');
    await Promise.all(answers.slice(0, 49));
    controller.abort('enough');
    expect(await answers[49]).toMatchObject({ code: 'aborted' });
  });

  test('a handler never starts after the call has ended', async () => {
    let started = false;
    const tool = defineTool({
      name: 't',
      description: '',
      parameters: { type: 'object' },
      handler: () => {
        started = true;
      },
    });
    let release = (): void => {};
    const slow = step(
      () =>
        new Promise<undefined>((resolve) => {
          release = () => resolve(undefined);
        }),
    );
    const router = createRouter({
      tools: [tool],
      pipeline: defaultPipeline({ modes: {} }).before('permission', 'slow', slow),
      mode: 'trusted',
    });
    const controller = new AbortController();
    const answer = router.call({ name: 't' }, { signal: controller.signal });
    controller.abort('enough');
    expect(await answer).toMatchObject({ code: 'aborted', effect: 'none' });
    release();
    await nextTurn();
    expect(started).toBe(false);
  });
});

describe('stages that misbehave', () => {
  const withStage = (stage: AnyStage) =>
    createRouter({ tools: [add], pipeline: defaultPipeline().after('lookup', 'odd', stage), mode: 'trusted' });
  const call = { id: 'c1', name: 'add', arguments: { a: 1, b: 2 } };

  test.each<[string, AnyStage]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('broken');
      },
    ],
    ['returns nothing', () => undefined as never],
    ['resolves to nothing', async () => undefined as never],
    ['returns rubbish', () => ({ fine: true }) as never],
    ['resolves to rubbish', async () => 'fine' as never],
    [
      'calls next twice',
      (_, next: () => Maybe<ToolResult>) => {
        next();
        return next();
      },
    ],
    ['adds what it must not', (_, next: (adds: object) => Maybe<ToolResult>) => next({ ok: 'mine' })],
  ])('a stage that %s ends in one failure', async (_, stage) => {
    const result = await withStage(stage).call(call);
    expect(isToolResult(result)).toBe(true);
    expect(result).toMatchObject({ ok: false, call_id: 'c1', tool_name: 'add' });
  });

  test('success while the handler still works is refused', async () => {
    const { tool } = held();
    const hasty: AnyStage = async (ctx, next: () => unknown) => {
      void next();
      return ctx.ok('done already');
    };
    const router = createRouter({ tools: [tool], pipeline: defaultPipeline().before('timeout', 'hasty', hasty) });
    expect(await router.call({ name: 'held' })).toMatchObject({ ok: false, code: 'internal', effect: 'unknown' });
  });

  test("an answer with another call's id is stamped with its own", async () => {
    const stored = { ok: true, tool_name: 'other', data: 1, error: null, call_id: 'old', meta: {} } as const;
    expect(await withStage(() => stored).call(call)).toMatchObject({ data: 1, call_id: 'c1', tool_name: 'add' });
    expect(stored.call_id).toBe('old');
  });
});

describe('restart', () => {
  const editing = (edit: (ctx: Call) => unknown, times = 1) => {
    let left = times;
    return guard(step((ctx: Call) => (left-- > 0 ? ctx.restart(edit(ctx)) : undefined)));
  };
  const router = (stage: AnyStage & Guard) =>
    createRouter({ tools: [add], pipeline: defaultPipeline().replace('permission', stage) });

  test('runs the chain again on edited arguments, which are validated again', async () => {
    expect(
      await router(editing(() => ({ a: 20, b: 1 }))).call({ id: 'c', name: 'add', arguments: { a: 1, b: 1 } }),
    ).toMatchObject({
      ok: true,
      data: 21,
      call_id: 'c',
    });
    expect(await router(editing(() => ({ a: 'x' }))).call({ name: 'add', arguments: { a: 1, b: 1 } })).toMatchObject({
      code: 'invalid_arguments',
    });
  });

  test('is refused after three times', async () => {
    expect(
      await router(editing(() => ({ a: 1, b: 1 }), 3)).call({ name: 'add', arguments: { a: 1, b: 1 } }),
    ).toMatchObject({ data: 2 });
    expect(
      await router(editing(() => ({ a: 1, b: 1 }), 4)).call({ name: 'add', arguments: { a: 1, b: 1 } }),
    ).toMatchObject({
      code: 'internal',
    });
  });
});

describe('callAll and stream', () => {
  test('gives one result a call, in order, whatever happens to the others', async () => {
    const flaky = defineTool({
      name: 'flaky',
      description: '',
      parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
      permission: 'read',
      handler: async ({ input }) => {
        if (input === 'boom') throw new Error('');
        return `ok:${input}`;
      },
    });
    const results = await createRouter({ tools: [flaky] }).callAll([
      { id: 'c1', name: 'flaky', arguments: { input: 'a' } },
      { id: 'c2', name: 'flaky', arguments: { input: 'boom' } },
      { id: 'c3', name: 'flaky', arguments: { input: 'b' } },
    ]);
    expect(results.map(({ call_id, data }) => [call_id, data])).toEqual([
      ['c1', 'ok:a'],
      ['c2', null],
      ['c3', 'ok:b'],
    ]);
    expect(results[1]?.error).not.toBe('');
  });

  test('calls that share an id are each answered', async () => {
    const echo = defineTool({
      name: 'w',
      description: '',
      parameters: { type: 'object' },
      permission: 'read',
      handler: (args) => args,
    });
    const calls = ['NYC', 'SF', 'LA'].map((city) => ({ id: 'w', name: 'w', arguments: { city } }));
    const results = await createRouter({ tools: [echo] }).callAll(calls);
    expect(results.map(({ data }) => data)).toEqual([{ city: 'NYC' }, { city: 'SF' }, { city: 'LA' }]);
  });

  test('runs no more at once than it may', async () => {
    const { tool, ends } = held();
    const router = createRouter({ tools: [tool] });
    const answer = router.callAll(
      Array.from({ length: 5 }, () => ({ name: 'held' })),
      { concurrency: 2 },
    );
    await nextTurn();
    expect(ends).toHaveLength(2);
    ends[0]?.resolve(0);
    await nextTurn();
    expect(ends).toHaveLength(3);
    for (let at = 1; at < 5; at++) {
      ends[at]?.resolve(at);
      await nextTurn();
    }
    expect((await answer).map(({ data }) => data)).toEqual([0, 1, 2, 3, 4]);
  });

  test('a deadline is one for all, and what waits its turn is answered without being started', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime'] });
    const { tool, ends } = held();
    const router = createRouter({ tools: [tool] });
    const answer = router.callAll(
      Array.from({ length: 3 }, () => ({ name: 'held' })),
      { concurrency: 1, deadline: 300 },
    );
    await vi.advanceTimersByTimeAsync(302);
    const results = await answer;
    expect(results.map((result) => !result.ok && [result.code, result.effect])).toEqual([
      ['timeout', 'unknown'],
      ['timeout', 'none'],
      ['timeout', 'none'],
    ]);
    expect(ends).toHaveLength(1);
  });

  test('an abort settles every call', async () => {
    const { tool } = held();
    const controller = new AbortController();
    const answer = createRouter({ tools: [tool] }).callAll([{ name: 'held' }, { name: 'held' }, { name: 'held' }], {
      signal: controller.signal,
      concurrency: 2,
    });
    await nextTurn();
    controller.abort('enough');
    expect((await answer).map((result) => !result.ok && result.code)).toEqual(['aborted', 'aborted', 'aborted']);
  });

  test('stream yields results as they come, and progress between them', async () => {
    const { tool, ends } = held();
    const talks = defineTool({
      name: 'talks',
      description: '',
      parameters: { type: 'object' },
      permission: 'read',
      handler: (_, ctx) => {
        ctx.progress('half');
        return 'done';
      },
    });
    const events: unknown[] = [];
    for await (const event of createRouter({ tools: [tool, talks] }).stream([
      { id: 'a', name: 'held' },
      { id: 'b', name: 'talks' },
    ])) {
      events.push(
        event.type === 'result' ? [event.type, event.index, event.result.data] : [event.type, event.index, event.data],
      );
      ends[0]?.resolve('at last');
    }
    expect(events).toEqual([
      ['progress', 1, 'half'],
      ['result', 1, 'done'],
      ['result', 0, 'at last'],
    ]);
  });

  test('leaving a stream aborts the calls that are under way', async () => {
    const { tool, signals } = held();
    const router = createRouter({ tools: [add, tool] });
    for await (const event of router.stream([{ name: 'held' }, { name: 'add', arguments: { a: 1, b: 1 } }])) {
      if (event.type === 'result') break;
    }
    expect(signals[0]?.aborted).toBe(true);
  });

  test.each([0, -1, Number.NaN])('a concurrency of %s is refused', (concurrency) => {
    expect(() => createRouter({ tools: [] }).callAll([], { concurrency })).toThrow('at least 1');
  });
});

describe('observers', () => {
  test('hear a call start, move through the stages and end', async () => {
    const router = createRouter({ tools: [add] });
    const heard: string[] = [];
    router.on('start', ({ call }) => heard.push(`start ${call.name}`));
    router.on('stage', ({ stage, phase, outcome }) => heard.push(`${phase} ${stage}${outcome ? ` ${outcome}` : ''}`));
    router.on('end', ({ result }) => heard.push(`end ${result.ok}`));
    await router.call({ name: 'add', arguments: { a: 1 } });
    expect(heard).toEqual([
      'start add',
      'enter normalize',
      'leave normalize passed',
      'enter lookup',
      'leave lookup passed',
      'enter validate',
      'leave validate answered',
      'end false',
    ]);
  });

  test('can neither change nor stop a call', async () => {
    const router = createRouter({ tools: [add] });
    router.on('start', ({ call }) => {
      Object.assign(call.arguments as object, { a: 100 });
    });
    router.on('end', ({ result }) => {
      Object.assign(result, { data: 'forged' });
      throw new Error('an observer of bad manners');
    });
    router.on('stage', async () => {
      throw new Error('an asynchronous one');
    });
    expect(await router.call({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({ ok: true, data: 3 });
  });

  test('get the private cause of a failure, which the result does not hold', async () => {
    const fault = new Error('secret detail');
    const tool = defineTool({
      name: 't',
      description: '',
      parameters: { type: 'object' },
      permission: 'read',
      handler: () => {
        throw fault;
      },
    });
    const router = createRouter({ tools: [tool] });
    let cause: unknown;
    router.on('end', (event) => {
      cause = event.cause;
    });
    const result = await router.call({ name: 't' });
    expect(cause).toBe(fault);
    expect(JSON.stringify(result)).not.toContain('stack');
  });

  test('stop hearing when told to, and an unknown event is refused', async () => {
    const router = createRouter({ tools: [add] });
    let heard = 0;
    const off = router.on('start', () => heard++);
    await router.call({ name: 'add' });
    off();
    await router.call({ name: 'add' });
    expect(heard).toBe(1);
    expect(() => router.on('strat' as never, () => {})).toThrow('There is no event "strat"');
  });
});

describe('building', () => {
  test.each([
    [{ tool: [] }, 'no option "tool"'],
    [{ tools: [], registry: createRegistry() }, 'not both'],
    [{ pipeline: defaultPipeline(), roots: ['.'] }, 'roots would have no effect'],
    [{ registry: new Map() }, 'createRegistry()'],
    [undefined, 'takes an object'],
  ])('refuses %o', (options, message) => {
    expect(() => createRouter(options as never)).toThrow(message);
  });

  test('refuses a tool that declares what no stage provides', () => {
    const reads = defineTool({
      name: 'reads',
      description: '',
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
      paths: { path: 'read' },
      handler: () => 1,
    });
    const bare = pipeline()
      .use('normalize', normalize())
      .use('lookup', lookup())
      .use('validate', validate())
      .use('execute', execute());
    expect(() => createRouter({ tools: [reads], pipeline: bare })).toThrow('no stage provides "fs"');
    const { paths: _, ...rest } = reads;
    expect(() => createRouter({ tools: [{ ...rest, urls: ['path'] } as never], pipeline: bare })).toThrow(
      'no stage provides "fetch"',
    );
  });

  test('a tool added later that was lent nothing does not run', async () => {
    const bare = pipeline()
      .use('normalize', normalize())
      .use('lookup', lookup())
      .use('validate', validate())
      .use('execute', execute());
    const router = createRouter({ tools: [], pipeline: bare });
    let ran = false;
    router.registry.add({
      ...add,
      name: 'later',
      parameters: { type: 'object', properties: { a: { type: 'string' } } },
      paths: { a: 'read' },
      handler: () => {
        ran = true;
      },
    });
    expect(await router.call({ name: 'later', arguments: { a: 'x' } })).toMatchObject({ code: 'internal' });
    expect(ran).toBe(false);
  });

  test('refuses a pipeline in which nothing answers, and a mode that nobody knows', () => {
    expect(() => createRouter({ pipeline: pipeline() as never })).toThrow('has no stages');
    const open = pipeline().use('normalize', normalize()).use('lookup', lookup()).use('validate', validate());
    expect(() => createRouter({ pipeline: open })).toThrow('Nothing answers a call: "validate" is the last stage');
    expect(() => createRouter({ tools: [add], mode: 'auot' })).toThrow(
      'There is no mode "auot". The modes are: plan, ask',
    );
    const router = createRouter({ tools: [add], modes: { night: { default: 'deny' } } as never });
    expect(() => {
      router.mode = 'nihgt';
    }).toThrow('There is no mode "nihgt"');
    router.mode = 'night';
  });

  test('the mode can be changed while the router is at work', async () => {
    const writes = defineTool({
      name: 'w',
      description: '',
      parameters: { type: 'object' },
      permission: 'write',
      handler: () => 'written',
    });
    const router = createRouter({ tools: [writes], mode: 'plan' });
    expect(await router.call({ name: 'w' })).toMatchObject({ code: 'denied' });
    router.mode = 'auto';
    expect(await router.call({ name: 'w' })).toMatchObject({ data: 'written' });
  });
});

describe('invariants', () => {
  const stages: fc.Arbitrary<AnyStage> = fc.constantFrom<AnyStage>(
    (_, next: () => Maybe<ToolResult>) => next(),
    async (_, next: () => Maybe<ToolResult>) => await next(),
    () => {
      throw new Error('thrown');
    },
    async () => {
      throw 'rejected';
    },
    () => new Promise<never>(() => {}),
    () => undefined as never,
    () => 42 as never,
    async () => ({ ok: true }) as never,
    (ctx) => ctx.ok({ odd: () => {} }),
    (ctx) => ctx.fail('nonsense' as never, 'x'),
    (ctx, next: () => Maybe<ToolResult>) => {
      ctx.abort('mine');
      return next();
    },
    (_, next: () => Maybe<ToolResult>) => {
      void next();
      return next();
    },
    (ctx) => ctx.restart({ a: 1, b: 1 }),
    async (ctx, next: () => unknown) => {
      void next();
      return ctx.ok('early');
    },
    step(() => ({ call: null, args: undefined })) as AnyStage,
    guard(
      step(async () => {
        throw null;
      }),
    ),
  );

  test('callAll with a deadline gives exactly one well-formed result a call, under any stages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stages, { minLength: 1, maxLength: 4 }), fc.boolean(), async (list, strict) => {
        let built = pipeline() as never as { use(name: string, stage: AnyStage): never; entries: never };
        for (const [at, stage] of list.entries()) built = built.use(`s${at}`, stage);
        built = built.use('end', (ctx) => ctx.ok('end'));
        const router = createRouter({ tools: [add], pipeline: built as never, strict });
        const results = await router.callAll(
          [
            { id: 'x', name: 'add', arguments: { a: 1, b: 2 } },
            { id: 'y', name: 'none' },
          ],
          { deadline: 15 },
        );
        expect(results.map(({ call_id }) => call_id)).toEqual(['x', 'y']);
        for (const result of results) {
          expect(isToolResult(result)).toBe(true);
          if (!result.ok) expect(errorCodes).toContain(result.code);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('call never rejects, whatever the call, and its result survives JSON', async () => {
    const router = createRouter({ tools: [add] });
    await fc.assert(
      fc.asyncProperty(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }),
        fc.oneof(fc.constant('add'), fc.string()),
        async (args, name) => {
          const result = await router.call({ id: 'c', name, arguments: args });
          expect(JSON.parse(JSON.stringify(result))).toEqual(result);
        },
      ),
    );
  });
});
