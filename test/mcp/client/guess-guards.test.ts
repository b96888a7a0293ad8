import { describe, expect, test } from 'vitest';
import { isDeclared } from '../../../src/mcp/client/with-guesses.ts';
import { guessGuards } from '../../../src/mcp/index.ts';

function guessed(name: string, properties: object, more: object = {}) {
  return guessGuards([
    { name, description: '', parameters: { type: 'object', properties: properties as never }, ...more },
  ]);
}

const text = { type: 'string' };

const wrap = (schema: object): [object] => [schema];

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
    ['x', { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] }, 'url', 'high'],
    ['url', { $ref: '#somewhere' }, 'url', 'high'],
    ['path', { $ref: '#/$defs/none' }, 'path', 'high'],
    ['path', { type: ['string', 'object'], properties: { url: text } }, 'path', 'high'],
    ['url', { properties: { url: {} }, type: 'object' }, 'url', 'high', '/url/url'],
    ['url', { properties: { url: { properties: {} } } }, 'url', 'high', '/url/url'],
    ['x', { anyOf: [text, { type: 'object', properties: { dir: text, url: text } }] }, 'url', 'high', '/x/url'],
    ['x', { type: ['string', 'object'], properties: { cmd: text } }, 'command', 'high', '/x/cmd'],
  ])('%s %j: a %s, %s', (name, schema, kind, confidence, argument = name) => {
    expect(guessed('s.t', { [name]: schema }).guesses).toMatchObject([{ tool: 's.t', argument, kind, confidence }]);
  });

  /** What lets a text through, whether or not it speaks of one. */
  const open = [
    ...['str', 'text', 'any', 'unknown', 'file', 'String', 'STRING', 'string ', ' string', 'Str', 'whatever', ''],
    ...[['integer', 'str'], ['str', 'null'], [], null, {}, [{ type: 'string' }]],
  ].map((type): object => ({ type }));
  test.each<[schema: unknown]>([
    ...open.map((schema): [object] => [schema]),
    ...[{ anyOf: [{ type: 'str' }, { type: 'null' }] }, { anyOf: [true] }, { oneOf: [true, { type: 'null' }] }].map(
      wrap,
    ),
    ...[{ allOf: [true] }, { allOf: [{}] }, { allOf: [] }, { anyOf: [{}, false] }, { anyOf: [{ type: 'wat' }] }].map(
      wrap,
    ),
    ...[{ properties: {} }, { additionalProperties: true }, { additionalProperties: false }, { items: false }].map(
      wrap,
    ),
    ...[{ properties: { n: { type: 'integer' } } }, { required: ['n'] }, { patternProperties: {} }].map(wrap),
    ...[{ minItems: 1 }, { minLength: 1 }, { pattern: '.' }, { not: { type: 'integer' } }, { if: true }].map(wrap),
    ...[{ type: 'string', enum: [] }, { enum: null }, { $ref: '#/properties/y' }, { $ref: '#/$defs/y' }].map(wrap),
    ...[
      { $ref: '#/$defs/o', properties: {} },
      { $ref: '#/$defs/y', type: 'object' },
    ].map(wrap),
    ...[{ allOf: [{ properties: {} }, { $ref: '#/$defs/o' }] }, { anyOf: [{ allOf: [{ properties: {} }] }] }].map(wrap),
  ])('what may be a text, %j, by its name', (schema) => {
    const names = { path: 'path', url: 'url', command: 'command' };
    for (const [name, kind] of Object.entries(names)) {
      const properties = { [name]: schema, y: { type: 'str' } };
      const $defs = { y: { type: 'str' }, o: { properties: {} } };
      const parameters = { type: 'object' as const, properties, $defs } as never;
      const { guesses } = guessGuards([{ name: 's.t', description: '', parameters }]);
      expect(guesses).toMatchObject([{ argument: name, kind }]);
    }
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
    ['x', { properties: { dir: { type: 'str' } } }, '/x/dir'],
    ['files', { properties: { dir: text } }, '/files/dir'],
    ['x', { $ref: '#/$defs/o', properties: { n: { type: 'integer' } } }, '/x/dir'],
    ['files', { type: 'list' }, '/files/*'],
    ['files', { type: 'tuple', items: { type: 'str' } }, '/files/*'],
    ['files', { type: 'set' }, '/files/*'],
    ['files', { type: 'List[str]' }, '/files/*'],
    ['files', { type: 'array', items: { type: 'str' } }, '/files/*'],
    ['files', { type: 'array', items: [] }, '/files/*'],
    ['files', { type: 'array', items: { properties: {} } }, '/files/*'],
    ['files', { type: 'array', prefixItems: [{ type: 'number' }] }, '/files/*'],
    ['files', { type: 'dict' }, 'files'],
    ['files', { type: 'object', additionalProperties: { type: 'str' } }, 'files'],
  ])('%s %j, at %s', (argument, schema, place) => {
    const $defs = { o: { type: 'object', properties: { dir: text } } };
    const parameters = { type: 'object' as const, properties: { [argument]: schema }, $defs } as never;
    const { guesses } = guessGuards([{ name: 's.t', description: '', parameters }]);
    expect(guesses).toMatchObject([{ argument: place, kind: 'path' }]);
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
    ['path', { type: 'dict', properties: { x: text } }],
    ['path', { anyOf: [{ type: 'str', enum: ['a'] }, { type: 'int' }] }],
    ['path', { type: 'string', anyOf: [{ const: 'a' }, { const: 'b' }] }],
    ['path', { allOf: [{ properties: {} }, { type: 'object', properties: { x: text } }] }],
    ['path', { $ref: '#/properties/y', properties: {} }],
    ['files', { type: 'array', prefixItems: [{ type: 'number' }], maxItems: 1 }],
    ['data', { type: 'object', additionalProperties: text }],
  ])('none of these: %s %j', (argument, schema) => {
    const properties = { [argument]: schema, y: { type: 'bool' } };
    expect(guessed('s.t', properties)).toEqual({ guesses: [], guards: {} });
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
