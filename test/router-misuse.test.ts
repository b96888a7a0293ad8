// What users of a router do to it that they should not: whatever it is, each call is answered once, by its own id, and
// the process lives on.
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { audit } from '../middleware/audit.ts';
import { execute } from '../middleware/execute.ts';
import { lookup } from '../middleware/lookup.ts';
import { permission } from '../middleware/permission.ts';
import { repair } from '../middleware/repair.ts';
import { retry } from '../middleware/retry.ts';
import { validate } from '../middleware/validate.ts';
import { when } from '../middleware/when.ts';
import type { Entry } from '../src/chain/chain.ts';
import { defaultPipeline } from '../src/default-pipeline.ts';
import { defineTool } from '../src/define-tool.ts';
import { pipeline } from '../src/pipeline.ts';
import { createRegistry } from '../src/registry.ts';
import type { ToolResult } from '../src/result.ts';
import { createRouter } from '../src/router.ts';
import type { ToolContext } from '../src/tool.ts';
import { type AnyStage, finish, repeatable, step, withTraits } from '../src/traits.ts';
import type { Call, Maybe, Stage } from '../src/types.ts';
import { nextTurn } from './support.ts';

const parameters = { type: 'object' } as const;
let ran = 0;
const reads = defineTool({
  name: 'reads',
  description: '',
  parameters,
  permission: 'read',
  handler: async () => {
    ran++;
    return 'read';
  },
});
const writes = defineTool({ ...reads, name: 'writes', permission: 'write' });
const hangs = defineTool({
  name: 'hangs',
  description: '',
  parameters,
  permission: 'read',
  handler: () => new Promise(() => {}),
});
const tools = [reads, writes, hangs];
const call = { id: 'c1', name: 'reads', arguments: {} };
const hanging = { id: 'h1', name: 'hangs', arguments: {} };

/** A router whose chain has `stage` after `anchor`. */
function withStage(stage: AnyStage, anchor: 'lookup' | 'permission' = 'lookup') {
  return createRouter({ tools, mode: 'trusted', pipeline: defaultPipeline().after(anchor, 'odd', stage) });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

const strays: unknown[] = [];
const note = (error: unknown): void => void strays.push(error);
beforeEach(() => {
  ran = 0;
  strays.length = 0;
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
});
afterEach(async () => {
  await nextTurn();
  process.off('unhandledRejection', note);
  process.off('uncaughtException', note);
  expect(strays).toEqual([]);
});

describe('arguments under another name', () => {
  const seen: unknown[] = [];
  const tools = [
    defineTool({
      name: 'removes',
      description: 'Removes what matches; all, where nothing is said.',
      parameters: { type: 'object', properties: { glob: { type: 'string', default: '**' } } },
      permission: 'read',
      handler: ({ glob }) => void seen.push(glob),
    }),
  ];

  test.each(['input', 'args', 'parameters', 'params', 'function'])(
    'as %s are refused, as the tool would run on its defaults',
    async (member) => {
      const call = { type: 'tool_use', id: 'c1', name: 'removes', [member]: { glob: 'tmp/*' } };
      const result = await createRouter({ tools }).call(call);
      expect(result).toMatchObject({ code: 'invalid_arguments', effect: 'none', call_id: 'c1', tool_name: 'removes' });
      expect(result.error).toContain(`this one in "${member}"`);
      expect(seen).toEqual([]);
    },
  );

  test('do no harm beside arguments, or where there are none', async () => {
    const router = createRouter({ tools });
    const calls = [
      { name: 'removes', arguments: { glob: 'a' }, input: { glob: 'b' } },
      { name: 'removes', input: undefined, index: 3 },
    ];
    for (const call of calls) expect(await router.call(call)).toMatchObject({ ok: true });
    expect(seen).toEqual(['a', '**']);
  });
});

describe('options of a call', () => {
  test.each([
    ['null', null],
    ['a text', 'now'],
    ['an object of another kind', { aborted: false }],
  ])('a signal that is %s is answered, under the id of the call', async (_, signal) => {
    const result = await createRouter({ tools }).call(call, { signal: signal as never });
    expect(result).toMatchObject({ ok: false, code: 'internal', call_id: 'c1', tool_name: 'reads', effect: 'none' });
    expect(result.error).toContain('AbortSignal');
  });

  test.each([null, {}, 'now'])('a batch with the signal %j, or no object of options, is refused at once', (signal) => {
    const router = createRouter({ tools });
    expect(() => router.callAll([call], { signal: signal as never })).toThrow('AbortSignal');
    expect(() => router.stream([call], { signal: signal as never })).toThrow('AbortSignal');
    expect(() => router.callAll([call], null as never)).toThrow('takes an object');
  });

  test.each(['me', { tools: 'reads' }, null])('a run that is %j is answered with what is wrong', async (run) => {
    const result = await createRouter({ tools }).call(call, { run: run as never });
    expect(result).toMatchObject({ code: 'internal', call_id: 'c1', error: expect.stringContaining('run') });
  });

  test('options that cannot be read are answered', async () => {
    const options = {
      get signal(): never {
        throw new Error('trap');
      },
    };
    expect(await createRouter({ tools }).call(call, options)).toMatchObject({ code: 'internal', call_id: 'c1' });
  });

  test('a call whose arguments cannot be read is answered under its own id', async () => {
    const trap = {
      id: 'mine',
      name: 'reads',
      get arguments(): never {
        throw new Error('trap');
      },
    };
    expect(await createRouter({ tools }).call(trap)).toMatchObject({
      code: 'invalid_arguments',
      call_id: 'mine',
      tool_name: 'reads',
    });
  });

  test('a deadline longer than a timer can be is no limit, for one call and for many', async () => {
    const router = createRouter({ tools });
    const controller = new AbortController();
    const { signal } = controller;
    const answers = [
      router.call(hanging, { deadline: 2 ** 31, signal }),
      router.callAll([hanging], { deadline: 2 ** 32, signal }).then(([result]) => result),
    ];
    expect(await Promise.race([...answers, pause(20)])).toBeUndefined();
    controller.abort('enough');
    for (const result of await Promise.all(answers)) expect(result).toMatchObject({ code: 'aborted' });
  });

  test("a batch may lift the router's deadline", async () => {
    const slow = defineTool({ ...reads, name: 'slow', handler: () => pause(40) });
    const router = createRouter({ tools: [slow], deadline: 10 });
    const calls = [{ name: 'slow' }];
    expect(await router.callAll(calls)).toMatchObject([{ code: 'timeout' }]);
    expect(await router.callAll(calls, { deadline: Number.POSITIVE_INFINITY })).toMatchObject([{ ok: true }]);
  });

  test('undefined in a run opens nothing that the router closed', async () => {
    const router = createRouter({ tools, allowed: ['writes'] });
    expect(await router.call(call, { run: { tools: undefined } as never })).toMatchObject({ code: 'unknown_tool' });
  });

  test('a progress listener may reject', async () => {
    const talks = defineTool({ ...reads, name: 'talks', handler: (_, ctx) => ctx.progress('half') });
    const onProgress = async (): Promise<void> => {
      throw new Error('a bad listener');
    };
    expect(await createRouter({ tools: [talks] }).call({ name: 'talks' }, { onProgress })).toMatchObject({ ok: true });
  });
});

describe('a signal that aborts while the chain begins', () => {
  test.each(['a fresh one', 'one that is watched already'])('%s still withdraws the call', async (kind) => {
    const controller = new AbortController();
    const { signal } = controller;
    const aborts = defineTool({
      ...hangs,
      name: 'aborts',
      handler: () => {
        controller.abort('enough');
        return new Promise(() => {});
      },
    });
    const bare = pipeline().use('lookup', lookup()).use('validate', validate()).use('execute', execute());
    const router = createRouter({ tools: [...tools, aborts], pipeline: bare });
    await router.call(call);
    const other = kind === 'a fresh one' ? undefined : router.call(hanging, { signal });
    expect(await router.call({ name: 'aborts' }, { signal })).toMatchObject({ code: 'aborted', effect: 'unknown' });
    expect(await other).toEqual(other === undefined ? undefined : expect.objectContaining({ code: 'aborted' }));
  });
});

describe('stages that spoil the context', () => {
  const names = [
    'ok',
    'fail',
    'abort',
    'onAbort',
    'onSettled',
    'settle',
    'began',
    'ended',
    'restart',
    'progress',
    'fork',
  ];
  test.each([...names, 'signal', 'settled', '__proto__'])('adding %s fails the call, hanging or not', async (name) => {
    const adds: unknown = JSON.parse(`{"${name}":{}}`);
    const router = withStage((_, next: (adds: unknown) => Maybe<ToolResult>) => next(adds));
    for (const each of [call, hanging]) {
      expect(await router.call(each, { deadline: 50 })).toMatchObject({
        ok: false,
        code: 'internal',
        call_id: each.id,
        effect: 'none',
      });
    }
  });

  test('nobody changes whose answer it is: neither a stage nor a handler', async () => {
    const forges = withStage((ctx, next: () => Maybe<ToolResult>) => {
      Object.assign(ctx.call, { id: 'forged', name: 'other' });
      return next();
    }, 'permission');
    expect(await forges.call(call)).toMatchObject({ ok: true, call_id: 'c1', tool_name: 'reads' });
    const handler = (_: unknown, ctx: ToolContext): unknown => Object.assign(ctx.call, { id: 'forged' });
    const router = createRouter({ tools: [defineTool({ ...reads, handler })] });
    expect(await router.call(call)).toMatchObject({ ok: false, code: 'tool_error', call_id: 'c1' });
  });

  test('a stage is to blame for its faults after the handler has run, too', async () => {
    const twice: Stage = async (_, next) => {
      await next();
      return next();
    };
    expect(await withStage(twice, 'permission').call(call)).toMatchObject({
      code: 'internal',
      effect: 'unknown',
      error: 'Stage "odd" called next() twice.',
    });
  });

  test('a context without its methods is answered for', async () => {
    const router = withStage((ctx) => {
      Object.defineProperty(ctx, 'fail', { value: undefined });
      throw new Error('broken');
    });
    expect(await router.call(call)).toMatchObject({ ok: false, code: 'internal', call_id: 'c1' });
  });

  test('a cleanup, and a listener to an abort, may reject or throw', async () => {
    const router = withStage((ctx, next: () => Maybe<ToolResult>) => {
      const rejects = async (): Promise<void> => {
        throw new Error('a bad cleanup');
      };
      const throws = (): void => {
        throw new Error('another');
      };
      for (const bad of [rejects, throws]) {
        ctx.onSettled(bad);
        ctx.onAbort(bad);
      }
      return next();
    });
    expect(await router.call(hanging, { deadline: 20 })).toMatchObject({ code: 'timeout' });
  });

  test('an abort without a reason is an abort', async () => {
    const router = withStage((ctx, next: () => Maybe<ToolResult>) => {
      setTimeout(() => ctx.abort(undefined), 5);
      return next();
    });
    expect(await router.call(hanging)).toMatchObject({ code: 'aborted', effect: 'unknown' });
  });
});

describe('answers that are promises of another library', () => {
  const foreign = (promise: Maybe<ToolResult>): Promise<ToolResult> => {
    const settled = Promise.resolve(promise);
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library
    return { then: settled.then.bind(settled) } as Promise<ToolResult>;
  };
  const wraps: Stage = (_, next) => foreign(next());

  test('a strict router waits for them', async () => {
    const pipeline = defaultPipeline().after('lookup', 'wraps', wraps);
    expect(await createRouter({ tools, strict: true, pipeline }).call(call)).toMatchObject({ ok: true });
  });

  test('repair waits for them', async () => {
    const pipeline = defaultPipeline().after('lookup', 'repair', repair()).after('repair', 'wraps', wraps);
    const result = await createRouter({ tools, pipeline }).call({ ...call, arguments: '"{\\"n\\":1}"' });
    expect(result).toMatchObject({ ok: true, meta: { repaired: [{ step: 'double-encoding' }] } });
  });
});

describe('answers that are no results', () => {
  const outermost = (stage: AnyStage) =>
    createRouter({ tools, pipeline: defaultPipeline().before('normalize', 'odd', stage) });
  const unreadable = (): never =>
    new Proxy({} as never, {
      get: (_, name) => {
        if (name === 'then') return undefined;
        throw new Error('trap');
      },
    });

  test.each<[string, AnyStage]>([
    ['a proxy that throws', unreadable],
    ['a promise of one', async () => unreadable()],
    [
      'an object whose then throws',
      () =>
        Object.defineProperty({}, 'then', {
          get: () => {
            throw new Error('trap');
          },
        }) as never,
    ],
    [
      'a finish that rejects',
      finish((async () => {
        throw new Error('late');
      }) as never),
    ],
  ])('%s', async (_, stage) => {
    const result = await outermost(stage).call(call, { deadline: 200 });
    expect(result).toMatchObject({ ok: false, code: 'internal', call_id: 'c1' });
  });

  const forgets = (async (_: Call, next: () => Maybe<ToolResult>) => {
    await next();
  }) as unknown as Stage;

  test.each([
    ['outermost', defaultPipeline().before('normalize', 'odd', forgets)],
    ['inside', defaultPipeline().after('lookup', 'odd', forgets)],
    ['inside a retry', defaultPipeline().before('timeout', 'retry', retry()).after('retry', 'odd', forgets)],
  ])('the program is told how to find a stage that forgets its return, %s', async (_, odd) => {
    const causes: unknown[] = [];
    const heard = async (strict: boolean) => {
      const router = createRouter({ tools, pipeline: odd, strict });
      router.on('end', ({ cause }) => causes.push(cause));
      return await router.call({ ...call, name: 'reads' });
    };
    const result = await heard(false);
    expect(result).toMatchObject({ code: 'internal', error: expect.not.stringContaining('strict') });
    expect(causes).toEqual([expect.objectContaining({ message: expect.stringContaining('{ strict: true }') })]);
    expect((await heard(true)).error).toContain('Stage "odd" answered nothing');
  });

  test('a condition that rejects, around a stage that cannot, whose promise is dropped', async () => {
    const total = withTraits<Stage>((_, next) => next(), { total: true });
    const never = when(async () => {
      throw new Error('no verdict');
    }, total);
    const drops: Stage = (ctx, next) => {
      void next();
      return ctx.fail('denied', 'no');
    };
    const bare = pipeline()
      .use('drops', drops)
      .use('never', never)
      .use(
        'end',
        withTraits<Stage>((ctx) => ctx.ok(1), { total: true }),
      );
    expect(await createRouter({ tools, pipeline: bare }).call(call)).toMatchObject({ code: 'denied' });
  });

  test.each<[string, AnyStage]>([
    [
      'next()',
      (ctx, next: () => unknown) => {
        void next();
        return ctx.fail('denied', 'no');
      },
    ],
    [
      'the attempts of a stage that repeats',
      repeatable<Stage>((ctx, next) => {
        void next();
        void next();
        return ctx.fail('denied', 'no');
      }),
    ],
    [
      'restart()',
      (ctx) => {
        if (ctx.call.arguments === 'again') return Promise.reject(new Error('late'));
        void ctx.restart('again');
        return ctx.fail('denied', 'no');
      },
    ],
  ])('the promise of %s may be dropped, and reject', async (_, stage) => {
    const late: Stage = async () => {
      await pause(5);
      throw new Error('late');
    };
    for (const strict of [false, true]) {
      const router = createRouter({ tools, strict, pipeline: pipeline().use('drops', stage).use('late', late) });
      expect(await router.call(call)).toMatchObject({ ok: false, call_id: 'c1' });
      await pause(10);
    }
  });

  test.each([undefined, 'text', 5])('step(%j) and finish(%j) are refused when they are made', (look) => {
    expect(() => step(look as never)).toThrow('takes a function');
    expect(() => finish(look as never)).toThrow('takes a function');
  });
});

describe('after the call has ended', () => {
  test('next() goes nowhere, and does not throw into whoever calls it late', async () => {
    const reached: string[] = [];
    let late: unknown;
    const drops: Stage = async (ctx, next) => {
      setTimeout(() => {
        late = next();
      }, 10);
      return ctx.fail('denied', 'no');
    };
    const router = createRouter({
      tools,
      mode: 'trusted',
      pipeline: defaultPipeline()
        .after('lookup', 'drops', drops)
        .after(
          'drops',
          'sees',
          step(() => void reached.push('validate')),
        ),
    });
    expect(await router.call(call)).toMatchObject({ code: 'denied', effect: 'none' });
    await pause(20);
    expect(late).toMatchObject({ ok: false, code: 'aborted' });
    expect(reached).toEqual([]);
    expect(ran).toBe(0);
  });

  test('a slow step does not hand on', async () => {
    const reached: string[] = [];
    const router = createRouter({
      tools,
      mode: 'trusted',
      pipeline: defaultPipeline()
        .after(
          'lookup',
          'slow',
          step(() => pause(30).then(() => undefined)),
        )
        .after(
          'slow',
          'sees',
          step(() => void reached.push('validate')),
        ),
    });
    expect(await router.call(call, { deadline: 10 })).toMatchObject({ code: 'timeout', effect: 'none' });
    await pause(40);
    expect(reached).toEqual([]);
  });

  test('restart asks nobody and runs nothing', async () => {
    let asked = 0;
    let kept: Call | undefined;
    const router = createRouter({
      tools,
      pipeline: defaultPipeline({ approve: () => ++asked > 0 }).after('lookup', 'keeps', (ctx) => {
        kept = ctx;
        return ctx.fail('denied', 'no');
      }),
    });
    await router.call({ name: 'writes' });
    expect(await kept?.restart({})).toMatchObject({ ok: false, code: 'aborted' });
    await pause(5);
    expect([asked, ran]).toEqual([0, 0]);
  });

  test('an attempt that hangs is heard no more, and gives back what it was lent', async () => {
    let returned = 0;
    const heard: unknown[] = [];
    const talks = defineTool({
      ...hangs,
      name: 'talks',
      handler: async (_, ctx) => {
        await pause(30);
        ctx.progress('late');
        return new Promise(() => {});
      },
    });
    const lends = step((ctx: Call) => ctx.onSettled(() => void returned++));
    const retries = repeatable<Stage>((ctx, next) => {
      void next();
      return pause(10).then(() => ctx.fail('timeout', 'too slow'));
    });
    const router = createRouter({
      tools: [talks],
      pipeline: defaultPipeline().after('permission', 'retries', retries).after('retries', 'lends', lends),
    });
    await router.call({ name: 'talks' }, { onProgress: (data) => heard.push(data) });
    expect(returned).toBe(1);
    await pause(40);
    expect(heard).toEqual([]);
  });
});

describe('attempts and restarts', () => {
  test('restarts are counted for the call, not for each attempt', async () => {
    let restarts = 0;
    const edits: Stage = async (ctx, next) => {
      await null;
      return ++restarts > 50 ? next() : ctx.restart({});
    };
    const router = createRouter({
      tools,
      mode: 'trusted',
      pipeline: defaultPipeline()
        .after(
          'permission',
          'retries',
          repeatable<Stage>((_, next) => next()),
        )
        .after('retries', 'edits', edits),
    });
    expect(await router.call(call)).toMatchObject({ code: 'internal', error: expect.stringContaining('edited more') });
    expect(restarts).toBe(4);
  });

  test('a later attempt knows that an earlier one had started the tool', async () => {
    let attempts = 0;
    const limits: Stage = (ctx, next) => (attempts++ > 0 ? ctx.fail('rate_limited', 'later') : next());
    const twice = repeatable<Stage>(async (_, next) => {
      await next();
      return next();
    });
    const router = createRouter({
      tools,
      pipeline: defaultPipeline().after('permission', 'twice', twice).after('twice', 'limits', limits),
    });
    expect(await router.call(call)).toMatchObject({ code: 'rate_limited', effect: 'unknown' });
    expect(ran).toBe(1);
  });

  test('an abort between two attempts does not hide the first', async () => {
    const controller = new AbortController();
    const twice = repeatable<Stage>(async (_, next) => {
      await next();
      controller.abort('enough');
      return next();
    });
    const result = await withStage(twice, 'permission').call(call, { signal: controller.signal });
    expect(result).toMatchObject({ code: 'aborted', effect: 'unknown' });
    expect(ran).toBe(1);
  });

  test('no failure says that nothing happened while the handler is at work', async () => {
    const hasty: Stage = (ctx, next) => {
      const failure = ctx.fail('denied', 'no');
      void next();
      return failure;
    };
    expect(await withStage(hasty, 'permission').call(hanging)).toMatchObject({ code: 'denied', effect: 'unknown' });
  });

  test('ended() said once too often does not make up for a handler that works', async () => {
    const forges: Stage = (ctx, next) => {
      ctx.ended();
      void next();
      return ctx.ok('early');
    };
    expect(await withStage(forges, 'permission').call(hanging)).toMatchObject({ ok: false, effect: 'unknown' });
  });
});

describe('generators', () => {
  test.each<[string, () => unknown]>([
    [
      'a synchronous one',
      function* () {
        for (;;) yield 1;
      },
    ],
    [
      'an asynchronous one',
      async function* () {
        for (;;) yield 1;
      },
    ],
  ])('%s that never ends and never waits is stopped by its timeout', async (_, handler) => {
    const endless = defineTool({ ...reads, name: 'endless', timeout: 30, handler });
    expect(await createRouter({ tools: [endless] }).call({ name: 'endless' })).toMatchObject({ code: 'timeout' });
  });

  test('one that is withdrawn gives no success, whatever stands around the handler, and can clean up', async () => {
    let cleaned = 0;
    const steps = defineTool({
      ...reads,
      name: 'steps',
      handler: async function* () {
        try {
          for (let at = 0; ; at++) {
            await nextTurn();
            yield at;
          }
        } finally {
          cleaned++;
        }
      },
    });
    for (const left of [defaultPipeline(), defaultPipeline().without('timeout')]) {
      const router = createRouter({ tools: [steps], pipeline: left });
      const stop = new AbortController();
      const onProgress = (at: unknown): void => {
        if (at === 2) stop.abort('enough');
      };
      expect(await router.call({ name: 'steps' }, { signal: stop.signal, onProgress })).toMatchObject({
        ok: false,
        code: 'aborted',
        effect: 'unknown',
        error: 'The call was withdrawn: enough',
      });
      await nextTurn();
    }
    expect(cleaned).toBe(2);
  });

  test('one that yields what rejects can clean up', async () => {
    let cleaned = false;
    const yields = defineTool({
      ...reads,
      name: 'yields',
      handler: function* () {
        try {
          yield Promise.reject(new Error('broken'));
        } finally {
          cleaned = true;
        }
      },
    });
    expect(await createRouter({ tools: [yields] }).call({ name: 'yields' })).toMatchObject({ code: 'tool_error' });
    expect(cleaned).toBe(true);
  });
});

describe('streams', () => {
  test.each(['return', 'throw'] as const)('%s() while next() waits for a tool that hangs', async (way) => {
    const events = createRouter({ tools }).stream([hanging]);
    const next = events.next();
    await nextTurn();
    const left = way === 'return' ? events.return?.() : events.throw?.(new Error('left'));
    expect(await next).toMatchObject({ value: { type: 'result', result: { code: 'aborted' } } });
    await (way === 'return'
      ? expect(left).resolves.toMatchObject({ done: true })
      : expect(left).rejects.toThrow('left'));
    expect(await events.next()).toMatchObject({ done: true });
  });

  test('a stream that is left before it began runs nothing', async () => {
    const events = createRouter({ tools }).stream([call]);
    await events.return?.();
    expect(await events.next()).toMatchObject({ done: true });
    expect(ran).toBe(0);
  });

  test('streams that are forgotten half-way leave no listener of their own on the signal', async () => {
    const { signal } = new AbortController();
    for (let at = 0; at < 3; at++) await createRouter({ tools }).stream([call, call], { signal }).next();
    await nextTurn();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });

  test('next() called many times at once gives each event once', async () => {
    const events = createRouter({ tools }).stream([call, call, call]);
    const got = await Promise.all([1, 2, 3, 4, 5].map(() => events.next()));
    expect(got.map(({ done }) => done === true)).toEqual([false, false, false, true, true]);
    expect(ran).toBe(3);
  });
});

describe('observers', () => {
  test('cannot change the run of a call', async () => {
    const router = createRouter({ tools, mode: 'plan' });
    router.on('start', ({ run }) => {
      Object.assign(run, { mode: 'trusted' });
    });
    router.on('start', ({ run }) => {
      (run.tools as string[]).push('reads');
    });
    expect(await router.call({ name: 'writes' }, { run: { principal: 'me' } })).toMatchObject({ code: 'denied' });
    expect(await router.call(call, { run: { tools: ['writes'] } })).toMatchObject({ code: 'unknown_tool' });
  });

  test('watching the stages does not change what they may answer', async () => {
    const races: Stage = (ctx, next) => Promise.race([next(), pause(5).then(() => ctx.ok('stored'))]);
    const router = createRouter({
      tools,
      pipeline: defaultPipeline({ approve: () => pause(30).then(() => true) }).after('lookup', 'races', races),
    });
    const before = await router.call({ name: 'writes' });
    router.on('stage', () => {});
    expect(before).toMatchObject({ data: 'stored' });
    expect(await router.call({ name: 'writes' })).toMatchObject({ data: 'stored' });
  });

  test('one function that listens twice stops once a time', async () => {
    const router = createRouter({ tools });
    let heard = 0;
    const listener = (): void => void heard++;
    const off = router.on('start', listener);
    router.on('start', listener);
    off();
    off();
    await router.call(call);
    expect(heard).toBe(1);
  });
});

describe('pipelines', () => {
  test('a guard stays one, and no stage is slipped in behind the checks', () => {
    expect(() => withTraits(permission(), { guard: false })).toThrow('is a guard and stays one');
    for (const trait of ['stores', 'repeats', 'rewrites'] as const) {
      const stage = withTraits((_ctx, next) => next(), { [trait]: true });
      expect(() => withTraits(stage, { [trait]: false })).toThrow('cannot be taken back');
    }
    expect(() => (pipeline().entries as Entry[]).push({ name: 'x', stage: execute() })).toThrow(TypeError);
    for (const odd of [{}, [lookup()], null]) {
      expect(() => createRouter({ tools, pipeline: odd as never })).toThrow('must come from pipeline()');
    }
  });

  test('a failing audit may fail to say so', async () => {
    const rejects = async (): Promise<void> => {
      throw new Error('broken');
    };
    const stage = audit(rejects, { onError: rejects });
    const router = createRouter({ tools, pipeline: defaultPipeline().before('normalize', 'audit', stage) });
    expect(await router.call(call)).toMatchObject({ ok: true });
  });
});

describe('tools', () => {
  class Counter {
    readonly name = 'counter';
    readonly description = '';
    readonly parameters = { type: 'object', properties: { file: { type: 'string' } } } as const;
    #count = 41;
    get permission(): string {
      return 'read';
    }
    get paths(): { file: 'read' } {
      return { file: 'read' };
    }
    handler(): number {
      return ++this.#count;
    }
  }

  test('an instance of a class keeps its methods, private members and what its getters declare', async () => {
    const defined = defineTool(new Counter());
    expect(defined).toMatchObject({ permission: 'read', paths: { file: 'read' } });
    const registry = createRegistry([defined]).add(new Counter(), { source: 'mine' });
    expect(registry.get('mine.counter')).toMatchObject({ permission: 'read', paths: { file: 'read' } });
    const router = createRouter({ registry, roots: ['.'] });
    expect(await router.callAll([{ name: 'counter' }, { name: 'mine.counter' }])).toMatchObject([
      { data: 42 },
      { data: 42 },
    ]);
  });

  test('an offer of the own tools only is not the offer of all', async () => {
    const router = createRouter({ registry: createRegistry(tools).add(reads, { source: 'other' }), mode: 'trusted' });
    expect(await router.schemas('openai')).toHaveLength(4);
    expect(await router.schemas('openai', { source: undefined })).toHaveLength(3);
  });
});
