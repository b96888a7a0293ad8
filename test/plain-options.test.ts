import { createRouter, defaultPipeline, type ToolResult } from 'callgate';
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
