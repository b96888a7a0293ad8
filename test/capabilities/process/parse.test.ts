import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../../src/capabilities/process/parse.ts';
import { render } from '../../../src/capabilities/process/portable.ts';
import { everyday } from './everyday.ts';

describe('a command line of the strict subset', () => {
  test('thirty everyday commands: at least twenty-four of them can be read', () => {
    expect(everyday).toHaveLength(30);
    expect(everyday.filter((line) => parseCommand(line) !== undefined).length).toBeGreaterThanOrEqual(24);
  });

  test.each<[string, unknown]>([
    ['ls', [['always', ['ls']]]],
    ['  ls   -la  ', [['always', ['ls', '-la']]]],
    ['a | b | c', [['always', ['a'], ['b'], ['c']]]],
    [
      'a && b || c; d',
      [
        ['always', ['a']],
        ['success', ['b']],
        ['failure', ['c']],
        ['always', ['d']],
      ],
    ],
    [
      'a\nb',
      [
        ['always', ['a']],
        ['always', ['b']],
      ],
    ],
    ['\n\na\n\n', [['always', ['a']]]],
    [
      'a |\n b &&\n c',
      [
        ['always', ['a'], ['b']],
        ['success', ['c']],
      ],
    ],
    ['a;', [['always', ['a']]]],
    [`echo 'a $x; b' "c | d" e'f'"g"`, [['always', ['echo', 'a $x; b', 'c | d', 'efg']]]],
    ['echo \'\' ""', [['always', ['echo', '', '']]]],
    ['echo Größe 名前', [['always', ['echo', 'Größe', '名前']]]],
    ['echo a=b --c=d', [['always', ['echo', 'a=b', '--c=d']]]],
    ['echo if do done', [['always', ['echo', 'if', 'do', 'done']]]],
    ['git show HEAD^', [['always', ['git', 'show', 'HEAD^']]]],
  ])('%j', (line, expected) => {
    expect(parseCommand(line)?.map(({ when, commands }) => [when, ...commands])).toEqual(expected);
  });

  test.each([
    '',
    ' ',
    '\n',
    'a &',
    'a & b',
    'a |& b',
    'a ;; b',
    '; a',
    '| a',
    'a |',
    'a &&',
    'a || \n',
    'a | | b',
    'a && && b',
    'a\n| b',
    'echo $x',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's own variable
    'echo ${x}',
    'echo $(b)',
    'echo `b`',
    'echo "$x"',
    'echo "`b`"',
    'echo "a\\"',
    'echo "a!"',
    'echo \\a',
    'echo a#b',
    '# a',
    'echo *',
    'echo ?',
    'echo [a]',
    'echo {a,b}',
    'echo ~',
    'echo ~root',
    'echo a~',
    'a > b',
    'a < b',
    'a 2>&1',
    'a >> b',
    'a <<< b',
    '(a)',
    '{ a; }',
    '! a',
    'A=1 b',
    'A=1',
    'A+=1 b',
    'A="x y" b',
    'if a',
    'while a',
    'time a',
    'cd /',
    'export A',
    'eval a',
    '. a',
    ': a',
    'source a',
    'exec a',
    "'eval' a",
    'e"val" a',
    "'' a",
    '"a',
    "'a",
    'echo "a\nb"',
    "echo 'a\nb'",
    'a\tb',
    'a\rb',
    'a\u0000b',
    'a\u00a0b',
    "'a\u00a0b'",
    'a\u2028b',
    "'a\u202eb'",
    "'a\u200bb'",
    'a\u3000b',
    "'\ud800'",
    '[ a ]',
    'a()',
    `echo ${'x'.repeat(4096)}`,
    `echo ${'ü'.repeat(2046)}`,
    Array(33).fill('a').join(';'),
  ])('%j is not of it', (line) => {
    expect(parseCommand(line)).toBeUndefined();
  });

  test('the limits themselves are allowed', () => {
    expect(parseCommand(`echo ${'x'.repeat(4091)}`)).toBeDefined();
    expect(parseCommand(Array(32).fill('a').join('|'))).toHaveLength(1);
  });
});

const word = fc.stringMatching(/^[A-Za-z0-9_./:=@%+,^ $`"!*?[\](){};&|<>#~\\-]{0,12}$/);
const program = fc.stringMatching(/^[b-z]{4}[0-9]$/);
const list = fc.array(
  fc.record({
    when: fc.constantFrom('always' as const, 'success' as const, 'failure' as const),
    commands: fc.array(fc.tuple(program, word, word), { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 5 },
);

test('what is rendered with quotes is read again as the same', () => {
  fc.assert(
    fc.property(list, (given) => {
      const expected = given.map((pipeline, at) => (at === 0 ? { ...pipeline, when: 'always' } : pipeline));
      expect(parseCommand(render(given as never))).toEqual(expected);
    }),
  );
});

test.runIf(existsSync('/bin/bash'))('every line that is read means the same to bash', () => {
  const part = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9_./:=@%+,^-]{1,8}$/),
    fc.stringMatching(/^'[ -&(-~]{0,8}'$/),
    fc.stringMatching(/^"[ #%-[\]-_a-~]{0,8}"$/),
    fc.constantFrom('~', '$x', '*', '\\', '#', '{a,b}', '!', '>', 'é'),
  );
  const line = fc.array(
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  const lines = fc
    .sample(line, 1500)
    .map((words) => `printf ${words.join(' ')}`)
    .flatMap((text) => {
      const read = parseCommand(text);
      return read?.length === 1 && read[0]?.commands.length === 1 ? [{ text, words: read[0].commands[0] }] : [];
    });
  expect(lines.length).toBeGreaterThan(100);
  const script = lines.map(({ text }) => `set -- ${text}\nprintf '%s\\0' "$@" $'\\1'`).join('\n');
  const { stdout } = spawnSync('/bin/bash', ['-c', script], { encoding: 'utf8', env: { LANG: 'C.UTF-8' } });
  const said = stdout.split('\x01\0').slice(0, -1);
  expect(said.map((words) => words.split('\0').slice(0, -1))).toEqual(lines.map(({ words }) => [...(words ?? [])]));
});
