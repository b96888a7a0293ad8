import { createRouter, defaultPipeline, defineTool, finish } from 'callgate';
import { lint, rules } from 'callgate/policy';
import { providerOf } from 'callgate/providers';
import { describe, expect, test } from 'vitest';
import { askWhether, didYouMean, inQuotes } from '../../src/basics/nearest.ts';

describe('what was probably meant', () => {
  const names = ['read_file', 'read_files', 'write_file'];

  test('is asked as a sentence, behind a semicolon or in brackets', () => {
    expect(`unknown tool: raed_file.${didYouMean('raed_file', names)}`).toBe(
      'unknown tool: raed_file. Did you mean read_file?',
    );
    expect(didYouMean('raed_file', names, 'clause')).toBe('; did you mean read_file?');
    expect(didYouMean('raed_file', names, 'aside', inQuotes)).toBe(' (did you mean "read_file"?)');
    expect(askWhether(['read_file', 'read_files'])).toBe(' Did you mean read_file or read_files?');
  });

  test('is not asked where nothing is near', () => {
    expect(didYouMean('send_mail', names)).toBe('');
    expect(didYouMean('raed_file', [], 'aside')).toBe('');
    expect(askWhether([], 'clause')).toBe('');
  });
});

const tool = (paths: object) => () =>
  defineTool({
    name: 'read_file',
    description: '',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    paths: paths as never,
    handler: () => '',
  });

test.each<[what: string, make: () => unknown, message: string]>([
  ['an option', () => createRouter({ tool: [] } as never), 'createRouter() has no option "tool". Its options are: '],
  ['an option', () => createRouter({ tool: [] } as never), ' Did you mean tools?'],
  ['an option of the pipeline', () => defaultPipeline({ aprove: () => true } as never), '. Did you mean approve?'],
  ['a mode', () => createRouter({ tools: [], mode: 'auot' }), 'trusted. Did you mean auto?'],
  ['an argument', tool({ pth: 'read' }), 'They are: path. Did you mean path?'],
  ['an argument below another', tool({ '/paht/0': 'read' }), 'They are: path. Did you mean path?'],
  [
    'a stage',
    () => defaultPipeline().replace('normalise' as never, finish((_, outcome) => outcome as never) as never),
    ' Did you mean normalize?',
  ],
  ['an event', () => createRouter({ tools: [] }).on('ends' as never, () => {}), ' Did you mean end?'],
  ['a limit', () => defaultPipeline({ validate: { limits: { maxByte: 1 } } } as never), ' Did you mean maxBytes?'],
  ['a provider', () => providerOf('opnai' as never), ' Did you mean openai?'],
  [
    'an option of a root',
    () => defaultPipeline({ roots: [{ path: '.', acces: 'read' } as never] }),
    'Did you mean access?',
  ],
  [
    'a member of a rule',
    () => rules([{ decision: 'deny', tools: 'a' } as never]),
    'Rule 0: tools is unknown (did you mean "tool"?); expected decision, ',
  ],
  [
    'a matcher',
    () => rules([{ decision: 'deny', arguments: { a: { paths: 'x' } } } as never]),
    'Rule 0: arguments.a.paths is unknown (did you mean "path"?); expected path, host, command, equals, min, max or not.',
  ],
  [
    'a member of an effect',
    () => rules([{ decision: 'deny', effects: { prot: 1 } } as never]),
    'effects.prot is unknown (did you mean "port"?); expected kind, path, host, port or command.',
  ],
])('%s that is misspelt is refused with the one that was meant', (_, make, message) => {
  expect(make).toThrow(TypeError);
  expect(make).toThrow(message);
});

test('of a rule for a mode that is misspelt, linting tells which was meant', () => {
  expect(lint([{ decision: 'deny', tool: '*', mode: ['palnn', 'night'] }]).map(({ message }) => message)).toEqual([
    'There is no mode palnn (did you mean plan?), night; the modes are plan, ask, auto, trusted.',
  ]);
});
