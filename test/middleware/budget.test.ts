import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type BudgetOptions, budget } from '../../middleware/budget.ts';
import type { FetchInit, FetchResponse, ScopedFetch } from '../../src/capabilities/net/types.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import { ToolError } from '../../src/errors.ts';
import { Allowance, payingFetch } from '../../src/policy/spending.ts';
import { createRouter } from '../../src/router.ts';
import type { Tool } from '../../src/tool.ts';
import { repeatable, withTraits } from '../../src/traits.ts';
import type { Stage } from '../../src/types.ts';

const root = mkdtempSync(join(tmpdir(), 'callgate-budget-'));
afterAll(() => rmSync(root, { recursive: true }));

const tool = (name: string): Tool =>
  defineTool({
    name,
    description: name,
    parameters: { type: 'object' },
    permission: 'read',
    handler: () => name,
  });
const save: Tool = defineTool({
  name: 'save',
  description: 'Saves a text in pieces.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      texts: { type: 'array', items: { type: 'string' } },
      how: { enum: ['text', 'open'] },
    },
    required: ['path', 'texts'],
  },
  permission: 'write',
  paths: { path: 'write' },
  async handler({ path, texts, how }, { fs }) {
    const all = texts as string[];
    if (how !== 'open') {
      for (const text of all) await fs.writeText(path as string, text);
      return 'saved';
    }
    const file = await fs.open(path as string, 'replace');
    for (const text of all) await file.write(Buffer.from(text));
    await file.close();
    return 'saved';
  },
});

function routerWith(options: BudgetOptions) {
  const pipeline = defaultPipeline({ roots: [root] }).after('permission', 'budget', budget(options));
  return createRouter({ tools: [tool('a'), tool('b'), save], mode: 'trusted', pipeline });
}

describe('budget', () => {
  test('ends the calls of a run when they are used up, of that run only', async () => {
    const router = routerWith({ calls: 2 });
    const call = (name: string, id = 'one') => router.call({ name }, { run: { id } });
    expect(await call('a')).toMatchObject({ ok: true });
    expect(await call('b')).toMatchObject({ ok: true });
    expect(await call('a')).toMatchObject({
      code: 'budget_exceeded',
      retryable: false,
      effect: 'none',
      error:
        'This run has used up its budget of 2 calls. Finish with what you have, and tell the user what is left to do.',
      details: { reason: 'calls', limit: 2 },
    });
    expect(await call('a', 'two')).toMatchObject({ ok: true });
  });

  test('counts by the principal as well, since two of them may have runs of one id', async () => {
    const router = routerWith({ calls: 1 });
    const call = (principal?: string) =>
      router.call({ name: 'a' }, { run: { id: 'one', ...(principal !== undefined && { principal }) } });
    for (const principal of ['ada', 'bob', undefined]) expect(await call(principal)).toMatchObject({ ok: true });
    for (const principal of ['ada', 'bob', undefined])
      expect(await call(principal)).toMatchObject({ code: 'budget_exceeded' });
  });

  test('counts single tools by their names', async () => {
    const router = routerWith({ perTool: { a: 1, b: 0 } });
    const codes = [];
    for (const name of ['a', 'a', 'b', 'save'])
      codes.push(((await router.call({ name, arguments: {} })) as { code?: string }).code);
    expect(codes).toEqual([undefined, 'budget_exceeded', 'budget_exceeded', 'invalid_arguments']);
  });

  test('counts no call that permission stops, and each call once, whatever happens at the same time', async () => {
    const rules = [{ decision: 'deny' as const, tool: 'b' }];
    const pipeline = defaultPipeline({ rules }).after('permission', 'budget', budget({ calls: 3 }));
    const router = createRouter({ tools: [tool('a'), tool('b')], pipeline });
    const results = await router.callAll(['b', 'b', 'a', 'a', 'a', 'a', 'b'].map((name) => ({ name })));
    const outcomes = results.map((result) => (result.ok ? 'ok' : result.code));
    expect(outcomes).toEqual(['denied', 'denied', 'ok', 'ok', 'ok', 'budget_exceeded', 'denied']);
  });

  test.each(['text', 'open'])('pays for every byte before it is written: %s', async (how) => {
    const router = routerWith({ bytesWritten: 10 });
    const write = (...texts: string[]) => router.call({ name: 'save', arguments: { path: 'f', texts, how } });
    expect(await write('äb')).toMatchObject({ ok: true });
    expect(await write('1234', '12345')).toMatchObject({
      code: 'budget_exceeded',
      details: { reason: 'bytes written' },
    });
    expect(readFileSync(join(root, 'f'), 'utf8')).toBe(how === 'text' ? '1234' : 'äb');
    expect(await write('123')).toMatchObject({ ok: true });
    expect(await write('1')).toMatchObject({ code: 'budget_exceeded' });
    expect(await write('')).toMatchObject({ ok: true });
  });

  test.each<[string, () => unknown, RegExp]>([
    [
      'before the path guard',
      () => defaultPipeline({ roots: [root] }).before('pathGuard', 'budget', budget({ bytesWritten: 1 })),
      /needs "fs"/,
    ],
    [
      'without roots, for bytes',
      () => defaultPipeline().after('permission', 'budget', budget({ bytesWritten: 1 })),
      /needs "fs"/,
    ],
    [
      'before what rewrites arguments',
      () => defaultPipeline({ roots: [root] }).before('pathGuard', 'budget', budget({ calls: 1 })),
      /rewrites arguments/,
    ],
    [
      'before lookup',
      () => defaultPipeline().before('lookup', 'budget', budget({ calls: 1 }) as never),
      /needs "tool"/,
    ],
    [
      'inside a retry',
      () => {
        const retry: Stage = repeatable((_, next) => next());
        return defaultPipeline().after('permission', 'budget', budget({})).after('validate', 'retry', retry);
      },
      /must stand after the guard/,
    ],
    [
      'inside a cache',
      () => {
        const cache: Stage = withTraits((_, next) => next(), { stores: true });
        return defaultPipeline().after('permission', 'budget', budget({})).before('budget', 'cache', cache);
      },
      /must stand after the guard "budget"/,
    ],
    [
      'as something to be left out',
      () =>
        defaultPipeline()
          .after('permission', 'budget', budget({}))
          .without('budget' as never),
      /guard/,
    ],
  ])('is refused %s', (_, build, message) => {
    expect(build).toThrow(message);
  });

  test.each<[object, RegExp]>([
    [{ calls: -1 }, /"calls" must be a whole number/],
    [{ bytesWritten: 1.5 }, /"bytesWritten"/],
    [{ bytesFetched: Number.NaN }, /"bytesFetched"/],
    [{ perTool: { a: '3' } }, /"a" must be/],
    [{ perTool: 5 }, /perTool/],
    [{ call: 1 }, /no option "call"/],
  ])('misuse is refused: %j', (options, message) => {
    expect(() => budget(options as BudgetOptions)).toThrow(message);
  });

  test('forgets the run that was used longest ago among very many', async () => {
    const stage = budget({ calls: 1 }) as unknown as (ctx: object, next: () => unknown) => unknown;
    const call = (id: string) =>
      stage(
        { tool: { name: 'a' }, args: {}, run: { id }, fail: (code: string) => ({ code, call_id: '' }) },
        () => 'ran',
      );
    expect([call('first'), call('first')]).toEqual(['ran', { code: 'budget_exceeded', call_id: '' }]);
    for (let n = 0; n < 10_000; n++) call(`run ${n}`);
    expect(call('first')).toBe('ran');
    expect(call('run 9999')).toMatchObject({ code: 'budget_exceeded' });
  });
});

describe('fetching that is paid for', () => {
  /** A network whose answers are as long as the number in their URL. */
  const net = (asked: FetchInit[] = [], lent: unknown[] = []): ScopedFetch => {
    const fetch = async (url: string, init: FetchInit = {}): Promise<FetchResponse> => {
      asked.push(init);
      const size = Number(url);
      const cap = Math.min(init.maxBytes ?? 100, 100);
      if (size > cap) throw new ToolError('too large', { details: { reason: 'too-large', maxBytes: cap } });
      const bytes = new Uint8Array(size);
      return {
        status: 200,
        headers: {},
        url,
        type: '',
        truncated: false,
        bytes: async () => bytes,
        text: async () => '',
      };
    };
    const proxy = async (options: unknown): Promise<never> => lent.push(options) as never;
    return Object.assign(fetch, { proxy });
  };

  test('of a proxy, all that it may pass is paid for', async () => {
    const lent: unknown[] = [];
    const fetch = payingFetch(net([], lent), new Allowance(100, 'bytes fetched'));
    await fetch.proxy({ maxBytes: 30 });
    await fetch('20');
    await fetch.proxy();
    await expect(fetch.proxy({ maxBytes: 1 })).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect(lent).toEqual([{ maxBytes: 30 }, { maxBytes: 50 }]);
  });

  test('takes what has come, and asks for no more than what is left', async () => {
    const asked: FetchInit[] = [];
    const fetch = payingFetch(net(asked), new Allowance(10, 'bytes fetched'));
    await fetch('6');
    await expect(fetch('5')).rejects.toMatchObject({ code: 'budget_exceeded' });
    await fetch('4');
    await expect(fetch('0')).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect(asked.map(({ maxBytes }) => maxBytes)).toEqual([10, 4, 4]);
  });

  test('of answers at the same time, hands on none that is dearer than what is left', async () => {
    const fetch = payingFetch(net(), new Allowance(10, 'bytes fetched'));
    const outcomes = await Promise.allSettled([fetch('6'), fetch('6'), fetch('4')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('leaves other failures as they are, and a smaller limit of the tool’s own', async () => {
    const asked: FetchInit[] = [];
    const fetch = payingFetch(net(asked), new Allowance(1_000, 'bytes fetched'));
    await expect(fetch('200')).rejects.toMatchObject({ message: 'too large' });
    await expect(fetch('60', { maxBytes: 50 })).rejects.toMatchObject({ message: 'too large' });
    expect(asked[1]).toEqual({ maxBytes: 50 });
  });
});
