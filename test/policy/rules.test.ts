import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge, type PolicyRequest } from '../../src/policy/policy.ts';
import type { Rule } from '../../src/policy/rule.ts';
import { rules } from '../../src/policy/rules.ts';
import type { Decision, Ruling } from '../../src/policy/verdict.ts';
import type { Effect } from '../../src/types.ts';
import { requestOf, toolOf } from './stand-in.ts';

const judged = (list: readonly Rule[], over: Partial<PolicyRequest> = {}): Decision | undefined =>
  (judge([rules(list)], requestOf(over), 1000) as Ruling | undefined)?.decision;

/** The decision of one rule about a tool, or undefined when it does not match. */
const about = (rule: Rule, tool: Parameters<typeof toolOf>[0]) => judged([rule], { tool: toolOf(tool) });

describe('conditions on the tool', () => {
  test.each<[string, Rule['tool'], string, boolean]>([
    ['an exact name', 'write_file', 'write_file', true],
    ['an exact name is no prefix', 'write_file', 'write_file_2', false],
    ['a list of names', ['a', 'write_file'], 'write_file', true],
    ['a star', 'write_*', 'write_file', true],
    ['a star stays within one part', 'fs/*', 'fs/sub/write', false],
    ['two stars go across', 'fs/**', 'fs/sub/write', true],
    ['a star does not reach into a namespace', '*', 'fs/write', false],
    ['a leading exclamation mark negates nothing', '!write_file', 'read_file', false],
    ['a leading hash sign comments nothing', '#x', 'write_file', false],
    ['letter case counts', 'Write_File', 'write_file', false],
    ['a name with a dot in front is no secret', '**', '.hidden', true],
  ])('allow: %s', (_, tool, name, matches) => {
    expect(about({ decision: 'allow', tool: tool as string }, { name })).toBe(matches ? 'allow' : undefined);
  });

  test.each<[string, string, string, boolean]>([
    ['letter case does not count', 'Write_File', 'write_file', true],
    ['a full-width letter is the letter', 'ｗrite_file', 'write_file', true],
    ['a star covers namespaces', '*', 'fs/sub/write', true],
    ['a star in a name goes across a slash', 'fs*', 'fs/write', true],
    ['an exact name is no prefix', 'write_file', 'write_file_2', false],
  ])('deny: %s', (_, tool, name, matches) => {
    expect(about({ decision: 'deny', tool }, { name })).toBe(matches ? 'deny' : undefined);
    expect(about({ decision: 'ask', tool }, { name })).toBe(matches ? 'ask' : undefined);
  });

  test.each<[string, Partial<Rule>, Parameters<typeof toolOf>[0], boolean]>([
    ['a tag', { tag: 'prod' }, { tags: ['x', 'prod'] }, true],
    ['another tag', { tag: 'prod' }, { tags: ['x'] }, false],
    ['a tag of a tool without tags', { tag: 'prod' }, {}, false],
    ['a level', { level: ['write', 'execute'] }, { permission: 'write' }, true],
    ['another level', { level: 'write' }, { permission: 'read' }, false],
    ['no level', { level: 'none' }, {}, true],
    ['no level, of a tool with one', { level: 'none' }, { permission: 'read' }, false],
    ['a source', { source: 'github' }, { source: 'github' }, true],
    ['any source', { source: '**' }, { source: 'git/hub' }, true],
    ['any source, of a tool of our own', { source: '**' }, {}, false],
    ['a hint', { annotations: { readOnly: true } }, { annotations: { readOnly: true } }, true],
    ['a hint that is left out has its default', { annotations: { destructive: true } }, {}, true],
    ['a hint with the other value', { annotations: { readOnly: true } }, {}, false],
    ['two conditions, one of which holds', { tag: 'prod', level: 'write' }, { tags: ['prod'] }, false],
  ])('%s', (_, conditions, tool, matches) => {
    for (const decision of ['allow', 'ask', 'deny'] as const) {
      expect(about({ decision, ...conditions }, tool)).toBe(matches ? decision : undefined);
    }
  });

  test('a rule without conditions is about everything', () => {
    expect(about({ decision: 'deny' }, { name: 'a/b' })).toBe('deny');
  });

  test('a mode', () => {
    const rule: Rule = { decision: 'deny', mode: ['plan', 'auto'] };
    expect(judged([rule], { mode: 'auto' })).toBe('deny');
    expect(judged([rule], { mode: 'ask' })).toBeUndefined();
  });

  test('follow a tool that was changed in place', () => {
    const tool = { ...toolOf(), tags: ['harmless'] };
    const policy = rules([{ decision: 'deny', tag: 'prod' }]);
    expect(policy.decide(requestOf({ tool }))).toBeUndefined();
    tool.tags = ['prod'];
    expect(policy.decide(requestOf({ tool }))).toMatchObject({ decision: 'deny' });
  });
});

describe('conditions on arguments', () => {
  const decide = (matcher: unknown, value: unknown, decision: Decision): Decision | undefined =>
    judged([{ decision, arguments: { it: matcher as never } }], { arguments: { it: value } });

  // What an allow and what a deny with this matcher says of this value.
  test.each<[string, unknown, unknown, 'allow' | undefined, Decision | undefined]>([
    ['a text', 'main', 'main', 'allow', 'deny'],
    ['a text in another case', 'main', 'Main', undefined, 'deny'],
    ['another text', 'main', 'mai', undefined, undefined],
    ['one of several', ['a', 1, null], 1, 'allow', 'deny'],
    ['a number is no text', 1, '1', undefined, undefined],
    ['a value that is no scalar', 'a', ['a'], undefined, 'ask'],
    ['within bounds', { min: 1, max: 3 }, 3, 'allow', 'deny'],
    ['the one number within bounds', { min: 3, max: 3 }, 3, 'allow', 'deny'],
    ['outside of bounds', { max: 3 }, 3.5, undefined, undefined],
    ['a text is not within bounds', { max: 3 }, '2', undefined, 'ask'],
    ['NaN, which is neither within bounds nor outside', { max: 3 }, Number.NaN, undefined, 'ask'],
    ['not, of NaN', { not: { max: 3 } }, Number.NaN, undefined, 'ask'],
    ['a bigint within bounds', { max: 3 }, 2n, 'allow', 'deny'],
    ['a bigint for a number', 1, 1n, undefined, 'ask'],
    ['a function for a text', 'a', () => 'a', undefined, 'ask'],
    ['a date for a text', { equals: '1970-01-01' }, new Date(0), undefined, 'ask'],
    ['a date for a date', { equals: new Date(0) }, new Date(0), 'allow', 'deny'],
    ['another date', { equals: new Date(0) }, new Date(1), undefined, undefined],
    ['a bigint for a number inside', { equals: { a: [1] } }, { a: [1n] }, undefined, 'ask'],
    ['a member that is undefined', { equals: { a: 1 } }, { a: 1, b: undefined }, undefined, 'ask'],
    ['another object', { equals: { a: 1 } }, { a: 1, b: 2 }, undefined, undefined],
    ['not', { not: 'a' }, 'b', 'allow', 'deny'],
    ['not not', { not: 'a' }, 'a', undefined, undefined],
    ['not, of what cannot be judged', { not: { max: 3 } }, '2', undefined, 'ask'],
    ['an allow by "not" is narrow', { not: 'a' }, 'A', undefined, 'deny'],
    ['a path', { path: 'src/**' }, 'src/a/b.ts', 'allow', 'deny'],
    ['a sibling with the same beginning', { path: 'src/**' }, 'src-evil/a', undefined, undefined],
    ['a path in another case', { path: 'src/**' }, 'SRC/a', undefined, 'deny'],
    ['a path with trailing dots', { path: '**/.env' }, 'a/.env.', undefined, 'deny'],
    ['a path with a stream', { path: '**/.env' }, '.env::$DATA', undefined, 'deny'],
    ['a path with zero-width letters', { path: 'secret/**' }, 'sec\u200bret/a', undefined, 'deny'],
    ['a hidden file under a folder', { path: 'src/**' }, 'src/.env', undefined, 'deny'],
    ['the folder itself', { path: 'src/**' }, 'src', undefined, 'deny'],
    ['the folder itself, deeper', { path: '**/.git/**' }, 'a/.git', undefined, 'deny'],
    ['a path in another root', { path: 'src/**' }, '/other/src/a', undefined, 'deny'],
    ['a path on a drive', { path: 'src/**' }, 'C:/w/src/a', undefined, 'deny'],
    ['a path on a drive, in full', { path: 'C:/w/**' }, 'c:/W/src', undefined, 'deny'],
    ['a path in a folder named like a glob', { path: '*/src/**' }, '**/src/a', 'allow', 'deny'],
    ['a path that climbs', { path: 'src/**' }, 'src/../etc/passwd', undefined, 'ask'],
    ['a path that climbs by backslashes', { path: 'src/*' }, 'src/a\\..\\..\\b', undefined, 'deny'],
    ['a path with an empty part', { path: 'src/**' }, 'src//a', undefined, 'deny'],
    ['a path with a backslash', { path: 'src/**' }, 'x\\src', undefined, 'ask'],
    ['a path that is no text', { path: 'src/**' }, 5, undefined, 'ask'],
    ['a path that looks like a glob', { path: '[id].ts' }, '[id].ts', 'allow', 'deny'],
    ['the root', { path: '.' }, '.', 'allow', 'deny'],
    ['a host in a URL', { host: 'example.com' }, 'https://EXAMPLE.com./x?y', 'allow', 'deny'],
    ['a bare host', { host: 'example.com' }, 'example.com', 'allow', 'deny'],
    ['a longer host', { host: 'example.com' }, 'https://example.com.evil.org', undefined, undefined],
    ['a host below', { host: '*.example.com' }, 'https://a.b.example.com', 'allow', 'deny'],
    ['not the host itself', { host: '*.example.com' }, 'https://example.com', undefined, undefined],
    ['a host with the same end', { host: '*.example.com' }, 'https://evilexample.com', undefined, undefined],
    ['a host behind a user name', { host: 'evil.org' }, 'https://example.com@evil.org', undefined, 'ask'],
    ['an address written oddly', { host: '127.0.0.1' }, 'http://0x7f.1/', 'allow', 'deny'],
    ['an address of six', { host: '::1' }, 'http://[0:0::1]:80/', 'allow', 'deny'],
    ['a URL with a blank', { host: 'example.com' }, 'https://example.com /', undefined, 'ask'],
    ['no URL', { host: 'example.com' }, 'http://', undefined, 'ask'],
    ['a host with a path, and no scheme', { host: 'example.com' }, 'example.com/x', undefined, 'ask'],
    ['a host with a query, and no scheme', { host: 'example.com' }, 'example.com?x', undefined, 'ask'],
    ['a host with a fragment, and no scheme', { host: 'example.com' }, 'example.com#x', undefined, 'ask'],
    ['a command with a word that is no text', { command: ['git', 'log'] }, ['git', 'log', {}], undefined, 'ask'],
  ])('%s', (_, matcher, value, allowed, denied) => {
    expect(decide(matcher, value, 'allow')).toBe(allowed);
    expect(decide(matcher, value, 'deny')).toBe(denied);
    expect(decide(matcher, value, 'ask')).toBe(denied && 'ask');
  });

  test.each([undefined, {}, { other: 'main' }, null, Object.create(null)])(
    'do not match where the argument is absent: %j',
    (args) => {
      expect(judged([{ decision: 'deny', arguments: { it: 'main' } }], { arguments: args })).toBeUndefined();
    },
  );

  class Holder {
    readonly #it: string;
    constructor(it: string) {
      this.#it = it;
    }
    get it(): string {
      return this.#it;
    }
  }

  describe.each<[string, unknown]>([
    ['a Map', new Map([['it', 'main']])],
    ['an instance of a class', new Holder('main')],
    ['an object that inherits', Object.create({ it: 'main' })],
    ['a list', ['main']],
    ['a text', 'main'],
    ['a function', () => 'main'],
  ])('cannot be sure of %s that a schema library made', (_, made) => {
    const cases: [string, Rule['arguments'], unknown, Rule['tool']][] = [
      ['of the arguments', { it: 'main' }, made, 'write_file'],
      ['of an object in them', { '/o/it': 'main' }, { o: made }, 'write_file'],
      ['of one in a list', { '/o/*/it': 'main' }, { o: [{}, made] }, 'write_file'],
      ['where a path is meant', undefined, made, 'write_file(main)'],
      ['where a host is meant', undefined, made, 'write_file(domain:main)'],
    ];
    test.each(cases)('%s: an allow does not count, a deny asks', (_where, matchers, args, tool) => {
      const rule = { tool: tool as string, ...(matchers !== undefined && { arguments: matchers }) };
      expect(judged([{ ...rule, decision: 'allow' }], { arguments: args })).toBeUndefined();
      expect(judged([{ ...rule, decision: 'deny' }], { arguments: args })).toBe('ask');
    });
  });

  test('do not overlook what an instance of a class has of its own', () => {
    const args = Object.assign(new Holder('other'), { own: 'main' });
    expect(judged([{ decision: 'deny', arguments: { own: 'main' } }], { arguments: args })).toBe('deny');
  });

  test('reach into arrays: an allow needs all, a deny one', () => {
    const reach = (decision: Decision, ...paths: string[]) =>
      judged([{ decision, arguments: { '/edits/*/path': { path: 'src/**' } } }], {
        arguments: { edits: paths.map((path) => ({ path })) },
      });
    expect(reach('allow', 'src/a', 'src/b')).toBe('allow');
    expect(reach('allow', 'src/a', 'lib/b')).toBeUndefined();
    expect(reach('allow')).toBeUndefined();
    expect(reach('deny', 'lib/a', 'src/b')).toBe('deny');
    expect(reach('deny', 'lib/a')).toBeUndefined();
  });

  test.each([
    ['a text for a list', { edits: 'src/a' }],
    ['an object for a list', { edits: { path: 'src/a' } }],
    ['a text for an object', { edits: [{ path: 'lib/a' }, 'src/a'] }],
    ['a list for an object', { edits: [[{ path: 'src/a' }]] }],
  ])('cannot be sure of %s: an allow does not count, a deny asks', (_, args) => {
    const matchers = { '/edits/*/path': { path: 'src/**' } } as const;
    expect(judged([{ decision: 'allow', arguments: matchers }], { arguments: args })).toBeUndefined();
    expect(judged([{ decision: 'deny', arguments: matchers }], { arguments: args })).toBe('ask');
    const loose: Rule = { decision: 'allow', arguments: { '/edits/*/path': () => true } };
    expect(judged([loose], { arguments: args })).toBeUndefined();
  });

  test('take what is absent on the way for absent, and an index for an item', () => {
    const denied = (pointer: string, args: object) =>
      judged([{ decision: 'deny', arguments: { [pointer]: 'x' } }], { arguments: args });
    for (const args of [{}, { to: null }, { to: [] }, { to: [{}] }]) expect(denied('/to/*/mail', args)).toBeUndefined();
    expect(denied('/to/1', { to: ['x'] })).toBeUndefined();
    expect(denied('/to/0', { to: ['x'] })).toBe('deny');
    expect(denied('/to/0', { to: 'x' })).toBe('ask');
  });

  test('may be functions of the value', () => {
    const rule: Rule = { decision: 'deny', arguments: { body: (value) => String(value).length > 3 } };
    expect(judged([rule], { arguments: { body: 'long' } })).toBe('deny');
    expect(judged([rule], { arguments: { body: 'ok' } })).toBeUndefined();
  });
});

describe('commands', () => {
  const allowed: Rule = {
    decision: 'allow',
    arguments: {
      command: { command: [['echo'], ['ls'], ['git', 'status'], ['git', 'log'], ['cat'], ['find'], ['npm', 'test']] },
    },
  };
  const run = (rule: Rule, command: unknown) => judged([rule], { arguments: { command } });

  test.each(['ls', 'ls -la src', 'git status', 'git log', 'echo hello', 'npm test', 'find', ['ls', '-l', 'a b; c']])(
    'an allow covers %j',
    (command) => {
      expect(run(allowed, command)).toBe('allow');
    },
  );

  test.each([
    'git logout',
    'git statusfoo',
    'git log --output=x',
    'npm test2',
    'npm run x',
    'echo *; rm -rf victim',
    'ls && touch x',
    'ls\ntouch x',
    'echo $(touch x)',
    'echo `touch x`',
    'cat <(touch x)',
    'echo ok > >(touch x)',
    'git status || touch x',
    'echo x > y',
    'X=1 touch x',
    'X=1 ls',
    'ls & touch x',
    'find . -exec touch x +',
    'ls; #\ntouch x',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's own variable
    'echo "${IFS}" | sh',
    'FOO=$(touch x) ls',
    'LS',
    '/tmp/ls',
    'l\\s',
    'ls\t-l',
    ' ',
    '',
    [],
    [1],
    'echo \u202e',
    null,
  ])('an allow does not cover %j (R11)', (command) => {
    expect(run(allowed, command)).toBeUndefined();
  });

  const denied: Rule = { decision: 'deny', arguments: { command: { command: ['rm'] } } };
  test.each<[unknown, Decision | undefined]>([
    ['rm -rf x', 'deny'],
    ['/bin/rm x', 'deny'],
    ['RM.EXE x', 'deny'],
    [['/usr/bin/rm'], 'deny'],
    ['ls; rm x', 'deny'],
    ['$(rm x)', 'deny'],
    ["r''m x", 'deny'],
    ['ls | head', undefined],
    ['ls | head; rm x', 'deny'],
    ['ls *', 'ask'],
    [['env', 'rm', 'x'], 'deny'],
    [['bash', '-c', 'ls && rm x'], 'deny'],
    [['bash', '-c', 'ls * && rm x'], 'deny'],
    [['bash', '-c', 'ls && cat x'], undefined],
    [['find', '.', '-exec', 'rm', '{}', ';'], 'deny'],
    [['git', 'commit', '-m', 'rm'], undefined],
    [`${'true && '.repeat(60)}rm x`, 'deny'],
    ['lsrm', undefined],
    ['ls rm', undefined],
    ['ls', undefined],
  ])('a deny of `rm` says of %j: %s', (command, decision) => {
    expect(run(denied, command)).toBe(decision);
  });
});

describe('conditions on effects', () => {
  const write = (path: string) => ({ kind: 'fs.write', path }) as const;
  const read = (path: string) => ({ kind: 'fs.read', path }) as const;
  const net = (host: string, port = 443) => ({ kind: 'net', host, port }) as const;
  const exec = (...argv: string[]) => ({ kind: 'exec', argv }) as const;

  test.each<[string, unknown, readonly unknown[], boolean, boolean]>([
    ['one that matches', { kind: 'fs.write', path: '/w/src/**' }, [write('/w/src/a')], true, true],
    [
      'an allow needs all of them',
      { kind: 'fs.write', path: '/w/src/**' },
      [write('/w/src/a'), write('/w/lib/a')],
      false,
      true,
    ],
    ['an allow needs all kinds', { kind: 'fs.write' }, [write('a'), read('b')], false, true],
    ['several matchers', [{ kind: 'fs.write' }, { kind: 'fs.read' }], [write('a'), read('b')], true, true],
    ['none at all', { kind: 'fs.write' }, [], false, false],
    ['another kind', { kind: ['net', 'exec'] }, [write('a')], false, false],
    ['a path of a read', { path: '/w/src/**' }, [read('/w/src/a')], true, true],
    ['a path in another case', { path: '/w/SRC/**' }, [read('/w/src/a')], false, true],
    ['a path at any depth', { path: '**/src/*' }, [read('/w/src/a')], true, true],
    ['a path of something without one', { path: '/w/**' }, [net('a.b')], false, false],
    ['a host and a port', { host: '*.example.com', port: [443, 8443] }, [net('api.example.com', 8443)], true, true],
    ['a host and another port', { host: 'example.com', port: 443 }, [net('example.com', 80)], false, false],
    ['a command', { command: ['git', 'log'] }, [exec('git', 'log')], true, true],
    ['one of two commands', { command: [['ls']] }, [exec('ls'), exec('touch', 'x')], false, true],
    ['a command that only begins alike', { command: ['git', 'log'] }, [exec('git', 'logout')], false, false],
    ['a function', (effect: { kind: string }) => effect.kind === 'net', [net('a.b')], true, true],
  ])('%s', (_, effects, found, allows, denies) => {
    expect(judged([{ decision: 'allow', effects: effects as never }], { effects: found as never })).toBe(
      allows ? 'allow' : undefined,
    );
    expect(judged([{ decision: 'deny', effects: effects as never }], { effects: found as never })).toBe(
      denies ? 'deny' : undefined,
    );
  });

  test('a relative path holds at any depth where it forbids, and cannot allow', () => {
    const effects = { path: '.github/**' };
    expect(judged([{ decision: 'deny', effects }], { effects: [write('/w/.github/workflows/ci.yml')] })).toBe('deny');
    expect(judged([{ decision: 'deny', effects }], { effects: [write('/w/a.github/x')] })).toBeUndefined();
    expect(() => rules([{ decision: 'allow', effects }])).toThrow('Rule 0: effects.path must begin with / or **/');
  });
});

describe('conditions in code', () => {
  test('are asked last, and only where the others hold', () => {
    const asked: string[] = [];
    const rule: Rule = { decision: 'deny', arguments: { a: 1 }, when: ({ callId }) => asked.push(callId) > 0 };
    expect(judged([rule], { arguments: { a: 2 } })).toBeUndefined();
    expect(judged([rule], { arguments: { a: 1 } })).toBe('deny');
    expect(asked).toEqual(['c1']);
  });

  test('may be asynchronous', async () => {
    const policy = rules([{ decision: 'ask', when: async () => true }, { decision: 'allow' }]);
    expect(await policy.decide(requestOf())).toMatchObject({ decision: 'ask' });
  });

  test.each<[string, Partial<Rule>]>([
    [
      'throws',
      {
        when: () => {
          throw new Error('boom');
        },
      },
    ],
    ['rejects', { when: () => Promise.reject(new Error('boom')) }],
    ['answers nothing', { when: () => undefined as never }],
    ['answers a word', { when: () => 'yes' as never }],
    ['answers a promise of nothing', { when: async () => undefined as never }],
    [
      'judges an argument and throws',
      {
        arguments: {
          a: () => {
            throw new Error('boom');
          },
        },
      },
    ],
    ['judges an argument and answers nothing', { arguments: { a: () => undefined as never } }],
    ['judges an effect and answers a promise', { effects: (async () => true) as never }],
  ])('a rule whose function %s has denied, whatever its decision', async (_, conditions) => {
    for (const decision of ['allow', 'ask', 'deny'] as const) {
      const request = requestOf({ arguments: { a: 1 }, effects: [{ kind: 'fs.read', path: 'a' }] });
      const ruling = await judge([rules([{ decision, ...conditions }])], request, 1000);
      expect(ruling).toMatchObject({ decision: 'deny', reason: 'a policy could not decide', rule: 'rule 0' });
    }
  });
});

interface Asked {
  readonly path: unknown;
  readonly n: unknown;
  readonly effects: readonly Effect[];
  readonly level: string | undefined;
}

describe('a list of rules', () => {
  const rule: fc.Arbitrary<Rule> = fc.record(
    {
      decision: fc.constantFrom<Decision>('allow', 'ask', 'deny'),
      tool: fc.constantFrom('write_file', 'write_*', 'read_*', '**', 'other'),
      level: fc.constantFrom('write', 'read', 'none'),
      arguments: fc.constantFrom(
        { path: { path: 'src/**' } },
        { path: { not: { path: 'src/**' } } },
        { n: { max: 3 } },
      ),
      effects: fc.constantFrom({ kind: 'fs.write' as const }, { path: '/lib/**' }, { host: 'example.com' }),
      mode: fc.constantFrom('ask', 'plan'),
    },
    { requiredKeys: ['decision'] },
  );
  const request: fc.Arbitrary<Asked> = fc.record({
    path: fc.constantFrom('src/a', 'lib/b', '../x', 5),
    n: fc.constantFrom(1, 9, 'many'),
    effects: fc.subarray([
      { kind: 'fs.write', path: 'src/a' },
      { kind: 'fs.read', path: 'lib/b' },
    ] as const),
    level: fc.constantFrom('read', 'write', undefined),
  });
  const decide = (list: readonly Rule[], { path, n, effects, level }: Asked) =>
    judged(list, { arguments: { path, n }, effects, tool: toolOf(level === undefined ? {} : { permission: level }) });
  const strictness = [undefined, 'allow', 'ask', 'deny'];

  test('decides the same in any order', () => {
    fc.assert(
      fc.property(
        fc
          .array(rule, { maxLength: 10 })
          .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        request,
        ([list, shuffled], one) => {
          expect(decide(shuffled, one)).toBe(decide(list, one));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('is never loosened by a rule that denies or asks', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 10 }), rule, request, (list, more, one) => {
        fc.pre(more.decision !== 'allow');
        const before = strictness.indexOf(decide(list, one));
        expect(strictness.indexOf(decide([...list, more], one))).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  test('names the rule that decided, by its place or its name', () => {
    const policy = rules([
      { decision: 'allow' },
      { decision: 'deny', reason: 'frozen' },
      { decision: 'deny', name: 'late' },
    ]);
    expect(policy.decide(requestOf())).toEqual({ decision: 'deny', reason: 'frozen', rule: 'rule 1' });
  });

  test('is not changed by what happens to its rules later', () => {
    const list: Rule[] = [{ decision: 'deny' }];
    const policy = rules(list);
    list[0] = { decision: 'allow' };
    list.pop();
    expect(policy.decide(requestOf())).toMatchObject({ decision: 'deny' });
  });

  test('has a version that follows its content, functions included', () => {
    const version = (list: readonly Rule[]): string => rules(list).version;
    expect(version([{ decision: 'deny', tool: 'a' }])).toBe(version([{ tool: 'a', decision: 'deny' }]));
    expect(version([{ decision: 'deny', tool: 'a' }])).not.toBe(version([{ decision: 'deny', tool: 'b' }]));
    expect(version([{ decision: 'deny', when: () => true }])).not.toBe(
      version([{ decision: 'deny', when: () => false }]),
    );
  });
});

describe('a rule that is not well-formed is refused with its place', () => {
  test.each<[string, unknown, string]>([
    ['no object', 'deny', 'Rule 1 needs an object'],
    ['a list', [], 'Rule 1 needs an object'],
    ['empty', {}, 'Rule 1 is empty'],
    ['no decision', { tool: 'a' }, 'Rule 1: decision must be allow, ask or deny'],
    ['a mistyped member', { decision: 'deny', tools: 'a' }, 'Rule 1: tools is unknown'],
    ['a mistyped decision', { decision: 'denied' }, 'Rule 1: decision'],
    ['no tool name', { decision: 'deny', tool: '' }, 'Rule 1: tool needs a text'],
    ['no tool names', { decision: 'deny', tool: [] }, 'Rule 1: tool is an empty list'],
    ['a number as a tag', { decision: 'deny', tag: 5 }, 'Rule 1: tag needs a text'],
    ['a name that is no text', { decision: 'deny', name: 5 }, 'Rule 1: name'],
    ['a reason that is no text', { decision: 'deny', reason: {} }, 'Rule 1: reason'],
    ['an unknown hint', { decision: 'deny', annotations: { safe: true } }, 'Rule 1: annotations.safe'],
    ['an inherited hint', { decision: 'deny', annotations: { toString: true } }, 'Rule 1: annotations.toString'],
    ['no arguments', { decision: 'deny', arguments: {} }, 'Rule 1: arguments is empty'],
    [
      'an unknown matcher',
      { decision: 'deny', arguments: { a: { regex: '.*' } } },
      'Rule 1: arguments.a.regex is unknown',
    ],
    [
      'two matchers in one',
      { decision: 'deny', arguments: { a: { path: 'x', host: 'y' } } },
      'Rule 1: arguments.a needs exactly one',
    ],
    [
      'bounds the wrong way round',
      { decision: 'deny', arguments: { a: { min: 2, max: 1 } } },
      'Rule 1: arguments.a has a min above its max',
    ],
    [
      'a bound that is no number',
      { decision: 'deny', arguments: { a: { min: '2' } } },
      'Rule 1: arguments.a.min needs a number',
    ],
    ['all arguments', { decision: 'deny', arguments: { '/*': 'x' } }, 'Rule 1: arguments./* means no argument'],
    ['all of them by a name', { decision: 'ask', arguments: { '*': 'x' } }, 'Rule 1: arguments.* means no argument'],
    ['what is in all of them', { decision: 'deny', arguments: { '/*/a': 'x' } }, 'Rule 1: arguments./*/a means no'],
    ['a regular expression', { decision: 'deny', arguments: { a: /x/ } }, 'Rule 1: arguments.a needs an object'],
    ['a list of objects', { decision: 'deny', arguments: { a: [{}] } }, 'Rule 1: arguments.a needs texts'],
    [
      'a URL as a host',
      { decision: 'deny', arguments: { a: { host: 'https://x' } } },
      'Rule 1: arguments.a.host "https://x" is not a host',
    ],
    ['a star within a host', { decision: 'deny', arguments: { a: { host: 'a.*.b' } } }, 'Rule 1: arguments.a.host'],
    [
      'a command line',
      { decision: 'deny', arguments: { a: { command: 'git log' } } },
      'Rule 1: arguments.a.command needs a list',
    ],
    ['an unknown kind', { decision: 'deny', effects: { kind: 'fs.delete' } }, 'Rule 1: effects.kind has "fs.delete"'],
    [
      'an unknown member of an effect',
      { decision: 'deny', effects: [{ kind: 'net' }, { paths: 'x' }] },
      'Rule 1: effects[1].paths is unknown',
    ],
    ['a port that is no port', { decision: 'deny', effects: { port: '443' } }, 'Rule 1: effects.port needs a port'],
    ['no function', { decision: 'deny', when: true }, 'Rule 1: when must be a function'],
  ])('%s', (_, rule, message) => {
    expect(() => rules([{ decision: 'allow' }, rule as Rule])).toThrow(message);
    expect(() => rules([{ decision: 'allow' }, rule as Rule])).toThrow(TypeError);
  });

  test('and so is what is no list', () => {
    expect(() => rules({ decision: 'deny' } as never)).toThrow('rules() needs a list');
  });
});

describe('foresight', () => {
  const tool = toolOf({ name: 'write_file' });
  test.each<[string, Rule[], string]>([
    ['denied outright', [{ decision: 'deny', tool: 'write_*' }, { decision: 'allow' }], 'deny'],
    ['denied by argument', [{ decision: 'deny', arguments: { a: 1 } }], 'silent'],
    ['denied in another mode', [{ decision: 'deny', mode: 'plan' }], 'silent'],
    ['about another tool', [{ decision: 'deny', tool: 'other' }], 'silent'],
    ['allowed', [{ decision: 'allow' }], 'depends'],
    ['asked about', [{ decision: 'ask' }], 'depends'],
    ['denied by code', [{ decision: 'deny', when: () => true }], 'silent'],
  ])('%s', (_, list, foresight) => {
    expect(rules(list).foresee(tool, 'ask')).toBe(foresight);
  });
});
