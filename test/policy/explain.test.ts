import { fileTools } from 'callgate/tools';
import { describe, expect, test, vi } from 'vitest';
import { explain } from '../../src/policy/explain.ts';
import { lint } from '../../src/policy/lint.ts';
import { deny, policy } from '../../src/policy/policy.ts';
import type { Rule } from '../../src/policy/rule.ts';
import { rules } from '../../src/policy/rules.ts';
import { type Difference, shadow } from '../../src/policy/shadow.ts';
import { requestOf, toolOf } from './stand-in.ts';

describe('explain', () => {
  const house: Rule[] = [
    { decision: 'allow', tool: 'write_*', name: 'writing' },
    { decision: 'deny', arguments: { path: { path: '**/.env' } }, name: 'secrets', reason: 'keys stay here' },
    { decision: 'ask', tool: 'send' },
  ];

  test('names the rule that decides, and all that have a say', async () => {
    const call = { tool: 'write_file', level: 'write', arguments: { path: 'a/.env' } };
    expect(await explain(call, { rules: house })).toEqual({
      decision: 'deny',
      by: 'secrets',
      reason: 'keys stay here',
      matches: [
        { rule: 'writing', decision: 'allow' },
        { rule: 'secrets', decision: 'deny', reason: 'keys stay here' },
      ],
      modes: { plan: 'deny', ask: 'deny', auto: 'deny', trusted: 'deny' },
    });
  });

  test('says what every mode would do where the mode decides', async () => {
    expect(
      await explain({ tool: 'edit', level: 'write' }, { rules: house, modes: { mine: { default: 'deny' } } }),
    ).toEqual({
      decision: 'ask',
      by: 'mode ask',
      matches: [],
      modes: { plan: 'deny', ask: 'ask', auto: 'allow', trusted: 'allow', mine: 'deny' },
    });
  });

  test('knows policies in code, and what they do when they fail', async () => {
    const policies = [
      policy(async () => deny('late'), { name: 'slow' }),
      policy(
        () => {
          throw new Error('boom');
        },
        { name: 'broken' },
      ),
    ];
    const { decision, matches } = await explain({ tool: 'edit' }, { policies });
    expect(decision).toBe('deny');
    expect(matches.map(({ rule }) => rule)).toEqual(['slow', 'broken']);
  });

  test('takes what the tool itself declares', async () => {
    const tool = toolOf({ name: 'edit', permission: 'read' });
    expect((await explain({ tool: 'edit' }, { tool })).decision).toBe('allow');
  });

  test('a mode that does not exist is a denial', async () => {
    expect(await explain({ tool: 'edit', mode: 'yolo' })).toMatchObject({ decision: 'deny', by: 'mode yolo' });
  });

  test('doubt counts together with the mode', async () => {
    const options = { rules: [{ decision: 'deny', tool: 'sh(rm)' }] } as const;
    const { modes } = await explain({ tool: 'sh', arguments: { command: 'a $b' } }, options);
    expect(modes).toEqual({ plan: 'deny', ask: 'ask', auto: 'ask', trusted: 'ask' });
  });
});

describe('lint', () => {
  const tools = [toolOf({ name: 'read_file', permission: 'read' }), toolOf({ name: 'write_file' })];
  const kinds = (list: Rule[]) => lint(list, { tools }).map(({ index, kind }) => [index, kind]);

  test('has nothing to say of rules that matter', () => {
    expect(
      kinds([
        { decision: 'allow', tool: 'read_*' },
        { decision: 'deny', tool: 'write_file', mode: 'plan' },
        { decision: 'ask' },
      ]),
    ).toEqual([]);
  });

  test.each<[string, Rule[], [number, string][]]>([
    ['a tool that does not exist', [{ decision: 'deny', tool: 'read_fiel' }], [[0, 'no-tool']]],
    ['a mode that does not exist', [{ decision: 'deny', mode: ['plan', 'yolo'] }], [[0, 'no-mode']]],
    [
      'a rule said twice',
      [
        { decision: 'ask', tool: 'read_file', name: 'a' },
        { tool: 'read_file', decision: 'ask', reason: 'b' },
      ],
      [[1, 'duplicate']],
    ],
    [
      'an allow under a deny',
      [
        { decision: 'allow', tool: 'read_*' },
        { decision: 'deny', tool: 'read_file' },
      ],
      [[0, 'shadowed']],
    ],
    [
      'an allow under a deny in some modes only',
      [
        { decision: 'allow', tool: 'read_*' },
        { decision: 'deny', tool: 'read_file', mode: 'plan' },
      ],
      [],
    ],
    [
      'an allow under a deny of some arguments only',
      [
        { decision: 'allow', mode: 'ask' },
        { decision: 'deny', arguments: { path: 'a' } },
      ],
      [],
    ],
    [
      'an interpreter',
      [{ decision: 'allow', arguments: { command: { command: ['python3.11'] } } }],
      [[0, 'evaluator']],
    ],
    [
      'an interpreter among others',
      [{ decision: 'allow', effects: [{ command: [['ls'], ['npx']] }] }],
      [[0, 'evaluator']],
    ],
    ['an interpreter that is denied', [{ decision: 'deny', effects: { command: ['npx'] } }], []],
  ])('finds %s', (_, list, expected) => {
    expect(kinds(list)).toEqual(expected);
  });

  test.each<[string | string[], string]>([
    ['read_fiel', ' No tool matches read_fiel; did you mean read_file?'],
    ['read_fiel(notes/**)', ' No tool matches read_fiel; did you mean read_file?'],
    [['delete_*', 'drop'], ' No tool matches delete_*. No tool matches drop.'],
  ])('says which tool %j does not exist', (tool, told) => {
    const [found] = lint([{ decision: 'deny', tool }], { tools });
    expect(found?.message).toBe(`It concerns none of the tools there are, so it never matches.${told}`);
  });

  test('blames no name where another condition keeps a rule from matching', () => {
    const [found] = lint([{ decision: 'deny', tool: 'READ_FILE', tag: 'never' }], { tools });
    expect(found?.message).toBe('It concerns none of the tools there are, so it never matches.');
  });

  test('finds an interpreter in a short form, and says what it means', () => {
    expect(lint([{ decision: 'allow', tool: 'run_shell(env *)' }])[0]).toMatchObject({
      kind: 'evaluator',
      rule: 'rule 0',
      message: expect.stringContaining('"env" runs what its arguments say'),
    });
  });

  test('says nothing of tools where it knows of none', () => {
    expect(lint([{ decision: 'deny', tool: 'whatever' }])).toEqual([]);
  });
});

describe('lint, of what rules say of places', () => {
  const tools = [
    ...fileTools,
    toolOf({
      name: 'send',
      parameters: {
        type: 'object',
        properties: {
          to: { type: 'array', items: { type: 'object', properties: { mail: { type: 'string' } } } },
          url: { type: 'string' },
          line: { type: 'string' },
        },
      },
      urls: ['url'],
      commands: ['line'],
    }),
  ];
  const found = (rule: Rule) => lint([rule], { tools }).map(({ kind, message }) => `${kind}: ${message}`);

  test.each<[Rule, RegExp]>([
    [
      { decision: 'deny', arguments: { path: 'secrets/**' } },
      /^exact-text: arguments.path .*\{"path":"secrets\/\*\*"\}/,
    ],
    [{ decision: 'allow', arguments: { path: { not: ['a', 'b/?'] } as never } }, /^exact-text: /],
    [{ decision: 'deny', arguments: { url: '*.example.com' } }, /^exact-text: .*\{"host":"\*.example.com"\}/],
    [{ decision: 'deny', arguments: { '/line': 'rm *' } }, /^exact-text: .*\{"command":\["rm"\]\}/],
    [
      { decision: 'deny', arguments: { pth: { path: 'secrets/**' } } },
      /^no-argument: .* pth; did you mean depth or path\?$/,
    ],
    [{ decision: 'deny', arguments: { '/to/*/mial': 'x' } }, /^no-argument: .*\/to\/\*\/mial/],
    [{ decision: 'deny', tool: 'edit_file', arguments: { content: 'x' } }, /^no-argument: .*content/],
    [{ decision: 'deny', tool: 'write_file', arguments: { path: { path: '../x/**' } } }, /^no-path: .*without "\.\."/],
    [{ decision: 'deny', tool: 'write_file(secrets/)' }, /^no-path: .*"secrets\/\*\*"/],
    [{ decision: 'deny', tool: 'write_file', effects: { path: 'a\\b' } }, /^no-path: .*separated by/],
    [{ decision: 'deny', tool: '*_file*', effects: { path: '**/*.key' } }, /^search: .*search_files may\. pathGuard/],
    [{ decision: 'ask', tool: 'search_files', arguments: { path: { path: 'a/**/x' } } }, /^search: /],
    [{ decision: 'ask', tool: 'search_files(*.key)' }, /^search: /],
    [{ decision: 'allow', tool: 'search_files', arguments: { path: { not: { path: '**/.env' } } } }, /^search: /],
    [
      { decision: 'allow', tool: '*' },
      /^every-mode: .*plan, which would deny them, allows .*write_file.* Name the modes/,
    ],
    [{ decision: 'allow' }, /^every-mode: /],
  ])('%j', (rule, message) => {
    expect(found(rule)).toEqual([expect.stringMatching(message)]);
  });

  test.each<Rule>([
    { decision: 'deny', arguments: { path: { path: './secrets/**' } } },
    { decision: 'deny', arguments: { path: { equals: 'secrets/**' } } },
    { decision: 'deny', arguments: { glob: '**/*.key', '/to/0/mail': 'x' } },
    { decision: 'deny', arguments: { path: 'src/[id].ts', url: 'https://example.com/?q' } },
    { decision: 'deny', effects: { kind: 'fs.write', path: '**/*.key' } },
    { decision: 'deny', tool: 'read_file(**/*.key)' },
    { decision: 'deny', effects: { path: ['secrets/*', '/w/{a,b}/**', 'a/b', '**'] } },
    { decision: 'allow', tool: '*', mode: ['auto'] },
    { decision: 'allow', tool: ['write_file', 'edit_file'] },
    { decision: 'allow', tool: '{read,search}_*' },
    { decision: 'allow', tool: '*', effects: { kind: 'fs.write', path: '/w/**' } },
  ])('has nothing to say of %j', (rule) => {
    expect(found(rule)).toEqual([]);
  });

  test('keeps quiet where another rule denies in those modes', () => {
    const closed: Rule = { decision: 'deny', mode: 'plan' };
    expect(lint([{ decision: 'allow', tool: '*' }, closed], { tools })).toEqual([]);
  });
});

describe('shadow', () => {
  const today = rules([{ decision: 'allow' }], { name: 'today' });
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('decides as the real one does, and reports what would be different', async () => {
    const report = vi.fn((_difference: Difference) => {});
    const both = shadow(rules([{ decision: 'deny' }]), { beside: today, report });
    const request = requestOf();
    expect(both.decide(request)).toMatchObject({ decision: 'allow' });
    await settled();
    expect(report).toHaveBeenCalledExactlyOnceWith({
      request,
      decided: expect.objectContaining({ decision: 'allow' }),
      shadow: expect.objectContaining({ decision: 'deny' }),
    });
  });

  test('says nothing where they agree', async () => {
    const report = vi.fn();
    await shadow(
      policy(async () => 'allow' as const),
      { beside: today, report },
    ).decide(requestOf());
    await settled();
    expect(report).not.toHaveBeenCalled();
  });

  test.each<[string, () => never]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['hangs', () => new Promise(() => {}) as never],
  ])('whatever is tried out %s: the other decides at once', async (_, decide) => {
    const both = shadow(policy(decide), {
      beside: today,
      report: () => {
        throw new Error('report');
      },
      decideTimeout: 1,
    });
    expect(both.decide(requestOf())).toMatchObject({ decision: 'allow' });
    await settled();
  });

  test('is as strict as the real one when that fails', () => {
    const broken = policy(() => {
      throw new Error('boom');
    });
    expect(shadow(today, { beside: broken, report: () => {} }).decide(requestOf())).toMatchObject({ decision: 'deny' });
  });

  test('passes on name, version and foresight of the real one', () => {
    const both = shadow(
      policy(() => 'deny'),
      { beside: today, report: () => {} },
    );
    expect([both.name, both.version, both.foresee?.(toolOf(), 'ask')]).toEqual(['today', today.version, 'depends']);
  });
});
