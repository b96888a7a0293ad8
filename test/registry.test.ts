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
    [tool('a', { permission: 5 as never }), 'permission must be the name of a level'],
    [tool('a', { permission: '' }), 'permission must be the name of a level'],
    [tool('a', { tags: 'polling' as never }), 'tags must be a list of words'],
    [tool('a', { tags: [1] as never }), 'tags must be a list of words'],
    [tool('a', { source: 1 as never }), 'source must be a name'],
    [tool('a', { output: 'text' as never }), 'output must be a JSON Schema object'],
    [tool('a', { locks: [] as never }), 'locks must be a function'],
    [tool('a', { preview: 'diff' as never }), 'preview must be a function'],
    [tool('a', { annotations: 'readOnly' as never }), 'annotations must be an object of hints'],
    [tool('a', { annotations: { readOnly: 'yes' as never } }), 'annotations.readOnly must be true or false; it is yes'],
    [tool('a', { annotations: { title: 5 as never } }), 'annotations.title must be a text; it is 5'],
    [tool('a', { paths: ['path'] as never }), "paths must name 'read' or 'write' for each argument"],
    [tool('a', { paths: { path: 'reads' as never } }), "must be 'read' or 'write'; it is reads. Did you mean read?"],
    [tool('a', { urls: 'page' as never }), 'urls must be a list of property names'],
    [tool('a', { urls: { page: true } as never }), 'urls must be a list of property names'],
    [tool('a', { commands: [5] as never }), 'commands must be a list of property names'],
    [tool('a', { commands: 'line' as never }), "commands must name 'shell' or 'python' for each argument"],
    [tool('a', { commands: { line: 'bash' as never } }), "must be 'shell' or 'python'; it is bash"],
    [tool('a', { isolate: 'worker' as never }), "isolate must be 'thread' or 'process'; it is worker"],
  ])('%o', (value, message) => {
    expect(() => createRegistry().add(value as Tool)).toThrow(message);
    expect(() => defineTool(value as never)).toThrow(value === null || value === 'echo' ? TypeError : message);
  });

  test.each([
    ['reads', 'read'],
    ['Read', 'read'],
    ['readonly', 'read'],
    ['wirte', 'write'],
    ['exec', 'execute'],
    ['excute', 'execute'],
    ['net', 'network'],
    ['danger', 'dangerous'],
  ])('a level %s, which would silently be none, since %s was meant', (permission, meant) => {
    expect(() => createRegistry([tool('a', { permission })])).toThrow(`"${permission}" is too much like ${meant}`);
    expect(() => defineTool(tool('a', { permission }) as never)).toThrow(`(did you mean ${meant}?)`);
    const rule = { decision: 'allow', level: permission } as const;
    expect(() => createRouter({ tools: [], rules: [rule] })).toThrow(`Rule 0: level "${permission}"`);
    const modes = { mine: { default: 'ask', [permission]: 'allow' } } as const;
    expect(() => createRouter({ tools: [], modes })).toThrow(`Mode "mine": "${permission}"`);
  });

  test.each(['read', 'dangerous', 'billing', 'send', 'wire', 'none', 'read:billing', 'reader_2', 'net.internal'])(
    'and no level of their own, such as %s',
    (permission) => {
      expect(createRegistry([tool('a', { permission })]).list({ level: permission })).toHaveLength(1);
      expect(() => createRouter({ tools: [], rules: [{ decision: 'deny', level: permission }] })).not.toThrow();
    },
  );

  test.each([
    ['readOnlyHint', 'readOnly'],
    ['readonly', 'readOnly'],
    ['idempotant', 'idempotent'],
  ])('an annotation %s, since %s was meant', (hint, meant) => {
    const made = tool('a', { annotations: { [hint]: true } });
    expect(() => createRegistry([made])).toThrow(`Tool "a": "${hint}" is none of the annotations.`);
    expect(() => createRegistry([made])).toThrow(`Did you mean ${meant}?`);
  });

  test.each([
    ['path', { path: 'read' }, 'paths'],
    ['url', ['page'], 'urls'],
    ['command', ['line'], 'commands'],
    ['permissions', 'read', 'permission'],
    ['Timeout', 5, 'timeout'],
    ['lock', () => [], 'locks'],
  ])('a member %s, which would declare nothing', (member, value, meant) => {
    const made = { ...tool('a'), [member]: value };
    expect(() => createRegistry([made])).toThrow(`Tool "a" declares "${member}", which no tool has.`);
    expect(() => createRegistry([made])).toThrow(`Did you mean ${meant}?`);
    expect(() => defineTool(made)).toThrow(`Tool "a" declares "${member}", which no tool has.`);
  });

  test('a definition with any member that no tool has; what a tool has of its own beside that may stay', () => {
    const made = { ...tool('a'), level: 'read', outputSchema: {} };
    expect(() => defineTool(made)).toThrow('Tool "a" declares "level", which no tool has. Its members are: name,');
    const { level, outputSchema, ...rest } = made;
    expect(createRegistry([{ ...rest, level, outputSchema } as Tool]).get('a')).toMatchObject({ level, outputSchema });
  });

  test('nothing of a class: what its instances have beside is their own affair', () => {
    class Reader implements Tool {
      readonly name = 'reader';
      readonly description = 'Reads.';
      readonly parameters = { type: 'object' } as const;
      readonly path = '/srv';
      readonly url = 'http://localhost';
      handler(): string {
        return this.path;
      }
    }
    expect(createRegistry([new Reader()]).size).toBe(1);
    expect(createRegistry([defineTool(new Reader())]).size).toBe(1);
    expect(createRegistry().add(new Reader(), { source: 'x' }).names().next().value).toBe('x.reader');
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

describe('a declared place that no call can have', () => {
  const parameters = {
    type: 'object',
    properties: {
      path: { type: 'string' },
      paths: { type: 'array', items: { type: 'string' } },
      count: { type: 'integer' },
      edits: { type: 'array', items: { type: 'object', properties: { file: { type: 'string' } } } },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
      target: { type: ['object', 'null'], properties: { file: { type: ['string', 'null'] } } },
      either: { oneOf: [{ type: 'string' }, { type: 'array' }] },
      named: { $ref: '#/$defs/file' },
      open: { type: 'object', properties: { a: {} }, patternProperties: { '^x-': { type: 'string' } } },
      any: {},
    },
    $defs: { file: { type: 'object', properties: { file: { type: 'string' } } } },
  } as const;
  const declaring = (declared: Partial<Tool>): Tool => tool('a', { parameters, ...declared } as Partial<Tool>);

  test.each([
    ['paths', 'no text at /paths; for each of its items write /paths/*'],
    ['count', 'no text at /count'],
    ['edits', 'no text at /edits; for each of its items write /edits/*'],
    ['target', 'no text at /target'],
    ['/path/*', 'no list at /path'],
    ['/path/file', 'no object at /path'],
    ['/edits/file', 'no object at /edits; for each of its items write /edits/*'],
    ['/edits/*', 'no text at /edits/*'],
    ['/edits/*/fiel', 'no such property at /edits/*. They are: file. Did you mean file?'],
    ['/target/0', 'no such property at /target. They are: file.'],
    ['/paths/0/file', 'no object at /paths/0'],
    ['pahts', 'no such property. They are: path, paths,'],
  ])('is refused: %s', (place, problem) => {
    const message = `Tool "a" declares the path argument "${place}", but its parameters have ${problem}`;
    expect(() => createRegistry([declaring({ paths: { [place]: 'read' } })])).toThrow(message);
    expect(() => defineTool(declaring({ paths: { [place]: 'read' } }))).toThrow(message);
    expect(() => defineTool(declaring({ urls: [place] }))).toThrow(message.replace('path argument', 'URL argument'));
  });

  test('of a tool from elsewhere it is noted, as what a server writes into its schema is not all that it takes', async () => {
    const registry = createRegistry().add(declaring({ paths: { '/path/*': 'read' } }), { source: 's' });
    const problem = 'Tool "s.a" declares the path argument "/path/*", but its parameters have no list at /path.';
    expect(await registry.verify({ notes: true })).toEqual([{ tool: 's.a', problem, kind: 'note' }]);
    expect(await registry.verify()).toEqual([]);
  });

  test.each([
    ...['path', '/path', '/paths/*', '/paths/0', '/edits/*/file', '/pair/0', '/pair/*', '/target/file', 'either'],
    ...['/either/*', '/named/file', '/named/other', '/open/x-file', '/any/0/x', 'any'],
  ])('and one that the schema has or leaves open is not: %s', (place) => {
    expect(() => createRegistry([declaring({ paths: { [place]: 'read' } })])).not.toThrow();
    expect(() => defineTool(declaring({ commands: [place] }))).not.toThrow();
  });

  test('a list may be a command', () => {
    expect(() => defineTool(declaring({ commands: ['paths'] }))).not.toThrow();
    expect(() => defineTool(declaring({ commands: ['count'] }))).toThrow('command argument "count"');
  });

  test('nor one below what a schema library makes of the arguments', () => {
    const library = {
      '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) },
    } as const;
    const define = (place: string) => () =>
      defineTool({
        ...tool('a'),
        parameters: library,
        jsonSchema: parameters,
        paths: { [place]: 'read' },
      } as never);
    expect(define('/path/*')).not.toThrow();
    expect(define('paths')).not.toThrow();
    expect(define('pahts')).toThrow('no such property');
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
