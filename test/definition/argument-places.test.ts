import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouter, defineTool, type Failure } from 'callgate';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { rewriteAt } from '../../src/definition/argument-places.ts';
import { ToolError } from '../../src/errors.ts';

/** What stands at a declared place: each value with its pointer; or why that cannot be said. */
function seen(args: unknown, declared: string): [unknown, string][] | string {
  const found: [unknown, string][] = [];
  try {
    rewriteAt(args, declared, 'path', (value, pointer) => {
      found.push([value, pointer]);
      return value;
    });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    expect(error.code).toBe('path_denied');
    expect(error.options).toMatchObject({ effect: 'none', details: { reason: 'unchecked' } });
    return error.message;
  }
  return found;
}

class Named {
  readonly #path: string;
  constructor(path: string) {
    this.#path = path;
  }
  get path(): string {
    return this.#path;
  }
}

describe('a declared place', () => {
  test.each<[unknown, string, [unknown, string][]]>([
    [{ path: 'a' }, 'path', [['a', '/path']]],
    [{ path: ['a'] }, 'path', [[['a'], '/path']]],
    [{ path: false }, 'path', [[false, '/path']]],
    [
      { paths: ['a', null, 'b'] },
      '/paths/*',
      [
        ['a', '/paths/0'],
        ['b', '/paths/2'],
      ],
    ],
    [{ paths: ['a', 'b'] }, '/paths/1', [['b', '/paths/1']]],
    [{ paths: { 1: 'b' } }, '/paths/1', [['b', '/paths/1']]],
    [{ edits: [{ file: 'a' }, {}] }, '/edits/*/file', [['a', '/edits/0/file']]],
    [{ 'a/b': { '~': 'c' } }, '/a~1b/~0', [['c', '/a~1b/~0']]],
    [{ '*': 'a' }, '*', [['a', '/*']]],
    [{ '*': 'a' }, '/*', [['a', '/*']]],
    [Object.assign(Object.create(null), { path: 'a' }), 'path', [['a', '/path']]],
    [Object.assign(new Named('b'), { file: 'a' }), 'file', [['a', '/file']]],
    // What is not there, or null, is granted nothing.
    [{}, 'path', []],
    [{ paths: null }, '/paths/*', []],
    [{ edits: [null] }, '/edits/*/file', []],
    [{ paths: [] }, '/paths/*', []],
    [undefined, 'path', []],
  ])('in %j is found by %s', (args, declared, found) => {
    expect(seen(args, declared)).toEqual(found);
  });

  test.each<[string, unknown, string, string]>([
    ['a text where a list was declared', { paths: '/etc/passwd' }, '/paths/*', '/paths must be a list,'],
    ['an object there', { paths: { 0: '/etc/passwd' } }, '/paths/*', '/paths must be a list,'],
    ['one with a star in it', { paths: { '*': 'a', b: '/etc/passwd' } }, '/paths/*', '/paths must be a list,'],
    ['a number there', { paths: 5 }, '/paths/*', '/paths must be a list,'],
    ['true there', { paths: true }, '/paths/*', '/paths must be a list,'],
    ['a set there', { paths: new Set(['/etc/passwd']) }, '/paths/*', '/paths must be a list,'],
    ['a text in the place of its first item', { paths: '/etc/passwd' }, '/paths/0', '/paths must be a list,'],
    ['a text where an object was declared', { file: '/etc/passwd' }, '/file/path', '/file must be an object,'],
    ['a list there', { file: [{ path: '/etc/passwd' }] }, '/file/path', '/file must be an object,'],
    ['an item by a number that is none', { paths: ['/etc/passwd'] }, '/paths/00', '/paths must be an object,'],
    [
      'an item of another form',
      { edits: [{ file: 'a' }, '/etc/passwd'] },
      '/edits/*/file',
      '/edits/1 must be an object',
    ],
    ['a list in the list', { edits: [[{ file: '/etc/passwd' }]] }, '/edits/*/file', '/edits/0 must be an object,'],
    ['a map', { file: new Map([['path', '/etc/passwd']]) }, '/file/path', '/file must be a plain object,'],
    ['what a class has', { file: new Named('/etc/passwd') }, '/file/path', '/file must be a plain object,'],
    ['arguments that are a text', '/etc/passwd', 'path', 'The arguments must be an object,'],
    ['arguments that are a list', ['/etc/passwd'], 'path', 'The arguments must be an object,'],
    ['arguments of a class', new Named('/etc/passwd'), 'path', 'The arguments must be a plain object,'],
  ])('does not overlook %s', (_, args, declared, message) => {
    expect(seen(args, declared)).toContain(message);
  });

  test('shows every text below a list of texts, or says that it cannot', () => {
    const texts = (value: unknown): string[] =>
      typeof value === 'string'
        ? [value]
        : typeof value === 'object' && value !== null
          ? Object.values(value).flatMap(texts)
          : [];
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (paths) => {
        const found = seen({ paths }, '/paths/*');
        if (typeof found === 'string') return;
        // Those that are no texts themselves are shown whole.
        expect(found.flatMap(([value]) => texts(value))).toEqual(texts(paths));
      }),
    );
  });
});

/** Takes all but the first item to another place. */
function firstAndRest({ all: [first, ...rest] }: { all: unknown[] }): object {
  return { all: [first], rest };
}

function moveWithin(args: Record<string, unknown>): object {
  args['target'] = args['path'];
  delete args['path'];
  return args;
}

describe('the guards refuse what they cannot find', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-places-')));
  afterAll(() => rmSync(root, { recursive: true }));
  const ran: unknown[] = [];
  const common = {
    name: 'tool',
    description: 'Takes anything.',
    parameters: { type: 'object', properties: { all: {} } },
    permission: 'read',
    handler: (args: unknown) => ran.push(args),
  } as const;

  test.each([
    ['paths', defineTool({ ...common, paths: { '/all/*': 'read' } }), 'path_denied'],
    ['urls', defineTool({ ...common, urls: ['/all/*'] }), 'url_denied'],
    ['commands', defineTool({ ...common, commands: ['/all/*'] }), 'command_denied'],
  ])('among %s, and nothing is run', async (_, tool, code) => {
    ran.length = 0;
    const router = createRouter({ tools: [tool], roots: [root], mode: 'trusted' });
    for (const all of ['/etc/passwd', { 0: 'http://127.0.0.1' }, 7]) {
      const result = (await router.call({ name: 'tool', arguments: { all } })) as Failure;
      expect(result).toMatchObject({ code, effect: 'none', retryable: false });
      expect(result.details).toEqual({ reason: 'unchecked', pointer: '/all' });
      expect(result.error).toBe('/all must be a list, so that what it holds can be checked.');
    }
    expect(ran).toEqual([]);
    expect(await router.call({ name: 'tool', arguments: {} })).toMatchObject({ ok: true });
  });

  test.each([
    ['path', { path: '/etc/passwd' }, 'path'],
    ['an item', { path: 'a', all: ['/etc/passwd'] }, '/all/*'],
  ])('and a library that moves %s to another place makes a tool that cannot be called', async (_, args, place) => {
    ran.length = 0;
    const tool = defineTool({
      ...common,
      parameters: z
        .object({ path: z.string(), all: z.array(z.string()).optional() })
        .transform(({ path, all }) => ({ ...(place === 'path' ? {} : { path }), target: path, others: all })),
      jsonSchema: { type: 'object', properties: { path: {}, all: {} } },
      paths: { [place]: 'read' },
    });
    const router = createRouter({ tools: [tool], roots: [root], mode: 'trusted' });
    const result = await router.call({ name: 'tool', arguments: args });
    expect(result).toMatchObject({ code: 'invalid_schema', details: { reason: 'unchecked', pointer: place } });
    expect(ran).toEqual([]);
    if (place !== 'path')
      expect(await router.call({ name: 'tool', arguments: { path: 'a' } })).toMatchObject({ ok: true });
  });

  /** A tool whose schema library makes of the arguments what `transform` does. */
  const transforming = (place: string, transform: (args: never) => unknown) =>
    createRouter({
      tools: [
        defineTool({
          ...common,
          parameters: z.record(z.string(), z.any()).transform((args) => transform(args as never)),
          jsonSchema: { type: 'object', properties: { path: {}, all: {} } },
          paths: { [place]: 'read' },
        }),
      ],
      roots: [root],
      mode: 'trusted',
    });

  test.each<[string, string, object, (args: never) => unknown]>([
    ['a text where a list was declared', '/all/*', { all: 'a' }, ({ all }: { all: string }) => ({ path: all })],
    ['such a text beside an item', '/all/*/path', { all: [{ path: 'a' }, 'b'] }, firstAndRest],
    ['all but one', '/all/*', { all: ['a', 'b', 'c'] }, firstAndRest],
    ['one in the arguments themselves', 'path', { path: 'a' }, moveWithin],
    ['items to a set', '/all/*', { all: ['a'] }, ({ all }: { all: string[] }) => ({ all: new Set(all) })],
  ])('and nothing that a library takes away gets past them: %s', async (_, place, args, transform) => {
    ran.length = 0;
    const result = (await transforming(place, transform).call({ name: 'tool', arguments: args })) as Failure;
    expect(result).toMatchObject({ code: 'invalid_schema', details: { reason: 'unchecked', pointer: place } });
    expect(result.error).toContain(`takes away "${place}", which the tool declares to be guarded. This is`);
    expect(ran).toEqual([]);
  });

  test.each<[string, string, object, (args: never) => unknown]>([
    ['makes a list of one', '/all/*', { all: 'a' }, ({ all }: { all: string }) => ({ all: [all] })],
    ['leaves out what stands there twice', '/all/*', { all: ['a', 'a'] }, () => ({ all: ['a'] })],
    ['makes two the same', '/all/*', { all: ['a', 'A'] }, () => ({ all: ['a', 'a'] })],
    ['leaves out nothing', '/all/*', { all: ['a', null] }, () => ({ all: ['a'] })],
    ['adds some', '/all/*', { all: ['a'] }, () => ({ all: ['a', 'b'] })],
  ])('but a library may be used that %s', async (_, place, args, transform) => {
    expect(await transforming(place, transform).call({ name: 'tool', arguments: args })).toMatchObject({ ok: true });
  });

  test('and what the caller gives in another form is said to be so', async () => {
    const result = await transforming('/all/*', (args) => args).call({ name: 'tool', arguments: { all: 'a' } });
    expect(result).toMatchObject({ code: 'path_denied', details: { reason: 'unchecked', pointer: '/all' } });
  });

  test('also where a schema library has made something else of the arguments', async () => {
    ran.length = 0;
    const tool = defineTool({
      ...common,
      parameters: z.object({ path: z.string() }).transform(({ path }) => path),
      jsonSchema: { type: 'object', properties: { path: { type: 'string' } } },
      paths: { path: 'read' },
    });
    const router = createRouter({ tools: [tool], roots: [root], mode: 'trusted' });
    const result = await router.call({ name: 'tool', arguments: { path: '/etc/passwd' } });
    expect(result).toMatchObject({ code: 'path_denied', details: { reason: 'unchecked', pointer: '' } });
    expect(ran).toEqual([]);
  });
});
