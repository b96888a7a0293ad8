import { createRegistry, createRouter, defaultPipeline, defineTool, type ToolResult } from 'callgate';
import {
  budget,
  circuitBreaker,
  concurrency,
  loopGuard,
  normalize,
  pathGuard,
  permission,
  urlGuard,
} from 'callgate/middleware';
import { explain, rules } from 'callgate/policy';
import { describe, expect, test } from 'vitest';
import { GuardRules } from '../src/mcp/client/guards.ts';

const roots = ['./test'];

/** What is no plain object, and of which not all is seen when it is gone through or spread. */
function notPlain(members: Record<string, unknown>): readonly (readonly [string, unknown])[] {
  class Own {}
  for (const [name, value] of Object.entries(members)) Object.defineProperty(Own.prototype, name, { get: () => value });
  return [
    ['a Map', new Map(Object.entries(members))],
    ['an instance with getters', new Own()],
    ['an object that inherits', Object.create(members)],
    ['a list', [members]],
  ];
}

const noObjects: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['false', false],
  ['0', 0],
  ['a text', 'secrets/**'],
  ['a function', () => true],
];

describe('the options of a stage in the options of the router', () => {
  const held: Readonly<Record<string, Record<string, unknown>>> = {
    pathGuard: { deny: ['secrets/**'] },
    commands: { limits: {} },
    urls: { deny: ['example.com'] },
    isolation: { reuse: false },
    validate: { limits: { maxDepth: 3 } },
    normalize: { redact: true },
    locks: { wait: 1 },
    limits: { total: 1 },
  };
  const rows = Object.entries(held).flatMap(([option, members]) =>
    [...notPlain(members), ...noObjects].map(([kind, value]) => [option, kind, value] as const),
  );

  test.each(rows)('%s may not be %s', (option, _kind, value) => {
    expect(() => createRouter({ roots, [option]: value })).toThrow(
      `createRouter({ ${option} }) must be an object; it is`,
    );
    expect(() => defaultPipeline({ roots, [option]: value })).toThrow(
      `defaultPipeline({ ${option} }) must be an object; it is`,
    );
  });

  test.each(Object.entries(held))('%s may be a plain object', (option, members) => {
    expect(() => createRouter({ roots, [option]: { ...members } })).not.toThrow();
    expect(() => createRouter({ roots, [option]: Object.assign(Object.create(null), members) })).not.toThrow();
  });

  test('what may be left out may be undefined', () => {
    for (const option of ['commands', 'isolation', 'validate', 'normalize', 'locks', 'limits']) {
      expect(() => createRouter({ roots, [option]: undefined })).not.toThrow();
    }
  });
});

describe('options as a whole', () => {
  const makers: Readonly<Record<string, readonly [(options: never) => unknown, Record<string, unknown>]>> = {
    createRouter: [createRouter, { allowed: ['read'] }],
    defaultPipeline: [defaultPipeline, { secrets: ['0123456789'] }],
    pathGuard: [pathGuard, { roots, deny: ['secrets/**'] }],
    urlGuard: [urlGuard, { allow: ['example.com'] }],
    permission: [permission, { rules: [{ decision: 'deny' }] }],
    normalize: [normalize, { secrets: ['0123456789'] }],
    budget: [budget, { calls: 1 }],
    loopGuard: [loopGuard, { repeats: 1 }],
    circuitBreaker: [circuitBreaker, {}],
    concurrency: [concurrency, { total: 1 }],
  };
  const rows = Object.entries(makers).flatMap(([name, [make, members]]) =>
    notPlain(members).map(([kind, value]) => [name, kind, make as (options: unknown) => unknown, value] as const),
  );

  test.each(rows)('of %s may not be %s', (name, _kind, make, value) => {
    expect(() => make(value)).toThrow(`${name}() takes an object of options; it got`);
  });
});

describe('tables by name', () => {
  const makers: readonly (readonly [string, Record<string, unknown>, (table: never) => unknown, string])[] = [
    ['perTool of a budget', { send: 1 }, (perTool) => budget({ perTool }), 'budget({ perTool }) must be an object'],
    [
      'perTool of limits',
      { send: 1 },
      (perTool) => createRouter({ limits: { perTool } }),
      'concurrency({ perTool }) must',
    ],
    [
      'modes',
      { mine: { default: 'deny' } },
      (modes) => permission({ modes }),
      'permission({ modes }) must be an object',
    ],
    ['a mode', { default: 'deny' }, (mine) => permission({ modes: { mine } }), 'Mode "mine" needs a table'],
    ['a rule', { decision: 'deny', tool: 'send' }, (rule) => rules([rule]), 'Rule 0 needs an object'],
    [
      'a condition on arguments',
      { to: 'x' },
      (args) => rules([{ decision: 'deny', arguments: args }]),
      'Rule 0: arguments needs an object',
    ],
  ];
  const rows = makers.flatMap(([name, members, make, message]) =>
    notPlain(members).map(([kind, value]) => [name, kind, () => make(value as never), message] as const),
  );

  test.each(rows)('%s may not be %s', (_name, _kind, make, message) => {
    expect(make).toThrow(message);
  });

  test.each(notPlain({ mine: { default: 'deny' } }))('modes for an explanation may not be %s', async (_kind, modes) => {
    await expect(explain({ tool: 'send' }, { modes: modes as never })).rejects.toThrow(
      'modes must be an object of tables',
    );
  });
});

describe('what a tool declares', () => {
  const tool = {
    name: 'read',
    description: '',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    handler: () => 1,
  } as const;
  const waysIn: readonly (readonly [string, (more: object) => unknown])[] = [
    ['defineTool', (more) => defineTool({ ...tool, ...more })],
    ['registry.add', (more) => createRegistry().add({ ...tool, ...more } as never)],
    ['registry.add with a source', (more) => createRegistry().add({ ...tool, ...more } as never, { source: 'far' })],
  ];
  const rows = (declared: readonly (readonly [string, object])[]) =>
    waysIn.flatMap(([way, make]) => declared.map(([what, more]) => [way, what, () => make(more)] as const));

  const tables = Object.entries({ paths: { path: 'read' }, commands: { path: 'shell' } });
  test.each(
    rows(
      tables.flatMap(([declaration, table]) =>
        notPlain(table).map(([kind, value]) => [`${declaration} as ${kind}`, { [declaration]: value }] as const),
      ),
    ),
  )('is refused by %s: %s', (_way, _what, make) => {
    expect(make).toThrow(/Tool "read": (paths|commands) must (name|be)/);
  });

  test.each(
    rows([
      ['paths', { paths: undefined }],
      ['urls', { urls: undefined }],
      ['commands', { commands: undefined }],
    ]),
  )('is refused by %s when it is undefined: %s', (_way, what, make) => {
    expect(make).toThrow(`Tool "read": ${what} is undefined, which would guard nothing`);
  });

  test('may be undefined in an instance of a class, which has all its fields', () => {
    class Read {
      name = 'read';
      description = '';
      parameters = tool.parameters;
      paths = undefined;
      handler = () => 1;
    }
    expect(() => createRegistry().add(new Read() as never)).not.toThrow();
    expect(() => defineTool(new Read())).not.toThrow();
  });

  const open = { parameters: { type: 'object' } };
  const mapped = { parameters: { type: 'object', additionalProperties: { type: 'string' } } };
  const starred = { parameters: { type: 'object', properties: { '*': { type: 'string' } } } };
  test.each(
    rows([
      ['"/*" of listed arguments', { paths: { '/*': 'read' } }],
      ['"/*" of open arguments', { ...open, paths: { '/*': 'read' } }],
      ['"/*" of a map', { ...mapped, paths: { '/*': 'read' } }],
      ['"*"', { ...open, urls: ['*'] }],
      ['"/*/to"', { ...open, urls: ['/*/to'] }],
      ['"*" as a command', { ...open, commands: ['*'] }],
      ['"/*" with a language', { ...open, commands: { '/*': 'python' } }],
    ]),
  )('is refused by %s: %s, which would guard nothing', (_way, _what, make) => {
    expect(make).toThrow(/Tool "(far\.)?read" declares ".*", but its arguments are no list/);
  });

  test.each(rows([['"/*" that is listed', { ...starred, paths: { '/*': 'read' } }]]))(
    'holds in %s: %s',
    (_way, _what, make) => {
      expect(make).not.toThrow();
    },
  );
});

describe('the guards of a server', () => {
  const guards = (declared: unknown) => () => new GuardRules(declared as never, 's');
  const declaration = { paths: { path: 'read' } };

  test.each([...notPlain({ 's.*': declaration }), ...noObjects])('may not be %s', (_kind, declared) => {
    expect(guards(declared)).toThrow('mcpTools({ guards }) must be an object of declarations by tool names; it is');
  });

  test.each([...notPlain(declaration), ...noObjects])('may not have %s for a tool', (_kind, declared) => {
    expect(guards({ 's.*': declared })).toThrow('mcpTools guards "s.*"() takes an object of options; it got');
  });

  test.each<readonly [string, unknown]>([
    ...notPlain({ path: 'read' }),
    ...noObjects,
    ['5', 5],
    ['true', true],
    ['an empty text', ''],
    ['an empty list', []],
  ])('may not have paths that are %s', (_kind, paths) => {
    expect(guards({ 's.*': { paths } })).toThrow("paths must name 'read' or 'write' for each argument; it is");
  });

  test.each(notPlain({ path: 'shell' }))('may not have commands that are %s', (_kind, commands) => {
    expect(guards({ 's.*': { commands } })).toThrow('commands must be a list of argument names, or name');
  });

  test.each(['paths', 'urls', 'commands'])('may not have %s that are undefined', (member) => {
    expect(guards({ 's.*': { [member]: undefined } })).toThrow(`({ ${member} }) is undefined`);
  });

  test.each([
    { paths: { '/*': 'read' } },
    { paths: { '*': 'write' } },
    { urls: ['/*/to'] },
    { commands: ['*'] },
    { commands: { '/*': 'python' } },
  ])('may not be for all arguments: %j', (declared) => {
    expect(guards({ 's.*': declared })).toThrow('guards nothing, as arguments are no list');
  });

  test('may be for all items of a list', () => {
    expect(guards({ 's.*': { paths: { '/files/*': 'read' }, permission: undefined } })).not.toThrow();
  });
});

describe('the run of a call', () => {
  const send = { name: 'send', description: '', parameters: { type: 'object' }, handler: () => 'sent' } as const;
  const router = createRouter({ tools: [send], mode: 'trusted' });
  const called = (run: unknown): Promise<ToolResult> => router.call({ name: 'send' }, { run: run as object });

  test.each([
    ['tool', { tool: ['x'] }, 'tools'],
    ['Tools', { Tools: ['x'] }, 'tools'],
    ['moed', { moed: 'plan' }, 'mode'],
    ['principle', { principle: 'q' }, 'principal'],
    ['ID', { ID: 'r' }, 'id'],
  ])('may not have the member %s', async (member, run, meant) => {
    const error = `The run of a call has no member "${member}". Its members are: id, principal, mode, tools. Did you mean ${meant}?`;
    expect(await called(run)).toMatchObject({ code: 'internal', error });
    expect(await router.callAll([{ name: 'send' }], { run: run as object })).toMatchObject([
      { code: 'internal', error },
    ]);
  });

  test.each([...notPlain({ tools: ['x'] }), ...noObjects])('may not be %s', async (_kind, run) => {
    const error = expect.stringContaining('The run of a call must be an object; it is');
    expect(await called(run)).toMatchObject({ code: 'internal', error });
  });

  test('is known by all its members', async () => {
    const run = { id: 'r', principal: 'p', mode: 'trusted', tools: ['send'] };
    expect(await called(run)).toMatchObject({ ok: true, data: 'sent' });
    expect(await called({ ...run, tools: [] })).toMatchObject({ ok: false });
    expect(await called(router.run)).toMatchObject({ ok: true });
  });
});
