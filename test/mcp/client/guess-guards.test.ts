import { describe, expect, test } from 'vitest';
import { isDeclared } from '../../../src/mcp/client/with-guesses.ts';
import { guessGuards } from '../../../src/mcp/index.ts';

function guessed(name: string, properties: object, more: object = {}) {
  return guessGuards([
    { name, description: '', parameters: { type: 'object', properties: properties as never }, ...more },
  ]);
}

const text = { type: 'string' };

describe('an argument is guessed to be', () => {
  test.each([
    ['path', text, 'path', 'high'],
    ['filePath', text, 'path', 'high'],
    ['output_dir', text, 'path', 'high'],
    ['Root-Folder', text, 'path', 'high'],
    ['source', text, 'path', 'low'],
    ['url', text, 'url', 'high'],
    ['target', { type: 'string', format: 'uri' }, 'url', 'high'],
    ['path', { type: 'string', format: 'uri' }, 'url', 'high'],
    ['uri', text, 'url', 'low'],
    ['command', text, 'command', 'high'],
    ['bashScript', text, 'command', 'high'],
    ['code', text, 'command', 'low'],
    ['x', { type: 'string', description: 'Absolute path of the project.' }, 'path', 'low'],
    ['x', { type: 'string', description: 'The https:// address to load' }, 'url', 'low'],
    ['x', { type: 'string', description: 'Command to run in a shell' }, 'command', 'low'],
    ['path', { type: ['string', 'null'] }, 'path', 'high'],
    ['path', { anyOf: [{ type: 'null' }, text] }, 'path', 'high'],
    ['path', true, 'path', 'high'],
    ['path2', text, 'path', 'high'],
    ['PDFPath', text, 'path', 'high'],
    ['logfile', text, 'path', 'high'],
    ['path', {}, 'path', 'high'],
  ])('%s %j: a %s, %s', (argument, schema, kind, confidence) => {
    expect(guessed('s.t', { [argument]: schema }).guesses).toMatchObject([{ tool: 's.t', argument, kind, confidence }]);
  });

  test.each([
    ['paths', { type: 'array', items: text }, '/paths/*'],
    ['files', { type: 'array' }, '/files/*'],
    ['a/file', { type: 'array', items: text }, '/a~1file/*'],
    ['/file', text, '/~1file'],
    ['edits', { type: 'array', items: { type: 'object', properties: { path: text, n: text } } }, '/edits/*/path'],
    ['options', { type: 'object', properties: { 'a/b': { properties: { cwd: text } } } }, '/options/a~1b/cwd'],
    ['files', { type: 'array', items: { type: 'array', items: text } }, '/files/*/*'],
    ['files', { prefixItems: [{ type: 'number' }, text] }, '/files/*'],
    ['x', { $ref: '#/properties/x/$defs/y', $defs: { y: { type: 'object', properties: { file: text } } } }, '/x/file'],
    ['x', { type: 'object', anyOf: [{ properties: { n: text } }, { properties: { dir: text } }] }, '/x/dir'],
    ['x', { allOf: [{ type: 'object', properties: { dir: text } }] }, '/x/dir'],
    ['x', { type: ['array', 'null'], items: { anyOf: [{ type: 'object', properties: { dir: text } }] } }, '/x/*/dir'],
    ['files', { type: 'object', additionalProperties: text }, 'files'],
    ['files', { type: 'array', items: [{ type: 'number' }], additionalItems: text }, '/files/*'],
    ['files', { prefixItems: [{ type: 'number' }], unevaluatedItems: text }, '/files/*'],
    ['x', { type: 'object', if: {}, else: { properties: { dir: text } } }, '/x/dir'],
    ['x', { type: 'object', dependentSchemas: { a: { properties: { dir: text } } } }, '/x/dir'],
  ])('%s %j, at %s', (argument, schema, place) => {
    expect(guessed('s.t', { [argument]: schema }).guesses).toMatchObject([{ argument: place, kind: 'path' }]);
  });

  test.each([
    ['count', { type: 'integer' }],
    ['path', { type: 'boolean' }],
    ['files', { type: 'array', items: { type: 'number' } }],
    ['profile', text],
    ['curl', text],
    ['message', { type: 'string', description: 'What to say.' }],
    ['path', { enum: ['a', 'b'] }],
    ['path', { anyOf: [{ const: 'a' }, { type: 'null' }] }],
    ['path', { type: 'object', properties: { x: text } }],
    ['data', { type: 'object', additionalProperties: text }],
  ])('none of these: %s %j', (argument, schema) => {
    expect(guessed('s.t', { [argument]: schema })).toEqual({ guesses: [], guards: {} });
  });
});

describe('a path is guessed to be', () => {
  test.each([
    ['s.read_file', 'path', {}, 'read'],
    ['s.writeFile', 'path', {}, 'write'],
    ['s.delete', 'path', { annotations: { readOnly: true } }, 'write'],
    ['s.search', 'path', { annotations: { readOnly: false } }, 'read'],
    ['s.copy', 'source_path', {}, 'read'],
    ['s.copy', 'path', {}, 'write'],
    ['s.move', 'source_path', {}, 'write'],
    ['s.read_into', 'output_file', {}, 'write'],
    ['s.process', 'path', { annotations: { readOnly: true } }, 'read'],
    ['s.process', 'path', {}, 'write'],
    ['write.process', 'path', { annotations: { readOnly: true } }, 'read'],
  ])('by %s(%s) %j for %s', (name, argument, more, intent) => {
    expect(guessed(name, { [argument]: text }, more).guesses).toMatchObject([{ kind: 'path', intent }]);
  });
});

test('guesses are also said as declarations, for each tool by its whole name', () => {
  const tools = [
    {
      name: 's.a',
      description: '',
      parameters: { type: 'object', properties: { path: text, url: text, cmd: text, to_file: text } },
    },
    {
      name: 's.__proto__',
      description: '',
      parameters: { type: 'object', properties: { urls: { type: 'array', items: text } } },
    },
    { name: '__proto__', description: '', parameters: { type: 'object', properties: { n: { type: 'number' } } } },
  ];
  expect(guessGuards(tools as never).guards).toEqual({
    's.a': { paths: { path: 'write', to_file: 'write' }, urls: ['url'], commands: ['cmd'] },
    's.__proto__': { urls: ['/urls/*'] },
  });
});

test.each([[undefined], [null], ['text'], [[]]])('a schema whose properties are %j gives no guess', (properties) => {
  expect(guessed('s.t', properties as never).guesses).toEqual([]);
});

test('a schema that refers to itself is guarded as far as it goes, and closed where it goes on', () => {
  const self = { $ref: '#' };
  const { guesses } = guessed('s.t', {
    path: text,
    left: self,
    list: { type: 'array', items: self },
    n: { type: 'number' },
  });
  expect(guesses.map(({ argument, reason }) => [argument, reason.includes('deeper')])).toEqual([
    ['path', false],
    ['left', true],
    ['/list/*', true],
  ]);
});

describe('what cannot be looked at is closed, where something else looks like a path', () => {
  const many = Array.from({ length: 40 }, (_, at) => ({
    type: 'object',
    properties: { [`n${at}`]: { type: 'number' } },
  }));
  const nested = Array.from({ length: 12 }).reduce<object>((inner) => ({ anyOf: [inner] }), { type: 'object' });
  test.each([
    ['a reference by an anchor', { $ref: '#x' }],
    ['a reference to another document', { $ref: 'x.json' }],
    ['a dynamic reference', { $dynamicRef: '#x' }],
    ['more alternatives than are looked at', { anyOf: many }],
    ['alternatives of alternatives of alternatives', nested],
    ['alternatives of itself', { $ref: '#/$defs/self' }],
  ])('%s', (_, schema) => {
    const $defs = { self: { anyOf: [{ $ref: '#/$defs/self' }, { $ref: '#/$defs/self' }] } };
    const parameters = { type: 'object' as const, properties: { path: text, x: schema }, $defs };
    const { guesses } = guessGuards([{ name: 's.t', description: '', parameters: parameters as never }]);
    expect(guesses.map(({ argument, reason }) => [argument, reason.includes('deeper')])).toEqual([
      ['path', false],
      ['x', true],
    ]);
  });
});

test('alternatives of themselves are followed once', () => {
  const anyOf = Array.from({ length: 32 }, () => ({ $ref: '#/$defs/x' }));
  const $defs = { x: { anyOf: [...anyOf, { type: 'object', properties: { file: text } }].slice(1) } };
  const parameters = { type: 'object' as const, properties: { x: { $ref: '#/$defs/x' } }, $defs };
  const { guesses } = guessGuards([{ name: 's.t', description: '', parameters: parameters as never }]);
  expect(guesses.map(({ argument }) => argument)).toEqual(['/x/file']);
});

test('many schemas that refer to one another come to an end', () => {
  const names = Array.from({ length: 30 }, (_, at) => `n${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
  const $defs = Object.fromEntries(names.map((name) => [name, { type: 'object', properties: { ...properties } }]));
  const parameters = { type: 'object' as const, properties: { ...properties, path: text }, $defs };
  const { guesses } = guessGuards([{ name: 's.t', description: '', parameters: parameters as never }]);
  expect(guesses.some(({ argument }) => argument === 'path')).toBe(true);
  expect(guesses).toHaveLength(31);
});

test('what is declared of one argument says nothing of its neighbours', () => {
  const guards = { paths: { '/edits/*/path': 'read' } } as const;
  expect(['/edits/*/path', 'edits', '/edits/*/path/*'].map((place) => isDeclared(guards, place))).toEqual([
    true,
    true,
    true,
  ]);
  expect(['/edits/*/file', 'edit', '/edits/*/pathname'].map((place) => isDeclared(guards, place))).toEqual([
    false,
    false,
    false,
  ]);
});
