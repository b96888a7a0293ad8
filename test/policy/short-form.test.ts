import { describe, expect, test } from 'vitest';
import { judge, type PolicyRequest } from '../../src/policy/policy.ts';
import { rules } from '../../src/policy/rules.ts';
import type { Decision, Ruling } from '../../src/policy/verdict.ts';
import type { Effect } from '../../src/types.ts';
import { requestOf, toolOf } from './stand-in.ts';

const judged = (decision: Decision, tool: string | string[], over: Partial<PolicyRequest>): Decision | undefined =>
  (judge([rules([{ decision, tool }])], requestOf(over), 1000) as Ruling | undefined)?.decision;

const exec = (...argv: string[]): Effect => ({ kind: 'exec', argv });
const net = (host: string): Effect => ({ kind: 'net', host, port: 443 });
const write = (path: string): Effect => ({ kind: 'fs.write', path });

describe('short forms', () => {
  const readFile = toolOf({ name: 'read_file', paths: { path: 'read' } });
  const copy = toolOf({ name: 'copy', paths: { from: 'read', '/to/*': 'write' } });
  const shell = toolOf({ name: 'run_shell' });
  const fetchUrl = toolOf({ name: 'fetch_url' });

  test.each<[string, string, Partial<PolicyRequest>, Decision | undefined, Decision | undefined]>([
    ['a path', 'read_file(src/**)', { tool: readFile, arguments: { path: 'src/a' } }, 'allow', 'deny'],
    ['another path', 'read_file(src/**)', { tool: readFile, arguments: { path: 'lib/a' } }, undefined, undefined],
    ['a path that climbs', 'read_file(src/**)', { tool: readFile, arguments: { path: 'src/../a' } }, undefined, 'ask'],
    ['another tool', 'read_file(src/**)', { tool: copy, arguments: { from: 'src/a' } }, undefined, undefined],
    ['a call without the path', 'read_file(**)', { tool: readFile, arguments: {} }, undefined, undefined],
    ['all paths', 'copy(src/**)', { tool: copy, arguments: { from: 'src/a', to: ['src/b'] } }, 'allow', 'deny'],
    ['one path of several', 'copy(src/**)', { tool: copy, arguments: { from: 'src/a', to: ['x'] } }, undefined, 'deny'],
    [
      'a path and something else',
      'read_file(src/**)',
      { tool: readFile, arguments: { path: 'src/a' }, effects: [net('x.y')] },
      undefined,
      'deny',
    ],
    ['a command', 'run_shell(npm test)', { tool: shell, arguments: { command: 'npm test' } }, 'allow', 'deny'],
    [
      'a command with more',
      'run_shell(ls src)',
      { tool: shell, arguments: { command: 'ls src lib' } },
      undefined,
      'deny',
    ],
    ['first words', 'run_shell(ls *)', { tool: shell, arguments: { command: 'ls src lib' } }, 'allow', 'deny'],
    [
      'first words, the other way to write it',
      'run_shell(ls:*)',
      { tool: shell, arguments: { command: 'ls src' } },
      'allow',
      'deny',
    ],
    [
      'first words of a program that runs others',
      'run_shell(npm run *)',
      { tool: shell, arguments: { command: 'npm run x' } },
      undefined,
      'deny',
    ],
    [
      'a word that begins alike',
      'run_shell(git log)',
      { tool: shell, arguments: { command: 'git logout' } },
      undefined,
      undefined,
    ],
    ['a chain', 'run_shell(ls)', { tool: shell, arguments: { command: 'ls; touch x' } }, undefined, 'deny'],
    ['a chain of others', 'run_shell(rm)', { tool: shell, arguments: { command: 'ls | head' } }, undefined, undefined],
    [
      'what a guard parsed',
      'run_shell(ls *)',
      { tool: shell, arguments: { command: 'ls a && ls b' }, effects: [exec('ls', 'a'), exec('ls', 'b')] },
      'allow',
      'deny',
    ],
    [
      'what a guard parsed, in part',
      'run_shell(ls *)',
      { tool: shell, arguments: {}, effects: [exec('ls'), exec('touch', 'x')] },
      undefined,
      'deny',
    ],
    [
      'a command that also writes',
      'run_shell(ls *)',
      { tool: shell, arguments: {}, effects: [exec('ls'), write('/x')] },
      undefined,
      'deny',
    ],
    [
      'a host',
      'fetch_url(domain:example.com)',
      { tool: fetchUrl, arguments: { url: 'https://example.com/a' } },
      'allow',
      'deny',
    ],
    [
      'a host below',
      'fetch_url(domain:*.example.com)',
      { tool: fetchUrl, arguments: { url: 'https://a.example.com' } },
      'allow',
      'deny',
    ],
    [
      'a longer host',
      'fetch_url(domain:example.com)',
      { tool: fetchUrl, arguments: { url: 'https://example.com.evil.org' } },
      undefined,
      undefined,
    ],
    [
      'the host a guard found',
      'fetch_url(domain:example.com)',
      { tool: fetchUrl, arguments: { url: 'https://example.com' }, effects: [net('evil.org')] },
      undefined,
      undefined,
    ],
  ])('%s', (_, tool, request, allowed, denied) => {
    expect(judged('allow', tool, request)).toBe(allowed);
    expect(judged('deny', tool, request)).toBe(denied);
  });

  test('stand beside names', () => {
    const list = ['copy', 'read_file(src/**)', 'read_file(lib/**)'];
    expect(judged('allow', list, { tool: copy, arguments: {} })).toBe('allow');
    expect(judged('allow', list, { tool: readFile, arguments: { path: 'lib/a' } })).toBe('allow');
    expect(judged('allow', list, { tool: readFile, arguments: { path: 'etc/a' } })).toBeUndefined();
  });

  test('a tool is denied outright by its name only', () => {
    const policy = rules([{ decision: 'deny', tool: ['copy', 'read_file(src/**)'] }]);
    expect([policy.foresee(copy, 'ask'), policy.foresee(readFile, 'ask')]).toEqual(['deny', 'silent']);
  });

  test.each([
    ['read file(src)', 'a short form is an exact name and (...)'],
    ['read_file()', 'nothing between the parentheses'],
    ['fetch_url(domain:https://x)', 'is not a host'],
  ])('%s is refused', (tool, message) => {
    expect(() => rules([{ decision: 'deny', tool }])).toThrow(`Rule 0: tool`);
    expect(() => rules([{ decision: 'deny', tool }])).toThrow(message);
  });

  test('an extended glob is not taken for one', () => {
    const over = { tool: toolOf({ name: 'read_b' }) };
    expect(judged('allow', 'read_@(a|b)', over)).toBe('allow');
  });
});
