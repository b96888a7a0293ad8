import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseAnchor } from '../../../src/capabilities/fs/anchor.ts';
import type { Anchor } from '../../../src/capabilities/fs/directory.ts';
import { pathAnchor } from '../../../src/capabilities/fs/path-anchor.ts';
import type { GrantedFs } from '../../../src/capabilities/fs/scoped-fs.ts';
import type { PathIntent, ScopedEntry, ScopedFs } from '../../../src/capabilities/fs/types.ts';
import { Workspace, type WorkspaceOptions } from '../../../src/capabilities/fs/workspace.ts';
import { ToolError } from '../../../src/errors.ts';
import { type FsTree, makeTree, openHandles, secret, snapshot } from '../../fixtures/fs-tree.ts';

let tree: FsTree;
let handles: number;
beforeEach(() => {
  tree = makeTree();
  handles = openHandles();
});
afterEach(() => {
  expect(openHandles()).toBe(handles);
  tree.remove();
});

const anchors: [string, Anchor][] = [
  ['this platform', chooseAnchor()],
  ['a platform without handles', pathAnchor('best-effort', fs.constants.O_NOFOLLOW ?? 0)],
];

/** Runs in both ways: Linux' handles, and the paths of other platforms. */
describe.each(anchors)('files on %s', (_, anchor) => {
  function grant(paths: { [path: string]: PathIntent }, options: Partial<WorkspaceOptions> = {}): GrantedFs {
    const workspace = new Workspace({ roots: [tree.root], ...options }, anchor);
    return workspace.scope(Object.entries(paths).map(([name, intent]) => workspace.check(name, intent)));
  }
  const at = (name: string) => path.join(tree.root, name);
  const text = (name: string) => fs.readFileSync(at(name), 'utf8');

  describe('a grant', () => {
    it('reaches its path and what lies below, and nothing else', async () => {
      const files = grant({ sub: 'read' });
      expect((await files.readText('sub/ok.txt')).text).toBe('fine');
      expect((await files.readText('sub/deep/low.txt')).text).toBe('deep');
      await refused(files.readText('ok2.txt'), 'not-granted');
      await refused(files.readText('sub/../ok2.txt'), 'not-granted');
      await refused(files.readText('subway'), 'not-granted');
      await refused(files.readText('../out/s.txt'), 'outside');
      await refused(files.readText(tree.out), 'outside');
    });

    it('to read is none to write', async () => {
      const files = grant({ sub: 'read' });
      await refused(files.writeText('sub/ok.txt', 'x'), 'intent');
      await refused(files.remove('sub/ok.txt'), 'intent');
      await refused(files.mkdir('sub/new'), 'intent');
      await refused(files.rename('sub/ok.txt', 'sub/no.txt'), 'intent');
      await refused(files.open('sub/ok.txt', 'append'), 'intent');
      expect(text('sub/ok.txt')).toBe('fine');
    });

    it('does not reach through a link below it to another place in the root', async () => {
      fs.symlinkSync('../ok2.txt', at('sub/other'));
      fs.symlinkSync('deep/low.txt', at('sub/below'));
      const files = grant({ sub: 'read' });
      await refused(files.readText('sub/other'), 'not-granted');
      expect((await files.readText('sub/below')).text).toBe('deep');
    });

    it('ends when it is revoked, for every operation', async () => {
      const files = grant({ sub: 'write' });
      const file = await files.open('sub/ok.txt', 'read');
      const draft = await files.open('sub/draft.txt', 'replace');
      await draft.write(Buffer.from('half'));
      files.revoke();
      files.revoke();
      const uses: [string, () => Promise<unknown>][] = [
        ['read', () => file.read(1)],
        ['draft', () => draft.write(Buffer.from('x'))],
        ['draft close', () => draft.close()],
        ['readText', () => files.readText('sub/ok.txt')],
        ['readBytes', () => files.readBytes('sub/ok.txt')],
        ['writeText', () => files.writeText('sub/ok.txt', 'x')],
        ['stat', () => files.stat('sub')],
        ['list', () => listed(files, 'sub')],
        ['mkdir', () => files.mkdir('sub/n')],
        ['remove', () => files.remove('sub/ok.txt')],
        ['rename', () => files.rename('sub/ok.txt', 'sub/n')],
        ['open', () => files.open('sub/ok.txt', 'read')],
        ['cwdFor', async () => files.cwdFor('sub')],
        ['hostPath', async () => files.hostPath('sub')],
      ];
      for (const [name, use] of uses) expect([name, await reasonOf(use())]).toEqual([name, 'E_REVOKED']);
      expect(fs.readdirSync(at('sub')).sort()).toEqual(['deep', 'ok.txt']);
    });

    it('drops a large write that the revocation overtakes', async () => {
      const files = grant({ 'sub/ok.txt': 'write' });
      const writing = files.writeText('sub/ok.txt', 'x'.repeat(4_000_000));
      files.revoke();
      await refused(writing, 'E_REVOKED');
      expect(text('sub/ok.txt')).toBe('fine');
      expect(fs.readdirSync(at('sub')).sort()).toEqual(['deep', 'ok.txt']);
    });

    it('closes a file only after what is under way in it, so that no other file gets the write', async () => {
      const files = grant({ sub: 'write' });
      const file = await files.open('sub/log', 'append');
      const writing = file.write(Buffer.alloc(2_000_000, 'x'));
      files.revoke();
      expect(openHandles()).toBe(handles + 1);
      await writing;
      await setImmediate();
      expect(openHandles()).toBe(handles);
      expect(fs.statSync(at('sub/log')).size).toBe(2_000_000);
    });

    it('stops a listing that the revocation overtakes', async () => {
      const files = grant({ sub: 'read' });
      const seen: string[] = [];
      const reading = (async () => {
        for await (const { rel } of files.list('sub', { depth: 3 })) {
          seen.push(rel);
          files.revoke();
        }
      })();
      await refused(reading, 'E_REVOKED');
      expect(seen).toEqual(['deep']);
    });

    it('takes a guarded path as well as its text, and no authority from it', async () => {
      const files = grant({ sub: 'read' });
      const path = { requested: 'in/ok.txt', rel: 'sub/ok.txt', root: tree.root };
      expect((await files.readText(path)).text).toBe('fine');
      await refused(files.readText({ ...path, rel: 'ok2.txt' }), 'not-granted');
      await refused(files.readText({ ...path, rel: '../out/s.txt' }), 'outside');
      await refused(files.readText({ ...path, root: '/etc' }), 'not-granted');
    });

    it('reaches a second root by absolute paths, with the settings of the inner root', async () => {
      const inner = at('sub/deep');
      const files = grant({ '.': 'read', [inner]: 'read' }, { roots: [tree.root, { path: inner, access: 'read' }] });
      expect((await files.readText(`${inner}/low.txt`)).text).toBe('deep');
      expect((await files.readText('sub/deep/low.txt')).text).toBe('deep');
      const writer = grant({ sub: 'write' }, { roots: [tree.root, { path: inner, access: 'read' }] });
      await refused(writer.writeText('sub/deep/low.txt', 'x'), 'read-only');
    });

    it('does not survive that its path becomes a link', async () => {
      const files = grant({ 'sub/ok.txt': 'write', 'sub/deep': 'read' });
      fs.rmSync(at('sub/ok.txt'));
      fs.symlinkSync('../../out/s.txt', at('sub/ok.txt'));
      fs.rmSync(at('sub/deep'), { recursive: true });
      fs.symlinkSync('../../out/dir', at('sub/deep'));
      await refused(files.readText('sub/ok.txt'), 'escape');
      await refused(files.writeText('sub/ok.txt', 'x'), 'symlink-leaf');
      await refused(files.readText('sub/deep/t.txt'), 'escape');
      await refused(listed(files, 'sub/deep'), 'escape');
    });
  });

  describe('reading', () => {
    it('gives text, size and etag, and says when it cut', async () => {
      fs.writeFileSync(at('long.txt'), `${'a'.repeat(99)}\u20ac`);
      const files = grant({ 'long.txt': 'read' });
      expect(await files.readText('long.txt')).toMatchObject({ size: 102, truncated: false });
      expect(await files.readText('long.txt', { maxBytes: 100 })).toMatchObject({
        text: 'a'.repeat(99),
        truncated: true,
      });
      expect(await files.readText('long.txt', { range: [97, 99] })).toMatchObject({ text: 'aa', truncated: false });
      expect(await files.readText('long.txt', { range: [500, 900] })).toMatchObject({ text: '' });
    });

    it('reads large files whole when asked', async () => {
      const bytes = Buffer.alloc(3_000_000, 'abcdefg');
      fs.writeFileSync(at('large'), bytes);
      const read = await grant({ large: 'read' }).readBytes('large', { maxBytes: 5_000_000 });
      expect(Buffer.compare(read.bytes as Buffer, bytes)).toBe(0);
    });

    it('by an open file goes on where it ended', async () => {
      const file = await grant({ 'sub/ok.txt': 'read' }).open('sub/ok.txt', 'read');
      expect(file.stat).toMatchObject({ type: 'file', size: 4 });
      expect(String(await file.read(2))).toBe('fi');
      expect(String(await file.read(9))).toBe('ne');
      expect(await file.read(9)).toHaveLength(0);
      expect(String(await file.read(2, 1))).toBe('in');
      await file.close();
      await file.close();
      await expect(file.read(1)).rejects.toThrow(ToolError);
    });

    it('names a file whose name only looks the same', async () => {
      fs.writeFileSync(at('cafe\u0301.txt'), 'nfd');
      fs.writeFileSync(at('it\u2019s.txt'), 'curly');
      const files = grant({ 'caf\u00e9.txt': 'read', "it's.txt": 'read', '.': 'read' }, { deny: ['hidden'] });
      const twin = await caught(files.readText('caf\u00e9.txt'));
      expect(twin.options.details).toEqual({ reason: 'not-found', lookAlike: 'cafe\u0301.txt' });
      expect((await caught(files.readText("it's.txt"))).message).toContain('it\u2019s.txt');
      fs.writeFileSync(at('Sub.TXT'), '');
      expect((await caught(files.readText('sub.txt'))).message).toContain('Sub.TXT');
    });

    it('leaves pipes and folders alone at once', async () => {
      const files = grant({ '.': 'read' });
      await refused(files.readText('ff'), 'not-regular');
      await refused(files.readText('sub'), 'is-dir');
      await refused(files.readText('.'), 'is-dir');
    });
  });

  describe('writing', () => {
    it('replaces a file at once, keeps its mode and drops setuid', async () => {
      fs.chmodSync(at('sub/ok.txt'), 0o4750);
      const before = fs.statSync(at('sub/ok.txt')).ino;
      const { created, etag } = await grant({ 'sub/ok.txt': 'write' }).writeText('sub/ok.txt', 'new');
      const stat = fs.statSync(at('sub/ok.txt'));
      expect({ created, content: text('sub/ok.txt'), mode: stat.mode & 0o7777 }).toEqual({
        created: false,
        content: 'new',
        mode: 0o750,
      });
      expect(stat.ino).not.toBe(before);
      expect((await grant({ 'sub/ok.txt': 'read' }).stat('sub/ok.txt')).etag).toBe(etag);
    });

    it('makes a new file with the mode asked for, less the umask', async () => {
      const files = grant({ sub: 'write' });
      expect(await files.writeText('sub/a', 'x', { mode: 0o4711 })).toMatchObject({ created: true });
      await files.writeText('sub/b', 'x');
      const umask = process.umask();
      expect(fs.statSync(at('sub/a')).mode & 0o7777).toBe(0o711 & ~umask);
      expect(fs.statSync(at('sub/b')).mode & 0o7777).toBe(0o666 & ~umask);
    });

    it('makes missing folders only when asked to', async () => {
      const files = grant({ 'n1/n2/n3/f': 'write' });
      expect(await reasonOf(files.writeText('n1/n2/n3/f', 'x'))).toBe('not-found');
      await expect(files.writeText('n1/n2/n3/f', 'x')).rejects.toThrow(
        '"n1/n2/n3/f": the folder of this file does not exist',
      );
      expect(fs.existsSync(at('n1'))).toBe(false);
      await files.writeText('n1/n2/n3/f', 'x', { mkdirs: true });
      expect(text('n1/n2/n3/f')).toBe('x');
    });

    it('with an etag replaces only what was read', async () => {
      const files = grant({ 'sub/ok.txt': 'write' });
      const { etag } = await files.readText('sub/ok.txt');
      const first = await files.writeText('sub/ok.txt', 'one', { ifMatch: etag });
      expect((await caught(files.writeText('sub/ok.txt', 'two', { ifMatch: etag }))).code).toBe('conflict');
      fs.writeFileSync(at('sub/ok.txt'), 'six');
      expect((await caught(files.writeText('sub/ok.txt', 'two', { ifMatch: first.etag }))).code).toBe('conflict');
      fs.rmSync(at('sub/ok.txt'));
      expect((await caught(files.writeText('sub/ok.txt', 'two', { ifMatch: first.etag }))).code).toBe('conflict');
      expect(fs.readdirSync(at('sub'))).toEqual(['deep']);
    });

    it('lets exactly one of many competing writers win', async () => {
      const files = grant({ 'sub/ok.txt': 'write' });
      const { etag } = await files.readText('sub/ok.txt');
      const writers = Array.from({ length: 20 }, (_, at) => files.writeText('sub/ok.txt', `w${at}`, { ifMatch: etag }));
      const settled = await Promise.allSettled(writers);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('of a new file only fails when the name is taken', async () => {
      const files = grant({ '.': 'read', sub: 'write' });
      await files.writeText('sub/new', 'x', { ifMatch: null });
      const taken = await caught(files.writeText('sub/new', 'y', { ifMatch: null }));
      expect([taken.code, taken.options.retryable]).toEqual(['conflict', false]);
      expect(text('sub/new')).toBe('x');
      expect(fs.statSync(at('sub/new')).nlink).toBe(1);
    });

    it('leaves nothing behind when it fails', async () => {
      const files = grant({ sub: 'write' });
      await refused(files.writeText('sub/deep', 'x'), 'is-dir');
      await refused(files.writeText('sub/ok.txt/x', 'x'), 'not-dir');
      await refused(files.writeText('sub', 'x'), 'is-dir');
      expect(fs.readdirSync(at('sub')).sort()).toEqual(['deep', 'ok.txt']);
    });

    it('by an open file replaces on close', async () => {
      const file = await grant({ 'sub/ok.txt': 'write' }).open('sub/ok.txt', 'replace');
      await file.write(Buffer.from('piece by '));
      await file.write(Buffer.from('piece'));
      expect(text('sub/ok.txt')).toBe('fine');
      await file.close();
      expect(text('sub/ok.txt')).toBe('piece by piece');
    });

    it('by an open file appends, but not to a file with further names', async () => {
      const files = grant({ 'sub/ok.txt': 'write', 'sub/log': 'write', hl: 'write' });
      for (const name of ['sub/ok.txt', 'sub/log']) {
        const file = await files.open(name, 'append');
        await file.write(Buffer.from('+'));
        await file.close();
      }
      expect([text('sub/ok.txt'), text('sub/log')]).toEqual(['fine+', '+']);
      await refused(files.open('hl', 'append'), 'hardlink');
    });

    it('by an open file makes a new one only', async () => {
      const files = grant({ sub: 'write' });
      const file = await files.open('sub/fresh', 'create');
      await file.write(Buffer.from('x'));
      await file.close();
      expect((await caught(files.open('sub/fresh', 'create'))).code).toBe('conflict');
      expect(text('sub/fresh')).toBe('x');
    });

    it('never goes through a dangling link', async () => {
      const files = grant({ sub: 'write' });
      fs.symlinkSync('../../out/new.txt', at('sub/dang'));
      await refused(files.writeText('sub/dang', 'x'), 'symlink-leaf');
      await refused(files.open('sub/dang', 'create'), 'symlink-leaf');
      await refused(files.open('sub/dang', 'append'), 'symlink-leaf');
      await refused(files.mkdir('sub/dang'), 'symlink-leaf');
      expect(fs.existsSync(path.join(tree.out, 'new.txt'))).toBe(false);
    });

    it('never writes what is protected or denied, also below a granted folder', async () => {
      const files = grant({ sub: 'write' }, { deny: ['**/*.pem'] });
      await refused(files.writeText('sub/.git/config', 'x', { mkdirs: true }), 'protected');
      await refused(files.mkdir('sub/.git'), 'protected');
      await refused(files.writeText('sub/a.pem', 'x'), 'rule');
      await refused(files.readText('sub/a.PEM'), 'rule');
      await refused(files.rename('sub/ok.txt', 'sub/.bashrc'), 'protected');
    });
  });

  describe('folders', () => {
    it('are listed level by level with sizes, links named and not followed', async () => {
      fs.symlinkSync('../../out', at('sub/evil'));
      const files = grant({ sub: 'read' });
      expect(await listed(files, 'sub')).toEqual(['deep dir', 'evil link', 'ok.txt file 4']);
      expect(await listed(files, 'sub', { depth: 5 })).toEqual([
        'deep dir',
        'evil link',
        'ok.txt file 4',
        'deep/low.txt file 4',
      ]);
      expect(await listed(files, 'sub', { depth: 5, limit: 2 })).toHaveLength(2);
      await refused(listed(files, 'sub/ok.txt'), 'not-dir');
      expect(await reasonOf(listed(files, 'sub/none'))).toBe('not-found');
    });

    it('are listed without what the rules forbid', async () => {
      const files = grant({ '.': 'read' }, { deny: ['**/.env', '.kube/**'] });
      const names = (await listed(files, '.', { depth: 9 })).join('\n');
      expect(names).not.toMatch(/\.env|\.kube/);
      expect(names).toContain('sub/deep/low.txt file 4');
    });

    it('are listed whatever the names in them are', async () => {
      for (const name of ['a\nb', '\u202e', '-rf', '[id]', ' ', '~']) fs.writeFileSync(at(`sub/${name}`), '');
      fs.writeFileSync(Buffer.concat([Buffer.from(`${at('sub')}/`), Buffer.from([0xff, 0xfe])]), '');
      expect(await listed(grant({ sub: 'read' }), 'sub')).toHaveLength(9);
    });

    it.skipIf(process.getuid?.() === 0)('are listed past a subfolder that may not be read', async () => {
      fs.mkdirSync(at('sub/closed'), { mode: 0 });
      expect(await listed(grant({ sub: 'read' }), 'sub', { depth: 3 })).toContain('closed dir');
    });

    it('are made, one or many', async () => {
      const files = grant({ sub: 'write' });
      await files.mkdir('sub/a');
      expect((await caught(files.mkdir('sub/a'))).code).toBe('conflict');
      await files.mkdir('sub/a', { recursive: true });
      expect(await reasonOf(files.mkdir('sub/x/y'))).toBe('not-found');
      await files.mkdir('sub/x/y/z', { recursive: true });
      expect(fs.statSync(at('sub/x/y/z')).isDirectory()).toBe(true);
    });

    it('are removed with all that is in them, links as links', async () => {
      fs.symlinkSync('../../out', at('sub/evil'));
      fs.symlinkSync('../../../out', at('sub/deep/evil'));
      const outside = snapshot(tree.out);
      const files = grant({ sub: 'write' });
      expect((await caught(files.remove('sub/deep'))).code).toBe('conflict');
      await files.remove('sub/evil');
      await files.remove('sub/deep', { recursive: true });
      await files.remove('sub/ok.txt');
      expect(fs.readdirSync(at('sub'))).toEqual([]);
      expect(snapshot(tree.out)).toEqual(outside);
      await refused(files.remove('.', { recursive: true }), 'not-granted');
      expect(await reasonOf(files.remove('sub/none'))).toBe('not-found');
    });

    it('are not removed or renamed with something in them that the rules protect', async () => {
      fs.mkdirSync(at('sub/repo/hooks'), { recursive: true });
      fs.writeFileSync(at('sub/repo/hooks/pre-commit'), '');
      fs.mkdirSync(at('sub/keys'));
      fs.writeFileSync(at('sub/keys/a.pem'), '');
      const files = grant({ sub: 'write' }, { deny: ['**/*.pem', 'sub/vault/**'] });
      await refused(files.rename('sub/repo', 'sub/.git'), 'protected');
      await refused(files.rename('sub/repo', 'sub/vault'), 'rule');
      await refused(files.rename('sub/keys', 'sub/other'), 'rule');
      await refused(files.remove('sub/keys', { recursive: true }), 'rule');
      await files.rename('sub/repo', 'sub/moved');
      expect(fs.readdirSync(at('sub/moved'))).toEqual(['hooks']);
    });

    it('and files are renamed within the grants only', async () => {
      const files = grant({ sub: 'write', 'ok2.txt': 'read' });
      await files.rename('sub/ok.txt', 'sub/deep/ok.txt');
      expect(text('sub/deep/ok.txt')).toBe('fine');
      await refused(files.rename('sub/deep/ok.txt', 'moved.txt'), 'not-granted');
      await refused(files.rename('ok2.txt', 'sub/x'), 'intent');
      expect(await reasonOf(files.rename('sub/none', 'sub/x'))).toBe('not-found');
      expect(await reasonOf(files.rename('sub/deep/ok.txt', 'sub/no/folder/x'))).toBe('not-found');
      expect(fs.existsSync(at('sub/no'))).toBe(false);
      await refused(files.rename('sub', 'sub/deep/x'), 'io');
    });

    it('are named to another program by their absolute names, checked anew', async () => {
      const files = grant({ 'sub/ok.txt': 'read', 'sub/new.txt': 'write' });
      const root = fs.realpathSync(at('.'));
      expect(files.hostPath('sub/ok.txt')).toBe(`${root}/sub/ok.txt`);
      expect(files.hostPath('sub/new.txt')).toBe(`${root}/sub/new.txt`);
      await refused((async () => files.hostPath('ok2.txt'))(), 'not-granted');
      fs.rmSync(at('sub/ok.txt'));
      fs.symlinkSync('/etc/passwd', at('sub/ok.txt'));
      await refused((async () => files.hostPath('sub/ok.txt'))(), 'escape');
    });

    it('serve as working directory of a child', () => {
      const files = grant({ sub: 'read' });
      const { spawnCwd } = files.cwdFor('sub');
      fs.renameSync(at('sub'), at('renamed'));
      if (files.level === 'kernel-anchored') {
        expect(execFileSync('cat', ['ok.txt'], { cwd: spawnCwd, encoding: 'utf8' })).toBe('fine');
      }
      files.revoke();
    });
  });

  it('holds no handle between operations', async () => {
    const files = grant({ '.': 'read', sub: 'write' });
    await files.readText('sub/ok.txt');
    await files.writeText('sub/n', 'x');
    for await (const _ of files.list('.', { depth: 2 })) expect(openHandles()).toBe(handles);
    await files.stat('sub');
    await setImmediate();
    expect(openHandles()).toBe(handles);
  });
});

describe('a folder that becomes a link while a file in it is opened, where there are no handles', () => {
  const portable = anchors[1]?.[1];
  it.each([
    ['and stays one', false],
    ['and is itself again right after', true],
  ])('%s: nothing is read', async (_, isBrief) => {
    const [folder, aside] = [path.join(tree.root, 'sub'), path.join(tree.root, 'aside')];
    fs.writeFileSync(path.join(tree.out, 'ok.txt'), secret);
    const workspace = new Workspace({ roots: [tree.root] }, portable);
    const files = workspace.scope([workspace.check('sub/ok.txt', 'read')]);
    const open = fs.openSync;
    vi.spyOn(fs, 'openSync').mockImplementation((...given) => {
      fs.renameSync(folder, aside);
      fs.symlinkSync(tree.out, folder);
      const fd = open(...given);
      if (isBrief) {
        fs.unlinkSync(folder);
        fs.renameSync(aside, folder);
      }
      return fd;
    });
    try {
      await refused(files.readText('sub/ok.txt'), 'moved');
    } finally {
      vi.restoreAllMocks();
    }
  });
});

async function caught(work: Promise<unknown>): Promise<ToolError> {
  try {
    await work;
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError);
    expect((error as ToolError).message).not.toContain(tree.base);
    return error as ToolError;
  }
  throw new Error('It should have failed.');
}

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  return ((await caught(work)).options.details as { reason?: unknown }).reason;
}

async function refused(work: Promise<unknown>, reason: string): Promise<void> {
  expect(await reasonOf(work)).toBe(reason);
}

async function listed(
  files: ScopedFs,
  folder: string,
  options?: { depth?: number; limit?: number },
): Promise<string[]> {
  const lines: string[] = [];
  const line = ({ rel, type, size }: ScopedEntry) => `${rel} ${type}${size === undefined ? '' : ` ${size}`}`;
  for await (const entry of files.list(folder, options)) lines.push(line(entry));
  return lines;
}
