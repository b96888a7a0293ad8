import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callgate, handlers, isolated, kinds, routerWith } from './support.ts';

describe.each(kinds)('a handler in a %s of its own', (kind) => {
  it('gives what it returns, like any handler', async () => {
    const router = routerWith([isolated(kind, 'add'), isolated(kind, 'richData'), isolated(kind, 'large')]);
    expect(await router.call({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({ ok: true, data: 3 });
    expect(await router.call({ name: 'richData' })).toMatchObject({
      data: { when: '1970-01-01T00:00:00.000Z', big: '10', map: { a: 1 }, bytes: { base64: 'AQI=' } },
    });
    expect(await router.call({ name: 'large', arguments: { size: 5_000_000 } })).toMatchObject({
      code: 'tool_error',
      details: { reason: 'message-bytes', limit: 4_194_304 },
    });
  });

  it.each([
    ['plainError', { code: 'tool_error', error: 'the wrong kind (caused by: for a reason)', effect: 'unknown' }],
    ['toolError', { code: 'conflict', error: 'changed meanwhile', retryable: false, details: { at: 3 } }],
    ['thrownText', { code: 'tool_error', error: 'thrownText failed: just text' }],
    ['uncloneable', { code: 'tool_error', error: expect.stringContaining('Only plain data can') }],
  ])('fails as a handler of this thread would: %s', async (name, failure) => {
    expect(await routerWith([isolated(kind, name)]).call({ name })).toMatchObject({ ok: false, ...failure });
  });

  describe('that makes more than may travel, of a few bytes or of more than its heap', () => {
    const isolation = { messageBytes: 65_536, memory: 16_777_216 };
    const refusals = {
      bytes: ['text', 'texts', 'member', 'map', 'bytes', 'number'],
      values: ['values', 'levels'],
    } as const;
    const vast = [...refusals.bytes, ...refusals.values];

    it('fails with the limit, and is not ended', async () => {
      const router = routerWith([isolated(kind, 'vastResult'), isolated(kind, 'pid')], { isolation });
      const { data: before } = await router.call({ name: 'pid' });
      for (const [reason, names] of Object.entries(refusals)) {
        for (const what of names) {
          const failure = await router.call({ name: 'vastResult', arguments: { what } });
          expect({ what, ...failure }).toMatchObject({
            what,
            code: 'tool_error',
            error: expect.stringContaining('What the handler returned is too large'),
            details: { reason: `message-${reason}` },
          });
        }
      }
      expect(await router.call({ name: 'pid' })).toMatchObject({ data: before });
    });

    it('in its progress, is not heard', async () => {
      const router = routerWith([isolated(kind, 'vastProgress')], { isolation });
      const heard: unknown[] = [];
      for (const what of vast) {
        const call = { name: 'vastProgress', arguments: { what } };
        expect(await router.call(call, { onProgress: (data) => heard.push(data) })).toMatchObject({ data: 'told' });
      }
      expect(heard).toEqual([]);
    });

    it('in what it throws, is told so', async () => {
      const names = ['vastError', 'vastToolError', 'vastThrown'];
      const router = routerWith(
        names.map((name) => isolated(kind, name)),
        { isolation },
      );
      for (const name of names) {
        for (const what of vast) {
          const code = name === 'vastToolError' ? 'conflict' : 'tool_error';
          const failure = await router.call({ name, arguments: { what } });
          expect({ name, what, ...failure }).toMatchObject({ name, what, code });
          expect(JSON.stringify(failure).length).toBeLessThan(100_000);
        }
      }
    });

    it('in what it asks for, is refused that and can go on', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'callgate-isolated-'));
      const parameters = { type: 'object', properties: { path: { type: 'string' } } } as const;
      const tool = isolated(kind, 'vastWrite', { parameters, paths: { path: 'write' } });
      const router = routerWith([tool], { isolation, roots: [folder] });
      for (const what of ['text', 'texts', 'bytes', 'values']) {
        const { data } = await router.call({ name: 'vastWrite', arguments: { path: 'a.txt', what } });
        expect(data).toContain('fs.writeText is too large');
      }
      expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('small');
      rmSync(folder, { recursive: true });
    });
  });

  it('is checked against the output schema of its tool', async () => {
    const router = routerWith([isolated(kind, 'echo', { output: { type: 'object', required: ['a'] } })]);
    expect(await router.call({ name: 'echo', arguments: { a: 1 } })).toMatchObject({ ok: true });
    expect(await router.call({ name: 'echo', arguments: { b: 1 } })).toMatchObject({ code: 'invalid_output' });
  });

  it('gets its arguments, call and key, and of the state only what is picked for it', async () => {
    const tool = isolated(kind, 'whatItGets');
    const call = { id: 'c7', name: 'whatItGets', arguments: { a: [1] } };
    const state = { secret: 'not for handlers', tenant: 'mine' };
    const without = await routerWith([tool], { state }).call(call);
    const picked = await routerWith([tool], {
      state,
      isolation: { state: ({ tenant }: { tenant: string }) => ({ tenant }) },
    }).call(call);
    expect(without.data).toMatchObject({
      args: { a: [1] },
      call,
      idempotencyKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      members: ['call', 'idempotencyKey', 'progress', 'signal', 'state'],
      aborted: false,
    });
    expect(without.data).not.toHaveProperty('state');
    expect(picked.data).toMatchObject({ state: { tenant: 'mine' } });
    expect(JSON.stringify(picked)).not.toContain('not for handlers');
  });

  it('sees none of this process’s variables but those it was given', async () => {
    process.env['CALLGATE_TEST_SECRET'] = 'sesame';
    const router = routerWith([isolated(kind, 'environment')], { isolation: { env: { SHOWN: 'yes' } } });
    const { data } = await router.call({ name: 'environment' });
    delete process.env['CALLGATE_TEST_SECRET'];
    const { SHOWN, TZ, LANG, LC_ALL, ...rest } = data as Record<string, string>;
    expect(SHOWN).toBe('yes');
    expect(Object.keys(rest).filter((name) => !/^(?:SystemRoot|windir|TE?MP|__CF_USER)/i.test(name))).toEqual([]);
  });

  it('tells its progress, and as a generator every step of it', async () => {
    const router = routerWith([isolated(kind, 'steps'), isolated(kind, 'flood')]);
    const steps: unknown[] = [];
    const result = await router.call(
      { name: 'steps', arguments: { count: 200 } },
      { onProgress: (data) => steps.push(data) },
    );
    expect(result).toMatchObject({ ok: true, data: 'done' });
    expect(steps).toEqual(Array.from({ length: 200 }, (_, at) => ({ step: at + 1 })));
  });

  it('cannot fill the router with progress: while it tells without waiting, only the newest is kept', async () => {
    const told: unknown[] = [];
    const router = routerWith([isolated(kind, 'flood')]);
    const result = await router.call(
      { name: 'flood', arguments: { count: 200_000 } },
      { onProgress: (data) => told.push(data) },
    );
    expect(result).toMatchObject({ ok: true, data: 'flooded' });
    expect(told.length).toBeLessThan(100);
    expect(told[0]).toBe(0);
  });

  it('hears of an abort, and may end by itself', async () => {
    const router = routerWith([isolated(kind, 'polite'), isolated(kind, 'pid'), isolated(kind, 'count')]);
    const withdrawal = new AbortController();
    const late = new Promise((resolve) => router.on('late', resolve));
    const before = await router.call({ name: 'count' });
    const result = await router.call(
      { name: 'polite' },
      { signal: withdrawal.signal, onProgress: () => withdrawal.abort(new Error('never mind')) },
    );
    expect(result).toMatchObject({ code: 'aborted', effect: 'unknown' });
    await late;
    // It was spared, so that what it had in memory is still there.
    expect([before.data, (await router.call({ name: 'count' })).data]).toEqual([1, 2]);
  });

  it('does not print where this process speaks to others', async () => {
    const router = routerWith([isolated(kind, 'prints')]);
    expect(await router.call({ name: 'prints' })).toMatchObject({ data: 'printed' });
  });
});

describe('what isolate refuses', () => {
  it.each([
    [{ threads: 0 }, 'threads'],
    [{ processes: 1.5 }, 'processes'],
    [{ memory: 1_000 }, 'memory'],
    [{ grace: 0 }, 'grace'],
    [{ idle: -1 }, 'idle'],
    [{ messageBytes: 10 }, 'messageBytes'],
    [{ env: { A: 1 } }, 'env'],
    [{ execArgv: '--import' }, 'execArgv'],
    [{ launcher: [1] }, 'launcher'],
    [{ output: 'stdout' }, 'output'],
    [{ reuse: 'no' }, 'reuse'],
    [{ state: {} }, 'state'],
    [{ timeout: 3 }, 'has no option "timeout"'],
  ])('%j', (isolation, named) => {
    expect(() => routerWith([], { isolation })).toThrow(new RegExp(`isolate.*${named}`));
  });

  it('a tool is refused where no stage runs it isolated, when the router is made and when it is called', async () => {
    const tool = isolated('process', 'add');
    expect(() => callgate.createRouter({ tools: [tool] })).toThrow(/"add" declares isolate.*isolation: \{\}/);
    const router = callgate.createRouter({ tools: [], mode: 'trusted' });
    router.registry.add(tool);
    expect(await router.call({ name: 'add', arguments: { a: 1, b: 1 } })).toMatchObject({
      code: 'internal',
      effect: 'none',
      error: expect.stringContaining('put isolate() in the place of execute()'),
    });
  });

  it('a handler that is no module’s is refused, and a module’s without isolate', () => {
    const base = { name: 'x', description: '', parameters: { type: 'object' } } as const;
    expect(() => callgate.defineTool({ ...base, isolate: 'thread', handler: () => 1 })).toThrow(/moduleHandler/);
    expect(() => callgate.createRegistry([{ ...base, isolate: 'thread', handler: () => 1 }])).toThrow(/moduleHandler/);
    const handler = callgate.moduleHandler(handlers, 'add');
    expect(() => callgate.defineTool({ ...base, handler })).toThrow(/must set isolate/);
    expect(() => callgate.defineTool({ ...base, isolate: 'box' as 'thread', handler })).toThrow(
      /'thread' or 'process'/,
    );
    expect(() => handler({}, {})).toThrow(/must set isolate/);
  });
});
