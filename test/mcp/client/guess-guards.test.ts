import { describe, expect, test } from 'vitest';
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
    ['path', {}, 'path', 'high'],
  ])('%s %j: a %s, %s', (argument, schema, kind, confidence) => {
    expect(guessed('s.t', { [argument]: schema }).guesses).toMatchObject([{ tool: 's.t', argument, kind, confidence }]);
  });

  test.each([
    ['paths', { type: 'array', items: text }, '/paths/*'],
    ['files', { type: 'array' }, '/files/*'],
    ['a/file', { type: 'array', items: text }, '/a~1file/*'],
    ['/file', text, '/~1file'],
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
