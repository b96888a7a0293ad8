import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createRouter, defineTool } from 'callgate';
import { fileTools } from 'callgate/tools';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isProtected } from '../../../src/capabilities/fs/protected.ts';
import type { ScopedFs } from '../../../src/capabilities/fs/types.ts';
import { Workspace } from '../../../src/capabilities/fs/workspace.ts';
import { ToolError } from '../../../src/errors.ts';
import { type FsTree, makePipe, makeTree, openHandles, secret, snapshot } from '../../fixtures/fs-tree.ts';

let tree: FsTree;
beforeEach(() => {
  tree = makeTree();
});
afterEach(() => tree.remove());

const at = (...parts: string[]) => path.join(tree.root, ...parts);

function reasonOf(error: unknown): unknown {
  if (!(error instanceof ToolError)) throw error;
  return (error.options.details as { reason?: unknown } | undefined)?.reason;
}
const refused = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return reasonOf(error);
  }
  return 'allowed';
};
async function refusedLater(work: Promise<unknown>): Promise<unknown> {
  return work.then(() => 'allowed', reasonOf);
}
async function names(list: AsyncIterable<{ rel: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { rel } of list) found.push(rel);
  return found;
}

describe('where one root lies in another', () => {
  beforeEach(() => {
    fs.mkdirSync(at('vendor/inner/secrets'), { recursive: true });
    for (const name of ['vendor/inner/secrets/key', 'vendor/inner/plain', 'vendor/inner/other', 'vendor/own']) {
      fs.writeFileSync(at(name), 'x');
    }
    fs.symlinkSync('../../ok2.txt', at('vendor/inner/link'));
    fs.symlinkSync('vendor/inner', at('way'));
  });
  const open = () =>
    new Workspace({
      roots: [tree.root, { path: at('vendor/inner'), access: 'read', symlinks: 'deny' }],
      deny: ['secrets/**', 'vendor/inner/plain'],
    });

  it.each([
    ['vendor/inner/plain', 'rule'],
    ['vendor/inner/secrets/key', 'rule'],
    ['vendor/inner/link', 'symlink'],
    ['way/other', 'allowed'],
    ['way/link', 'symlink'],
    ['way', 'allowed'],
    ['vendor/inner/other', 'allowed'],
  ])('what is forbidden from either is forbidden: reading %s is %s', (name, reason) => {
    expect(refused(() => open().check(name, 'read'))).toBe(reason);
    expect(refused(() => open().check(at(name), 'read'))).toBe(reason);
  });

  it('the inner one keeps its settings: it is not written, removed or moved with the folder around it', async () => {
    const workspace = open();
    const files = workspace.scope([workspace.check('vendor', 'write'), workspace.check('moved', 'write')]);
    const before = snapshot(tree.root);
    expect(await refusedLater(files.writeText('vendor/inner/new', 'x'))).toBe('read-only');
    expect(await refusedLater(files.remove('vendor', { recursive: true }))).toBe('holds-root');
    expect(await refusedLater(files.rename('vendor', 'moved'))).toBe('holds-root');
    expect(await refusedLater(files.remove('vendor/inner', { recursive: true }))).toBe('is-root');
    expect(snapshot(tree.root)).toEqual(before);
  });

  it('a list shows nothing that is forbidden from either', async () => {
    const workspace = open();
    const files = workspace.scope([workspace.check('vendor', 'read')]);
    expect(await names(files.list('vendor', { depth: 9 }))).toEqual(['inner', 'own', 'inner/link', 'inner/other']);
  });

  it('a path in the first root is spelled relative to it, whichever root is its own', () => {
    expect(open().check(at('vendor/inner/other'), 'read').argument).toBe('vendor/inner/other');
  });
});

describe('a capability that is kept', () => {
  const kept = (handler: (path: string, files: ScopedFs) => unknown) =>
    createRouter({
      mode: 'trusted',
      roots: [tree.root],
      tools: [
        defineTool({
          name: 'keep',
          description: 'Keeps what it was lent.',
          parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
          permission: 'write',
          paths: { path: 'write' },
          handler: ({ path }, { fs: files }) => handler(path as string, files),
        }),
      ],
    });

  it('does nothing after the call has settled, by whichever method', async () => {
    let files: ScopedFs | undefined;
    await kept((_, lent) => {
      files = lent;
    }).call({ name: 'keep', arguments: { path: 'sub' } });
    const before = snapshot(tree.root);
    const lent = files as ScopedFs;
    const attempts = [
      lent.open('sub/ok.txt', 'read'),
      lent.open('sub/new', 'replace'),
      lent.readBytes('sub/ok.txt'),
      lent.readText('sub/ok.txt'),
      lent.writeText('sub/new', 'x'),
      names(lent.list('sub')),
      lent.stat('sub'),
      lent.mkdir('sub/x'),
      lent.remove('sub/ok.txt'),
      lent.rename('sub/ok.txt', 'sub/y'),
    ];
    for (const attempt of attempts) expect(await refusedLater(attempt)).toBe('E_REVOKED');
    expect(refused(() => lent.cwdFor('sub'))).toBe('E_REVOKED');
    expect(snapshot(tree.root)).toEqual(before);
  });

  it('drops a file whose closing was still waiting for a write', async () => {
    const handles = openHandles();
    const ends: Promise<unknown>[] = [];
    const result = await kept(async (name, files) => {
      const file = await files.open(name, 'replace');
      ends.push(refusedLater(file.write(new Uint8Array(30_000_000))), refusedLater(file.close()));
      return 'done';
    }).call({ name: 'keep', arguments: { path: 'late.bin' } });
    expect(result.ok).toBe(true);
    expect(await Promise.all(ends)).toEqual(['allowed', 'E_REVOKED']);
    expect(fs.readdirSync(tree.root).filter((name) => /late|callgate/.test(name))).toEqual([]);
    expect(openHandles()).toBe(handles);
  });

  it('closes a file only when its writes are done, and then it is whole', async () => {
    const result = await kept(async (name, files) => {
      const file = await files.open(name, 'replace');
      const writing = file.write(new Uint8Array(3_000_000));
      await Promise.all([file.close(), file.close()]);
      await writing;
      return fs.statSync(at(name)).size;
    }).call({ name: 'keep', arguments: { path: 'whole.bin' } });
    expect(result.data).toBe(3_000_000);
  });

  it('takes a path of another call for a name, which grants nothing', async () => {
    const workspace = new Workspace({ roots: [tree.root] });
    const theirs = workspace.check('ok2.txt', 'write');
    const files = workspace.scope([workspace.check('sub', 'write')]);
    const foreign = [
      { requested: 'x', rel: theirs.rel, root: tree.root },
      { requested: 'x', rel: '../out/s.txt', root: tree.root },
      { requested: 'x', rel: `${tree.out}/s.txt`, root: tree.root },
      { requested: 'x', rel: 'sub/../ok2.txt', root: tree.root },
      { requested: 'x', rel: 'ok.txt', root: `${tree.root}/sub` },
    ];
    for (const guarded of foreign) {
      expect(['not-granted', 'outside']).toContain(await refusedLater(files.readText(guarded)));
      expect(['not-granted', 'outside']).toContain(await refusedLater(files.writeText(guarded, 'x')));
    }
  });
});

describe('a link that appears between the check and the use', () => {
  const swaps: readonly [string, () => void][] = [
    ['the file, to the outside', () => fs.symlinkSync('../../out/s.txt', at('sub/ok.txt'))],
    ['the file, to another file inside', () => fs.symlinkSync('../ok2.txt', at('sub/ok.txt'))],
    ['the file, to nothing outside', () => fs.symlinkSync('../../out/new.txt', at('sub/ok.txt'))],
    ['the file, to a device', () => fs.symlinkSync('/dev/zero', at('sub/ok.txt'))],
  ];
  it.each(swaps)('%s: nothing is read or written through it', async (_, swap) => {
    const outside = snapshot(tree.out);
    const workspace = new Workspace({ roots: [tree.root] });
    const files = workspace.scope([workspace.check('sub/ok.txt', 'write')]);
    fs.rmSync(at('sub/ok.txt'));
    swap();
    expect(await refusedLater(files.readText('sub/ok.txt'))).not.toBe('allowed');
    expect(await refusedLater(files.writeText('sub/ok.txt', 'x'))).not.toBe('allowed');
    expect(snapshot(tree.out)).toEqual(outside);
    expect(fs.readFileSync(at('ok2.txt'), 'utf8')).toBe('fine too');
  });

  it('the root itself, replaced by a link to the outside, leads nowhere', async () => {
    const workspace = new Workspace({ roots: [tree.root] });
    const files = workspace.scope([workspace.check('sub', 'write'), workspace.check('.', 'read')]);
    fs.renameSync(tree.root, `${tree.root}-old`);
    fs.symlinkSync(tree.out, tree.root);
    expect(await refusedLater(files.readText('s.txt'))).toBe('escape');
    expect(await refusedLater(names(files.list('.')))).toBe('escape');
    expect(await refusedLater(files.writeText('sub/new', 'x', { mkdirs: true }))).toBe('escape');
    expect(fs.existsSync(path.join(tree.out, 'sub'))).toBe(false);
  });

  it('is not followed by other calls of the same batch', async () => {
    const outside = snapshot(tree.out);
    const link = defineTool({
      name: 'link',
      description: 'Does what a program started by a tool could do.',
      parameters: { type: 'object' },
      permission: 'execute',
      handler: async () => {
        for (let round = 0; round < 200; round++) {
          fs.rmSync(at('in2'), { force: true, recursive: true });
          if (round % 2 === 0) fs.symlinkSync('../out', at('in2'));
          else fs.mkdirSync(at('in2'));
          if (round % 2 === 1) fs.writeFileSync(at('in2/s.txt'), 'inside');
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    });
    const router = createRouter({ tools: [...fileTools, link], roots: [tree.root], mode: 'trusted' });
    const calls = Array.from({ length: 100 }, (_, count) => [
      { name: 'read_file', arguments: { path: 'in2/s.txt' } },
      { name: 'write_file', arguments: { path: `in2/w${count}/x`, content: 'x' } },
      { name: 'list_files', arguments: { path: '.', depth: 4 } },
    ]).flat();
    const results = await router.callAll([{ name: 'link' }, ...calls]);
    expect(JSON.stringify(results)).not.toContain(secret);
    expect(snapshot(tree.out)).toEqual(outside);
  });
});

describe('what is no file', () => {
  it('is left alone without being opened: pipes, sockets and devices', async () => {
    const server = net.createServer().listen(at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    const made = ['ff', 'socket'];
    try {
      execFileSync('mknod', [at('device'), 'c', '1', '5']);
      made.push('device');
    } catch {
      // Only root can make devices.
    }
    const router = createRouter({ tools: fileTools, roots: [tree.root], mode: 'trusted' });
    for (const name of made) {
      for (const [tool, more] of [
        ['read_file', {}],
        ['write_file', { content: 'x' }],
        ['edit_file', { old: 'a', new: 'b' }],
        ['list_files', {}],
        ['search_files', { pattern: 'x' }],
      ] as const) {
        const result = await router.call({ name: tool, arguments: { path: name, ...more } });
        expect(result).toMatchObject({ ok: false, details: { reason: 'not-regular' } });
      }
    }
    server.close();
  });

  it.skipIf(process.platform !== 'linux')('a root that was forced shows nothing of the kernel either', () => {
    const workspace = new Workspace({ roots: [{ path: '/', force: true }] });
    for (const name of ['/proc', '/proc/self/environ', '/sys', '/dev', '/dev/stdin']) {
      expect(refused(() => workspace.check(name, 'read'))).not.toBe('allowed');
    }
  });

  it.skipIf(!fs.existsSync('/dev/shm'))('memory that is used as a disk is one', () => {
    const folder = fs.mkdtempSync('/dev/shm/callgate-');
    try {
      fs.writeFileSync(path.join(folder, 'f'), 'x');
      const workspace = new Workspace({ roots: [folder] });
      expect(refused(() => workspace.check('f', 'read'))).toBe('allowed');
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});

describe('writing', () => {
  it('does not replace a file that somebody made read-only', async () => {
    fs.writeFileSync(at('fixed'), 'as it was');
    fs.chmodSync(at('fixed'), 0o444);
    const workspace = new Workspace({ roots: [tree.root] });
    const files = workspace.scope([workspace.check('fixed', 'write')]);
    expect(await refusedLater(files.writeText('fixed', 'x'))).toBe('no-access');
    expect(await refusedLater(files.open('fixed', 'replace'))).toBe('no-access');
    expect(fs.readFileSync(at('fixed'), 'utf8')).toBe('as it was');
  });

  it.each([
    ['.git/config', true],
    ['a/.GIT/hooks/x', true],
    ['.git./config', true],
    ['.git ', true],
    ['GIT~1/config', true],
    ['x/github~2/workflows/ci.yml', true],
    ['BASHRC~1', true],
    ['\uff0egit/config', true],
    ['.git::$INDEX_ALLOCATION/config', true],
    ['project.code-workspace', true],
    ['_netrc', true],
    ['notes~1.txt', false],
    ['gitignore', false],
    ['.gitignore', false],
    ['src/git.ts', false],
    ['legit/config', false],
  ])('%s is protected: %s', (name, expected) => {
    expect(isProtected(name)).toBe(expected);
  });

  it('of a protected name fails in every spelling of case, width and short form', async () => {
    const router = createRouter({ tools: fileTools, roots: [tree.root], mode: 'trusted' });
    const spelled = fc
      .constantFrom('.git/config', '.vscode/settings.json', '.bashrc', '.github/workflows/x.yml')
      .chain((name) =>
        fc
          .tuple(...[...name].map((letter) => fc.constantFrom(letter, letter.toUpperCase(), wide(letter))))
          .map((letters) => letters.join('')),
      );
    await fc.assert(
      fc.asyncProperty(spelled, async (name) => {
        const result = await router.call({ name: 'write_file', arguments: { path: name, content: 'x' } });
        expect(result.ok).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});

/** The full-width form of a letter, which some file systems and programs take for the same. */
function wide(letter: string): string {
  return /[a-z]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter;
}

describe('a large or hostile folder', () => {
  it('of 30,000 entries is listed while the event loop goes on, and the list ends with the access', async () => {
    fs.mkdirSync(at('many'));
    for (let count = 0; count < 30_000; count++) fs.writeFileSync(at('many', `f${count}`), '');
    const workspace = new Workspace({ roots: [tree.root] });
    const files = workspace.scope([workspace.check('many', 'read')]);
    const handles = openHandles();
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const found = await names(files.list('many', { limit: 100_000 }));
    clearInterval(ticking);
    expect(found).toHaveLength(30_000);
    expect(turns).toBeGreaterThan(3);
    const cut = refusedLater(names(files.list('many')));
    setImmediate(() => files.revoke());
    expect(await cut).toBe('E_REVOKED');
    expect(openHandles()).toBeLessThanOrEqual(handles);
  });

  it('with names that are no text, folders that may not be read and loops of links is listed for the rest', async () => {
    const bad = Buffer.concat([Buffer.from(`${at('sub')}/`), Buffer.from([0xff, 0xfe, 0x41])]);
    fs.writeFileSync(bad, 'x');
    fs.mkdirSync(Buffer.concat([bad, Buffer.from('d')]));
    fs.mkdirSync(at('sub/closed'), { mode: 0 });
    fs.writeFileSync(at('sub/two\nlines'), 'x');
    fs.symlinkSync('.', at('sub/loop'));
    const router = createRouter({ tools: fileTools, roots: [tree.root], mode: 'trusted' });
    const listed = await router.call({ name: 'list_files', arguments: { path: 'sub', depth: 9 } });
    expect(listed.data).toContain('sub/ok.txt');
    expect(listed.data).toContain('sub/loop (link)');
    expect(listed.data).toContain('two\\u{a}lines');
    const searched = await router.call({ name: 'search_files', arguments: { path: 'sub', pattern: 'fine|deep' } });
    expect(String(searched.data).split('\n').slice(0, 2).sort()).toEqual([
      'sub/deep/low.txt:1: deep',
      'sub/ok.txt:1: fine',
    ]);
  });
});

describe('a link tells nothing about what lies outside', () => {
  // Each pair differs only in what is there, outside of the root.
  const pairs: readonly [name: string, there: string, missing: string][] = [
    ['a file', '../out/s.txt', '../out/nothing'],
    ['a folder', '../out/dir', '../out/nothing'],
    ['a way through a folder and back', '../out/dir/../../root/ok2.txt', '../out/nothing/../../root/ok2.txt'],
    ['a loop', '../out/loop', '../out/nothing'],
    ['a closed folder', '../out/closed/x', '../out/nothing/x'],
    ['a pipe', '../out/pipe', '../out/nothing'],
    ['an absolute way', '/etc/passwd', '/etc/nothing'],
    ['an absolute way and back', '/etc/../{root}/ok2.txt', '/nothing/../{root}/ok2.txt'],
    ['a link of links', '../out/hop', '../out/hop-nothing'],
  ];

  it.each(pairs)('whether it leads to %s or to nothing', async (_, there, missing) => {
    fs.symlinkSync('loop', path.join(tree.out, 'loop'));
    fs.symlinkSync('s.txt', path.join(tree.out, 'hop'));
    fs.mkdirSync(path.join(tree.out, 'closed'), { mode: 0 });
    makePipe(path.join(tree.out, 'pipe'));
    const router = createRouter({ tools: fileTools, roots: [tree.root], mode: 'trusted' });
    const answers = async (target: string): Promise<unknown[]> => {
      fs.rmSync(at('probe'), { force: true });
      fs.symlinkSync(target.replace('{root}', tree.root.slice(1)), at('probe'));
      const given: unknown[] = [];
      for (const name of ['probe', 'probe/', 'probe/x', 'probe/x/y', './sub/../probe']) {
        for (const [tool, more] of [
          ['read_file', {}],
          ['write_file', { content: 'x' }],
          ['edit_file', { old: 'a', new: 'b' }],
          ['list_files', {}],
          ['search_files', { pattern: 'x' }],
        ] as const) {
          const { ok, error, ...more_ } = await router.call({
            id: 'c',
            name: tool,
            arguments: { path: name, ...more },
          });
          given.push({ ok, error, details: 'details' in more_ ? more_.details : undefined });
        }
      }
      return given;
    };
    const one = await answers(there);
    expect(await answers(missing)).toEqual(one);
    expect(JSON.stringify(one)).not.toContain('"ok":true');
  });

  it('and is followed where its whole way lies inside, up and down', async () => {
    fs.symlinkSync('../sub/../ok2.txt', at('sub/up'));
    fs.symlinkSync(at('in', 'deep'), at('absolute'));
    fs.symlinkSync('sub/deep/..', at('dots'));
    fs.symlinkSync('.', at('here'));
    const workspace = new Workspace({ roots: [tree.root] });
    const names: readonly [string, string][] = [
      ['sub/up', 'ok2.txt'],
      ['absolute/low.txt', 'sub/deep/low.txt'],
      ['dots/ok.txt', 'sub/ok.txt'],
      ['dots', 'sub'],
      ['here', ''],
      ['here/here/here/okl', 'sub/ok.txt'],
      ['absolute/new/file', 'sub/deep/new/file'],
    ];
    for (const [name, rel] of names) expect(workspace.check(name, 'read').rel).toBe(rel);
    expect(refused(() => workspace.check('here', 'write'))).toBe('is-root');
    expect(refused(() => workspace.check(`${'here/'.repeat(9)}okl`, 'read'))).toBe('loop');
  });
});
