import { beforeAll, describe, expect, test } from 'vitest';
import { rateLimit } from '../../middleware/rate-limit.ts';
import { type RetryOptions, retry } from '../../middleware/retry.ts';
import { when } from '../../middleware/when.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import { ToolError, type ToolErrorOptions } from '../../src/errors.ts';
import { causeOf, type ToolResult } from '../../src/result.ts';
import { createRouter, type Router } from '../../src/router.ts';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts';
import type { Tool } from '../../src/tool.ts';
import type { AnyStage } from '../../src/traits.ts';
import { until, warmUp } from '../resilience/support.ts';

beforeAll(warmUp);

const down: ToolErrorOptions = { code: 'unavailable' };

/** A tool that fails as the list says, one entry a call, and then gives `done`. */
function flaky(
  failures: (ToolErrorOptions | Error)[],
  more: Partial<Tool> = { permission: 'read' },
): Tool & { calls: number } {
  const tool = {
    calls: 0,
    ...defineTool({
      name: 'flaky',
      description: 'Fails a few times.',
      parameters: { type: 'object' },
      handler: async () => {
        const failure = failures[tool.calls++];
        if (failure instanceof Error) throw failure;
        if (failure !== undefined) throw new ToolError(`failure ${tool.calls}`, failure);
        return 'done';
      },
    }),
    ...more,
  };
  return tool as Tool & { calls: number };
}

interface Setup {
  readonly router: Router;
  readonly clock: FakeClock;
}

function setup(tool: Tool, options: RetryOptions = {}, inside?: AnyStage): Setup {
  const clock = fakeClock();
  let pipeline = defaultPipeline().before('timeout', 'retry', retry({ clock, random: () => 0.5, ...options }));
  if (inside !== undefined) pipeline = pipeline.after('retry', 'inside', inside as never) as never;
  return { clock, router: createRouter({ tools: [tool], mode: 'trusted', pipeline }) };
}

async function run({ router, clock }: Setup, ms = 600_000): Promise<ToolResult> {
  const result = router.call({ id: 'c1', name: 'flaky' });
  await clock.advance(ms);
  expect(clock.pending()).toEqual([]);
  return result;
}

describe('which calls are tried again', () => {
  test('one of a tool that reads, until it succeeds; meta tells how many attempts that took', async () => {
    const tool = flaky([down, down]);
    const result = await run(setup(tool));
    expect(result).toMatchObject({ ok: true, data: 'done', meta: { attempts: 3 } });
    expect(tool.calls).toBe(3);
  });

  test('a call that succeeds at once carries no note', async () => {
    expect((await run(setup(flaky([])))).meta).toEqual({});
  });

  test('as often as attempts says, and then the last failure is the answer', async () => {
    const tool = flaky([down, down, down, down]);
    const result = await run(setup(tool, { attempts: 3 }));
    expect(result).toMatchObject({ ok: false, code: 'unavailable', error: 'failure 3', meta: { attempts: 3 } });
    expect(tool.calls).toBe(3);
  });

  test.each<[string, Partial<Tool>]>([
    ['a tool of level read', { permission: 'read' }],
    ['a tool that says it only reads', { permission: 'network', annotations: { readOnly: true } }],
    ['a tool that says twice is the same as once', { permission: 'write', annotations: { idempotent: true } }],
  ])('%s', async (_, more) => {
    expect(await run(setup(flaky([down], more)))).toMatchObject({ ok: true, meta: { attempts: 2 } });
  });

  test.each<[string, Partial<Tool>]>([
    ['a tool that writes', { permission: 'write' }],
    ['a tool that says nothing', {}],
    ['a tool that says it is not idempotent', { permission: 'write', annotations: { idempotent: false } }],
    [
      'a tool from elsewhere, whatever it says of itself',
      { source: 'mcp', permission: 'network', annotations: { readOnly: true, idempotent: true } },
    ],
  ])('but never %s, once it has been started', async (_, more) => {
    const tool = flaky([down], more);
    const result = await run(setup(tool));
    expect(result).toMatchObject({ ok: false, code: 'unavailable', effect: 'unknown', meta: {} });
    expect(tool.calls).toBe(1);
  });

  test('any tool that had not been started', async () => {
    const tool = flaky([], { permission: 'write' });
    let limited = 2;
    const stage = (ctx: { fail: (...args: unknown[]) => ToolResult }, next: () => ToolResult): ToolResult =>
      limited-- > 0 ? ctx.fail('rate_limited', 'not now') : next();
    expect(await run(setup(tool, {}, stage as AnyStage))).toMatchObject({ ok: true, meta: { attempts: 3 } });
    expect(tool.calls).toBe(1);
  });

  test('a tool that the program says is safe; a promise of that is no word', async () => {
    const safe = ({ name }: Tool): boolean => name === 'flaky';
    expect(await run(setup(flaky([down], { permission: 'write' }), { safe }))).toMatchObject({ ok: true });
    const tool = flaky([down], { permission: 'write' });
    const promised = (async () => true) as unknown as () => boolean;
    expect(await run(setup(tool, { safe: promised }))).toMatchObject({ ok: false });
    expect(tool.calls).toBe(1);
  });

  test.each<[string, ToolErrorOptions | Error]>([
    ['an exception', new Error('no')],
    ['a failure of the tool', { code: 'tool_error' }],
    ['a failure that says it is final', { code: 'unavailable', retryable: false }],
    ['a denial', { code: 'denied' }],
  ])('not after %s', async (_, failure) => {
    const tool = flaky([failure]);
    expect(await run(setup(tool))).toMatchObject({ ok: false, meta: {} });
    expect(tool.calls).toBe(1);
  });

  test('what an earlier attempt may have done counts for the answer', async () => {
    const tool = flaky([down, { code: 'unavailable', effect: 'none' }, { code: 'tool_error', effect: 'none' }]);
    expect(await run(setup(tool))).toMatchObject({ ok: false, code: 'tool_error', effect: 'unknown' });
    const none = { code: 'unavailable', effect: 'none' } as const;
    expect(await run(setup(flaky([none, down, none])))).toMatchObject({ ok: false, effect: 'unknown' });
    expect(await run(setup(flaky([none, none, none])))).toMatchObject({ ok: false, effect: 'none' });
  });

  test('the private cause of the last failure stays with it', async () => {
    const cause = new Error('private');
    const { router, clock } = setup(flaky([down, { ...down, cause }]), { attempts: 2 });
    const causes: unknown[] = [];
    router.on('end', (event) => causes.push(event.cause));
    const pending = router.call({ name: 'flaky' });
    await clock.advance(10_000);
    expect(causeOf(await pending)).toBe(cause);
    expect(causes).toEqual([cause]);
  });

  test('a synchronous handler too', async () => {
    let calls = 0;
    const tool = flaky([], {
      permission: 'read',
      handler: () => {
        if (calls++ === 0) throw new ToolError('not yet', down);
        return 'sync';
      },
    });
    expect(await run(setup(tool))).toMatchObject({ ok: true, data: 'sync', meta: { attempts: 2 } });
  });
});

describe('waiting', () => {
  test('doubles its bound, and ends where the budget would', async () => {
    const { router, clock } = setup(flaky([down, down, down, down, down, down]), {
      attempts: 9,
      delay: 100,
      budget: 1_000,
    });
    const delays: number[] = [];
    router.on('retry', ({ delayMs }) => delays.push(delayMs));
    const pending = router.call({ name: 'flaky' });
    await clock.advance(10_000);
    expect(delays).toEqual([50, 100, 200, 400]);
    expect(await pending).toMatchObject({ ok: false, meta: { attempts: 5 } });
  });

  test('lasts as long as a failure asks for, as a number or as a Retry-After header', async () => {
    const details = [{ retry_after_ms: 1_000 }, { retry_after: '2' }];
    const { router, clock } = setup(flaky(details.map((said) => ({ code: 'rate_limited', details: said }))));
    const delays: number[] = [];
    router.on('retry', ({ delayMs }) => delays.push(delayMs));
    const pending = router.call({ name: 'flaky' });
    await clock.advance(10_000);
    expect(delays).toEqual([1_100, 2_100]);
    expect(await pending).toMatchObject({ ok: true });
  });

  test('does not begin when a failure asks for more than the longest wait', async () => {
    const tool = flaky([{ code: 'rate_limited', details: { retry_after: '3600' } }]);
    expect(await run(setup(tool))).toMatchObject({ ok: false, code: 'rate_limited' });
    expect(tool.calls).toBe(1);
  });

  test('heeds a rate limit inside of it', async () => {
    const clock = fakeClock();
    const pipeline = defaultPipeline()
      .before('timeout', 'retry', retry({ clock, random: () => 0 }))
      .after('retry', 'rateLimit', rateLimit({ perSecond: 1, clock }));
    const router = createRouter({ tools: [flaky([])], mode: 'trusted', pipeline });
    await router.call({ name: 'flaky' });
    const pending = router.call({ name: 'flaky' });
    await clock.advance(999);
    await clock.advance(2);
    expect(await pending).toMatchObject({ ok: true, meta: { attempts: 2 } });
  });

  test('ends at once when the caller withdraws the call, and leaves no timer', async () => {
    const tool = flaky([down]);
    const { router, clock } = setup(tool);
    const controller = new AbortController();
    const pending = router.call({ name: 'flaky' }, { signal: controller.signal });
    await clock.advance(10);
    expect(clock.pending()).toHaveLength(1);
    controller.abort();
    expect(await pending).toMatchObject({ ok: false, code: 'aborted', effect: 'unknown' });
    expect(clock.pending()).toEqual([]);
    expect(tool.calls).toBe(1);
  });

  test('ends at the deadline of the call', async () => {
    const { router, clock } = setup(flaky([down]));
    expect(await router.call({ name: 'flaky' }, { deadline: 5 })).toMatchObject({ ok: false, code: 'timeout' });
    expect(clock.pending()).toEqual([]);
  });

  test('ends when a stage outside of it answers instead', async () => {
    const clock = fakeClock();
    const impatient = (ctx: { fail: (...args: unknown[]) => ToolResult }, next: () => Promise<ToolResult>) => {
      void next();
      return Promise.resolve(ctx.fail('unavailable', 'no time'));
    };
    const pipeline = defaultPipeline()
      .before('timeout', 'impatient', impatient as never)
      .before('timeout', 'retry', retry({ clock }));
    const tool = flaky([down]);
    const router = createRouter({ tools: [tool], mode: 'trusted', pipeline });
    await router.call({ name: 'flaky' });
    await clock.advance(0);
    expect(clock.pending()).toEqual([]);
    expect(tool.calls).toBe(1);
  });
});

describe('attempts', () => {
  const hangsOnce = (): Tool & { signals: AbortSignal[] } => {
    const signals: AbortSignal[] = [];
    return {
      signals,
      ...defineTool({
        name: 'flaky',
        description: 'Hangs once.',
        parameters: { type: 'object' },
        permission: 'read',
        timeout: 20,
        handler: async (_, { signal }) => {
          signals.push(signal);
          return signals.length === 1 ? new Promise(() => {}) : 'second';
        },
      }),
    };
  };

  test('outside the timeout each has the whole time of the tool, and a hung one is given up', async () => {
    const tool = hangsOnce();
    const pipeline = defaultPipeline().before('timeout', 'retry', retry({ delay: 1 }));
    const router = createRouter({ tools: [tool], mode: 'trusted', pipeline });
    expect(await router.call({ name: 'flaky' })).toMatchObject({ ok: true, data: 'second', meta: { attempts: 2 } });
    expect(tool.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  test('inside the timeout all share it, so one that hangs is the last', async () => {
    const tool = hangsOnce();
    const pipeline = defaultPipeline().after('timeout', 'retry', retry({ delay: 1 }));
    const router = createRouter({ tools: [tool], mode: 'trusted', pipeline });
    expect(await router.call({ name: 'flaky' })).toMatchObject({ ok: false, code: 'timeout' });
    expect(tool.signals).toHaveLength(1);
  });

  test('a stage that answers before its handler has ended is not believed, in an attempt as elsewhere', async () => {
    const clock = fakeClock();
    const hasty = (ctx: { ok: (data: unknown) => ToolResult }, next: () => Promise<ToolResult>) => {
      void next();
      return ctx.ok('guessed');
    };
    const pipeline = defaultPipeline()
      .before('timeout', 'retry', retry({ clock }))
      .after('retry', 'hasty', hasty as never);
    const router = createRouter({ tools: [hangsOnce()], mode: 'trusted', pipeline });
    expect(await router.call({ name: 'flaky' })).toMatchObject({ ok: false, code: 'internal' });
  });

  test('get the arguments as they were, whatever an earlier one did to its own', async () => {
    const seen: string[] = [];
    const tool = flaky([], {
      permission: 'read',
      handler: async (args) => {
        seen.push(JSON.stringify(args));
        const { list } = args as { list: number[] };
        list.push(list.length);
        (args as { path?: string }).path = '../elsewhere';
        throw new ToolError('down', down);
      },
    });
    const { router, clock } = setup(tool);
    const pending = router.call({ name: 'flaky', arguments: { list: [0] } });
    await clock.advance(60_000);
    expect(await pending).toMatchObject({ ok: false, meta: { attempts: 3 } });
    expect(seen).toEqual(['{"list":[0]}', '{"list":[0]}', '{"list":[0]}']);
  });

  test('are not begun when an option fails: that is told before the tool is started', async () => {
    const tool = flaky([down], { permission: 'write' });
    const safe = (): boolean => {
      throw new Error('no word');
    };
    expect(await run(setup(tool, { safe }))).toMatchObject({ ok: false, code: 'internal', effect: 'none' });
    expect(tool.calls).toBe(0);
  });

  test('all have the same idempotency key', async () => {
    const keys: string[] = [];
    const tool = flaky([], {
      permission: 'read',
      handler: async (_, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        throw new ToolError('down', down);
      },
    });
    await run(setup(tool));
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  test('go through `when` as well', async () => {
    const clock = fakeClock();
    const pipeline = defaultPipeline().before(
      'timeout',
      'retry',
      when(() => true, retry({ clock, random: () => 0 })),
    );
    expect(pipeline.describe().find(({ name }) => name === 'retry')?.traits).toEqual(['repeats']);
    const router = createRouter({ tools: [flaky([down])], mode: 'trusted', pipeline });
    const pending = router.call({ name: 'flaky' });
    await clock.advance(1_000);
    expect(await pending).toMatchObject({ ok: true, meta: { attempts: 2 } });
  });

  test('are not approved one by one: approval is outside', async () => {
    let asked = 0;
    const clock = fakeClock();
    const approve = async () => {
      asked++;
      return { decision: 'allow' as const };
    };
    const pipeline = defaultPipeline({ approve }).before('timeout', 'retry', retry({ clock }));
    const tool = flaky([down], { permission: 'write', annotations: { idempotent: true } });
    const router = createRouter({ tools: [tool], mode: 'ask', pipeline });
    const pending = router.call({ name: 'flaky' });
    // Asking is loaded on first use, which takes real time.
    await until(() => tool.calls > 0);
    await clock.advance(60_000);
    expect(await pending).toMatchObject({ ok: true, meta: { attempts: 2 } });
    expect(asked).toBe(1);
    expect(() => defaultPipeline().before('permission', 'retry', retry())).toThrow(
      'must stand after the guard "permission"',
    );
    expect(() =>
      defaultPipeline().before(
        'permission',
        'r',
        when(() => true, retry()),
      ),
    ).toThrow('must stand after');
  });
});

test.each<[string, unknown]>([
  ['attempts: 0', { attempts: 0 }],
  ['attempts: 1.5', { attempts: 1.5 }],
  ['delay: 0', { delay: 0 }],
  ['delay without an end', { delay: Number.POSITIVE_INFINITY }],
  ['a budget without an end', { budget: Number.POSITIVE_INFINITY }],
  ['maxDelay as text', { maxDelay: '1s' }],
  ['safe as a list', { safe: ['flaky'] }],
  ['random as a number', { random: 4 }],
  ['an option that does not exist', { retries: 3 }],
])('refuses %s', (_, options) => {
  expect(() => retry(options as RetryOptions)).toThrow(TypeError);
});
