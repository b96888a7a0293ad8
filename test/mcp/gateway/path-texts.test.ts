import { describe, expect, test } from 'vitest';
import { furtherPaths, isNoPath, pathsIn } from '../../../src/mcp/gateway/path-texts.ts';

describe('a text leads somewhere by itself', () => {
  test.each([
    ['/etc/passwd', ['/etc/passwd']],
    [' /etc/passwd ', ['/etc/passwd']],
    ['/Users/ada/My Documents/a', ['/Users/ada/My Documents/a']],
    ['//etc/passwd', ['//etc/passwd']],
    ['/*', ['/*']],
    ['~', ['~']],
    ['~/.ssh/id', ['~/.ssh/id']],
    ['~ada/.ssh', ['~ada/.ssh']],
    ['$HOME/.ssh', ['$HOME/.ssh']],
    [`\${HOME}/.ssh`, [`\${HOME}/.ssh`]],
    ['%USERPROFILE%\\x', ['%USERPROFILE%\\x']],
    ['C:\\x', ['C:\\x']],
    ['c:/x', ['c:/x', '/x']],
    ['\\\\host\\share', ['\\\\host\\share']],
    ['file:///etc/passwd', ['file:///etc/passwd']],
    ['FILE:/etc/passwd', ['FILE:/etc/passwd', '/etc/passwd']],
    ['..', ['..']],
    ['../a', ['../a']],
    ['a/../../b', ['a/../../b']],
    ['a\\..\\b', ['a\\..\\b']],
    ['%2fetc%2fpasswd', ['/etc/passwd']],
    ['%2E%2E%2Fa', ['../a']],
    ['a,/b', ['/b']],
    ['a, /b', ['/b']],
    ['a;/b|/c', ['/b', '/c']],
    ['{a,/b}', ['/b']],
    ['{/b,a}', ['/b,a', '/b']],
    ['--file=/b', ['/b']],
    ['a\n/b', ['/b']],
    ['a b, /b', ['/b']],
    ['a, /b c', []],
    ["'/my file'", ['/my file']],
    ['@/b', ['/b']],
    ['host:/b', ['/b']],
    ['host:~/b', ['~/b']],
    ['@scope/name', []],
    ['ada@example.com', []],
    ['a:b', []],
    ['12:30', []],
    ['', []],
    ['a/b', []],
    ['notes', []],
    ['main..dev', []],
    ['a...b', []],
    ['\\d+\\s', []],
    ['https://example.com/../a', ['https://example.com/../a']],
    ['https://example.com/a', []],
    ['https://example.com/a?next=/b', []],
    ['HTTP://example.com#(/b)', []],
    ['https://example.com/a?next=/b,/c', ['/c']],
    ['--url=https://example.com/?a=/b', ['/b']],
    ['https:/b?a', ['/b?a']],
    ['what is in /etc/passwd', []],
    ['5 / 3', []],
    ['*.ts', []],
    ['~5', []],
    ['100%2f', []],
  ])('%j: %j', (text, paths) => {
    expect(pathsIn(text, 'x')).toEqual(paths);
  });

  test('in the arguments of a program also as one of its words', () => {
    expect(pathsIn('-r --file=/b /c', 'args')).toEqual(['/b', '/c']);
    expect(pathsIn('-r /c', 'x')).toEqual([]);
  });

  test.each(['content', 'newText', 'old_string', 'message', 'separator'])('but not by the name %s', (name) => {
    expect(isNoPath(name)).toBe(true);
  });

  test.each(['path', 'x', 'target', 'contentPath', 'text_file', ''])('and may by the name %j', (name) => {
    expect(isNoPath(name)).toBe(false);
  });
});

describe('a path holds a further one', () => {
  test.each([
    'a,/b',
    'a /b',
    'ab:/b',
    'a;~/b',
    'a|../b',
    'x,..',
    '{a,/b}',
    '["/b"]',
    'a=$HOME/b',
    'a,%2fb',
    '%2e%2e%2fb',
  ])('%j', (path) => {
    expect(furtherPaths(path)).not.toEqual([]);
  });

  test.each([
    ...[
      'a/b',
      '/a/b',
      '../b',
      'app/(group)/[slug]/page.tsx',
      'a, b/c',
      'My Notes/a.md',
      'C:/a',
      'a:1',
      '{{name}}/a',
      'a%20b',
    ],
  ])('%j does not', (path) => {
    expect(furtherPaths(path)).toEqual([]);
  });
});
