import { describe, expect, test } from 'vitest';
import { defineTool } from '../src/define-tool.ts';
import { createRegistry } from '../src/registry.ts';
import { createRouter } from '../src/router.ts';
import type { Tool } from '../src/tool.ts';

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  parameters: { type: 'object' },
  handler: () => name,
  ...more,
});

test.each([tool('a'), { a: tool('a') }, null, 7])('%j is no list of tools', (tools) => {
  expect(() => createRouter({ tools: tools as never })).toThrow('Tools are given as a list: [tool, ...].');
});

describe('names', () => {
  test.each(['a', 'search_notes', 'fs.read', 'a/b', 'A-1', '9lives', '_x', 'x'.repeat(128)])('%s is a name', (name) => {
    expect(createRegistry([tool(name)]).get(name)?.name).toBe(name);
  });

  test.each(['', ' ', 'a b', '.a', '-a', '/a', 'é', 'a\u200b', 'a\u0000', 'x'.repeat(129), undefined, null, 7, {}])(
    '%j is none',
    (name) => {
      expect(() => createRegistry([tool(name as string)])).toThrow('is no tool name');
    },
  );

  test.each(['__proto__', 'constructor', 'toString'])('%s finds nothing unless it was registered', (name) => {
    const registry = createRegistry();
    expect(registry.get(name)).toBeUndefined();
    expect(registry.has(name)).toBe(false);
  });
});

describe('what is not a tool is refused with what is missing', () => {
  test.each<[unknown, string]>([
    [null, 'must be an object'],
    ['echo', 'must be an object'],
    [tool('a', { handler: undefined as never }), 'needs a handler'],
    [tool('a', { description: undefined as never }), 'needs a description'],
    [tool('a', { parameters: undefined as never }), 'needs parameters'],
    [tool('a', { parameters: [] as never }), 'needs parameters'],
    [tool('a', { timeout: 0 }), 'milliseconds above 0'],
  ])('%o', (value, message) => {
    expect(() => createRegistry().add(value as Tool)).toThrow(message);
  });
});

describe('adding', () => {
  test('a list with two tools of one name is refused, as one of them would be lost; the same tool twice is not', () => {
    const [one, other] = [tool('a'), tool('a')];
    expect(() => createRegistry([one, tool('b'), other])).toThrow('Two tools have the name "a"');
    expect(createRegistry([one, one]).list()).toEqual([one]);
  });

  test('a name that is there already takes the newer tool, so that a test can put a stub there', () => {
    const registry = createRegistry([tool('a'), tool('b')]);
    const stub = tool('a', { handler: () => 'stub' });
    registry.add(stub);
    expect(registry.get('a')).toBe(stub);
    expect(registry.size).toBe(2);
    expect(registry.list().map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('a tool from elsewhere carries its source in its name, and shadows nobody', () => {
    const registry = createRegistry([tool('fs.read')]);
    expect(() => registry.add(tool('read'), { source: 'fs' })).toThrow('would shadow');
    registry.add(tool('write'), { source: 'fs' });
    expect(registry.get('fs.write')).toMatchObject({ name: 'fs.write', source: 'fs' });
    expect(registry.get('write')).toBeUndefined();
    // The same source may bring its tool again, as after a reconnection.
    registry.add(tool('write'), { source: 'fs' });
    expect(() => registry.add(tool('s.write', { source: 'x' }))).not.toThrow();
    expect(() => registry.add(tool('fs.write', { source: 'x' }))).toThrow('would shadow');
  });

  test('the version grows with every change', () => {
    const registry = createRegistry([tool('a')]);
    const before = registry.version;
    registry.add(tool('b'));
    expect(registry.version).toBeGreaterThan(before);
    const then = registry.version;
    expect(registry.remove('nobody')).toBe(false);
    expect(registry.version).toBe(then);
    expect(registry.remove('b')).toBe(true);
    expect(registry.version).toBeGreaterThan(then);
  });

  test('lists by tag, level and source', () => {
    const registry = createRegistry([tool('a', { tags: ['x'] }), tool('b', { permission: 'read' })]);
    registry.add(tool('c'), { source: 's' });
    expect(registry.list({ tag: 'x' }).map(({ name }) => name)).toEqual(['a']);
    expect(registry.list({ level: 'read' }).map(({ name }) => name)).toEqual(['b']);
    expect(registry.list({ source: 's' }).map(({ name }) => name)).toEqual(['s.c']);
    expect(registry.list({ source: undefined }).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('a hundred thousand tools are registered without compiling a schema', () => {
    // A schema that cannot be compiled shows that nobody tried.
    const registry = createRegistry();
    const parameters = { type: 'object', properties: { a: { $ref: 'http://example.com/none' } } } as const;
    for (let index = 0; index < 100_000; index++) registry.add(tool(`t${index}`, { parameters }));
    expect(registry.size).toBe(100_000);
    expect(registry.get('t99999')?.name).toBe('t99999');
  });

  test('verify compiles everything and says what is wrong, tool by tool', async () => {
    const registry = createRegistry([
      tool('good'),
      tool('bad', { parameters: { type: 'object', properties: 5 as never } }),
    ]);
    expect((await registry.verify()).filter((found) => found.tool === 'bad')).toHaveLength(1);
    expect((await createRegistry([tool('good')]).verify()).length).toBe(0);
  });
});

describe('defineTool', () => {
  test('keeps nothing of the definition that could be changed later', () => {
    const definition = { ...tool('a'), tags: ['x'] };
    const made = defineTool(definition as never) as Tool;
    definition.name = 'changed';
    expect(made.name).toBe('a');
    expect(Object.isFrozen(made)).toBe(true);
  });

  test('refuses a path declaration that names no argument, since it would guard nothing', () => {
    const parameters = { type: 'object', properties: { path: { type: 'string' } } } as const;
    const define = (paths: object) => () =>
      defineTool({ name: 'a', description: '', parameters, paths: paths as never, handler: () => 1 });
    expect(define({ file: 'read' })).toThrow('no such property');
    expect(define({ path: 'readwrite' })).toThrow("must be 'read' or 'write'");
    expect(define({ path: 'read' })).not.toThrow();
    expect(define({ '/path': 'read' })).not.toThrow();
  });

  test('takes escapes for such in a pointer only, as the guards do', () => {
    const parameters = { type: 'object', properties: { 'a/b': { type: 'string' } } } as const;
    const define = (argument: string) => () =>
      defineTool({ name: 'a', description: '', parameters, paths: { [argument]: 'read' }, handler: () => 1 });
    expect(define('a~1b')).toThrow('no such property');
    expect(define('/a~1b')).not.toThrow();
    expect(define('a/b')).not.toThrow();
  });
});

describe('what a model is offered', () => {
  const tools = [
    tool('reads', { permission: 'read', tags: ['notes'] }),
    tool('writes', { permission: 'write' }),
    tool('runs', { permission: 'execute' }),
  ];
  const names = async (router: ReturnType<typeof createRouter>, options = {}) =>
    (await router.schemas('anthropic', options)).map(({ name }) => name);

  test('not what the mode denies outright, nor what a rule always denies', async () => {
    expect(await names(createRouter({ tools, mode: 'plan' }))).toEqual(['reads']);
    expect(await names(createRouter({ tools, mode: 'ask' }))).toEqual(['reads', 'writes', 'runs']);
    expect(await names(createRouter({ tools, rules: [{ decision: 'deny', tool: 'runs' }] }))).toEqual([
      'reads',
      'writes',
    ]);
    const sometimes = [{ decision: 'deny', tool: 'writes', arguments: { to: 'x' } }] as const;
    expect(await names(createRouter({ tools, mode: 'plan', rules: sometimes }))).toEqual(['reads']);
    expect(await names(createRouter({ tools, rules: sometimes }))).toEqual(['reads', 'writes', 'runs']);
    const asks = [{ decision: 'ask', tool: 'writes' }] as const;
    expect(await names(createRouter({ tools, mode: 'plan', rules: asks }))).toEqual(['reads', 'writes']);
    expect(await names(createRouter({ tools, allowed: ['runs'] }))).toEqual(['runs']);
  });

  test('filtered by tag, level and another mode', async () => {
    const router = createRouter({ tools });
    expect(await names(router, { tag: 'notes' })).toEqual(['reads']);
    expect(await names(router, { level: 'write' })).toEqual(['writes']);
    expect(await names(router, { mode: 'plan' })).toEqual(['reads']);
  });

  test('is kept until the tools change', async () => {
    const router = createRouter({ tools });
    const first = await router.schemas('openai');
    expect(await router.schemas('openai')).toBe(first);
    expect(() => first.push(first[0] as never)).toThrow(TypeError);
    router.registry.add(tool('new', { permission: 'read' }));
    const second = await router.schemas('openai');
    expect(second).not.toBe(first);
    expect(second).toHaveLength(4);
  });

  test('says what a provider could not be told', async () => {
    const narrow = tool('narrow', {
      permission: 'read',
      parameters: { type: 'object', properties: { n: { not: { const: 1 } } } },
    });
    const [report] = await createRouter({ tools: [narrow] }).report('openai', { strict: true });
    expect(report).toMatchObject({ tool: 'narrow', alias: 'narrow' });
    await expect(createRouter({ tools }).schemas('nobody' as never)).rejects.toThrow('nobody');
  });
});
