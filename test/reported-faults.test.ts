// Faults that users of other tool routers have reported, each as a test of its whole kind, through the default chain.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouter, defineTool, type JsonSchemaObject, type Tool, toModelText } from 'callgate';
import { afterAll, describe, expect, test, vi } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'callgate-faults-'));
afterAll(() => rmSync(folder, { recursive: true }));

function tool(
  name: string,
  parameters: JsonSchemaObject,
  handler: (args: never, ctx: never) => unknown = (args) => args,
): Tool {
  return { name, description: name, parameters, permission: 'read', handler: handler as Tool['handler'] };
}

const open = { type: 'object', properties: {} } as const;

describe('arguments', () => {
  test.each([[''], [' \n'], ['{}'], [undefined], [null], ['null'], [{}]])(
    '%j is no argument at all: {}',
    async (args) => {
      const router = createRouter({ tools: [tool('get_time', open)] });
      expect(await router.call({ name: 'get_time', arguments: args })).toMatchObject({ ok: true, data: {} });
    },
  );

  test('nothing, where something is required, names what is missing and not a syntax error', async () => {
    const needs = tool('greet', { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] });
    const result = await createRouter({ tools: [needs] }).call({ name: 'greet', arguments: '' });
    expect(result).toMatchObject({
      ok: false,
      code: 'invalid_arguments',
      error: expect.stringContaining('/who is required'),
    });
  });

  test.each(['5', '"text"', '[]', '[1]', 'true', 5, true, ['x']])(
    '%j is not an object, and the handler does not run',
    async (args) => {
      let ran = false;
      const router = createRouter({
        tools: [
          tool('profile', open, () => {
            ran = true;
          }),
        ],
      });
      const result = await router.call({ name: 'profile', arguments: args });
      expect(result).toMatchObject({
        ok: false,
        code: 'invalid_arguments',
        error: expect.stringContaining('must be an object'),
      });
      expect(ran).toBe(false);
    },
  );

  test.each([
    ['a trailing comma', '{"a": 1,}'],
    ['cut off in a text', '{"path":"SKILL.md","content":"# Tit'],
    ['cut off after a value', '{"path":"SKILL.md"'],
    ['a key twice', '{"path":"ok","path":"/etc/passwd"}'],
    ['a fence around it', '```json\n{"a": 1}\n```'],
  ])('%s is refused, and never becomes less or nothing', async (_, args) => {
    let ran = false;
    const router = createRouter({
      tools: [
        tool('write', open, () => {
          ran = true;
        }),
      ],
    });
    expect(await router.call({ name: 'write', arguments: args })).toMatchObject({
      ok: false,
      code: 'invalid_json',
      effect: 'none',
    });
    expect(ran).toBe(false);
  });

  test('arguments that were encoded twice are told apart from other text', async () => {
    const result = await createRouter({ tools: [tool('t', open)] }).call({
      name: 't',
      arguments: JSON.stringify('{"a":1}'),
    });
    expect(result).toMatchObject({ code: 'invalid_arguments', error: expect.stringContaining('twice') });
  });

  test('five megabytes, and twenty thousand levels, are answered quickly and without running anything', async () => {
    const router = createRouter({ tools: [tool('t', open)] });
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    expect(await router.call({ name: 't', arguments: `{"a":"${'x'.repeat(5_000_000)}"}` })).toMatchObject({
      code: 'invalid_json',
    });
    expect(await router.call({ name: 't', arguments: `{"a":${deep}}` })).toMatchObject({ code: 'invalid_json' });
    let value: unknown = 1;
    for (let level = 0; level < 20_000; level++) value = { value };
    expect(await router.call({ name: 't', arguments: value })).toMatchObject({ ok: false, effect: 'none' });
  });

  test('__proto__ and constructor change no prototype, and are refused by name', async () => {
    const request = tool('http_request', {
      type: 'object',
      properties: { url: { type: 'string' }, body: { type: 'object' } },
    });
    const text =
      '{"url":"http://127.0.0.1/","body":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}}';
    const result = await createRouter({ tools: [request] }).call({ name: 'http_request', arguments: text });
    expect(result).toMatchObject({ ok: false, error: expect.stringMatching(/__proto__|constructor/) });
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test('text is not turned into numbers, nor numbers into text, and one answer names every place', async () => {
    const read = tool('read_document', {
      type: 'object',
      properties: {
        path: { type: 'string' },
        maxBytes: { type: 'integer' },
        from: { type: 'integer' },
        to: { type: 'integer' },
      },
      required: ['path'],
    });
    const router = createRouter({ tools: [read] });
    const result = await router.call({
      name: 'read_document',
      arguments: { path: 'c.pdf', maxBytes: '200000', from: '4', to: '12' },
    });
    expect(result.error).toMatch(/\/maxBytes must be integer.*\/from must be integer.*\/to must be integer/);
  });

  test('an object that arrives as text under oneOf gives one readable fault', async () => {
    const kind = (name: string, other: string) => ({
      type: 'object' as const,
      properties: { kind: { const: name }, [other]: { type: 'string' as const } },
      required: ['kind', other],
    });
    const configure = tool('configure', {
      type: 'object',
      properties: { target: { oneOf: [kind('agent', 'name'), kind('team', 'id')] } },
      required: ['target'],
    });
    const result = await createRouter({ tools: [configure] }).call({
      name: 'configure',
      arguments: { target: '{"kind":"agent"}' },
    });
    expect(result).toMatchObject({ code: 'invalid_arguments' });
    expect(result.error?.match(/\/target/g)).toHaveLength(1);
  });
});

describe('names and ids', () => {
  test('a wrapper that leaked out of a provider is an unknown tool', async () => {
    const router = createRouter({ tools: [tool('read_file', open)] });
    const result = await router.call({ name: 'multi_tool_use.parallel', arguments: '{"tool_uses":[]}' });
    expect(result).toMatchObject({ code: 'unknown_tool', error: expect.stringContaining('read_file') });
  });

  test('a name without its prefix is not run on a guess, and the candidates are listed', async () => {
    const names = ['QuickJS_execute_javascript', 'Deno_execute_javascript', 'fetch-fetch'];
    const router = createRouter({ tools: names.map((name) => tool(name, open)) });
    const both = await router.call({ name: 'execute_javascript', arguments: '{}' });
    expect(both.error).toMatch(/QuickJS_execute_javascript or Deno_execute_javascript/);
    expect((await router.call({ name: 'fetch', arguments: '{}' })).error).toContain('Did you mean fetch-fetch?');
  });
});

describe('results', () => {
  test.each<[string, () => unknown, unknown]>([
    ['nothing', () => undefined, null],
    ['a BigInt', () => 12n, '12'],
    ['NaN', () => Number.NaN, expect.anything()],
    ['a Map', () => new Map([['a', 1]]), { a: 1 }],
    ['a Set', () => new Set([1, 2]), [1, 2]],
    ['a Date', () => new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an Error', () => new TypeError('odd'), expect.objectContaining({ message: 'odd' })],
    ['a Buffer', () => Buffer.from('hi'), expect.objectContaining({ type: 'binary' })],
  ])('%s has a form that JSON can carry', async (name, handler, data) => {
    const result = await createRouter({ tools: [tool('t', open, handler)] }).call({ name: 't' });
    if (name !== 'NaN') expect(result).toMatchObject({ ok: true, data });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    expect(typeof toModelText(result)).toBe('string');
  });

  test('a result that contains itself is answered all the same', async () => {
    const handler = () => {
      const loop: Record<string, unknown> = { x: 1 };
      loop.self = loop;
      return loop;
    };
    const result = await createRouter({ tools: [tool('t', open, handler)] }).call({ name: 't' });
    expect(result).toMatchObject({ ok: true, data: { x: 1, self: '[Circular]' } });
  });
});

describe('a tool that works on after its deadline', () => {
  test('is told to stop at that moment, and writes nothing later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime'] });
    const late = join(folder, 'late.txt');
    const works: Tool = {
      ...tool('works', open),
      timeout: 50,
      handler: async (_, { signal }) => {
        for (let step = 0; step < 20; step++) {
          if (signal.aborted) return;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        const { writeFileSync } = await import('node:fs');
        writeFileSync(late, 'x');
      },
    };
    const answer = createRouter({ tools: [works] }).call({ name: 'works' });
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(60);
    expect(await answer).toMatchObject({ ok: false, code: 'timeout', effect: 'unknown' });
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    expect(existsSync(late)).toBe(false);
  });
});

describe('an approval is for what was shown', () => {
  test('changing the call, or what the approver was given, changes nothing that runs', async () => {
    const call = { id: 'c1', name: 'record', arguments: { message: 'reviewed' } };
    const record: Tool = {
      ...tool('record', { type: 'object', properties: { message: { type: 'string' } } }),
      permission: 'write',
    };
    const router = createRouter({
      tools: [record],
      approve: async ({ arguments: shown }) => {
        call.arguments.message = 'changed by the caller';
        try {
          Object.assign(shown as object, { message: 'changed by the approver' });
        } catch {
          // Frozen, as it should be.
        }
        return true;
      },
    });
    expect(await router.call(call)).toMatchObject({ ok: true, data: { message: 'reviewed' } });
  });

  test('the same id with other arguments is asked about again', async () => {
    const asked: unknown[] = [];
    const record: Tool = { ...tool('record', open), permission: 'write' };
    const router = createRouter({
      tools: [record],
      approve: async ({ arguments: args }) => {
        asked.push(args);
        return true;
      },
    });
    await router.call({ id: 'c', name: 'record', arguments: { n: 1 } });
    await router.call({ id: 'c', name: 'record', arguments: { n: 2 } });
    expect(asked).toEqual([{ n: 1 }, { n: 2 }]);
  });
});

describe('definitions', () => {
  test('a tool, its schema and its annotations are the same after it was used', async () => {
    const definition = {
      name: 't',
      description: 'd',
      parameters: { type: 'object', properties: { n: { type: 'integer', default: 5 } } },
      permission: 'read',
      handler: (args: unknown) => args,
    } as const;
    const before = JSON.stringify(definition);
    const router = createRouter({ tools: [definition, defineTool({ ...definition, name: 'u' })] });
    expect(await router.call({ name: 't' })).toMatchObject({ data: { n: 5 } });
    await router.schemas('openai', { strict: true });
    expect(JSON.stringify(definition)).toBe(before);
  });
});
