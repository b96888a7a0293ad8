import fs from 'node:fs';
import path from 'node:path';
import { createRouter, defaultPipeline, defineTool, type Ready, step } from 'callgate';
import { type PathGuardOptions, pathGuard } from 'callgate/middleware/path-guard';
import { fileTools } from 'callgate/tools';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Router } from '../../src/router.ts';
import type { Tool } from '../../src/tool.ts';
import { type FsTree, makeTree, openHandles, secret, snapshot } from '../fixtures/fs-tree.ts';

let tree: FsTree;
beforeAll(() => {
  tree = makeTree();
});
afterAll(() => tree.remove());

const deny = ['**/.env', '**/.git/hooks/**', '.kube/**', 'cafe\u0301/**'];

function routerFor(options: Partial<PathGuardOptions> = {}, tools: readonly Tool[] = fileTools): Router {
  const { roots = [tree.root], ...rest } = options;
  return createRouter({ tools, roots, pathGuard: { deny, ...rest }, mode: 'trusted' });
}

function outcome(result: { ok: boolean; data: unknown; code?: string; details?: unknown }): string {
  if (result.ok) return `data ${typeof result.data === 'string' ? result.data : JSON.stringify(result.data)}`;
  return `${result.code} ${(result.details as { reason?: string } | undefined)?.reason}`;
}

async function run(router: Router, op: string, input: unknown): Promise<string> {
  const name = `${op}_${op === 'list' ? 'files' : 'file'}`;
  const args = op === 'write' ? { path: input, content: 'NEW' } : { path: input };
  const result = await router.call({ name, arguments: args });
  expect(JSON.stringify(result)).not.toContain(secret);
  expect(result.ok ? '' : result.error).not.toContain(tree.base);
  return outcome(result);
}

describe('paths of every unpleasant kind', () => {
  let router: Router;
  let outside: readonly string[];
  beforeAll(() => {
    router = routerFor();
    outside = [...snapshot(tree.out), ...snapshot(path.join(tree.base, 'root-evil'))];
  });

  it.each<[string, string, string | ((tree: FsTree) => string), string]>([
    ['P1 traversal', 'read', '../../etc/passwd', 'path_denied outside'],
    ['P2 a sibling through a parent', 'read', 'sub/../../root-evil/x', 'path_denied outside'],
    ['P3 an absolute sibling', 'read', ({ base }) => `${base}/root-evil/x`, 'path_denied outside'],
    ['an absolute path outside', 'read', '/etc/passwd', 'path_denied outside'],
    ['P5 a benign parent', 'read', 'sub/../ok2.txt', 'data fine too'],
    ['P6 a linked folder outside', 'read', 'evil/s.txt', 'path_denied escape'],
    ['the same with nothing there', 'read', 'evil/none.txt', 'path_denied escape'],
    ['the same, further down', 'read', 'evil/none/none/none.txt', 'path_denied escape'],
    ['the linked folder itself', 'list', 'evil', 'path_denied escape'],
    ['a chain of links outside', 'read', 'hop1/s.txt', 'path_denied escape'],
    ['a way out and back in', 'read', 'back/ok.txt', 'path_denied escape'],
    ['P7 an absolute link', 'read', 'abs/passwd', 'path_denied escape'],
    ['the process file system by a link', 'read', 'pr/etc/passwd', 'path_denied escape'],
    ['P9 a linked folder inside', 'read', 'in/ok.txt', 'data fine'],
    ['a link with a parent in its target', 'read', 'upanddown/ok.txt', 'data fine'],
    ['P10 a linked file inside', 'read', 'okl', 'data fine'],
    ['a linked file outside', 'read', 'leaf', 'path_denied escape'],
    ['a linked file outside, written', 'write', 'leaf', 'path_denied symlink-leaf'],
    ['P11 a dangling link, written', 'write', 'dang', 'path_denied symlink-leaf'],
    ['a dangling link, read', 'read', 'dang', 'path_denied escape'],
    ['a dangling link inside, read', 'read', 'gone', 'path_denied escape'],
    ['a dangling link inside, written', 'write', 'gone', 'path_denied symlink-leaf'],
    ['P13 new folders through a link', 'write', 'evil/n1/n2/new.txt', 'path_denied escape'],
    ['a new file through a link', 'write', 'evil/new.txt', 'path_denied escape'],
    ['P14 a parent of a missing folder', 'write', 'new1/../../out/x', 'path_denied outside'],
    ['P15 a loop', 'read', 'l1', 'path_denied loop'],
    ['a loop, written', 'write', 'l1', 'path_denied loop'],
    ['a loop as a folder', 'read', 'l1/x', 'path_denied loop'],
    ['a link into itself', 'read', 'self', 'path_denied loop'],
    ['P18 a pipe', 'read', 'ff', 'path_denied not-regular'],
    ['a pipe, written', 'write', 'ff', 'path_denied not-regular'],
    ['P19 a folder read as a file', 'read', 'sub', 'path_denied is-dir'],
    ['a folder written as a file', 'write', 'sub', 'path_denied is-dir'],
    ['P21 the root', 'write', '.', 'path_denied is-root'],
    ['the root with a slash', 'write', './', 'path_denied is-root'],
    ['the root by its name', 'write', ({ root }) => root, 'path_denied is-root'],
    ['P22 NUL', 'read', 'ok.txt\u0000.png', 'path_denied char'],
    ['P23 a line end', 'write', 'a\nb', 'path_denied char'],
    ['P23 a terminal sequence', 'write', 'a\u001b[2Jb', 'path_denied char'],
    ['P25 a zero-width space', 'read', 'sub/ok\u200b.txt', 'path_denied invisible'],
    ['P26 a change of direction', 'write', 'sub/\u202etxt.exe', 'path_denied bidi'],
    ['P27 home', 'read', '~/.ssh/id_rsa', 'path_denied tilde'],
    ['P29 percent signs stand for themselves', 'read', '%2e%2e/%2e%2e/etc/passwd', 'tool_error not-found'],
    ['P30 a percent slash stands for itself', 'read', '..%2f..%2fetc', 'tool_error not-found'],
    ['P30 percent signs twice', 'read', '%252e%252e/x', 'tool_error not-found'],
    ['P31 a URL', 'read', 'file:///etc/passwd', 'path_denied url'],
    ['P33 a rule in another case', 'write', '.git/HOOKS/pre-commit', 'path_denied rule'],
    ['P34 an ignorable character', 'write', '.gi\u200ct/config', 'path_denied invisible'],
    ['P35 a rule in another Unicode form', 'read', 'caf\u00e9/x', 'path_denied rule'],
    ['P37 a rule with the Kelvin sign', 'read', '.\u212aube/config', 'path_denied rule'],
    ['P38 a rule with a full-width letter', 'read', '.\uff45nv', 'path_denied rule'],
    ['P39 a rule with a dot at the end', 'read', '.env.', 'path_denied rule'],
    ['P39 a rule with a space at the end', 'read', '.env ', 'path_denied rule'],
    ['P39 a rule with dots at the end', 'read', '.env...', 'path_denied rule'],
    ['a rule on a file that is there', 'read', '.env', 'path_denied rule'],
    ['a rule through a parent', 'read', 'sub/../.env', 'path_denied rule'],
    ['P43 a drive', 'read', 'C:\\Windows\\x', 'path_denied drive'],
    ['P43 a folder of a drive', 'read', 'C:foo', 'path_denied drive'],
    ['P45 a device namespace', 'read', '\\\\?\\C:\\x', 'path_denied device-namespace'],
    ['P45 a pipe namespace', 'read', '\\\\.\\pipe\\x', 'path_denied device-namespace'],
    ['P47 backslashes', 'read', 'sub\\..\\..\\x', 'path_denied backslash'],
    ['P50 a long path', 'read', `${'a/'.repeat(2500)}f`, 'path_denied length'],
    ['P50 a long name', 'read', 'x'.repeat(300), 'path_denied length'],
    ['P51 a file with a slash', 'read', 'sub/ok.txt/', 'path_denied not-dir'],
    ['P51 a file with a slash and a dot', 'read', 'sub/ok.txt/.', 'path_denied not-dir'],
    ['a file as a folder', 'read', 'sub/ok.txt/x', 'path_denied not-dir'],
    ['a linked file as a folder', 'read', 'okl/x', 'path_denied not-dir'],
    ['P53 a device', 'read', '/dev/stdin', 'path_denied outside'],
    ['P53 the environment', 'read', '/proc/self/environ', 'path_denied outside'],
    ['an empty path', 'read', '', 'path_denied empty'],
    ['P58 repository settings', 'write', '.git/config', 'path_denied protected'],
    ['P58 editor settings', 'write', '.vscode/settings.json', 'path_denied protected'],
    ['P58 agent settings', 'write', '.mcp.json', 'path_denied protected'],
    ['P58 a shell start-up file', 'write', '.bashrc', 'path_denied protected'],
    ['P58 a folder start-up file', 'write', 'sub/.envrc', 'path_denied protected'],
    ['P58 package manager settings', 'write', '.npmrc', 'path_denied protected'],
    ['P58 a workflow', 'write', '.github/workflows/x.yml', 'path_denied protected'],
    ['protected through a link', 'write', 'in/.git/config', 'path_denied protected'],
    ['a file of two roots up', 'read', '....//....//etc/passwd', 'tool_error not-found'],
  ])('%s: %s %j gives %s', async (_, op, input, expected) => {
    expect(await run(router, op, typeof input === 'function' ? input(tree) : input)).toBe(expected);
    expect([...snapshot(tree.out), ...snapshot(path.join(tree.base, 'root-evil'))]).toEqual(outside);
  });

  it('P5 strict refuses every parent', async () => {
    expect(await run(routerFor({ strict: true }), 'read', 'sub/../ok2.txt')).toBe('path_denied outside');
  });

  it.each(['in/ok.txt', 'okl', 'evil/s.txt', 'dang', 'l1', 'in/new'])(
    'P9 P10 no link is followed when links are denied: %s',
    async (input) => {
      expect(await run(routerFor({ symlinks: 'deny' }), 'read', input)).toMatch(/^path_denied (symlink|escape)$/);
    },
  );

  it('P17 writing to a hard link replaces the name and leaves the outside file alone', async () => {
    const before = fs.readFileSync(path.join(tree.out, 's.txt'), 'utf8');
    expect(await run(router, 'write', 'hl')).toContain('"created":false');
    expect(fs.readFileSync(path.join(tree.root, 'hl'), 'utf8')).toBe('NEW');
    expect(fs.readFileSync(path.join(tree.out, 's.txt'), 'utf8')).toBe(before);
  });

  it('hard links are left alone when the root denies them', async () => {
    fs.linkSync(path.join(tree.out, 's.txt'), path.join(tree.root, 'hl2'));
    const strict = routerFor({ roots: [{ path: tree.root, hardlinks: 'deny' }] });
    expect(await run(strict, 'read', 'hl2')).toBe('path_denied hardlink');
  });

  it('P49 a root given through a link works under both of its names', async () => {
    const alias = path.join(tree.base, 'alias');
    fs.symlinkSync('root', alias);
    const aliased = routerFor({ roots: [alias] });
    expect(await run(aliased, 'read', 'ok2.txt')).toBe('data fine too');
    expect(await run(aliased, 'read', `${alias}/ok2.txt`)).toBe('data fine too');
    expect(await run(aliased, 'read', `${tree.root}/ok2.txt`)).toBe('data fine too');
    expect(await run(aliased, 'write', 'alias-new/a.txt')).toContain('"created":true');
  });

  it.skipIf(process.platform !== 'linux')('P53 even a forced root of everything has no pseudo-files', async () => {
    const wide = routerFor({ roots: [{ path: '/', force: true }] });
    for (const input of ['/dev/stdin', '/proc/self/environ', '/proc/self/fd/0', 'proc/self/status', '/sys/kernel/x']) {
      expect(await run(wide, 'read', input)).toMatch(/^path_denied (pseudo-fs|not-regular)$/);
    }
    expect(await run(wide, 'read', `${tree.root}/ok2.txt`)).toBe('data fine too');
  });

  it('P57 a listing names links and follows none', async () => {
    const result = await router.call({ name: 'list_files', arguments: { depth: 9, ignored: true } });
    const lines = String(result.data).split('\n');
    expect(lines).toContain('evil (link)');
    expect(lines).toContain('pr (link)');
    expect(lines).toContain('ff (special file)');
    expect(lines).toContain('sub/deep/low.txt');
    expect(lines).not.toContain('.env');
    expect(lines.some((line) => line.startsWith('evil/') || line.includes('s.txt'))).toBe(false);
  });
});

describe('what the guard hands on', () => {
  interface Seen {
    args?: unknown;
    effects?: unknown;
  }
  const seen: Seen = {};
  const probe = defineTool({
    name: 'probe',
    description: 'Shows what arrives.',
    parameters: { type: 'object' },
    paths: { source: 'read', '/files/*/path': 'write', '/plain/*': 'read' },
    handler: (args) => {
      seen.args = args;
      return 'ran';
    },
  }) as Tool;
  const look = () =>
    createRouter({
      tools: [probe],
      pipeline: defaultPipeline({
        roots: [tree.root, { path: path.join(tree.base, 'root-evil'), access: 'read' }],
      }).after(
        'pathGuard',
        'look',
        step(function look(ctx: Ready) {
          seen.effects = ctx.effects;
        }),
      ),
      mode: 'trusted',
    });

  beforeEach(() => {
    delete seen.args;
    delete seen.effects;
  });

  it('are canonical arguments, relative to the first root or absolute in another', async () => {
    const second = path.join(tree.base, 'root-evil', 'x');
    const args = { source: './in/../in/./ok.txt', plain: ['.', second], other: 'in/ok.txt' };
    const result = await look().call({ name: 'probe', arguments: args });
    expect(result).toMatchObject({ ok: true, data: 'ran' });
    expect(seen.args).toEqual({ source: 'sub/ok.txt', plain: ['.', second], other: 'in/ok.txt' });
  });

  it('are effects with absolute, canonical paths', async () => {
    await look().call({ name: 'probe', arguments: { source: 'okl', files: [{ path: 'new/x' }, { path: 'in/y' }] } });
    expect(seen.effects).toEqual([
      { kind: 'fs.read', path: `${tree.root}/sub/ok.txt` },
      { kind: 'fs.write', path: `${tree.root}/new/x` },
      { kind: 'fs.write', path: `${tree.root}/sub/y` },
    ]);
  });

  it('leave the arguments of the caller as they were', async () => {
    const args = { files: [{ path: './a', keep: 1 }] };
    await look().call({ name: 'probe', arguments: args });
    expect(args).toEqual({ files: [{ path: './a', keep: 1 }] });
    expect(seen.args).toEqual({ files: [{ path: 'a', keep: 1 }] });
  });

  it('name the argument that was refused', async () => {
    const result = await look().call({ name: 'probe', arguments: { files: [{ path: 'a' }, { path: '../x' }] } });
    expect(result).toMatchObject({
      ok: false,
      code: 'path_denied',
      effect: 'none',
      details: { reason: 'outside', pointer: '/files/1/path' },
    });
    expect(seen.args).toBeUndefined();
  });

  it.each([[7], [true], [{ path: 'a' }], [['a']]])('refuse what is no string: %j', async (source) => {
    const result = await look().call({ name: 'probe', arguments: { source } });
    expect(result).toMatchObject({ code: 'path_denied', details: { reason: 'type', pointer: '/source' } });
  });

  it.each([undefined, null])('grant nothing for an argument that is %j', async (source) => {
    const result = await look().call({ name: 'probe', arguments: { source } });
    expect(result.ok).toBe(true);
    expect(seen.effects ?? []).toEqual([]);
  });

  it('refuse to write in a root that may only be read', async () => {
    const inside = path.join(tree.base, 'root-evil', 'new');
    const result = await look().call({ name: 'probe', arguments: { files: [{ path: inside }] } });
    expect(result).toMatchObject({ code: 'path_denied', details: { reason: 'read-only' } });
  });
});

describe('building the guard', () => {
  it.each<[string, unknown]>([
    ['no options', undefined],
    ['no roots', { roots: [] }],
    ['an unknown option', { roots: ['.'], denied: [] }],
    ['an unknown root option', { roots: [{ path: 'test', mode: 'read' }] }],
    ['a root that is not there', { roots: ['./no-such-folder'] }],
    ['a root that is a file', { roots: ['package.json'] }],
    ['everything', { roots: ['/'] }],
    ['system folders', { roots: ['/proc'] }],
    ['devices', { roots: ['/dev'] }],
    ['a home folder', { roots: [process.env['HOME'] ?? '/'] }],
    ['a wrong access', { roots: [{ path: 'test', access: 'all' }] }],
    ['a wrong level', { roots: ['test'], level: 'perfect' }],
    ['a wrong link policy', { roots: ['test'], symlinks: 'follow' }],
    ['a wrong backslash policy', { roots: ['test'], backslash: 'yes' }],
    ['a glob that cannot match', { roots: ['test'], deny: ['/etc/**'] }],
    ['a glob list that is none', { roots: ['test'], deny: '**/.env' }],
  ])('refuses %s', (_, options) => {
    expect(() => pathGuard(options as PathGuardOptions)).toThrow(TypeError);
  });

  it.skipIf(process.platform !== 'linux')('offers the strongest level on Linux', () => {
    expect(() => pathGuard({ roots: ['test'], level: 'kernel-anchored' })).not.toThrow();
  });
});

describe('whatever the spelling', () => {
  it('what is read lies inside the root, and no handle stays open', async () => {
    const router = routerFor();
    const piece = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '',
        'sub',
        'in',
        'evil',
        'abs',
        'pr',
        'hop1',
        'okl',
        'leaf',
        'dang',
        'back',
        'dir',
        'deep',
      ),
      fc.constantFrom(
        'ok.txt',
        's.txt',
        't.txt',
        'low.txt',
        'x',
        'root',
        'root-evil',
        'out',
        'etc',
        'passwd',
        'hl',
        'l1',
        '~',
      ),
      fc.string({ maxLength: 4 }),
    );
    const before = openHandles();
    const allowed = new Set(['fine', 'fine too', 'deep', 'NEW', 'coffee']);
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 8 }),
        fc.constantFrom('', '/', './', tree.root, `${tree.root}/`),
        async (parts, head) => {
          const result = await router.call({ name: 'read_file', arguments: { path: head + parts.join('/') } });
          // The hard link is inside by name; all other content outside bears the word.
          if (result.ok && !parts.includes('hl')) expect(allowed).toContain(result.data);
          else if (!result.ok) expect(['path_denied', 'tool_error']).toContain(result.code);
        },
      ),
      { numRuns: 3000 },
    );
    expect(openHandles()).toBeLessThanOrEqual(before + 1);
  });
});
