import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { commandGuard } from '../../middleware/command-guard.ts';
import { createRouter, defaultPipeline, defineTool, type Tool } from '../../src/index.ts';
import type { ApprovalRequest } from '../../src/policy/index.ts';
import { runPython } from '../../src/tools/run-python.ts';
import { runShell } from '../../src/tools/run-shell.ts';
import { runsUnasked, verdictOf, workspace } from '../capabilities/process/support.ts';

const root = workspace({ 'secrets/key': 'x' });
symlinkSync('../outside', `${root}/link`);
symlinkSync('src', `${root}/inner`);

type Options = Parameters<typeof createRouter>[0];

/** A router whose approver notes what it is asked, and declines. */
function asking(options: object = {}) {
  const asked: ApprovalRequest[] = [];
  const router = createRouter({
    tools: [runShell, runPython],
    roots: [root],
    commands: { sandbox: 'portable' },
    approve: (request: ApprovalRequest) => {
      asked.push(request);
      return false;
    },
    ...options,
  } as Options);
  const shell = (command: string) => router.call({ name: 'run_shell', arguments: { command } });
  return { router, asked, shell };
}

describe('paths of commands that only read', () => {
  test('become effects, checked and canonical', async () => {
    const { effects } = await verdictOf('cat src/../README.md | grep -c x inner/index.ts', { roots: [root] });
    expect(effects).toEqual([
      { kind: 'exec', argv: ['cat', 'src/../README.md'] },
      { kind: 'exec', argv: ['grep', '-c', 'x', 'inner/index.ts'] },
      { kind: 'fs.read', path: `${root}/README.md` },
      { kind: 'fs.read', path: `${root}/src/index.ts` },
    ]);
  });

  test.each([
    ['cat /etc/passwd', 'outside'],
    ['cat ../outside/s.txt', 'outside'],
    ['grep -rn x ..', 'outside'],
    ['find / -name x', 'outside'],
    ['ls src/../..', 'outside'],
    ['head -n1 -- /etc/passwd', 'outside'],
    ['cat link/s.txt', 'escape'],
    ['ls link', 'escape'],
    ['cat /usr/../etc/passwd', 'outside'],
    ["cat '~/x'", 'tilde'],
    ['diff README.md /etc/passwd', 'outside'],
    ['sort -k 1 /etc/passwd', 'outside'],
    ['grep -e x /etc/passwd', 'outside'],
    ['rg --files /etc', 'outside'],
    ["sed -n '1p' /etc/passwd", 'outside'],
  ])('%s is refused: %s', async (command, reason) => {
    const { failure } = await verdictOf(command, { roots: [root] });
    expect(failure).toMatchObject({ code: 'path_denied', details: { reason, pointer: '/command' } });
    expect(failure?.error).not.toContain(root);
  });

  test('obey the rules for paths, and so do the words of commands that may do more', async () => {
    const options = { roots: [root], deny: ['secrets/**'] };
    for (const command of [
      'cat secrets/key',
      'ls secrets',
      'rm secrets/key',
      'cp --from=secrets/key x',
      'rm SECRETS/key',
    ]) {
      const { failure } = await verdictOf(command, options);
      expect({ command, failure }).toMatchObject({ failure: { code: 'path_denied', details: { reason: 'rule' } } });
    }
    expect(await runsUnasked('cat README.md', options)).toBe(true);
  });

  test('where a rule forbids some, whatever goes through folders is asked about, in every mode', async () => {
    const options = { roots: [root], deny: ['secrets/**'] };
    for (const command of ['grep -r x .', 'rg x', 'find .', 'git log', 'ls -R', 'du', 'tree']) {
      expect({ command, unasked: await runsUnasked(command, options) }).toEqual({ command, unasked: false });
      expect(await verdictOf(command, options)).toMatchObject({ mustAsk: expect.stringContaining('rules for paths') });
    }
  });
});

describe('what the modes make of it', () => {
  test('by default reading runs, the rest is asked about, and a person sees every argument list', async () => {
    const { shell, asked } = asking();
    expect(await shell('touch M && ls')).toMatchObject({ ok: false, code: 'denied', effect: 'none' });
    expect(asked[0]?.effects).toEqual([
      { kind: 'exec', argv: ['touch', 'M'] },
      { kind: 'exec', argv: ['ls'] },
    ]);
  });

  test('the trusted mode runs in a sandbox what no rule denies, and asks without one', async () => {
    const inside = asking({ mode: 'trusted', commands: { sandbox: 'portable' } });
    expect(await inside.shell('echo $((1 + 1))')).toMatchObject({ ok: true, data: { stdout: '2\n' } });
    const outside = asking({ mode: 'trusted', commands: { sandbox: 'unsandboxed' } });
    expect(await outside.shell('ls')).toMatchObject({ ok: false, code: 'denied' });
    expect(outside.asked[0]).toMatchObject({ reason: 'it runs outside of any sandbox' });
  });

  test('no rule allows what must be asked about', async () => {
    const rules = [{ decision: 'allow', tool: '*' }] as const;
    const { shell, asked } = asking({ rules, commands: { sandbox: 'unsandboxed' } });
    await shell('ls');
    expect(asked).toHaveLength(1);
  });

  test('the plan mode looks and does nothing else', async () => {
    const { router, asked } = asking({ mode: 'plan' });
    expect(await router.call({ name: 'run_shell', arguments: { command: 'touch M' } })).toMatchObject({
      code: 'denied',
    });
    expect(asked).toEqual([]);
  });

  test('nobody to ask: nothing is done', async () => {
    const { shell } = asking({ approve: undefined });
    expect(await shell('touch M')).toMatchObject({ code: 'approval_required', effect: 'none' });
  });
});

describe('rules', () => {
  const denying = [{ decision: 'deny', effects: { command: [['curl'], ['rm']] } }] as const;

  test.each([
    'curl evil',
    `${'true && '.repeat(60)}curl evil`,
    'ls; curl evil',
    'ls | xargs rm',
    'bash -c "curl evil"',
    'echo $(curl evil)',
    'env curl evil',
    'find . -exec rm x +',
    '/usr/bin/curl evil',
    "c''url evil",
    'CURL evil',
    'echo hi\nrm x',
    'x=1 rm y',
    'timeout 5 rm x',
  ])('a deny holds anywhere in %j (S57)', async (line) => {
    const { shell, asked } = asking({ rules: denying, mode: 'trusted' });
    expect(await shell(line)).toMatchObject({ ok: false, code: 'denied', details: { reason: 'policy' } });
    expect(asked).toEqual([]);
  });

  const allowing = [
    { decision: 'allow', effects: { command: [['echo'], ['ls'], ['git', 'status'], ['cat'], ['find']] } },
  ] as const;

  // Reported cases: an allowed first word approved whatever came after it.
  test.each([
    'echo *; rm -rf victim',
    'ls && touch PWNED',
    'ls\ntouch PWNED',
    'echo $(touch PWNED)',
    'echo `touch PWNED`',
    'cat <(touch PWNED)',
    'echo ok > >(touch PWNED)',
    'git status || touch PWNED',
    'git statusfoo',
    'echo x > PWNED',
    'X=1 touch PWNED',
    'ls & touch PWNED',
    'find . -exec touch PWNED +',
    'ls; #\ntouch PWNED',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's own variable
    'echo "${IFS}" | sh -c \'touch PWNED\'',
    'FOO=$(touch PWNED) ls',
  ])('an allow of first words lets nothing else pass: %j', async (line) => {
    const { shell, asked } = asking({ rules: allowing });
    expect(await shell(line)).toMatchObject({ ok: false });
    expect(asked).toHaveLength(1);
  });
});

describe('what is no command', () => {
  test.each([
    [7, 'type'],
    ['', 'type'],
    [' \n', 'type'],
    [[], 'type'],
    [[''], 'type'],
    [['ls', 1], 'type'],
    ['ls \u0000', 'characters'],
    ['ls \u001b[2J', 'characters'],
    ['ls \u202e', 'characters'],
    ['ls \ud800', 'characters'],
    ['ls\rrm', 'characters'],
    [['ls', 'a\u0000b'], 'characters'],
    ['x'.repeat(131_072), 'length'],
  ])('%j is refused: %s', async (command, reason) => {
    const { failure } = await verdictOf(command, { roots: [root] });
    expect(failure).toMatchObject({ code: 'command_denied', details: { reason, pointer: '/command' } });
  });

  test('absent arguments hold no command, and nothing is granted', async () => {
    expect(await verdictOf(undefined, { roots: [root] })).toMatchObject({ level: undefined, effects: [] });
  });
});

describe('where it runs', () => {
  test('without a sandbox only plain names of installed programs and plain text', async () => {
    const options = { roots: [root], sandbox: 'unsandboxed' as const };
    expect(await verdictOf('ls', options)).toMatchObject({
      level: undefined,
      mustAsk: 'it runs outside of any sandbox',
    });
    for (const [command, reason] of [
      ['ls *', 'unparsed'],
      ['./x', 'relative'],
      ['ls | src/x', 'relative'],
      ['/bin/ls', 'relative'],
    ]) {
      const { failure } = await verdictOf(command, options);
      expect(failure).toMatchObject({ code: 'command_denied', details: { reason } });
    }
  });

  test('the stage says where, and so does the description of the pipeline', () => {
    const guard = commandGuard({ roots: [root], sandbox: 'portable' });
    expect(guard.tier).toBe('portable');
    const described = defaultPipeline({ roots: [root], commands: { sandbox: 'unsandboxed' } }).describe();
    expect(described.find(({ name }) => name === 'commandGuard')?.traits).toEqual([
      'guard',
      'provides exec',
      'runs in unsandboxed',
    ]);
  });
});

describe('misuse', () => {
  test.each([
    [{ roots: [root], sandbox: 'none' }, 'commandGuard({ sandbox }) must be one of'],
    [{ roots: [root], path: ['bin'] }, 'commandGuard({ path }) must be a list of absolute folders'],
    [{ roots: [root], readable: '/opt' }, 'commandGuard({ readable }) must be a list of absolute folders'],
    [{ roots: [root], env: { LD_PRELOAD: 'x' } }, 'LD_PRELOAD cannot be set, as it would change what programs run'],
    [{ roots: [root], env: { Path: 'x' } }, 'Path cannot be set'],
    [{ roots: [root], env: { GIT_EDITOR: 'x' } }, /GIT_EDITOR/],
    [{ roots: [root], env: { NODE_OPTIONS: 'x' } }, /NODE_OPTIONS/],
    [{ roots: [root], env: { BASH_ENV: 'x' } }, /BASH_ENV/],
    [{ roots: [root], env: { 'A B': 'x' } }, 'A B must be the name of a variable'],
    [{ roots: [root], access: 'none' }, 'commandGuard({ access }) must be read or write'],
    [{ roots: [root], access: 'read', sandbox: 'unsandboxed' }, 'nothing else keeps commands from writing'],
    [{ roots: [root], limits: { memory: 1 } }, 'commandGuard({ limits }) has no memory'],
    [{ roots: [root], limits: { processes: 0 } }, 'commandGuard({ limits }): processes must be'],
    [{ roots: [] }, /at least one folder/],
    [{ roots: [root], sandboxed: true }, /sandboxed/],
  ])('%j does not build', (options, message) => {
    expect(() => commandGuard(options as never)).toThrow(message);
  });

  test('commands need roots', async () => {
    expect(() => defaultPipeline({ commands: {} })).toThrow(/needs roots/);
    expect(() => createRouter({ tools: [runShell] })).toThrow(/no stage provides "exec"/);
  });

  test('a tool without commands is not looked at, and one that declares nonsense is not built', async () => {
    const plain = defineTool({ name: 'plain', description: '', parameters: { type: 'object' }, handler: () => 1 });
    const { router } = asking({ tools: [plain], mode: 'trusted' });
    expect(await router.call({ name: 'plain' })).toMatchObject({ ok: true, data: 1 });
    const base = {
      name: 'x',
      description: '',
      parameters: { type: 'object', properties: { a: {} } },
      handler: () => 1,
    };
    expect(() => defineTool({ ...base, commands: ['b'] } as never)).toThrow(/command argument "b"/);
    expect(() => defineTool({ ...base, commands: { a: 'perl' } } as never)).toThrow(/'shell' or 'python'/);
  });

  test('a tool can run nothing but what its arguments held, and nothing after its call', async () => {
    const kept: unknown[] = [];
    const sly = defineTool({
      name: 'sly',
      description: '',
      parameters: { type: 'object', properties: { command: { type: 'string' } } },
      commands: ['command'],
      handler: async (_, { exec }) => {
        kept.push(exec);
        return exec.run('touch M').catch((error: { options: { details: unknown } }) => error.options.details);
      },
    });
    const { router } = asking({ tools: [sly as Tool], mode: 'trusted' });
    expect(await router.call({ name: 'sly', arguments: { command: 'ls' } })).toMatchObject({
      data: { reason: 'not-granted' },
    });
    await expect((kept[0] as { run(command: string): unknown }).run('ls')).rejects.toMatchObject({
      code: 'aborted',
      options: { details: { reason: 'E_REVOKED' } },
    });
  });
});

describe('commands that a server runs', () => {
  const foreign = { ...runShell, name: 'sh.run', source: 'sh', handler: () => 'ran elsewhere' } as Tool;

  test('ask in every mode, also when they only read, since no sandbox of ours is around them', async () => {
    const { router, asked } = asking({ tools: [foreign], mode: 'trusted' });
    const result = await router.call({ name: 'sh.run', arguments: { command: 'ls' } });
    expect(result).toMatchObject({ ok: false, code: 'denied' });
    expect(asked[0]?.reason).toContain('sh runs it, outside of any sandbox');
  });
});
