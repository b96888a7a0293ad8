import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ruleFor } from '../../src/policy/always.ts';
import { parsePolicy } from '../../src/policy/file.ts';
import type { PolicyRequest } from '../../src/policy/policy.ts';
import type { Rule } from '../../src/policy/rule.ts';
import { rules } from '../../src/policy/rules.ts';
import type { Tool } from '../../src/tool.ts';
import { requestOf, toolOf } from './stand-in.ts';

const writeFile = toolOf({
  permission: 'write',
  paths: { path: 'write' },
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' }, kind: { enum: ['text', 'code'] } },
  },
});
const fetchUrl = toolOf({ name: 'fetch_url', permission: 'network', urls: ['url'] });
const run = toolOf({ name: 'run', permission: 'execute', commands: ['command'] });

const writes = (path: string, over: object = {}): PolicyRequest =>
  requestOf({
    tool: writeFile,
    arguments: { path: path.replace('/w/', ''), content: 'hello', ...over },
    effects: [{ kind: 'fs.write', path }],
  });
const fetches = (url: string, host = 'example.com', port = 443): PolicyRequest =>
  requestOf({ tool: fetchUrl, arguments: { url }, effects: [{ kind: 'net', host, port }] });
const runs = (command: unknown, more: object = {}): PolicyRequest =>
  requestOf({ tool: run, arguments: { command, ...more } });

function kept(request: PolicyRequest): Rule {
  const rule = ruleFor(request);
  if (rule === undefined) throw new Error('no rule was offered');
  return rule;
}

const allows = (rule: Rule, request: PolicyRequest): boolean =>
  (rules([rule]).decide(request) as { decision?: string } | undefined)?.decision === 'allow';

describe('the rule that "always" keeps', () => {
  test('says in full what it allows, and fits a policy file', () => {
    const rule = kept(writes('/w/notes/a.txt'));
    expect(rule).toEqual({
      decision: 'allow',
      name: 'always write_file',
      tool: 'write_file',
      identity: expect.stringMatching(/^[0-9a-f]{64}$/),
      mode: 'ask',
      arguments: { path: 'notes/a.txt' },
      only: ['path', 'content'],
      effects: [{ kind: 'fs.write', path: '/w/notes/a.txt' }],
    });
    expect(parsePolicy(JSON.parse(JSON.stringify({ rules: [rule] }))).rules).toEqual([rule]);
  });

  const base = writes('/w/notes/a.txt', { kind: 'text' });
  const changed = (tool: Partial<Tool>): PolicyRequest => ({ ...base, tool: toolOf({ ...writeFile, ...tool }) });
  test.each<[string, PolicyRequest, PolicyRequest, boolean]>([
    ['the same call', base, base, true],
    ['other content', base, writes('/w/notes/a.txt', { kind: 'text', content: 'other' }), true],
    ['another path', base, writes('/w/notes/b.txt', { kind: 'text' }), false],
    ['a path below it', base, writes('/w/notes/a.txt/b', { kind: 'text' }), false],
    ['letters of another case', base, writes('/w/notes/A.txt', { kind: 'text' }), false],
    [
      'the same path under another root',
      base,
      { ...base, effects: [{ kind: 'fs.write', path: '/other/notes/a.txt' }] },
      false,
    ],
    [
      'a further effect',
      base,
      { ...base, effects: [...base.effects, { kind: 'fs.write', path: '/etc/passwd' }] },
      false,
    ],
    ['an effect of another kind', base, { ...base, effects: [{ kind: 'net', host: 'a.com', port: 1 }] }, false],
    ['no effects', base, { ...base, effects: [] }, false],
    ['what to do with the file', writes('/w/run.sh', { mode: '644' }), writes('/w/run.sh', { mode: '4755' }), false],
    ['another choice', base, writes('/w/notes/a.txt', { kind: 'code' }), false],
    ['a further argument', base, writes('/w/notes/a.txt', { kind: 'text', mode: 0o777 }), false],
    ['an argument less', base, writes('/w/notes/a.txt'), false],
    ['another mode', base, { ...base, mode: 'plan' }, false],
    ['another tool', base, changed({ name: 'write_file2' }), false],
    ['a tool of another source', base, changed({ source: 'elsewhere' }), false],
    ['a tool with another description', base, changed({ description: 'Writes a file, and mails it.' }), false],
    ['a tool with another schema', base, changed({ parameters: { type: 'object' } }), false],
    ['a tool of another level', base, changed({ permission: 'dangerous' }), false],
    ['a tool with other hints', base, changed({ annotations: { openWorld: true } }), false],
    ['another path on the host', fetches('https://example.com/a'), fetches('https://example.com/b?c=d'), true],
    ['a host below it', fetches('https://example.com/a'), fetches('https://a.example.com/a', 'a.example.com'), false],
    ['another host that the URL names', fetches('https://example.com/a'), fetches('https://evil.com/a'), false],
    [
      'another host that it would go to',
      fetches('https://example.com/a'),
      fetches('https://example.com/a', 'evil.com'),
      false,
    ],
    ['another port', fetches('https://example.com/a'), fetches('https://example.com:8/a', 'example.com', 8), false],
    ['a user name in the URL', fetches('https://example.com/a'), fetches('https://me@example.com/a'), false],
    [
      'a URL that no guard has read',
      requestOf({ tool: fetchUrl, arguments: { url: 'https://example.com/a' } }),
      requestOf({ tool: fetchUrl, arguments: { url: 'https://example.com/b' } }),
      false,
    ],
    ['the same words', runs(['git', 'log']), runs(['git', 'log']), true],
    ['further words', runs(['git', 'log']), runs(['git', 'log', '--output=/etc/x']), false],
    ['the same plain command line', runs('npm test'), runs('npm test'), true],
    ['a longer command line', runs('npm test'), runs('npm test -- --inspect'), false],
    ['another command behind it', runs('npm test'), runs('npm test; rm -rf a'), false],
    ['another program first', runs('npm test'), runs('X=1 npm test'), false],
    [
      'numbers that are close',
      requestOf({ arguments: { n: 1, deep: { a: [1] } } }),
      requestOf({ arguments: { n: 1, deep: { a: [1, 2] } } }),
      false,
    ],
    ['a number as text', requestOf({ arguments: { n: 1 } }), requestOf({ arguments: { n: '1' } }), false],
    ['no arguments', requestOf({}), requestOf({ arguments: { a: 1 } }), false],
  ])('%s', (_, asked, later, expected) => {
    expect(allows(kept(asked), asked)).toBe(true);
    expect(allows(kept(asked), later)).toBe(expected);
  });

  const net = { kind: 'net', host: 'a.com', port: 443 } as const;
  test.each<[string, object, PolicyRequest['effects']]>([
    ['whose level is another', { permission: 'dangerous' }, base.effects],
    ['without a level', { permission: undefined }, base.effects],
    ['that declares no paths', { paths: undefined }, base.effects],
    ['that goes elsewhere too', { urls: ['to'] }, base.effects],
    ['of which no guard found an effect', {}, []],
    ['of which a guard found another effect', {}, [...base.effects, net]],
  ])('holds other content of a tool %s for another call', (_, tool, effects) => {
    const asked = { ...changed(tool), effects };
    const other = { ...asked, arguments: { ...(asked.arguments as object), content: 'other' } };
    const rule = kept(asked);
    expect([allows(rule, asked), allows(rule, other)]).toEqual([true, false]);
  });

  test.each<[string, PolicyRequest]>([
    ['a command line for a shell', runs('echo $HOME > a')],
    ['a command line with something to expand', runs('git commit -m "$(x)"')],
    ['a command line of two commands', runs('git log; git status')],
    ['a command line of a pipe', runs('git log | head')],
    ['a command line with quotes', runs('git commit -m "a b"')],
    ['a command line in a list of one', runs(['rm -rf / > x'])],
    ['a text beside a command', runs(['sh'], { stdin: 'rm -rf $HOME' })],
    ['an undeclared command line', requestOf({ arguments: { command: 'a &' } })],
    [
      'a program that a guard found',
      requestOf({ arguments: { script: 'a `b`' }, effects: [{ kind: 'exec', argv: ['sh'] }] }),
    ],
    ['what is too long to be read', requestOf({ arguments: { text: 'x'.repeat(5_000) } })],
    ['what JSON cannot say', requestOf({ arguments: { at: new Date(0) } })],
    ['arguments that are no object', requestOf({ arguments: ['a'] })],
    ['an argument without a name', requestOf({ arguments: { '': 1 } })],
    ['a mode that is a pattern', requestOf({ mode: '*' })],
    ['a source that is a pattern', requestOf({ tool: toolOf({ source: 'git*' }) })],
  ])('is not offered for %s', (_, request) => {
    expect(ruleFor(request)).toBeUndefined();
  });

  test('names of arguments mean themselves', () => {
    for (const name of ['/a', '*', '/*', 'a/b', '~', '__proto__', 'constructor']) {
      const args = JSON.parse(`{${JSON.stringify(name)}:1}`);
      const rule = kept(requestOf({ arguments: args }));
      expect(allows(rule, requestOf({ arguments: JSON.parse(`{${JSON.stringify(name)}:2}`) }))).toBe(false);
      expect(allows(rule, requestOf({ arguments: {} }))).toBe(false);
    }
  });

  test('a path with signs that globs know means itself and nothing else', () => {
    const part = fc
      .array(fc.constantFrom(...'ab.*?[]{}()!+@|^,#$ -ä'), { minLength: 1, maxLength: 6 })
      .map((all) => all.join(''));
    const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `/w/${parts.join('/')}`);
    fc.assert(
      fc.property(path, path, (asked, other) => {
        const rule = ruleFor(writes(asked));
        if (rule === undefined || asked === other) return;
        const onlyThePath = { ...writes(asked), effects: writes(other).effects };
        expect(allows(rule, onlyThePath)).toBe(false);
      }),
      { numRuns: 300 },
    );
    for (const odd of ['/w/[id].tsx', '/w/(group)/page', '/w/{a,b}', '/w/a+b', '/w/!x', '/w/.env', '/w/#c']) {
      const rule = kept(writes(odd));
      expect(allows(rule, writes(odd))).toBe(true);
    }
    expect(allows(kept(writes('/w/[ab]')), { ...writes('/w/[ab]'), effects: writes('/w/a').effects })).toBe(false);
    expect(allows(kept(writes('/w/{a,b}')), { ...writes('/w/{a,b}'), effects: writes('/w/a').effects })).toBe(false);
  });

  test('allows nothing but calls with the same arguments, of tools whose arguments are no content', () => {
    const args = fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 3,
    });
    fc.assert(
      fc.property(args, args, (one, other) => {
        const rule = ruleFor(requestOf({ arguments: one }));
        if (rule === undefined) return;
        const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(allows(rule, requestOf({ arguments: other }))).toBe(same);
      }),
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}
