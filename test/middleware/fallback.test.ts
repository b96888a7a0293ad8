import { beforeAll, describe, expect, test } from 'vitest';
import { type FallbackOptions, fallback } from '../../middleware/fallback.ts';
import { forTools } from '../../middleware/for-tools.ts';
import { retry } from '../../middleware/retry.ts';
import { type DefaultPipelineOptions, defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import { ToolError, type ToolErrorOptions } from '../../src/errors.ts';
import { causeOf, type ToolResult } from '../../src/result.ts';
import { createRouter, type Router } from '../../src/router.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import type { Tool } from '../../src/tool.ts';
import { warmUp } from '../resilience/support.ts';

beforeAll(warmUp);

const down: ToolErrorOptions = { code: 'unavailable' };

function tool(name: string, handler: Tool['handler'], more: Partial<Tool> = {}): Tool {
  const parameters = { type: 'object', properties: { q: { type: 'string' } } } as const;
  return { ...defineTool({ name, description: name, parameters, permission: 'read', handler }), ...more } as Tool;
}

const failing = (failure: ToolErrorOptions = down, more: Partial<Tool> = {}): Tool =>
  tool(
    'search',
    async () => {
      throw new ToolError('the first failure', failure);
    },
    more,
  );

function routerWith(
  tools: Tool[],
  options: Omit<FallbackOptions, 'router'>,
  pipelineOptions: DefaultPipelineOptions = {},
  mode = 'ask',
): Router {
  const own = options.tool === undefined ? options : { ...options, router: () => router };
  const pipeline = defaultPipeline(pipelineOptions).before('timeout', 'fallback', forTools('search', fallback(own)));
  const router: Router = createRouter({ tools, mode, pipeline });
  return router;
}

const search = (router: Router, more: object = {}): Promise<ToolResult> =>
  router.call({ id: 'c1', name: 'search', arguments: { q: 'tea' } }, more);

describe('with data', () => {
  test('answers with what a function gives, and says so', async () => {
    const seen: unknown[] = [];
    const router = routerWith([failing()], {
      data: (failure, ctx) => {
        seen.push(failure.error, ctx.args);
        return { results: [] };
      },
    });
    expect(await search(router)).toEqual({
      ok: true,
      tool_name: 'search',
      data: { results: [] },
      error: null,
      call_id: 'c1',
      meta: { fallback: { code: 'unavailable' } },
    });
    expect(seen).toEqual(['the first failure', { q: 'tea' }]);
  });

  test('leaves an answer that came as it should alone', async () => {
    const router = routerWith([tool('search', () => 'found')], { data: () => 'other' });
    expect(await search(router)).toMatchObject({ data: 'found', meta: {} });
  });

  test.each<[string, ToolErrorOptions]>([
    ['a failure of the tool itself', { code: 'tool_error' }],
    ['a denial by the tool', { code: 'denied' }],
    ['wrong output', { code: 'invalid_output' }],
  ])('leaves %s alone', async (_, failure) => {
    const router = routerWith([failing(failure)], { data: () => 'other' });
    expect(await search(router)).toMatchObject({ ok: false, code: failure.code, meta: {} });
  });

  test('answers other codes where they are chosen', async () => {
    const router = routerWith([failing({ code: 'tool_error' })], { codes: ['tool_error'], data: () => 'other' });
    expect(await search(router)).toMatchObject({ ok: true, data: 'other' });
  });

  test('when a tool took too long, whatever that tool still does', async () => {
    const hanging = tool('search', () => new Promise(() => {}), { timeout: 15 });
    const router = routerWith([hanging], { data: () => 'other' });
    expect(await search(router)).toMatchObject({ ok: true, data: 'other', meta: { fallback: { code: 'timeout' } } });
  });

  test('never, when the tool writes and may have done so', async () => {
    const writing = failing(down, { permission: 'write' });
    expect(await search(routerWith([writing], { data: () => 'x' }, {}, 'trusted'))).toMatchObject({
      ok: false,
      effect: 'unknown',
    });
    const foreign = failing(down, { source: 'mcp', permission: 'network', annotations: { readOnly: true } });
    expect((await search(routerWith([foreign], { data: () => 'x' }, {}, 'trusted'))).ok).toBe(false);
    const idempotent = failing(down, { permission: 'write', annotations: { idempotent: true } });
    expect((await search(routerWith([idempotent], { data: () => 'x' }, {}, 'trusted'))).ok).toBe(true);
    const safe = ({ name }: Tool): boolean => name === 'search';
    expect((await search(routerWith([writing], { data: () => 'x', safe }, {}, 'trusted'))).ok).toBe(true);
  });

  test('the first failure stands when the function fails or takes too long', async () => {
    const thrown = new Error('also down');
    const router = routerWith([failing()], {
      data: () => {
        throw thrown;
      },
    });
    const result = await search(router);
    expect(result).toMatchObject({
      ok: false,
      error: 'the first failure',
      code: 'unavailable',
      meta: { fallback: { code: 'unavailable', failed: 'internal' } },
    });

    const clock = fakeClock();
    const slow = routerWith([failing()], { data: () => new Promise(() => {}), timeout: 100, clock });
    const pending = search(slow);
    await clock.advance(100);
    expect(await pending).toMatchObject({ error: 'the first failure', meta: { fallback: { failed: 'timeout' } } });
    expect(clock.pending()).toEqual([]);
  });

  test('ends with the call', async () => {
    const clock = fakeClock();
    const controller = new AbortController();
    const router = routerWith([failing()], { data: () => new Promise(() => {}), clock });
    const pending = search(router, { signal: controller.signal });
    await clock.advance(10);
    controller.abort();
    expect(await pending).toMatchObject({ ok: false, code: 'aborted' });
    expect(clock.pending()).toEqual([]);
  });

  test('outside a retry, after its last attempt', async () => {
    const clock = fakeClock();
    const pipeline = defaultPipeline()
      .before('timeout', 'fallback', fallback({ data: () => 'other' }))
      .before('timeout', 'retry', retry({ clock, attempts: 2 }));
    const router = createRouter({ tools: [failing()], pipeline });
    const pending = search(router);
    await clock.advance(1_000);
    expect(await pending).toMatchObject({ ok: true, data: 'other', meta: { fallback: { code: 'unavailable' } } });
  });

  test('observers hear of it', async () => {
    const router = routerWith([failing()], { data: () => 'other' });
    const notes: unknown[] = [];
    router.on('note', ({ name, data }) => notes.push({ name, data }));
    await search(router);
    expect(notes).toEqual([{ name: 'fallback', data: { code: 'unavailable', reason: 'the first failure' } }]);
  });
});

describe('with another tool', () => {
  test('gives its data under the id and name of the call, and says whose they are', async () => {
    const other = tool('wiki', ({ q }: never) => `wiki on ${q}`);
    expect(await search(routerWith([failing(), other], { tool: 'wiki' }))).toEqual({
      ok: true,
      tool_name: 'search',
      data: 'wiki on tea',
      error: null,
      call_id: 'c1',
      meta: { fallback: { code: 'unavailable', tool: 'wiki' } },
    });
  });

  test('which passes the whole chain: its arguments are validated', async () => {
    const other = tool('wiki', () => 'x', {
      parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    });
    expect(await search(routerWith([failing(), other], { tool: 'wiki' }))).toMatchObject({
      ok: false,
      code: 'unavailable',
      error: 'the first failure',
      meta: { fallback: { code: 'unavailable', tool: 'wiki', failed: 'invalid_arguments' } },
    });
    const named = { tool: 'wiki', arguments: ({ args }: never) => ({ title: (args as { q: string }).q }) };
    expect(await search(routerWith([failing(), other], named as never))).toMatchObject({ ok: true, data: 'x' });
  });

  test.each<[string, DefaultPipelineOptions, string]>([
    ['the mode', {}, 'denied'],
    ['a rule', { rules: [{ decision: 'deny', tool: 'wiki' }] }, 'denied'],
    ['a person', { approve: async () => ({ decision: 'deny' }) }, 'denied'],
    ['nobody to ask', {}, 'approval_required'],
  ])('and stays denied by %s', async (_, options, failed) => {
    let calls = 0;
    const other = tool('wiki', () => ++calls, { permission: 'write' });
    const mode = failed === 'approval_required' ? 'ask' : 'plan';
    const router = routerWith(
      [failing(), other],
      { tool: 'wiki' },
      options,
      options.approve === undefined ? mode : 'ask',
    );
    expect(await search(router)).toMatchObject({ ok: false, code: 'unavailable', meta: { fallback: { failed } } });
    expect(calls).toBe(0);
  });

  test('in the same run, for the same principal, with the same state, and within the tools of the run', async () => {
    const seen: unknown[] = [];
    const other = tool('wiki', (_, { state, call }) => {
      seen.push(state, call.id);
      return 'x';
    });
    const router = routerWith([failing(), other], { tool: 'wiki' });
    router.on('start', ({ call, run }) => seen.push([call.name, run.principal, run.mode]));
    const state = { tenant: 'a' };
    await search(router, { state, run: { principal: 'ann', mode: 'auto' } });
    expect(seen).toEqual([['search', 'ann', 'auto'], ['wiki', 'ann', 'auto'], state, 'c1+fallback']);
    const limited = await search(router, { run: { tools: ['search'] } });
    expect(limited).toMatchObject({ ok: false, code: 'unavailable' });
  });

  test('is withdrawn with the call', async () => {
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    const other = tool('wiki', (_, ctx) => {
      signal = ctx.signal;
      queueMicrotask(() => controller.abort());
      return new Promise(() => {});
    });
    const result = await search(routerWith([failing(), other], { tool: 'wiki' }), { signal: controller.signal });
    expect(result).toMatchObject({ ok: false, code: 'aborted' });
    expect(signal?.aborted).toBe(true);
  });

  test('what it may have done counts, when it fails as well', async () => {
    const none = { code: 'unavailable', effect: 'none' } as const;
    const other = tool('wiki', async () => {
      throw new Error('half-way');
    });
    expect(await search(routerWith([failing(none), other], { tool: 'wiki' }))).toMatchObject({
      ok: false,
      code: 'unavailable',
      effect: 'unknown',
      meta: { fallback: { failed: 'tool_error' } },
    });
  });

  test('the private cause of the first failure stays with it', async () => {
    const cause = new Error('private');
    const router = routerWith([failing({ ...down, cause })], { data: () => Promise.reject(new Error('other')) });
    expect(causeOf(await search(router))).toBe(cause);
  });

  test('two tools that fall back to each other come to an end', async () => {
    let calls = 0;
    const broken = (name: string): Tool =>
      tool(name, async () => {
        calls++;
        throw new ToolError(`${name} is down`, down);
      });
    const pipeline = defaultPipeline()
      .before('timeout', 'one', forTools('a', fallback({ tool: 'b', router: () => router })))
      .before('timeout', 'two', forTools('b', fallback({ tool: 'a', router: () => router })));
    const router: Router = createRouter({ tools: [broken('a'), broken('b')], pipeline });
    expect(await router.call({ name: 'a' })).toMatchObject({ ok: false, error: 'a is down' });
    expect(calls).toBe(4);
  });
});

describe('its place', () => {
  test('behind every guard, whose refusals are nothing that it answers', async () => {
    expect(() => defaultPipeline().before('permission', 'fallback', fallback({ data: () => 1 }))).toThrow(
      'must stand after',
    );
    const router = routerWith([failing(down, { permission: 'write' })], { data: () => 'x' }, {}, 'plan');
    expect(await search(router)).toMatchObject({ ok: false, code: 'denied' });
  });
});

test.each<[string, unknown]>([
  ['nothing to answer with', {}],
  ['data and a tool', { data: () => 1, tool: 'wiki', router: () => ({}) }],
  ['a tool without a router', { tool: 'wiki' }],
  ['a router without a tool', { data: () => 1, router: () => ({}) }],
  ['a denial among the codes', { data: () => 1, codes: ['denied'] }],
  ['a wanted approval among the codes', { data: () => 1, codes: ['approval_required'] }],
  ['data that is no function', { data: [] }],
  ['a router that is no function', { tool: 'wiki', router: {} }],
  ['a tool that is no name', { tool: {}, router: () => ({}) }],
  ['a timeout of 0', { data: () => 1, timeout: 0 }],
  ['an option that does not exist', { data: () => 1, on: ['timeout'] }],
])('refuses %s', (_, options) => {
  expect(() => fallback(options as FallbackOptions)).toThrow(TypeError);
});
