import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CacheOptions, cache } from '../../middleware/cache.ts';
import { fallback } from '../../middleware/fallback.ts';
import { forTools } from '../../middleware/for-tools.ts';
import { when } from '../../middleware/when.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import { ToolError } from '../../src/errors.ts';
import type { ToolResult } from '../../src/result.ts';
import { createRouter, type Router } from '../../src/router.ts';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts';
import type { Tool } from '../../src/tool.ts';
import { readFile } from '../../src/tools/index.ts';
import type { Ready } from '../../src/types.ts';
import { Gate, until, warmUp } from '../resilience/support.ts';

beforeAll(warmUp);

type Counted = Tool & { calls: unknown[] };

/** A tool that counts its calls; gives its number and its arguments, or what `give` gives. */
function counting(name: string, more: Partial<Tool> = {}, give?: (args: unknown, calls: number) => unknown): Counted {
  const calls: unknown[] = [];
  const tool = defineTool({
    name,
    description: name,
    parameters: { type: 'object' },
    permission: 'read',
    handler: (args) => {
      calls.push(args);
      return give === undefined ? { call: calls.length, args } : give(args, calls.length);
    },
  });
  return { ...tool, ...more, calls } as Counted;
}

interface Setup {
  readonly router: Router<unknown>;
  readonly clock: FakeClock;
  readonly kept: ReturnType<typeof cache>;
}

function setup(tools: Tool[], options: CacheOptions = {}): Setup {
  const clock = fakeClock();
  const kept = cache({ clock, ...options });
  const pipeline = defaultPipeline().before('timeout', 'cache', kept);
  return { clock, kept, router: createRouter<unknown>({ tools, mode: 'trusted', pipeline, state: undefined }) };
}

const ask = (router: Router<unknown>, args: unknown = {}, more: object = {}, name = 'look'): Promise<ToolResult> =>
  router.call({ name, arguments: args }, more);

describe('a hit', () => {
  test('gives the same data under its own id, and says how old it is', async () => {
    const tool = counting('look');
    const { router, clock } = setup([tool]);
    await router.call({ id: 'first', name: 'look', arguments: { a: 1, b: 2 } });
    await clock.advance(1_234);
    const second = await router.call({ id: 'second', name: 'look', arguments: '{"b":2,"a":1}' });
    expect(second).toEqual({
      ok: true,
      tool_name: 'look',
      data: { call: 1, args: { a: 1, b: 2 } },
      error: null,
      call_id: 'second',
      meta: { cached: { age_ms: 1_234 } },
    });
    expect(tool.calls).toHaveLength(1);
  });

  test('is there until the time is over, which a tool may have of its own', async () => {
    const [short, long, never] = [counting('short'), counting('long'), counting('never')];
    const ttl = ({ name }: Tool): number => ({ short: 10, long: 100 })[name] ?? 0;
    const { router, clock, kept } = setup([short, long, never], { ttl });
    for (const wait of [9, 1, 89, 1]) {
      for (const name of ['short', 'long', 'never']) await ask(router, {}, {}, name);
      await clock.advance(wait);
    }
    for (const name of ['short', 'long', 'never']) await ask(router, {}, {}, name);
    expect([short, long, never].map(({ calls }) => calls.length)).toEqual([3, 2, 5]);
    kept.clear();
    expect(kept.size).toBe(0);
  });

  test('is not lost to an option that fails: that is told before the tool is started', async () => {
    const tool = counting('look');
    const ttl = (): number => {
      throw new Error('no time');
    };
    expect(await ask(setup([tool], { ttl }).router)).toMatchObject({ ok: false, code: 'internal', effect: 'none' });
    expect(tool.calls).toHaveLength(0);
  });

  test('can be changed by nobody for somebody else', async () => {
    const given = { list: [1], deep: { secret: false } };
    const clock = fakeClock();
    // Without normalize, which would make a copy of its own.
    const pipeline = defaultPipeline()
      .replace('normalize', (_, next) => next())
      .before('timeout', 'cache', cache({ clock }));
    const tool = counting('look', {}, () => given);
    const router = createRouter<unknown>({ tools: [tool], mode: 'trusted', pipeline, state: undefined });
    const results = [await ask(router), await ask(router), await ask(router)];
    for (const { data } of results) {
      (data as typeof given).list.push(2);
      (data as typeof given).deep.secret = true;
    }
    given.list.push(3);
    expect((await ask(router)).data).toEqual({ list: [1], deep: { secret: false } });
    expect(tool.calls).toHaveLength(1);
  });

  test('may be of a stage that forgets its meta', async () => {
    const pipeline = defaultPipeline()
      .before('timeout', 'cache', cache())
      .before('timeout', 'mine', (ctx) => {
        const { meta: _, ...result } = ctx.ok('mine');
        return result as never;
      });
    const router = createRouter<unknown>({ tools: [counting('look')], mode: 'trusted', pipeline, state: undefined });
    expect(await ask(router)).toMatchObject({ ok: true, data: 'mine', meta: {} });
    expect(await ask(router)).toMatchObject({ ok: true, data: 'mine', meta: { cached: {} } });
  });

  test('leaves by the stages outside, so that a secret is taken out of it again', async () => {
    const clock = fakeClock();
    const pipeline = defaultPipeline({ secrets: ['hunter2-hunter2'] }).before('timeout', 'cache', cache({ clock }));
    const router = createRouter<unknown>({
      tools: [counting('look', {}, () => ['hunter2-hunter2'])],
      pipeline,
      state: undefined,
    });
    const first = await ask(router);
    const second = await ask(router);
    expect(JSON.stringify(second)).not.toContain('hunter2');
    expect(second.data).toEqual(first.data);
    expect(second.meta).toMatchObject({ redacted: expect.anything(), cached: { age_ms: 0 } });
  });

  test('is seen by an audit and by observers like any other call', async () => {
    const { router } = setup([counting('look')]);
    const ends: unknown[] = [];
    router.on('end', ({ result }) => ends.push(result.meta));
    await ask(router);
    await ask(router);
    expect(ends).toEqual([{}, { cached: { age_ms: 0 } }]);
  });
});

describe('nobody gets what was made for somebody else', () => {
  const differing: [string, object, object][] = [
    ['another principal', { run: { principal: 'ann' } }, { run: { principal: 'bob' } }],
    ['another run, while nobody says whose', { run: { id: 'r1' } }, { run: { id: 'r2' } }],
    ['an empty principal, which is none', { run: { id: 'r1', principal: '' } }, { run: { id: 'r2', principal: '' } }],
    ['a principal by the name of a run', { run: { id: 'x' } }, { run: { id: 'y', principal: 'x' } }],
    ['another mode', { run: { mode: 'plan' } }, { run: { mode: 'ask' } }],
    ['another state', { state: { tenant: 'a' } }, { state: { tenant: 'b' } }],
    ['a state of another kind', { state: { tenant: 1 } }, { state: { tenant: '1' } }],
    ['an object in the state', { state: { db: {} } }, { state: { db: {} } }],
    ['a state that is an instance', { state: new Map([['t', 1]]) }, { state: new Map([['t', 1]]) }],
    ['a state with hidden members', { state: { [Symbol('t')]: 1 } }, { state: { [Symbol('t')]: 1 } }],
    [
      'a state that has its members from a record',
      { state: Object.create(Object.assign(Object.create(null), { t: 1 })) },
      { state: Object.create(Object.assign(Object.create(null), { t: 2 })) },
    ],
    ['a state behind a Proxy', { state: new Proxy({}, { get: () => 1 }) }, { state: new Proxy({}, { get: () => 2 }) }],
  ];
  test.each(differing)('%s', async (_, one, other) => {
    const tool = counting('look');
    const { router } = setup([tool]);
    await ask(router, {}, one);
    await ask(router, {}, other);
    expect(tool.calls).toHaveLength(2);
  });

  test('the same principal in another run has its answers', async () => {
    const tool = counting('look');
    const { router } = setup([tool]);
    await ask(router, {}, { run: { id: 'r1', principal: 'ann' } });
    await ask(router, {}, { run: { id: 'r2', principal: 'ann' } });
    expect(tool.calls).toHaveLength(1);
  });

  test('a state with the same plain members is the same, and one that was changed in place is not', async () => {
    const tool = counting('look');
    const { router } = setup([tool]);
    const db = {};
    await ask(router, {}, { state: { tenant: 'a', db } });
    await ask(router, {}, { state: { db, tenant: 'a' } });
    expect(tool.calls).toHaveLength(1);
    const state = { tenant: 'a' };
    await ask(router, {}, { state });
    state.tenant = 'b';
    await ask(router, {}, { state });
    expect(tool.calls).toHaveLength(3);
    class Session {
      tenant = 'a';
    }
    const session = new Session();
    await ask(router, {}, { state: session });
    await ask(router, {}, { state: session });
    session.tenant = 'b';
    await ask(router, {}, { state: session });
    expect(tool.calls).toHaveLength(5);
  });

  test('vary says what of a state counts', async () => {
    const tool = counting('look');
    const vary = (ctx: Ready): unknown => (ctx.state as { user: { tenant: string } }).user.tenant;
    const { router } = setup([tool], { vary });
    const state = (tenant: string) => ({ state: { user: { tenant, session: {} } } });
    for (const tenant of ['a', 'a', 'b', 'a']) await ask(router, {}, state(tenant));
    expect(tool.calls).toHaveLength(2);
    const failing = setup([tool], { vary: () => Symbol('no form') });
    expect(await ask(failing.router)).toMatchObject({ ok: false, code: 'internal' });
  });

  test.each<[string, unknown, unknown]>([
    ['a number and its text', { a: 1 }, { a: '1' }],
    ['absent and null', {}, { a: null }],
    ['a member named __proto__ in a text', { a: '__proto__' }, { a: 'constructor' }],
    ['lists and their text', { a: ['b,c'] }, { a: ['b', 'c'] }],
    ['nesting', { a: { b: 1 } }, { 'a.b': 1 }],
    ['halves of a surrogate pair', { a: '\ud800' }, { a: '\ud801' }],
    ['long arguments', { a: 'x'.repeat(5_000) }, { a: `${'x'.repeat(4_999)}y` }],
  ])('other arguments: %s', async (_, one, other) => {
    const tool = counting('look');
    const { router } = setup([tool]);
    const results = [await ask(router, one), await ask(router, other), await ask(router, one)];
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(results[0]?.data).not.toEqual(results[1]?.data);
    expect(results[2]?.data).toEqual(results[0]?.data);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a tool, a principal and a run called %s',
    async (name) => {
      const tool = counting(name);
      const { router } = setup([tool]);
      for (const run of [{ principal: name }, { id: name }, { principal: name }]) await ask(router, {}, { run }, name);
      expect(tool.calls).toHaveLength(2);
    },
  );

  test('another tool in its place, even one that says the same of itself', async () => {
    const { router } = setup([counting('look', {}, () => 'old')]);
    expect((await ask(router)).data).toBe('old');
    router.registry.add(counting('look', {}, () => 'new'));
    expect((await ask(router)).data).toBe('new');
  });

  test('a tool whose definition was changed in place', async () => {
    const tool = counting('look');
    const { router } = setup([tool]);
    await ask(router);
    (tool as { parameters: object }).parameters = { type: 'object', title: 'changed' };
    await ask(router);
    expect(tool.calls).toHaveLength(2);
  });

  test('two routers with one cache and tools of the same name', async () => {
    const kept = cache();
    const routers = ['a', 'b'].map((data) =>
      createRouter({
        tools: [counting('look', {}, () => data)],
        pipeline: defaultPipeline().before('timeout', 'cache', kept),
      }),
    );
    const data = await Promise.all(routers.map(async (router) => (await router.call({ name: 'look' })).data));
    expect(data).toEqual(['a', 'b']);
  });
});

describe('what is kept', () => {
  test.each<[string, Partial<Tool>, number]>([
    ['a tool of level read', { permission: 'read' }, 1],
    ['a tool that says it only reads', { permission: 'network', annotations: { readOnly: true } }, 1],
    ['not a tool that writes', { permission: 'write', annotations: { idempotent: true } }, 2],
    ['not a tool that says nothing', { permission: undefined as never }, 2],
    ['not a tool for polling', { tags: ['polling'] }, 2],
    [
      'not a tool from elsewhere that says so itself',
      { source: 'mcp', permission: 'network', annotations: { readOnly: true } },
      2,
    ],
  ])('%s', async (_, more, calls) => {
    const tool = counting('look', more);
    const { router } = setup([tool]);
    await ask(router);
    await ask(router);
    expect(tool.calls).toHaveLength(calls);
  });

  test('what the program chooses; a promise is no choice', async () => {
    const tool = counting('look', { permission: 'write' });
    const chosen = setup([tool], { tools: ({ name }) => name === 'look' });
    await ask(chosen.router);
    await ask(chosen.router);
    expect(tool.calls).toHaveLength(1);
    const promised = setup([tool], { tools: (async () => true) as unknown as () => boolean });
    await ask(promised.router);
    await ask(promised.router);
    expect(tool.calls).toHaveLength(3);
  });

  test('no failures', async () => {
    const tool = counting('look', {}, (_, calls) => {
      if (calls === 1) throw new ToolError('not yet');
      return calls;
    });
    const { router } = setup([tool]);
    expect(await ask(router)).toMatchObject({ ok: false });
    expect(await ask(router)).toMatchObject({ ok: true, data: 2, meta: {} });
  });

  class Money {
    toJSON(): string {
      return '1 EUR';
    }
  }
  test.each<[string, unknown]>([
    ['an instance of a class', new Money()],
    ['bytes', Buffer.from('abc')],
    [
      'what throws when it is read',
      {
        get price(): number {
          throw new Error('no');
        },
      },
    ],
  ])('no data that is not plain: %s', async (_, data) => {
    const tool = counting('look', {}, () => data);
    const { router, kept } = setup([tool]);
    const [first, second] = [await ask(router), await ask(router)];
    expect(second.data).toEqual(first.data);
    expect(tool.calls).toHaveLength(2);
    expect(kept.size).toBe(0);
  });

  test('not what a fallback gave', async () => {
    let isDown = true;
    const tool = counting('look', {}, () => {
      if (isDown) throw new ToolError('down', { code: 'unavailable' });
      return 'fresh';
    });
    const pipeline = defaultPipeline()
      .before('timeout', 'cache', cache())
      .before('timeout', 'fallback', fallback({ data: () => 'emergency' }));
    const router = createRouter<unknown>({ tools: [tool], pipeline, state: undefined });
    expect((await ask(router)).data).toBe('emergency');
    isDown = false;
    expect((await ask(router)).data).toBe('fresh');
  });

  test('no more entries and bytes than it may', async () => {
    const tool = counting('look', {}, (args) => 'x'.repeat((args as { size: number }).size));
    const { router, kept } = setup([tool], { maxEntries: 3, maxBytes: 20_000 });
    for (let size = 0; size < 6; size++) await ask(router, { size });
    expect(kept.size).toBe(3);
    await ask(router, { size: 5 });
    expect(tool.calls).toHaveLength(6);
    await ask(router, { size: 8_000 });
    expect(kept.size).toBe(3);
    await ask(router, { size: 8_001 });
    expect(kept.size).toBe(1);
    await ask(router, { size: 100_000 });
    await ask(router, { size: 100_000 });
    expect(tool.calls).toHaveLength(10);
  });

  test('not what one tool has, after it was deleted', async () => {
    const [look, other] = [counting('look'), counting('other')];
    const { router, kept } = setup([look, other]);
    const both = async (): Promise<void> => {
      await ask(router);
      await ask(router, {}, {}, 'other');
    };
    await both();
    kept.delete('look');
    await both();
    expect([look.calls.length, other.calls.length]).toEqual([2, 1]);
    kept.clear();
    await both();
    expect([look.calls.length, other.calls.length]).toEqual([3, 2]);
  });
});

describe('what changes something makes answers stale', () => {
  test('a call that may write, whoever makes it and however it ends', async () => {
    const look = counting('look');
    const write = counting('write', { permission: 'write' }, (args) => {
      if ((args as { fail?: boolean }).fail) throw new Error('disk full');
    });
    const { router } = setup([look, write]);
    for (const args of [{}, { fail: true }]) {
      await ask(router, {}, { run: { principal: 'ann' } });
      await ask(router, args, { run: { principal: 'bob' } }, 'write');
    }
    await ask(router, {}, { run: { principal: 'ann' } });
    expect(look.calls).toHaveLength(3);
  });

  test('what was being read meanwhile is not kept, and joined by nobody who comes later', async () => {
    const gates = [new Gate<string>(), new Gate<string>()];
    const look = counting('look', {}, (_, calls) => gates[calls - 1]?.passed ?? 'new');
    const { router } = setup([look, counting('write', { permission: 'write' })]);
    const before = ask(router);
    await until(() => look.calls.length === 1);
    await ask(router, {}, {}, 'write');
    const after = ask(router);
    await until(() => look.calls.length === 2);
    gates[0]?.open('old');
    expect((await before).data).toBe('old');
    gates[1]?.open('new');
    expect((await after).data).toBe('new');
    expect(await ask(router)).toMatchObject({ data: 'new', meta: { cached: { age_ms: 0 } } });
  });

  test('what was being read meanwhile does not take the place of what is newer', async () => {
    const gates = [new Gate<string>(), new Gate<string>()];
    const look = counting('look', {}, (_, calls) => gates[calls - 1]?.passed ?? 'newest');
    const { router } = setup([look, counting('write', { permission: 'write' })]);
    const before = ask(router);
    await until(() => look.calls.length === 1);
    await ask(router, {}, {}, 'write');
    const after = ask(router);
    await until(() => look.calls.length === 2);
    gates[1]?.open('new');
    expect((await after).data).toBe('new');
    gates[0]?.open('old');
    expect((await before).data).toBe('old');
    expect((await ask(router)).data).toBe('new');
  });

  test('what was read before or while something was written is dropped when that begins and when it ends', async () => {
    const gate = new Gate<string>();
    const look = counting('look');
    const write = counting('write', { permission: 'write' }, () => gate.passed);
    const { router } = setup([look, write]);
    await ask(router);
    const writing = ask(router, {}, {}, 'write');
    await until(() => write.calls.length === 1);
    await ask(router);
    expect(look.calls).toHaveLength(2);
    gate.open('written');
    await writing;
    await ask(router);
    expect(look.calls).toHaveLength(3);
  });

  test('as far as the program says', async () => {
    const [look, other] = [counting('look'), counting('other')];
    const write = counting('write', { permission: 'write' });
    const { router } = setup([look, other, write], {
      invalidates: ({ args }) => (args as { what: boolean | string[] }).what,
    });
    const seen: number[][] = [];
    for (const what of [false, ['look'], true, 'everything']) {
      for (const name of ['look', 'other']) await ask(router, {}, {}, name);
      await ask(router, { what }, {}, 'write');
      seen.push([look.calls.length, other.calls.length]);
    }
    for (const name of ['look', 'other']) await ask(router, {}, {}, name);
    expect([...seen, [look.calls.length, other.calls.length]]).toEqual([
      [1, 1],
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
  });

  test('a file that another program has changed is stale until the time is over', async () => {
    const root = mkdtempSync(join(tmpdir(), 'callgate-cache-'));
    try {
      writeFileSync(join(root, 'a.txt'), 'before');
      const clock = fakeClock();
      const pipeline = defaultPipeline({ roots: [root] }).before('timeout', 'cache', cache({ clock }));
      const router = createRouter<unknown>({ tools: [readFile], pipeline, state: undefined });
      const read = async () => JSON.stringify(await ask(router, { path: 'a.txt' }, {}, 'read_file'));
      expect(await read()).toContain('before');
      writeFileSync(join(root, 'a.txt'), 'after!');
      expect(await read()).toContain('before');
      // The other way to write the same path has the same answer.
      expect(JSON.stringify(await ask(router, { path: './x/../a.txt' }, {}, 'read_file'))).toContain('cached');
      await clock.advance(30_000);
      expect(await read()).toContain('after!');
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('equal calls at the same time', () => {
  /** A tool whose runs a test ends one by one. */
  function gated(): { tool: Counted; gates: Gate<unknown>[] } {
    const gates: Gate<unknown>[] = [];
    const tool = counting('look', { timeout: Number.POSITIVE_INFINITY }, () => {
      const gate = new Gate<unknown>();
      gates.push(gate);
      return gate.passed;
    });
    return { tool, gates };
  }

  test('share one run, and each has its own id and data', async () => {
    const { tool, gates } = gated();
    const { router } = setup([tool]);
    const calls = ['a', 'b', 'c'].map((id) => router.call({ id, name: 'look' }));
    await until(() => gates.length === 1);
    gates[0]?.open({ list: [1] });
    const results = await Promise.all(calls);
    expect(results.map(({ call_id }) => call_id)).toEqual(['a', 'b', 'c']);
    expect(results.map(({ data }) => data)).toEqual([{ list: [1] }, { list: [1] }, { list: [1] }]);
    expect(results.map(({ meta }) => meta)).toEqual([{}, { cached: { age_ms: 0 } }, { cached: { age_ms: 0 } }]);
    expect(tool.calls).toHaveLength(1);
  });

  test('do not, when they are of different principals', async () => {
    const { tool, gates } = gated();
    const { router } = setup([tool]);
    const calls = ['ann', 'bob'].map((principal) => ask(router, {}, { run: { principal } }));
    await until(() => gates.length === 2);
    gates[0]?.open('of ann');
    gates[1]?.open('of bob');
    expect((await Promise.all(calls)).map(({ data }) => data)).toEqual(['of ann', 'of bob']);
  });

  test('when the first is withdrawn, one of those who wait takes over', async () => {
    const { tool, gates } = gated();
    const { router } = setup([tool]);
    const controller = new AbortController();
    const first = ask(router, {}, { signal: controller.signal });
    const others = [ask(router), ask(router)];
    await until(() => gates.length === 1);
    controller.abort();
    expect(await first).toMatchObject({ ok: false, code: 'aborted' });
    await until(() => gates.length === 2);
    gates[1]?.open('second run');
    expect((await Promise.all(others)).map(({ data }) => data)).toEqual(['second run', 'second run']);
    expect(tool.calls).toHaveLength(2);
  });

  test('when the first fails, each runs by itself', async () => {
    const { tool, gates } = gated();
    const { router } = setup([tool]);
    const calls = [ask(router), ask(router), ask(router)];
    await until(() => gates.length === 1);
    gates[0]?.fail(new Error('broken'));
    await until(() => gates.length === 3);
    gates[1]?.open('one');
    gates[2]?.open('two');
    const results = await Promise.all(calls);
    expect(results.map((result) => (result.ok ? result.data : result.code))).toEqual(['tool_error', 'one', 'two']);
  });

  test('when the first gives what cannot be shared, each runs by itself', async () => {
    const { tool, gates } = gated();
    const { router } = setup([tool]);
    const calls = [ask(router), ask(router)];
    await until(() => gates.length === 1);
    gates[0]?.open(new Uint8Array(1));
    await until(() => gates.length === 2);
    gates[1]?.open('own');
    expect((await Promise.all(calls))[1]).toMatchObject({ data: 'own', meta: {} });
  });

  test('one that waits can be withdrawn by itself, and had no effect', async () => {
    const { tool, gates } = gated();
    const { router } = setup([tool]);
    const controller = new AbortController();
    const first = ask(router);
    const second = ask(router, {}, { signal: controller.signal });
    await until(() => gates.length === 1);
    controller.abort();
    expect(await second).toMatchObject({ ok: false, code: 'aborted', effect: 'none' });
    gates[0]?.open('done');
    expect(await first).toMatchObject({ ok: true, data: 'done' });
  });

  test("inside the timeout, a run that hangs stands in nobody's way", async () => {
    let calls = 0;
    const tool = counting('look', { timeout: 20 }, () => (++calls === 1 ? new Promise(() => {}) : 'second'));
    const pipeline = defaultPipeline().after('timeout', 'cache', cache());
    const router = createRouter<unknown>({ tools: [tool], pipeline, state: undefined });
    expect(await ask(router)).toMatchObject({ ok: false, code: 'timeout' });
    expect(await ask(router)).toMatchObject({ ok: true, data: 'second' });
  });

  test('a stage that answers before the tool has ended makes no answer for others', async () => {
    const { tool } = gated();
    const hasty = (ctx: Ready, next: () => unknown): ToolResult => {
      void next();
      return ctx.ok('guessed');
    };
    const kept = cache();
    const pipeline = defaultPipeline()
      .before('timeout', 'cache', kept)
      .before('timeout', 'hasty', hasty as never);
    const router = createRouter<unknown>({ tools: [tool], pipeline, state: undefined });
    expect(await ask(router)).toMatchObject({ ok: false, code: 'internal' });
    expect(kept.size).toBe(0);
  });
});

describe('its place', () => {
  test('behind every guard, also under `when` and `forTools`', () => {
    expect(() => defaultPipeline().before('permission', 'cache', cache())).toThrow(
      'must stand after the guard "permission"',
    );
    expect(() =>
      defaultPipeline().before(
        'permission',
        'c',
        when(() => true, cache()),
      ),
    ).toThrow('must stand after');
    expect(() => defaultPipeline().before('permission', 'c', forTools('*', cache()))).toThrow('must stand after');
    expect(defaultPipeline().before('timeout', 'c', forTools('*', cache())).describe().at(-3)?.traits).toEqual([
      'stores',
    ]);
  });

  test('a call that is denied now has no answer from when it was allowed', async () => {
    const tool = counting('look', { permission: 'network', annotations: { readOnly: true } });
    const clock = fakeClock();
    let isAllowed = true;
    const pipeline = defaultPipeline({
      rules: [{ decision: 'deny', tool: 'look', when: () => !isAllowed } as never],
    });
    const router = createRouter<unknown>({
      tools: [tool],
      mode: 'trusted',
      pipeline: pipeline.before('timeout', 'cache', cache({ clock })),
      state: undefined,
    });
    const first = await ask(router);
    isAllowed = false;
    const second = await ask(router);
    expect([first.ok, second.ok]).toEqual([true, false]);
  });
});

test.each<[string, unknown]>([
  ['ttl: 0', { ttl: 0 }],
  ['a ttl without an end', { ttl: Number.POSITIVE_INFINITY }],
  ['maxEntries: 0', { maxEntries: 0 }],
  ['maxBytes: 0.5', { maxBytes: 0.5 }],
  ['tools as a list', { tools: ['look'] }],
  ['vary as a text', { vary: 'tenant' }],
  ['invalidates as true', { invalidates: true }],
  ['an option that does not exist', { key: () => '' }],
])('refuses %s', (_, options) => {
  expect(() => cache(options as CacheOptions)).toThrow(TypeError);
});
