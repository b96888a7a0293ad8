import { describe, expect, test } from 'vitest';
import { createRegistry, createRouter, defineTool } from '../../../src/index.ts';
import {
  type GuardDeclaration,
  type McpLog,
  type McpServerConnection,
  type McpToolsOptions,
  mcpTools,
} from '../../../src/mcp/index.ts';
import type { Registry } from '../../../src/registry.ts';
import { listed, play } from './played-server.ts';

type More = Partial<McpToolsOptions>;

async function imported(
  tools: unknown[] | ((params: { readonly [name: string]: unknown }) => unknown),
  more: More = {},
): Promise<{ registry: Registry; connection: McpServerConnection; logs: McpLog[] }> {
  const registry = more.registry ?? createRegistry();
  const logs: McpLog[] = [];
  const { client } = await play({ tools });
  const connection = await mcpTools(client, { name: 'srv', onLog: (log) => logs.push(log), ...more, registry });
  return { registry, connection, logs };
}

describe('the tools of a server', () => {
  test('are registered under its name, with what it says of them', async () => {
    const { registry, connection } = await imported([
      listed('read_note', {
        title: 'Read a note',
        inputSchema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          type: 'object',
          properties: { id: { type: 'string' } },
          required: ['id'],
        },
        outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        annotations: { readOnlyHint: true, openWorldHint: false, idempotentHint: 'yes' },
      }),
    ]);
    const tool = registry.get('srv.read_note');
    expect(tool).toMatchObject({
      source: 'srv',
      description: 'Does read_note.',
      annotations: { title: 'Read a note', readOnly: true, openWorld: false },
      output: { required: ['text'] },
    });
    expect(tool?.parameters.$schema).toContain('draft-07');
    expect(tool?.annotations).not.toHaveProperty('idempotent');
    expect(connection).toMatchObject({
      name: 'srv',
      tools: ['srv.read_note'],
      skipped: [],
      status: 'connected',
      serverInfo: { name: 'played', version: '7' },
    });
  });

  test('have no permission level, whatever the server says of them', async () => {
    const { registry } = await imported([listed('a', { annotations: { readOnlyHint: true } })]);
    expect(registry.get('srv.a')?.permission).toBeUndefined();
    const router = createRouter({ registry, mode: 'auto' });
    expect(await router.call({ name: 'srv.a' })).toMatchObject({ ok: false, code: 'approval_required' });
  });

  test.each([
    [{ readOnlyHint: true }, 'read'],
    [{ readOnlyHint: true, openWorldHint: false }, 'read'],
    [{ readOnlyHint: true, openWorldHint: true }, 'network'],
    [{ readOnlyHint: false }, 'dangerous'],
    [{ readOnlyHint: false, destructiveHint: true }, 'dangerous'],
    [{ readOnlyHint: false, destructiveHint: true, openWorldHint: true }, 'dangerous'],
    [{ readOnlyHint: false, destructiveHint: false }, 'write'],
    [{ destructiveHint: false, openWorldHint: true }, 'network'],
    [{ readOnlyHint: 'true' }, undefined],
    [{ openWorldHint: false }, undefined],
    [undefined, undefined],
  ])('of a trusted server with the hints %j have the level %s', async (annotations, level) => {
    const { registry } = await imported([listed('a', { annotations })], { trustAnnotations: true });
    expect(registry.get('srv.a')?.permission).toBe(level);
  });

  test('get from guards what the host says of them, the last declaration counting', async () => {
    const { registry, logs } = await imported([listed('read'), listed('write'), listed('ping')], {
      guards: {
        'srv.*': { paths: { path: 'write' }, urls: ['url'], permission: 'write' },
        'srv.read': { paths: { path: 'read', '/more/*': 'read' }, commands: ['cmd'], permission: 'read' },
        'other.*': { paths: { path: 'read' } },
      },
    });
    expect(registry.get('srv.read')).toMatchObject({
      paths: { path: 'read', '/more/*': 'read' },
      urls: ['url'],
      commands: { cmd: 'shell' },
      permission: 'read',
    });
    expect(registry.get('srv.ping')).toMatchObject({ paths: { path: 'write' }, permission: 'write' });
    expect(logs.map(({ data }) => data)).toEqual(['No tool matches "other.*" of guards, which guards nothing.']);
  });

  test('that patterns of allow and deny mean and the server has not are told of', async () => {
    const { connection, logs } = await imported([listed('get_a'), listed('get_b')], {
      allow: ['get_*', 'gte_*'],
      deny: ['get_b', 'delete_*'],
    });
    expect(connection.tools).toEqual(['srv.get_a']);
    expect(logs.map(({ data }) => data)).toEqual([
      'No tool matches "gte_*" of allow. Did you mean get_a?',
      'No tool matches "delete_*" of deny, which leaves out nothing.',
    ]);
  });

  test.each<[what: string, more: More, said: string]>([
    ['allow', { allow: ['get_*', 'gte_b'] }, 'No tool matches "gte_b" of allow. Did you mean get_b?'],
    ['allow, in full', { allow: ['srv.gte_b'] }, 'No tool matches "srv.gte_b" of allow. Did you mean srv.get_b?'],
    ['deny', { deny: ['gte_b'] }, 'No tool matches "gte_b" of deny, which leaves out nothing. Did you mean get_b?'],
    [
      'deny, of another server',
      { deny: ['other.get_b'] },
      'No tool matches "other.get_b" of deny, which leaves out nothing. Did you mean get_b?',
    ],
    [
      'guards',
      { guards: { 'srv.get_b': {}, 'srv.gte_b': { permission: 'read' } } },
      'No tool matches "srv.gte_b" of guards, which guards nothing. Did you mean srv.get_b?',
    ],
    [
      'guards, without the namespace',
      { guards: { gte_b: { permission: 'read' } } },
      'No tool matches "gte_b" of guards, which guards nothing. Did you mean get_b?',
    ],
    [
      'all of them, in one message',
      { allow: ['get_*', 'x'], deny: ['y'], guards: { z: {} } },
      'No tool matches "z" of guards, which guards nothing. No tool matches "x" of allow. ' +
        'No tool matches "y" of deny, which leaves out nothing.',
    ],
  ])('have names, and one in %s that is none of them lets nothing in', async (_, more, said) => {
    const registry = createRegistry();
    const changes: unknown[] = [];
    const importing = imported([listed('get_a'), listed('get_b')], {
      ...more,
      registry,
      onChange: (change) => changes.push(change),
    });
    await expect(importing).rejects.toThrow(new TypeError(said));
    expect([registry.size, changes]).toEqual([0, []]);
  });

  test('are meant by their own names and by those with the namespace, in guards, allow and deny', async () => {
    const tools = ['get_a', 'get_b', 'set_a', 'set_b'].map((name) => listed(name));
    const guard: GuardDeclaration = { paths: { path: 'read' }, permission: 'read' };
    for (const guards of [
      { 'get_*': guard, set_a: guard },
      { 'srv.get_*': guard, 'srv.set_a': guard },
    ]) {
      for (const allow of [
        ['get_*', 'set_a'],
        ['srv.get_*', 'srv.set_a'],
      ]) {
        for (const deny of [['get_b'], ['srv.get_b'], ['srv.*_b']]) {
          const { registry, logs } = await imported(tools, { guards, allow, deny });
          expect(registry.list()).toMatchObject([
            { name: 'srv.get_a', ...guard },
            { name: 'srv.set_a', ...guard },
          ]);
          expect(logs).toEqual([]);
        }
      }
    }
  });

  test('get no guard that is for another namespace by a name that they give themselves', async () => {
    const { registry } = await imported([listed('read'), listed('srv.read'), listed('web.get')], {
      guards: { 'srv.read': { permission: 'read' }, 'web.*': { permission: 'read' } },
    });
    expect(registry.list().map(({ name, permission }) => [name, permission])).toEqual([
      ['srv.read', 'read'],
      ['srv.srv.read', undefined],
      ['srv.web.get', undefined],
    ]);
  });

  const text = { type: 'string' };
  const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
  const takes = (...names: string[]) => ({
    inputSchema: object(Object.fromEntries(names.map((name) => [name, text]))),
  });
  const edits = object({ file: text, text });
  const files = [
    ...[listed('read', takes('path')), listed('write', takes('path', 'text'))],
    ...[listed('any', { inputSchema: { type: 'object' } }), listed('none', takes())],
    listed('edit', {
      inputSchema: object({ edits: { type: 'array', items: edits }, names: { type: 'array', items: text } }),
    }),
    listed('either', { inputSchema: object({ id: text }, { anyOf: [object({ path: text }), object({ url: text })] }) }),
  ];

  test.each<[pattern: string, guard: GuardDeclaration, said: string]>([
    [
      'srv.r*',
      { paths: { pth: 'read' } },
      ': its parameters have no such property. They are: path. Did you mean path?',
    ],
    [
      'read',
      { paths: { 'pa/th': 'read' } },
      ': its parameters have no such property. They are: path. Did you mean path?',
    ],
    [
      'srv.read',
      { paths: { '/pth/*': 'read' } },
      ': its parameters have no such property. They are: path. Did you mean path?',
    ],
    ['srv.read', { urls: ['url'] }, ': its parameters have no such property. They are: path.'],
    [
      'srv.write',
      { commands: { txet: 'shell' } },
      ': its parameters have no such property. They are: path, text. Did you mean text?',
    ],
    [
      'srv.*r*t*',
      { paths: { patj: 'read' } },
      ': its parameters have no such property. They are: path, text. Did you mean path?',
    ],
    [
      'srv.edit',
      { paths: { '/edits/*/fil': 'write' } },
      ': its parameters have no such property at /edits/*. They are: file, text. Did you mean file?',
    ],
    [
      'srv.edit',
      { paths: { names: 'write' } },
      ': its parameters have no text at /names; for each of its items write /names/*.',
    ],
  ])('of which none that %s means can have what is declared (%j) are not let in', async (pattern, guard, said) => {
    const registry = createRegistry();
    const importing = imported(files, { registry, guards: { [pattern]: { ...guard, permission: 'read' } } });
    const [argument = ''] = [
      ...Object.keys({ ...guard.paths, ...(guard.commands as object | undefined) }),
      ...(guard.urls ?? []),
    ];
    const message = `No tool that "${pattern}" of guards matches has an argument "${argument}"${said}`;
    await expect(importing).rejects.toThrow(new TypeError(message));
    expect(registry.size).toBe(0);
  });

  test('of which some can have what is declared are fine, and so is what a schema leaves open', async () => {
    const guard = (argument: string): GuardDeclaration => ({ paths: { [argument]: 'read' } });
    const { registry, logs } = await imported(files, {
      guards: {
        'srv.*': { paths: { path: 'read', '/edits/*/file': 'write' } },
        any: guard('anything'),
        none: guard('file'),
        either: guard('url'),
      },
    });
    expect(logs).toEqual([]);
    expect(registry.get('srv.none')?.paths).toEqual({ path: 'read', '/edits/*/file': 'write', file: 'read' });
  });

  test('of which many can be meant are spoken of together', async () => {
    const importing = imported(files.slice(0, 2), { guards: { '*': { paths: { txt: 'read' } } } });
    await expect(importing).rejects.toThrow(
      new TypeError('No tool that "*" of guards matches has an argument "txt". Did you mean text?'),
    );
  });

  test('are taken or left by the names that the server gives them', async () => {
    const { connection } = await imported(
      ['get_a', 'get_b', 'set_a'].map((name) => listed(name)),
      { allow: ['get_*', 'set_a'], deny: ['*_b'] },
    );
    expect(connection.tools).toEqual(['srv.get_a', 'srv.set_a']);
    expect(connection.skipped).toEqual([{ name: 'get_b', reason: 'it is left out by allow or deny' }]);
  });

  test('leave the registry with the connection', async () => {
    const { registry, connection } = await imported([listed('a')]);
    await connection.close();
    await connection.close();
    expect(registry.size).toBe(0);
    expect(connection.status).toBe('closed');
  });

  test('are collected over all pages', async () => {
    const pages: { [cursor: string]: object } = {
      start: { tools: [listed('a')], nextCursor: 'x' },
      x: { tools: [listed('b')], nextCursor: '' },
      '': { tools: [listed('c')] },
    };
    const { connection } = await imported(({ cursor = 'start' }) => pages[cursor as string]);
    expect(connection.tools).toEqual(['srv.a', 'srv.b', 'srv.c']);
  });
});

describe('a server that does not keep to the rules', () => {
  test('gets none of its odd tools in, and all of its good ones', async () => {
    const { connection, registry } = await imported([
      listed('good'),
      listed('good', { description: 'An impostor.' }),
      listed('has space'),
      listed('naïve'),
      listed('-x'),
      listed(''),
      listed('a'.repeat(126)),
      listed('__proto__'),
      listed('constructor'),
      { name: 'bare' },
      listed('list', { inputSchema: [] }),
      listed('away', { inputSchema: { type: 'object', properties: { a: { $ref: 'https://evil.example/s' } } } }),
      listed('deep', { inputSchema: nested(300) }),
      listed('wide', { inputSchema: { type: 'object', description: 'x'.repeat(70_000) } }),
      listed('many', { inputSchema: { type: 'object', properties: { a: { enum: [...new Array(1_001).keys()] } } } }),
      listed('later', { execution: { taskSupport: 'required' } }),
      { description: 'no name' },
      null,
      'text',
    ]);
    // A text in a schema that is too long is cut, and is no reason to do without the tool.
    expect(connection.tools).toEqual(['srv.good', 'srv.__proto__', 'srv.constructor', 'srv.wide']);
    expect(registry.get('srv.good')?.description).toBe('Does good.');
    expect(connection.skipped.map(({ name, reason }) => [name.slice(0, 12), reason.slice(0, 60)])).toEqual([
      ['good', 'it is listed twice'],
      ['has space', 'its name has characters that a name may not have'],
      ['naïve', 'its name has characters that a name may not have'],
      ['-x', 'its name has characters that a name may not have'],
      ['', 'its name has characters that a name may not have'],
      ['aaaaaaaaaaaa', 'its name has more than 128 characters with its namespace'],
      ['bare', 'it has no schema of its arguments'],
      ['list', 'it has no schema of its arguments'],
      ['away', expect.stringContaining('cannot be registered')],
      ['deep', expect.stringContaining('nested more than')],
      ['many', expect.stringContaining('cannot be registered')],
      ['later', 'it can only be called as a task of the protocol'],
    ]);
  });

  test('has what it writes cleaned and cut before a model sees it', async () => {
    const { registry } = await imported([
      listed('a', {
        description: `Adds\u001b[31m.\u{e0041}\u{e0042} \u202eevil ${'x'.repeat(20_000)}`,
        inputSchema: {
          type: 'object',
          properties: { n: { type: 'string', description: 'a\u0000b\u{e0043}', const: 'a\u0000b' } },
        },
        title: 'T\u0007',
      }),
    ]);
    const { description, parameters, annotations } = registry.get('srv.a') as NonNullable<ReturnType<Registry['get']>>;
    expect(description).toMatch(/^Adds\. \\u202eevil x/);
    expect(description.length).toBeLessThanOrEqual(8_192);
    // What the schema allows stays as it is.
    expect(parameters.properties).toEqual({ n: { type: 'string', description: 'ab', const: 'a\u0000b' } });
    expect(annotations?.title).toBe('T');
  });

  const hidden = '\u{e0041}\u{e0042}';
  test.each<[where: string, schema: object, kept?: object]>([
    ['a comment', { $comment: `a${hidden}` }, { $comment: 'a' }],
    ['an example', { examples: [{ a: [hidden, 'b'] }] }, { examples: [{ a: ['', 'b'] }] }],
    ['a word of its own', { 'x-note': { [`k${hidden}`]: `a\u001b[1m${hidden}` } }, { 'x-note': { k: 'a' } }],
    ['a name of a property', { properties: { [`a${hidden}`]: {} } }],
    ['a choice', { enum: ['a', `b\u202e`] }],
    ['a default deep down', { default: { a: [{ b: hidden }] } }],
    ['a name of a definition', { $defs: { [hidden]: {} } }],
    ['a pattern', { pattern: `a${hidden}` }],
    ['a keyword', { [`x${hidden}`]: 1 }],
  ])('hides nothing in its schemas: %s', async (_where, schema, kept) => {
    const inputSchema = { type: 'object', properties: { n: schema } };
    const { registry, connection } = await imported([listed('a', { inputSchema, outputSchema: inputSchema })]);
    const tool = registry.get('srv.a');
    if (kept === undefined) {
      expect(connection.skipped).toEqual([{ name: 'a', reason: expect.stringContaining('hidden') }]);
    } else {
      expect(tool?.parameters.properties).toEqual({ n: kept });
      expect(tool?.output).toMatchObject({ properties: { n: kept } });
    }
    const after = await imported([listed('a', { outputSchema: inputSchema })]);
    expect(after.registry.has('srv.a')).toBe(true);
    expect(JSON.stringify(after.registry.get('srv.a'))).not.toMatch(/[\u{e0041}\u202e]/u);
  });

  test('cannot keep anybody busy by a few lines of schema', async () => {
    const fork = (at: number) => ({ allOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }] });
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`d${at}`, at < 39 ? fork(at + 1) : {}]));
    const bomb = { type: 'object', properties: { a: fork(0) }, $defs };
    const { registry, connection, logs } = await imported([
      listed('a', { inputSchema: bomb }),
      listed('b', { outputSchema: bomb }),
    ]);
    expect(connection.skipped).toEqual([{ name: 'a', reason: expect.stringContaining('take for ever') }]);
    expect(registry.get('srv.b')?.output).toBeUndefined();
    expect(JSON.stringify(logs)).toContain('take for ever');
  });

  test('has type names of other languages read as they were meant', async () => {
    const { registry } = await imported([
      listed('a', { inputSchema: { properties: { n: { type: 'dict' }, m: { type: 'float', required: true } } } }),
    ]);
    expect(registry.get('srv.a')?.parameters).toEqual({
      type: 'object',
      properties: { n: { type: 'object' }, m: { type: 'number' } },
      required: ['m'],
    });
    expect(registry.notes('srv.a').length).toBeGreaterThan(0);
  });

  test('loses an output schema that cannot be used, not the tool', async () => {
    const { registry, logs } = await imported([
      listed('a', { outputSchema: { type: 'object', properties: { p: { type: 'string', pattern: '(' } } } }),
      listed('b', { outputSchema: { $id: 'x.v1', description: 'd' } }),
      listed('c', { outputSchema: 'none' }),
      listed('d', { outputSchema: { type: 'object', properties: { p: { $ref: '#/nowhere' } } } }),
    ]);
    expect(registry.list().map(({ name, output }) => [name, output !== undefined])).toEqual([
      ['srv.a', false],
      ['srv.b', true],
      ['srv.c', false],
      ['srv.d', false],
    ]);
    expect(logs.filter(({ data }) => String(data).includes('output schema'))).toHaveLength(2);
  });

  test.each([
    [
      'a cursor that leads back',
      ({ cursor = 'a' }) => ({ tools: [listed(`t${cursor}`)], nextCursor: cursor === 'a' ? 'b' : 'a' }),
    ],
    [
      'ever new cursors',
      ({ cursor = '0' }) => ({ tools: [listed(`t${cursor}`)], nextCursor: `${Number(cursor) + 1}` }),
    ],
    [
      'ever more tools',
      ({ cursor = '0' }) => ({
        tools: Array.from({ length: 500 }, (_, at) => listed(`t${cursor}_${at}`)),
        nextCursor: `${Number(cursor) + 1}`,
      }),
    ],
  ] as [string, (params: { readonly [name: string]: unknown }) => unknown][])(
    'is not listened to for ever: %s',
    async (_, pages) => {
      const { connection, logs } = await imported(pages);
      expect(connection.tools.length).toBeGreaterThan(1);
      expect(connection.tools.length).toBeLessThanOrEqual(2_000);
      expect(logs[0]?.data).toContain('Not all of its tools were listened to');
    },
  );

  test.each([[null], [{}], [{ tools: {} }], ['tools'], [[]]])(
    'cannot be imported when it answers with %j',
    async (answer) => {
      const registry = createRegistry();
      await expect(imported(() => answer, { registry, connectTimeout: 50 })).rejects.toThrow();
      expect(registry.size).toBe(0);
    },
  );

  test('has so much time for all of its pages together', async () => {
    const tools = ({ cursor = '0' }: { cursor?: string }) =>
      new Promise((resolve) => setTimeout(resolve, 40, { tools: [], nextCursor: `${Number(cursor) + 1}` }));
    await expect(imported(tools as never, { connectTimeout: 100 })).rejects.toThrow(
      'did not tell its tools within 100 ms',
    );
  });

  test("takes nobody else's name", async () => {
    const registry = createRegistry([
      defineTool({ name: 'srv.mine', description: 'x', parameters: { type: 'object' }, handler: () => 'mine' }),
    ]);
    const { connection } = await imported([listed('mine'), listed('theirs')], { registry });
    expect(connection.tools).toEqual(['srv.theirs']);
    expect(connection.skipped).toEqual([{ name: 'mine', reason: 'a tool of that name is already registered' }]);
    await connection.close();
    expect([...registry.names()]).toEqual(['srv.mine']);
  });
});

describe('what mcpTools is given', () => {
  const registry = createRegistry();
  test.each([
    [{ command: 'x' }, { name: 'a.b' }, 'name'],
    [{ command: 'x' }, { name: '' }, 'name'],
    [{ command: 'x' }, { name: 'a', registry: {} }, 'registry'],
    [{ command: 'x' }, { name: 'a', alow: [] }, 'no option "alow"'],
    [{ command: 'x' }, { name: 'a', deny: 'x' }, 'deny'],
    [{ command: 'x' }, { name: 'a', timeout: 0 }, 'timeout'],
    [{ command: 'x' }, { name: 'a', era: 'old' }, 'era'],
    [{ command: 'x' }, { name: 'a', registry: undefined }, 'createRegistry()'],
    [{ command: 'x' }, { name: 'a', trustAnnotations: 'yes' }, 'trustAnnotations'],
    [{ command: 'x' }, { name: 'a', maxMessageBytes: 1 }, 'maxMessageBytes'],
    [{ command: 'x' }, { name: 'a', restart: { attempts: -1 } }, 'attempts'],
    [{ command: 'x' }, { name: 'a', restart: { tries: 1 } }, 'tries'],
    [{ command: 'x' }, { name: 'a', guards: { '*': { path: {} } } }, 'no option "path"'],
    [{ command: 'x' }, { name: 'a', guards: { '*': { permission: 'reads' } } }, 'too much like read'],
    [{ command: 'x' }, { name: 'a', guards: { '*': { paths: { p: 'append' } } } }, "'read' or 'write'"],
    [{ command: 'x' }, { name: 'a', guards: { '*': { urls: 'u' } } }, 'urls'],
    [{ command: 'x' }, { name: 'a', guards: { '*': { commands: { c: 'perl' } } } }, 'commands'],
    [{ command: 'x' }, { name: 'a', guards: { '*': { permission: 1 } } }, 'permission'],
    [{ command: '' }, { name: 'a' }, 'command'],
    [{ command: 'x', url: 'http://a/' }, { name: 'a' }, 'source'],
    [{}, { name: 'a' }, 'source'],
    [{ command: 'x', arg: [] }, { name: 'a' }, 'arg'],
    [{ url: 'file:///etc' }, { name: 'a' }, 'http'],
    [{ url: 'nowhere' }, { name: 'a' }, 'Invalid URL'],
  ])('%j with %j is refused at once', async (source, options, said) => {
    await expect(mcpTools(source as never, { registry, ...options } as never)).rejects.toThrow(TypeError);
    await expect(mcpTools(source as never, { registry, ...options } as never)).rejects.toThrow(said);
  });

  test('is refused when another server has the name already', async () => {
    const { registry: taken } = await imported([listed('a')]);
    await expect(imported([listed('b')], { registry: taken })).rejects.toThrow('a name of its own');
  });
});

function nested(levels: number): object {
  let schema: object = { type: 'object' };
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}
