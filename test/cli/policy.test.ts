import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../src/cli/command-line.ts';
import type { Io } from '../../src/cli/io.ts';
import { openSession } from '../../src/cli/session.ts';
import { folderWith, jsonLines } from './run-cli.ts';

/** Runs a command line in this process. */
async function callgate(cwd: string, ...argv: string[]) {
  const [stdout, stderr] = [new PassThrough().setEncoding('utf8'), new PassThrough().setEncoding('utf8')];
  const io: Io = { stdin: new PassThrough(), stdout, stderr, env: {}, cwd };
  const status = await commandLine(argv, io);
  return { status, stdout: (stdout.read() as string | null) ?? '', stderr: (stderr.read() as string | null) ?? '' };
}

const rules = [
  { decision: 'allow', tool: 'write_file(notes/**)', name: 'notes' },
  { decision: 'deny', tool: 'write_file', arguments: { path: { path: '**/*.key' } }, reason: 'keys stay here' },
];
const files = {
  'callgate.config.mjs': `export default { roots: ['.'], policy: 'callgate.rules.json' };`,
  'callgate.rules.json': JSON.stringify({ rules, modes: { careful: { default: 'deny' } } }),
};
const write = (path: string) => JSON.stringify({ path, content: 'x' });

describe('callgate policy explain', () => {
  it('says which rule decides, on the real path, and what the other modes would do', async () => {
    const cwd = folderWith({ ...files, 'notes/a.key': '' });
    const { stdout, status } = await callgate(cwd, 'policy', 'explain', 'write_file', write('./notes/../notes/a.key'));
    expect(status).toBe(0);
    expect(stdout).toContain('write_file: deny\n');
    expect(stdout).toMatch(/by +rules file rule 1\n/);
    expect(stdout).toMatch(/because +keys stay here/);
    expect(stdout).toMatch(/with +\{"path":"notes\/a.key","content":"x"/);
    expect(stdout).toMatch(/does +writes \/.*\/notes\/a\.key/);
    expect(stdout).toMatch(/rules +allow by notes\n +deny by rules file rule 1: keys stay here/);
    expect(stdout).toMatch(/modes +plan deny, ask deny, auto deny, trusted deny, careful deny/);
  });

  it('says what a mode decides, and gives JSON', async () => {
    const cwd = folderWith(files);
    const { stdout } = await callgate(cwd, 'policy', 'explain', 'write_file', write('a.txt'), '--json', '-m', 'auto');
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'write_file',
      decision: 'allow',
      by: 'mode auto',
      mode: 'auto',
      arguments: { path: 'a.txt' },
      effects: [{ kind: 'fs.write' }],
      matches: [],
      modes: { plan: 'deny', ask: 'ask', auto: 'allow', trusted: 'allow', careful: 'deny' },
    });
  });

  it('says where a call is stopped before anything is decided', async () => {
    const cwd = folderWith(files);
    const outside = await callgate(cwd, 'policy', 'explain', 'write_file', write('../x'));
    expect(outside.stdout).toMatch(/^write_file: deny\n +by +pathGuard\n +because /);
    const unknown = await callgate(cwd, 'policy', 'explain', 'write_fil', '{}');
    expect(unknown.stdout).toMatch(/^write_fil: unknown_tool\n +by +lookup/);
    expect(unknown.status).toBe(0);
  });

  it('runs nothing', async () => {
    const cwd = folderWith(files);
    await callgate(cwd, 'policy', 'explain', 'write_file', write('notes/new.txt'), '-m', 'trusted');
    expect(() => readFileSync(join(cwd, 'notes/new.txt'))).toThrow('ENOENT');
  });
});

describe('callgate policy test', () => {
  const table = [
    { name: 'write_file', arguments: { path: 'notes/a', content: '' }, expect: 'allow', by: 'notes' },
    { name: 'write_file', arguments: { path: 'notes/a.key', content: '' }, mode: 'trusted', expect: 'deny' },
    { name: 'write_file', arguments: { path: '../notes/a', content: '' }, expect: 'deny', by: 'pathGuard' },
    { name: 'write_file', arguments: '{"path":"b","content":""}', expect: 'ask', note: 'the mode asks' },
    { name: 'read_file', arguments: { path: 'b' }, expect: 'allow' },
  ];

  it('is done when everything holds', async () => {
    const cwd = folderWith({ ...files, 'table.jsonl': `\n${jsonLines(table)}\n` });
    const result = await callgate(cwd, 'policy', 'test', 'table.jsonl');
    expect(result).toEqual({ status: 0, stdout: '5 lines, 5 as expected, 0 not\n', stderr: '' });
  });

  it('shows the difference, and fails, where a line does not hold', async () => {
    const wrong = [
      { ...table[0], expect: 'deny', by: undefined },
      { ...table[0], by: 'rule 7' },
      { name: 'write_fil', arguments: {}, expect: 'deny' },
      { name: 'write_file', arguments: { path: 5 }, expect: 'deny' },
    ];
    const cwd = folderWith({ ...files, 'table.jsonl': jsonLines([...table, ...wrong]) });
    const { status, stdout } = await callgate(cwd, 'policy', 'test', 'table.jsonl');
    expect(status).toBe(1);
    expect(stdout).toContain(
      'table.jsonl:6 write_file {"path":"notes/a","content":""} (mode ask)\n  - deny\n  + allow by notes\n',
    );
    expect(stdout).toContain('  - allow by rule 7\n  + allow by notes\n');
    expect(stdout).toContain('  - deny\n  + unknown_tool by lookup: ');
    expect(stdout).toContain('  - deny\n  + invalid_arguments by validate: ');
    expect(stdout).toContain('9 lines, 5 as expected, 4 not\n');
    const json = JSON.parse((await callgate(cwd, 'policy', 'test', 'table.jsonl', '--json')).stdout);
    expect(json).toMatchObject({
      lines: 9,
      passed: 5,
      failed: [{ line: 6, expected: { decision: 'deny' } }, {}, {}, {}],
    });
  });

  it.each<[string, string, RegExp]>([
    ['a line that is no JSON', '{"name": "a",\n', /^callgate: table\.jsonl:1:\d+: the line is not JSON/],
    ['a member it does not know', '{"tool":"a","expect":"deny"}', /:1:1: .*no member "tool" \(did you mean "name"\?\)/],
    ['a line without a verdict', '\n{"name":"a"}', /:2:1: "expect" must be allow, ask or deny/],
    ['an empty table', '\n \n', /has no lines/],
  ])('does not pass with %s', async (_, text, message) => {
    const { status, stderr } = await callgate(
      folderWith({ ...files, 'table.jsonl': text }),
      'policy',
      'test',
      'table.jsonl',
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('callgate policy lint', () => {
  it('has nothing to say, or says it and fails', async () => {
    const cwd = folderWith(files);
    expect(await callgate(cwd, 'policy', 'lint')).toMatchObject({
      status: 0,
      stdout: 'Nothing to say against the rules.\n',
    });
    const bad = folderWith({ ...files, 'callgate.rules.json': '{"rules":[{"decision":"deny","tool":"wrte_file"}]}' });
    const { status, stdout } = await callgate(bad, 'policy', 'lint');
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout:
        'rules file rule 0 no-tool\n' +
        '  It concerns none of the tools there are, so it never matches. No tool matches wrte_file; did you mean write_file?\n',
    });
    const json = await callgate(bad, 'policy', 'lint', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject([{ index: 0, kind: 'no-tool' }]);
  });

  it.each<[string, object, string]>([
    ['an exact text with a star', { arguments: { path: 'secrets/**' } }, 'exact-text'],
    ['an argument that no tool has', { arguments: { pth: { path: 'secrets/**' } } }, 'no-argument'],
    ['a pattern that no path matches', { effects: { path: '~/secrets/**' } }, 'no-path'],
  ])('finds %s', async (_, conditions, kind) => {
    const text = JSON.stringify({ rules: [{ decision: 'deny', ...conditions }] });
    const { status, stdout } = await callgate(folderWith({ ...files, 'callgate.rules.json': text }), 'policy', 'lint');
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining(`rules file rule 0 ${kind}\n`) });
  });

  it('says what an allow of everything opens', async () => {
    const text = '{"rules":[{"decision":"allow","tool":"*"}]}';
    const { status, stdout } = await callgate(folderWith({ ...files, 'callgate.rules.json': text }), 'policy', 'lint');
    expect(status).toBe(1);
    expect(stdout).toMatch(
      / every-mode\n {2}Without "mode" it holds in every mode: plan, which would deny them, allows /,
    );
  });

  it('names a rule as explain does, though rules in code stand before those of the file', async () => {
    const cwd = folderWith({
      'callgate.config.mjs': `export default { roots: ['.'], policy: 'callgate.rules.json', rules: [{ decision: 'ask' }] };`,
      'callgate.rules.json': JSON.stringify({
        rules: [{ decision: 'deny', tool: 'nothing_here' }, { decision: 'ask' }],
      }),
    });
    const { stdout } = await callgate(cwd, 'policy', 'lint', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { index: 0, rule: 'rules file rule 0', kind: 'no-tool', message: expect.stringMatching(/nothing_here\.$/) },
      { index: 1, rule: 'rules file rule 1', kind: 'duplicate', message: 'It says the same as rule 0.' },
    ]);
  });

  it('looks at another file', async () => {
    const cwd = folderWith({
      ...files,
      'other.json': '{"rules":[{"decision":"deny","tool":"x"}]}',
      'bad.json': '{"rules":[{}]}',
    });
    expect((await callgate(cwd, 'policy', 'lint', '--rules', 'other.json')).status).toBe(1);
    const bad = await callgate(cwd, 'policy', 'lint', '--rules', 'bad.json');
    expect(bad).toMatchObject({ status: 2, stderr: expect.stringContaining('Rule 0') });
  });
});

describe('callgate policy lint, without rules', () => {
  it.each<[string, Record<string, string>, string[], RegExp]>([
    ['in a folder without configuration', {}, [], /There are no rules to look at/],
    [
      'with a policy file that is empty',
      { ...files, 'callgate.rules.json': '{"rules":[]}' },
      [],
      /no rules to look at/,
    ],
    ['in a file', { ...files, 'none.json': '{"rules":[]}' }, ['--rules', 'none.json'], /none\.json has no rules/],
  ])('says so and fails: %s', async (_, content, argv, message) => {
    for (const form of [[], ['--json']]) {
      const { status, stdout, stderr } = await callgate(folderWith(content), 'policy', 'lint', ...argv, ...form);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(message);
    }
  });
});

describe('callgate policy, misused', () => {
  it.each<[string[], RegExp]>([
    [[], /Say what to do: lint, explain, test/],
    [['tset'], /Did you mean test\?/],
    [['constructor'], /policy cannot constructor/],
    [['explain'], /Name the tool/],
    [['explain', 'a', '{', '}'], /one piece of JSON text/],
    [['test'], /Name the table/],
    [['test', 'nowhere.jsonl'], /There is no file nowhere\.jsonl/],
    [['test', 'a', '--rules', 'b'], /--rules goes with lint/],
    [['lint', 'a'], /lint takes no argument/],
  ])('%j', async (argv, message) => {
    const { status, stderr } = await callgate(folderWith(files), 'policy', ...argv);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('a pipeline without a permission that can be looked into', async () => {
    const config = `export default { tools: [], pipeline: { names: ['a'], entries: [{ name: 'a', stage: (ctx) => ctx.ok(1) }], describe: () => [] } };`;
    const { status, stderr } = await callgate(folderWith({ 'callgate.config.mjs': config }), 'policy', 'lint');
    expect(status).toBe(2);
    expect(stderr).toContain('no permission stage');
  });
});

describe('the policy of a configuration', () => {
  it('counts, with its modes, and gets the rules that are kept', async () => {
    const cwd = folderWith(files);
    const session = await openSession({ mode: 'careful' }, cwd);
    expect(session.router.mode).toBe('careful');
    const asking = await openSession({}, cwd, () => ({ decision: 'allow', always: { scope: 'project' } }));
    const call = { name: 'write_file', arguments: { path: 'a.txt', content: 'x' } };
    expect(await asking.router.call(call)).toMatchObject({ ok: true });
    const written = JSON.parse(readFileSync(join(cwd, 'callgate.rules.json'), 'utf8'));
    expect(written.rules).toHaveLength(3);
    const next = await openSession({}, cwd);
    expect(await next.router.call({ ...call, arguments: { path: 'a.txt', content: 'y' } })).toMatchObject({ ok: true });
  });

  it('is out of reach of the tools', async () => {
    const { router } = await openSession({ mode: 'trusted' }, folderWith(files));
    for (const path of ['callgate.rules.json', 'CALLGATE.RULES.JSON', 'callgate.config.mjs', '.callgate/tools.json']) {
      const result = await router.call({ name: 'write_file', arguments: { path, content: '{"rules":[]}' } });
      expect(result).toMatchObject({ code: 'path_denied' });
    }
  });

  it.each<[string, string, RegExp]>([
    ['that is not there', `{ policy: 'mistyped.json' }`, /There is no policy|there is no policy mistyped\.json/],
    ['that is no text', `{ policy: [] }`, /must be the name of a file/],
    ['that is missing, as of a variable', `{ policy: process.env.CALLGATE_NEVER_SET }`, /must be the name of a file/],
    ['that is no policy', `{ policy: 'callgate.config.mjs' }`, /is not JSON/],
    ['beside a pipeline of its own', `{ policy: 'callgate.rules.json', pipeline: {} }`, /would have no effect/],
    ['beside a memory', `{ policy: 'callgate.rules.json', remember: {} }`, /both policy and remember/],
  ])('%s is refused', async (_, config, message) => {
    const cwd = folderWith({ ...files, 'callgate.config.mjs': `export default ${config};` });
    const { status, stderr } = await callgate(cwd, 'tools');
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });
});
