import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createRouter,
  defaultPipeline,
  defineTool,
  type Failure,
  repeatable,
  type Stage,
  type ToolResult,
} from 'callgate';
import { locks } from 'callgate/middleware';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Lock, Tool } from '../../src/tool.ts';
import { heldCalls, nextTurn } from '../support.ts';

/** A tool whose calls touch what their argument `locks` says, and end when they are told to. */
function stoppable(more: object = {}) {
  const { begun, handler, end } = heldCalls();
  const tool = defineTool({
    name: 'touch',
    description: 'Touches what it is told to.',
    parameters: { type: 'object', properties: { locks: { type: 'array' } } },
    permission: 'read',
    locks: ({ locks }) => locks as readonly Lock[],
    handler,
    ...more,
  });
  return { tool, begun, end };
}

const touching = (id: string, ...wanted: Lock[]) => ({ id, name: 'touch', arguments: { locks: wanted } });
const read = (key: string): Lock => ({ key, mode: 'read' });
const write = (key: string): Lock => ({ key, mode: 'write' });

// The first call of all loads what reads arguments; the tests count turns of the event loop.
beforeAll(async () => {
  const { tool } = stoppable({ handler: () => 'warm' });
  await createRouter({ tools: [tool] }).call(touching('warm', read('a')));
});

describe('calls that touch the same', () => {
  test('reads run together, a write waits for them, and other keys go on', async () => {
    const { tool, begun, end } = stoppable();
    const router = createRouter({ tools: [tool] });
    const all = router.callAll([
      touching('r1', read('a')),
      touching('r2', read('a')),
      touching('w', write('a')),
      touching('r3', read('a')),
      touching('b', write('b')),
    ]);
    await nextTurn();
    expect(begun).toEqual(['r1', 'r2', 'b']);
    await end('r1');
    expect(begun).toHaveLength(3);
    await end('r2');
    expect(begun).toEqual(['r1', 'r2', 'b', 'w']);
    await end('w', 'b');
    expect(begun.at(-1)).toBe('r3');
    await end('r3');
    expect((await all).map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
  });

  test('take turns whether they come in a batch, in another one, or alone', async () => {
    const { tool, begun, end } = stoppable();
    const router = createRouter({ tools: [tool] });
    const first = router.call(touching('c1', write('a')));
    const second = router.callAll([touching('c2', write('a'))]);
    const third = router.stream([touching('c3', write('a'))]).next();
    await nextTurn();
    expect(begun).toEqual(['c1']);
    await end('c1');
    await end('c2');
    await end('c3');
    expect(begun).toEqual(['c1', 'c2', 'c3']);
    await Promise.all([first, second, third]);
  });

  test('with several keys each, asked for in whatever order, never wait for each other', async () => {
    const { tool, begun, end } = stoppable();
    const router = createRouter({ tools: [tool] });
    const all = router.callAll([
      touching('c1', write('a'), write('b')),
      touching('c2', write('b'), write('a')),
      touching('c3', write('a'), write('a'), read('a')),
    ]);
    await nextTurn();
    for (const id of ['c1', 'c2', 'c3']) {
      expect(begun.at(-1)).toBe(id);
      await end(id);
    }
    expect((await all).every(({ ok }) => ok)).toBe(true);
  });

  test('who writes what stands above a key waits for those below it; who reads it does not', async () => {
    const { tool, begun, end } = stoppable();
    const router = createRouter({ tools: [tool] });
    const all = router.callAll([
      touching('below', write('docs/a.txt')),
      touching('list', read('docs')),
      touching('remove', write('docs')),
      touching('other', write('docs-of-others/a.txt')),
      touching('later', read('docs/b.txt')),
    ]);
    await nextTurn();
    expect(begun).toEqual(['below', 'list', 'other']);
    await end('below', 'list');
    expect(begun.at(-1)).toBe('remove');
    await end('remove');
    expect(begun.at(-1)).toBe('later');
    await end('later', 'other');
    await all;
  });

  test('an empty list holds nothing, also where paths are declared', async () => {
    const { tool, begun, end } = stoppable({ locks: () => [] });
    const router = createRouter({ tools: [tool] });
    const all = router.callAll([touching('c1', write('a')), touching('c2', write('a'))]);
    await nextTurn();
    expect(begun).toEqual(['c1', 'c2']);
    await end('c1', 'c2');
    await all;
  });
});

describe('files', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'callgate-locks-'));
    writeFileSync(join(folder, 'a.txt'), '');
    writeFileSync(join(folder, 'b.txt'), '');
    mkdirSync(join(folder, 'sub', 'inner'), { recursive: true });
    writeFileSync(join(folder, 'sub', 'inner', 'c.txt'), '');
    symlinkSync('sub', join(folder, 'link'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function fileTool(name: string, intent: 'read' | 'write', more: object = {}) {
    const { tool, ...rest } = stoppable();
    const { locks: _, ...common } = tool;
    const declared = {
      ...common,
      name,
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      paths: { path: intent },
      ...more,
    } as Tool;
    return { ...rest, tool: declared };
  }

  const on = (name: string, id: string, path: string) => ({ id, name, arguments: { path } });

  test('declared as paths are what a call holds, under whatever name they are given', async () => {
    const writer = fileTool('write', 'write');
    const reader = fileTool('read', 'read');
    const router = createRouter({ tools: [writer.tool, reader.tool], roots: [folder], mode: 'trusted' });
    const all = router.callAll([
      on('write', 'w1', 'a.txt'),
      on('write', 'w2', `./${'sub/../'}a.txt`),
      on('read', 'r1', join(folder, 'a.txt')),
      on('read', 'r2', 'b.txt'),
      on('read', 'list', '.'),
    ]);
    await nextTurn();
    expect([...writer.begun, ...reader.begun]).toEqual(['w1', 'r2', 'list']);
    await writer.end('w1');
    await writer.end('w2');
    expect([...writer.begun, ...reader.begun]).toEqual(['w1', 'w2', 'r2', 'list', 'r1']);
    await reader.end('r1', 'r2', 'list');
    expect((await all).map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
  });

  test('in a folder that somebody writes wait, whatever root they are in and whatever link they are named by', async () => {
    const writer = fileTool('write', 'write');
    const reader = fileTool('read', 'read');
    const tools = [writer.tool, reader.tool];
    const router = createRouter({ tools, roots: [folder, join(folder, 'sub', 'inner')], mode: 'trusted' });
    const all = router.callAll([
      on('write', 'folder', 'sub'),
      on('read', 'relative', 'sub/inner/c.txt'),
      on('read', 'inner', join(folder, 'sub', 'inner', 'c.txt')),
      on('read', 'link', 'link/inner/c.txt'),
      on('write', 'new', 'sub/new/d.txt'),
      on('read', 'other', 'a.txt'),
      on('read', 'tree', '.'),
    ]);
    await nextTurn();
    expect([...writer.begun, ...reader.begun]).toEqual(['folder', 'other', 'tree']);
    await writer.end('folder');
    expect(writer.begun).toEqual(['folder', 'new']);
    expect(reader.begun).toEqual(['other', 'tree', 'relative', 'inner', 'link']);
    await writer.end('new');
    await reader.end('other', 'tree', 'relative', 'inner', 'link');
    expect((await all).map((result) => (result.ok ? 'ok' : result.error))).toEqual(Array(7).fill('ok'));
  });

  test('a tool that names the root as what it writes keeps out all below it', async () => {
    const sweeper = fileTool('sweep', 'read', { locks: ({ path }: { path: string }) => [write(path)] });
    const reader = fileTool('read', 'read');
    const router = createRouter({ tools: [sweeper.tool, reader.tool], roots: [folder], mode: 'trusted' });
    const all = router.callAll([on('sweep', 'root', '.'), on('read', 'file', 'a.txt'), on('read', 'list', '.')]);
    await nextTurn();
    expect([...sweeper.begun, ...reader.begun]).toEqual(['root']);
    await sweeper.end('root');
    expect(reader.begun).toEqual(['file', 'list']);
    await reader.end('file', 'list');
    expect((await all).map((result) => (result.ok ? 'ok' : result.error))).toEqual(['ok', 'ok', 'ok']);
  });

  test('a tool that names its path as a key means the same file as those that only declare it', async () => {
    const named = fileTool('named', 'read', { locks: ({ path }: { path: string }) => [write(path)] });
    const declared = fileTool('declared', 'read');
    const router = createRouter({ tools: [named.tool, declared.tool], roots: [folder], mode: 'trusted' });
    const all = router.callAll([on('named', 'c1', './a.txt'), on('declared', 'c2', 'a.txt')]);
    await nextTurn();
    expect([...named.begun, ...declared.begun]).toEqual(['c1']);
    await named.end('c1');
    expect(declared.begun).toEqual(['c2']);
    await declared.end('c2');
    await all;
  });
});

describe('a call that waits', () => {
  async function waiting(options: object = {}, more: object = {}) {
    const { tool, begun, end } = stoppable();
    const router = createRouter({ tools: [tool], ...options });
    const holder = router.call(touching('holder', write('a')));
    const controller = new AbortController();
    const waiter = router.call(touching('waiter', write('a')), { signal: controller.signal, ...more });
    await nextTurn();
    return { router, holder, waiter, controller, begun, end };
  }

  test('is answered at once when it is withdrawn, and leaves no trace', async () => {
    const { router, holder, waiter, controller, begun, end } = await waiting();
    controller.abort();
    expect(await waiter).toMatchObject({ ok: false, code: 'aborted', effect: 'none' });
    const next = router.call(touching('next', write('a')));
    await end('holder');
    expect(begun).toEqual(['holder', 'next']);
    await end('next');
    expect((await Promise.all([holder, next])).every(({ ok }) => ok)).toBe(true);
  });

  test('is answered at its overall deadline', async () => {
    const { waiter, begun, end } = await waiting({}, { deadline: 5 });
    expect(await waiter).toMatchObject({ code: 'timeout', effect: 'none' });
    await end('holder');
    expect(begun).toEqual(['holder']);
  });

  test('is told when it has waited as long as it may', async () => {
    const { waiter, end } = await waiting({ locks: { wait: 5 } });
    expect(await waiter).toMatchObject({
      code: 'timeout',
      retryable: true,
      effect: 'none',
      error: '"touch" was not started: what it needs was in use by other calls for 5 ms. Try again later.',
    });
    await end('holder');
  });

  test('is refused where too many wait already', async () => {
    const { router, waiter, end } = await waiting({ locks: { queue: 1 } });
    expect(await router.call(touching('third', write('a')))).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      effect: 'none',
      details: { reason: 'queue', limit: 1 },
    });
    await end('holder');
    await end('waiter');
    expect(await waiter).toMatchObject({ ok: true });
  });

  test('is not counted against the tool', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
    try {
      const { tool, end } = stoppable({ timeout: 1_000 });
      const router = createRouter({ tools: [tool] });
      const all = router.callAll([touching('c1', write('a')), touching('c2', write('a'))]);
      await nextTurn();
      await vi.advanceTimersByTimeAsync(900);
      await end('c1');
      await vi.advanceTimersByTimeAsync(900);
      await end('c2');
      expect((await all).map(({ ok }) => ok)).toEqual([true, true]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is not waiting for who is still to be asked', async () => {
    const { tool, begun, end } = stoppable();
    let allow = (_: 'allow'): void => {};
    const approve = vi.fn(() => new Promise<'allow'>((resolve) => (allow = resolve)));
    const asked = { ...tool, name: 'asked', permission: 'write' };
    const router = createRouter({ tools: [tool, asked], approve });
    const first = router.call({ ...touching('first', write('a')), name: 'asked' });
    await vi.waitFor(() => expect(approve).toHaveBeenCalled());
    const second = router.call(touching('second', write('a')));
    await nextTurn();
    expect(begun).toEqual(['second']);
    allow('allow');
    await end('second');
    await vi.waitFor(() => expect(begun).toEqual(['second', 'first']));
    await end('first');
    expect((await Promise.all([first, second])).every(({ ok }) => ok)).toBe(true);
  });
});

describe('a handler that goes on after its call was answered', () => {
  test('keeps others from what it holds until it has ended', async () => {
    const { tool, begun, end } = stoppable({ timeout: 5 });
    const router = createRouter({ tools: [tool] });
    expect(await router.call(touching('hung', write('a')))).toMatchObject({ code: 'timeout', effect: 'unknown' });
    const next = router.call(touching('next', write('a')));
    await nextTurn();
    expect(begun).toEqual(['hung']);
    await end('hung');
    expect(begun).toEqual(['hung', 'next']);
    await end('next');
    expect((await next).ok).toBe(true);
  });

  test('but no longer than the limit', async () => {
    const hanging = stoppable({ timeout: 5 });
    const { tool, begun, end } = stoppable();
    const tools = [{ ...hanging.tool, name: 'hang' }, tool];
    const router = createRouter({ tools, locks: { afterAnswer: 5 } });
    expect(await router.call({ ...touching('hung', write('a')), name: 'hang' })).toMatchObject({ code: 'timeout' });
    const next = router.call(touching('next', write('a')));
    await vi.waitFor(() => expect(begun).toEqual(['next']));
    await end('next');
    expect((await next).ok).toBe(true);
  });
});

describe('a handler that calls the router again', () => {
  function nesting(passesSignal: boolean, inner: Lock, more: object = {}) {
    const results: ToolResult[] = [];
    const { tool: innermost } = stoppable({ handler: () => 'inner' });
    const outer = defineTool({
      name: 'outer',
      description: 'Calls another tool.',
      parameters: { type: 'object' },
      permission: 'read',
      locks: () => [{ key: 'a', mode: inner.mode === 'read' ? 'read' : 'write' } as const],
      async handler(_, { signal }): Promise<string> {
        const result = await router.call(touching('inner', inner), passesSignal ? { signal } : {});
        results.push(result);
        return 'outer';
      },
      ...more,
    });
    const router = createRouter({ tools: [outer, innermost], locks: { afterAnswer: 5 } });
    return { router, results };
  }

  test('is refused what it holds itself, where the call is known to be its own', async () => {
    const { router, results } = nesting(true, write('a'));
    expect((await router.call({ name: 'outer' })).ok).toBe(true);
    expect(results).toMatchObject([
      { code: 'conflict', retryable: false, effect: 'none', details: { reason: 'nested' } },
    ]);
  });

  test('may read what it reads, though somebody else waits to write it', async () => {
    const { router, results } = nesting(true, read('a'));
    const outer = router.call({ name: 'outer' });
    const writer = router.call(touching('writer', write('a')));
    expect((await outer).ok).toBe(true);
    expect(results).toMatchObject([{ ok: true }]);
    expect((await writer).ok).toBe(true);
  });

  test('is ended by its own deadline, where nobody can know whose call it is', async () => {
    const { router, results } = nesting(false, write('a'), { timeout: 5 });
    expect(await router.call({ name: 'outer' })).toMatchObject({ code: 'timeout', effect: 'unknown' });
    await vi.waitFor(() => expect(results).toMatchObject([{ ok: true }]));
  });
});

describe('attempts', () => {
  test('each hold what they need anew, and give it back', async () => {
    const { tool, begun } = stoppable({
      handler: (_: unknown, { call }: { call: { id: string } }) => begun.push(call.id),
    });
    const again: Stage = repeatable(async function again(_, next) {
      await next();
      return next();
    });
    const router = createRouter({ tools: [tool], pipeline: defaultPipeline().before('locks', 'again', again) });
    const all = await router.callAll([touching('c1', write('a')), touching('c2', write('a'))]);
    expect(all.every(({ ok }) => ok)).toBe(true);
    expect(begun).toHaveLength(4);
  });
});

describe('locks that cannot be used', () => {
  const nonsense: [string, (() => unknown) | undefined][] = [
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['a promise', async () => [write('a')]],
    ['nothing', () => undefined],
    ['a text', () => 'a'],
    ['a list of texts', () => ['a']],
    ['a list of nothing', () => [null]],
    ['an empty key', () => [write('')]],
    ['a key that is no text', () => [{ key: 1, mode: 'read' }]],
    ['a key that is too long', () => [write('/'.repeat(5_000))]],
    ['another mode', () => [{ key: 'a', mode: 'append' }]],
    ['no mode', () => [{ key: 'a' }]],
  ];

  test.each(nonsense)('%s: the tool is not started, and says whose fault it is', async (_, faulty) => {
    const handler = vi.fn();
    const { tool } = stoppable();
    const router = createRouter({ tools: [{ ...tool, locks: faulty as never, handler }] });
    const result = (await router.call(touching('c1'))) as Failure;
    expect(result).toMatchObject({ code: 'internal', effect: 'none' });
    expect(result.error).toContain('The locks of "touch"');
    expect(handler).not.toHaveBeenCalled();
  });

  test('options that do not exist, or cannot be, are refused', () => {
    expect(() => locks({ waits: 5 } as never)).toThrow('no option "waits"');
    expect(() => locks({ wait: 0 })).toThrow('locks({ wait })');
    expect(() => locks({ queue: -1 })).toThrow('locks({ queue })');
    expect(() => locks({ afterAnswer: Number.NaN })).toThrow('locks({ afterAnswer })');
    expect(() => locks({ clock: {} as never })).toThrow('must be a clock');
  });
});

test('a tool that touches nothing is not looked at', async () => {
  const { tool } = stoppable({ locks: undefined, handler: () => 'done' });
  const stage = locks();
  const ctx = { tool } as never;
  let passed = 0;
  expect(stage(ctx, () => ({ ok: true, passed: ++passed }) as never)).toMatchObject({ passed: 1 });
});
