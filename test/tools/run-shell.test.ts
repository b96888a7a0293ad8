import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { GrantedExec } from '../../src/capabilities/process/granted-exec.ts';
import { planOf } from '../../src/capabilities/process/plan.ts';
import { chooseSandbox } from '../../src/capabilities/process/sandbox.ts';
import { CommandSpace } from '../../src/capabilities/process/space.ts';
import { createRouter, toModelText } from '../../src/index.ts';
import { readFile } from '../../src/tools/read-file.ts';
import { runPython } from '../../src/tools/run-python.ts';
import { type CommandData, runShell } from '../../src/tools/run-shell.ts';
import { workspace } from '../capabilities/process/support.ts';

const hasSandbox = chooseSandbox('bubblewrap').tier === 'bubblewrap';
const noSandbox = hasSandbox ? '' : ' (skipped: bubblewrap is not installed, or may not make namespaces here)';
const hasPython = existsSync('/usr/bin/python3');
const isLinux = process.platform === 'linux';

const root = workspace({ 'one.txt': '1\n2\n3\n' });

function routerFor(commands: object, more: object = {}) {
  const router = createRouter({
    tools: [runShell, runPython, readFile],
    roots: [root],
    mode: 'trusted',
    approve: () => true,
    commands,
    ...more,
  } as Parameters<typeof createRouter>[0]);
  return async (name: string, args: object, options = {}) => {
    const result = await router.call({ name, arguments: args }, options);
    if (!result.ok) throw new Error(`${result.code}: ${result.error}`);
    return result.data as CommandData;
  };
}

/** A mark that no other process has among its arguments. */
const mark = () => String(70_000 + Math.floor(Math.random() * 900_000_000));
/** Processes of this machine that have the text among their arguments. */
const survivors = (text: string) =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text);
    } catch {
      return false;
    }
  });

/** The kernel may take a moment to end a whole namespace. */
async function gone(text: string): Promise<void> {
  const until = performance.now() + 3000;
  while (survivors(text).length > 0 && performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
  expect(survivors(text)).toEqual([]);
}

describe.runIf(hasSandbox)(`run_shell in the sandbox${noSandbox}`, () => {
  const run = routerFor({ sandbox: 'bubblewrap', limits: { outputBytes: 200_000_000 } });
  const shell = (command: string, more = {}) => run('run_shell', { command, ...more });

  test.each<[string, Partial<CommandData>]>([
    ['cat one.txt | head -2 | wc -l', { stdout: '2\n', exit_code: 0 }],
    ['yes | head -2', { stdout: 'y\ny\n', stderr: '', exit_code: 0 }],
    ['false || echo a && echo b; echo c', { stdout: 'a\nb\nc\n' }],
    ['true || echo a && echo b', { stdout: 'b\n' }],
    ['false && echo a', { stdout: '', exit_code: 1 }],
    ['nosuch', { exit_code: 127, stderr: 'nosuch: command not found\n' }],
    ['nosuch | cat', { exit_code: 0 }],
    ['cat nosuch', { exit_code: 1 }],
    ['echo "a  b" \'$x\'', { stdout: 'a  b $x\n' }],
    ['for i in 1 2; do echo $i; done > out; cat out; exit 3', { stdout: '1\n2\n', exit_code: 3 }],
    ['echo e >&2', { stdout: '', stderr: 'e\n' }],
    ['kill -9 $$', { exit_code: 137 }],
    ['cat', { stdout: '', exit_code: 0 }],
    ['read x; echo "[$x]"', { stdout: '[]\n' }],
    ['printf "\\xff\\xc3"', { stdout: '\ufffd\ufffd' }],
    ['pwd', { stdout: `${root}\n` }],
  ])('%s', async (command, expected) => {
    expect(await shell(command)).toMatchObject({ sandbox: 'bubblewrap', truncated: false, ...expected });
  });

  test('the environment is built, not inherited (R5)', async () => {
    process.env['CALLGATE_TEST_TOKEN'] = 'hush';
    process.env['NODE_OPTIONS_X'] = 'x';
    const { stdout } = await shell('/usr/bin/env | cut -d= -f1 | sort');
    delete process.env['CALLGATE_TEST_TOKEN'];
    delete process.env['NODE_OPTIONS_X'];
    const names = stdout.split('\n').filter((name) => name !== '' && !/^(GIT_CONFIG|_$|SHLVL|OLDPWD)/.test(name));
    expect(names).toEqual(
      ['GIT_OPTIONAL_LOCKS', 'GIT_PAGER', 'GIT_TERMINAL_PROMPT', 'HOME', 'LANG', 'NO_COLOR', 'PAGER', 'PATH', 'PWD']
        .concat(['PYTHONDONTWRITEBYTECODE', 'TERM', 'TMPDIR'])
        .sort(),
    );
    const own = routerFor({ sandbox: 'bubblewrap', env: { GIT_AUTHOR_NAME: 'me' } });
    expect((await own('run_shell', { command: 'echo $GIT_AUTHOR_NAME' })).stdout).toBe('me\n');
  });

  describe('gives a result in time, and leaves no survivor', () => {
    test.each([
      ['a background job that holds the output (R2)', (id: string) => `sleep ${id} & echo done`, 'done\n'],
      ['a job of its own session (R1)', (id: string) => `setsid sleep ${id} & echo done`, 'done\n'],
      ['a job that ignores hanging up', (id: string) => `nohup sleep ${id} >/dev/null 2>&1 & echo done`, 'done\n'],
      ['many jobs', (id: string) => `for i in $(seq 30); do sleep ${id} & done; echo done`, 'done\n'],
      ['a grandchild', (id: string) => `sh -c 'sh -c "sleep ${id} & sleep ${id} & exit" & exit'; echo done`, 'done\n'],
    ])('%s', async (_, command, stdout) => {
      const id = mark();
      const data = await shell(command(id));
      expect(data).toMatchObject({ exit_code: 0, stdout });
      expect(data.duration_ms).toBeLessThan(5000);
      await gone(`sleep ${id}`);
    });

    test.each([
      ['one that waits', (id: string) => `sleep ${id}`],
      ['one that ignores TERM', (id: string) => `trap "" TERM INT HUP; sleep ${id}`],
      ['one that spins', (id: string) => `x=${id}; while :; do :; done`],
      ['a session of its own (R1)', (id: string) => `setsid sleep ${id} & sleep ${id}`],
      ['both ends of a pipe', (id: string) => `sleep ${id} | sleep ${id}`],
    ])('%s, when its time is up', async (_, command) => {
      const id = mark();
      const data = await shell(`${command(id)}`, { timeout_ms: 300 });
      expect(data.stopped).toBe('timeout');
      expect(data.duration_ms).toBeLessThan(5000);
      await gone(id);
    });

    test('what was written until then is kept', async () => {
      const data = await shell('echo begun; sleep 60', { timeout_ms: 300 });
      expect(data).toMatchObject({ stopped: 'timeout', stdout: 'begun\n' });
    });

    // The moment matters: a sandbox that is still being set up must not outlive its call either.
    test.each([0, 1, 2, 4, 6, 8, 12])('when the call is withdrawn %i ms after its start', async (wait) => {
      const id = mark();
      const router = createRouter({
        tools: [runShell],
        roots: [root],
        mode: 'trusted',
        commands: { sandbox: 'bubblewrap' },
      });
      const controller = new AbortController();
      const pending = router.call(
        { name: 'run_shell', arguments: { command: `sleep ${id}` } },
        { signal: controller.signal },
      );
      while (survivors(`sleep ${id}`).length === 0) await new Promise((resolve) => setImmediate(resolve));
      const until = performance.now() + wait;
      while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      expect(await pending).toMatchObject({ ok: false, code: 'aborted', effect: 'unknown' });
      await gone(`sleep ${id}`);
    });
  });

  describe('reads floods with flat memory', () => {
    test.each([
      [
        'a flood that ends',
        'head -c 100000000 /dev/zero',
        { exit_code: 0, truncated: true },
        /of 100000000 bytes left out/,
      ],
      ['a flood without end (R3)', 'yes', { stopped: 'output', truncated: true }, /^y\ny\n/],
      [
        'the end is kept',
        '(yes | head -c 20000000) 1>&2; seq 1 2000000; echo LAST; exit 3',
        { exit_code: 3 },
        /LAST\n$/,
      ],
    ])('%s', async (_, command, expected, output) => {
      const before = process.memoryUsage.rss();
      const data = await shell(command);
      expect(data).toMatchObject(expected);
      expect(data.stdout).toMatch(output);
      expect(data.stdout.length + data.stderr.length).toBeLessThan(80_000);
      // Twice what the reading of chunks costs; the floods are ten times that.
      expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1_048_576);
    });
  });

  describe('holds programs in', () => {
    test('nothing of the host can be read but programs and the roots', async () => {
      const { stdout } = await shell('ls -A / | tr "\\n" " "; ls -A /etc /home /root /var /run 2>/dev/null; ls ..');
      const top = (root.split('/')[1] as string).concat(' ');
      expect(stdout.replace(top, '').replace('tmp ', '')).toMatch(
        /^bin dev etc lib (lib\S* )*proc sbin usr \n?\/etc:\n/,
      );
      expect(stdout).not.toContain('passwd');
      expect(stdout.trimEnd()).toMatch(/\nws$/);
      expect((await shell(`cat ${root}/../outside/s.txt; echo $?`)).stdout).toBe('1\n');
    });

    test('nor reached through links, open handles or other processes', async () => {
      symlinkSync('../outside', join(root, 'away'));
      const { stdout } = await shell(
        'cat away/s.txt; for f in /proc/self/fd/*; do cat $f/../outside/s.txt $f/s.txt; done 2>/dev/null; ls -d /proc/[0-9]* | wc -l; cat /proc/1/root/etc/passwd',
      );
      expect(stdout).not.toContain('SECRET');
      expect(Number(/^\d+$/m.exec(stdout)?.[0])).toBeLessThan(10);
    });

    test('no network, not even this machine', async () => {
      const server = createServer((socket) => socket.end('reached'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const data = await shell(`(exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3); cat /proc/net/dev | wc -l`);
      server.close();
      expect(data.stdout).not.toContain('reached');
      expect(data.stderr).toContain('/dev/tcp/127.0.0.1');
    });

    test('no mount, no namespace, no privilege', async () => {
      const { stdout, stderr } = await shell(
        'mount -t tmpfs x /tmp; unshare -Ur true; mount --bind . /usr; chroot . true; grep CapEff /proc/self/status; touch /usr/x /bin/x /x /dev/x /proc/x; touch /tmp/x /dev/shm/x && echo scratch',
      );
      expect(stdout).toMatch(/^CapEff:\t0+$/m);
      expect(stderr.split('\n').length).toBeGreaterThan(5);
      expect(stdout).toMatch(/scratch\n$/);
      expect(stderr.match(/touch: .*\/x/g)).toHaveLength(5);
      expect(existsSync('/usr/x')).toBe(false);
    });

    test('a root that has become a link makes nothing on the host (CVE-2026-87766)', async () => {
      const inner = join(root, 'inner-root');
      mkdirSync(inner);
      const nested = routerFor({ sandbox: 'bubblewrap' }, { roots: [root, inner] });
      const planted = join(dirname(root), 'outside', 'planted');
      rmSync(inner, { recursive: true });
      symlinkSync(`/oldroot${planted}`, inner);
      expect((await nested('run_shell', { command: 'echo again' })).stdout).toBe('again\n');
      expect(existsSync(planted)).toBe(false);
    });

    test('a command that was let pass because it only reads could not write', async () => {
      const space = new CommandSpace({ roots: [root] }, { sandbox: 'bubblewrap' });
      const exec = new GrantedExec(space, [planOf('touch M; echo x > M', 'shell')], true);
      expect(await exec.run('touch M; echo x > M')).toMatchObject({ exitCode: 1 });
      expect(existsSync(join(root, 'M'))).toBe(false);
    });

    test('a root that may only be read cannot be written', async () => {
      const reading = routerFor({ sandbox: 'bubblewrap' }, { roots: [{ path: root, access: 'read' }] });
      expect(await reading('run_shell', { command: 'touch $HOME/a && touch M' })).toMatchObject({ exit_code: 1 });
      const looking = routerFor({ sandbox: 'bubblewrap', access: 'read' });
      expect(await looking('run_shell', { command: 'touch $HOME/a && touch M' })).toMatchObject({ exit_code: 1 });
      expect(existsSync(join(root, 'M'))).toBe(false);
    });

    test('limits hold for each process', async () => {
      const limited = routerFor({ sandbox: 'bubblewrap', limits: { fileBytes: 10_000, memoryBytes: 200_000_000 } });
      const data = await limited('run_shell', { command: 'head -c 20000 /dev/zero > big; wc -c < big; ulimit -v' });
      expect(data.stdout).toBe(`10000\n${Math.floor(200_000_000 / 1024)}\n`);
    });

    test('the link that it leaves behind is caught by the path guard on the next call', async () => {
      await shell(`ln -s ${root}/../outside/s.txt plain.txt; ln -s / top`);
      for (const path of ['plain.txt', 'top/etc/hostname']) {
        await expect(run('read_file', { path })).rejects.toThrow(/^path_denied/);
      }
    });
  });

  test('a program that the workspace holds runs inside, when it is asked for by its path', async () => {
    writeFileSync(join(root, 'tool.sh'), '#!/bin/sh\necho mine "$@"\n', { mode: 0o755 });
    expect(await shell('./tool.sh "a b"')).toMatchObject({ stdout: 'mine a b\n' });
    writeFileSync(join(root, 'ls'), '#!/bin/sh\necho mine\n', { mode: 0o755 });
    expect((await shell('ls one.txt')).stdout).toBe('one.txt\n');
  });

  test('git works on the repository, and obeys none of its hooks', async () => {
    const repository = workspace();
    const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'ignore' });
    git('init', '-q');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first one');
    writeFileSync(join(repository, '.git/hooks/post-checkout'), '#!/bin/sh\ntouch HOOKED\n', { mode: 0o755 });
    const there = routerFor({ sandbox: 'bubblewrap' }, { roots: [repository], mode: 'ask', approve: undefined });
    expect((await there('run_shell', { command: 'git log --oneline -n 1' })).stdout).toMatch(/first one/);
    expect((await there('run_shell', { command: 'git status --short' })).stdout).toMatch(/\?\? README.md/);
    const approved = routerFor({ sandbox: 'bubblewrap' }, { roots: [repository] });
    await approved('run_shell', { command: 'git checkout -q -b other' });
    expect(existsSync(join(repository, 'HOOKED'))).toBe(false);
  });

  describe.runIf(hasPython)('run_python (skipped where there is no python3)', () => {
    test('runs a program; a job that it leaves ends with it', async () => {
      const id = mark();
      const code = `import subprocess\nsubprocess.Popen(['sleep','${id}'])\nprint('launched')`;
      expect(await run('run_python', { code })).toMatchObject({ exit_code: 0, stdout: 'launched\n' });
      await gone(`sleep ${id}`);
    });

    test('shows a failure as what it is', async () => {
      const data = await run('run_python', { code: 'import sys\nprint(len(sys.argv))\n1/0' });
      expect(data).toMatchObject({ exit_code: 1, stdout: '1\n' });
      expect(data.stderr).toContain('ZeroDivisionError');
    });

    test('reaches neither the host nor the network', async () => {
      const code = `import os,socket
for path in ['/etc/passwd', '../outside/s.txt', '/proc/1/environ']:
    try: print(open(path).read())
    except OSError as e: print(type(e).__name__)
try: socket.create_connection(('127.0.0.1', 9), 1)
except OSError as e: print(type(e).__name__)
print(os.environ.get('PATH') is not None)`;
      const { stdout } = await run('run_python', { code });
      expect(stdout).not.toMatch(/SECRET|root:/);
      expect(stdout.trimEnd()).toMatch(/(Error|Refused\w*)\nTrue$/);
    });
  });
});

describe.runIf(isLinux)('run_shell without a sandbox, by explicit choice', () => {
  const run = routerFor({ sandbox: 'unsandboxed', limits: { outputBytes: 100_000_000 } });
  const shell = (command: string, more = {}) => run('run_shell', { command, ...more });

  test('runs argument lists in the root, and no shell', async () => {
    expect(await shell('echo "$HOME" | cat'.replaceAll('"', "'"))).toMatchObject({
      stdout: '$HOME\n',
      sandbox: 'unsandboxed',
    });
    expect((await shell('pwd')).stdout).toBe(`${root}\n`);
    expect(await shell('yes | head -1')).toMatchObject({ stdout: 'y\n', stderr: '' });
  });

  test('the environment is built, not inherited (R5)', async () => {
    process.env['CALLGATE_TEST_TOKEN'] = 'hush';
    const { stdout } = await shell('env');
    delete process.env['CALLGATE_TEST_TOKEN'];
    expect(stdout).not.toMatch(/hush|NODE_OPTIONS|LD_|BASH_ENV/);
    expect(stdout).not.toContain(`HOME=${process.env['HOME']}\n`);
  });

  test('ends the whole group when the time is up, also what ignores TERM', async () => {
    const id = mark();
    const data = await shell(`timeout -s 0 ${id} sleep ${id}`, { timeout_ms: 200 });
    expect(data).toMatchObject({ stopped: 'timeout' });
    await gone(id);
  });

  test('reads a flood with flat memory, and ends it', async () => {
    const before = process.memoryUsage.rss();
    expect(await shell('yes')).toMatchObject({ stopped: 'output', truncated: true });
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1_048_576);
  });
});

describe('run_shell in the portable sandbox', () => {
  const run = routerFor({ sandbox: 'portable' });
  const shell = (command: string, more = {}) => run('run_shell', { command, ...more });
  // One process for many questions: starting the interpreter is what takes long here.
  let data: CommandData;
  beforeAll(async () => {
    data = await shell(
      `echo made > portable.txt; cat portable.txt one.txt | wc -l; cat /etc/passwd; cat ${root}/../outside/s.txt; cat away/s.txt; ls /; curl http://127.0.0.1; exit 4`,
    );
  }, 30_000);

  test('text for a shell runs, and what it writes is in the root', () => {
    expect(data).toMatchObject({ sandbox: 'portable', exit_code: 4 });
    expect(data.stdout).toMatch(/^\s*4\n/);
    expect(readFileSync(join(root, 'portable.txt'), 'utf8')).toBe('made\n');
  });

  test('reaches nothing else of the host, and no network', () => {
    expect(data.stdout).not.toMatch(/root:|SECRET/);
    expect(data.stderr).toMatch(/curl: command not found/);
  });

  test('a command that only reads cannot write, whatever the interpreter makes of it', async () => {
    const asked = routerFor({ sandbox: 'portable' }, { mode: 'ask', approve: undefined });
    expect(await asked('run_shell', { command: "cat one.txt | grep '2'" })).toMatchObject({
      stdout: '2\n',
      exit_code: 0,
    });
  });

  test('an endless loop ends', async () => {
    const looping = await shell('while true; do :; done', { timeout_ms: 20_000 });
    expect(looping.exit_code === 0).toBe(false);
  });

  test('there is no Python', async () => {
    await expect(run('run_python', { code: 'print(1)' })).rejects.toThrow(/^command_denied.*no Python/);
  });
});

test('a result is text for a model', async () => {
  const router = createRouter({ tools: [runShell], roots: [root], commands: { sandbox: 'portable' } });
  const result = await router.call({ name: 'run_shell', arguments: { command: 'echo hi' } });
  expect(JSON.parse(toModelText(result))).toMatchObject({ exit_code: 0, stdout: 'hi\n', truncated: false });
});
