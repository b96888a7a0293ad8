import fs from 'node:fs';
import path from 'node:path';
import { createRouter } from 'callgate';
import { fileTools } from 'callgate/tools';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FsTree, makeTree, secret, snapshot } from '../../fixtures/fs-tree.ts';
import { type FileServer, fileServerPath, startFileServer } from '../../fixtures/mcp-file-server.ts';

const program = fileServerPath();
if (program === undefined) console.log('The reference file server is not installed, so nothing is compared with it.');

/**
 * Where callgate refuses what the reference server does, by callgate's reason. There is no table for the other
 * direction: callgate does nothing that the reference server refuses, but for making missing folders.
 */
const stricter: { readonly [reason: string]: string } = {
  unc: 'Two slashes at the start name another machine on Windows and mean nothing special elsewhere: one spelling is enough.',
  drive: '`C:x` is a file on POSIX and a place on a drive on Windows: the same call must not mean both.',
  backslash:
    'A backslash separates folders on Windows: refused everywhere unless a host allows it (`backslash: literal`).',
  invisible: 'A person who is asked cannot see the character, so cannot know which file is meant.',
  char: 'A line end in a name would forge lines of a prompt, a log or a list.',
  tilde: '`~` is a home folder to some readers; `./~` names the file.',
  'not-dir': 'A slash at the end says that a folder is meant, and there is a file: the kernel refuses that as well.',
  'not-found':
    'The reference server opens a file whose name looks the same in Unicode; callgate names it in the answer.',
  protected: 'Other programs obey or execute this file.',
  escape: 'A link leads out of the root and in again: the answer would tell whether that way exists.',
  trailing: 'Whoever trims names takes this one for a step up, or for nothing.',
  'no-access': 'The file was made read-only; the reference server writes all the same, being root or by a rename.',
};

const bases = [
  ...[
    'ok2.txt',
    'sub/ok.txt',
    'okl',
    'in/ok.txt',
    'back/ok.txt',
    'upanddown/ok.txt',
    'hl',
    'caf\u00e9/x',
    'cafe\u0301/x',
  ],
  ...['evil/s.txt', 'evil/new', 'abs/passwd', 'pr/etc/passwd', 'dang', 'gone', 'leaf', 'hop1/s.txt', 'l1', 'self'],
  ...['sub', '.', '..', '../out/s.txt', '../root-evil/x', 'okl/x', 'fresh', 'sub/fresh', 'missing/folder/fresh'],
  ...[' spaced ', '"quoted"', '~', '~/x', 'C:x', 'back\\slash', 'zw\u200b', '%2e%2e', '%2e%2e/out/s.txt', 'two\nlines'],
  ...['.env', '.git/config', '.git/hooks/pre-commit', 'fixed'],
];

type Form = (base: string, root: string) => string;
const forms: readonly Form[] = [
  (base) => base,
  (base, root) => `${root}/${base}`,
  (base) => `sub/../${base}`,
  (base) => `nope/../${base}`,
  (base) => `evil/../${base}`,
  (base) => `${base}/`,
  (base) => `${base} `,
  (base) => base.toUpperCase(),
  (base) => `/${base}`,
  (base, root) => `/${root}/${base}`,
  (base, root) => `file://${root}/${base}`,
  (base) => encodeURIComponent(base),
  (base) => `${base}\u0000`,
  (base, root) => `${root}/../root/${base}`,
];

function furnish(tree: FsTree): void {
  const more = [
    ' spaced ',
    '"quoted"',
    '~',
    'C:x',
    'back\\slash',
    'zw\u200b',
    '%2e%2e',
    'two\nlines',
    '.git/config',
    'fixed',
  ];
  fs.mkdirSync(path.join(tree.root, '.git/hooks'), { recursive: true });
  for (const name of more) fs.writeFileSync(path.join(tree.root, name), `in ${name}`);
  fs.chmodSync(path.join(tree.root, 'fixed'), 0o444);
}

describe.skipIf(program === undefined)('beside the reference file server', () => {
  const mine: FsTree = makeTree();
  const theirs: FsTree = makeTree();
  const router = createRouter({ tools: fileTools, roots: [mine.root], mode: 'trusted' });
  let server: FileServer;
  beforeAll(async () => {
    furnish(mine);
    furnish(theirs);
    server = await startFileServer(program as string, theirs.root);
  });
  afterAll(async () => {
    await server.stop();
    mine.remove();
    theirs.remove();
  });

  async function read(form: Form, base: string) {
    const ours = await router.call({ name: 'read_file', arguments: { path: form(base, mine.root) } });
    const text = await server.call('read_text_file', { path: form(base, theirs.root) });
    return { ours: ours.ok ? String(ours.data) : undefined, theirs: text, reason: reasonOf(ours) };
  }

  it('reads nothing that it refuses, and what both read is the same', { timeout: 60_000 }, async () => {
    const differences = new Set<string>();
    for (const base of bases) {
      for (const form of forms) {
        const { ours, theirs: text, reason } = await read(form, base);
        if (ours !== undefined)
          expect({ base, form: String(form), text }).toEqual({ base, form: String(form), text: ours });
        else if (text !== undefined) differences.add(reason);
      }
    }
    // Each difference is explained, and each explanation is of use.
    expect([...differences].sort()).toEqual([
      'backslash',
      'char',
      'drive',
      'escape',
      'invisible',
      'not-dir',
      'not-found',
      'unc',
    ]);
    for (const reason of differences) expect(stricter).toHaveProperty(reason);
  });

  it('reads nothing that it refuses, whatever is put together', { timeout: 60_000 }, async () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'sub',
      'in',
      'evil',
      'abs',
      'okl',
      'ok.txt',
      'leaf',
      'l1',
      'back',
      'nope',
      ' ',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), fc.boolean(), async (parts, isAbsolute) => {
        const base = parts.join('/');
        const { ours, theirs: text } = await read((name, root) => (isAbsolute ? `${root}/${name}` : name), base);
        if (ours === undefined) return;
        expect(ours).not.toContain(secret);
        expect(text).toBe(ours);
      }),
      { numRuns: 200 },
    );
  });

  it('writes nothing that it refuses, but for files in folders that are made', { timeout: 60_000 }, async () => {
    const differences = new Set<string>();
    const outside = snapshot(mine.out);
    const kept = new Set(fs.readdirSync(mine.root));
    let count = 0;
    for (const base of bases) {
      for (const form of forms) {
        const content = `written ${count++};`;
        const hadParent = isFolder(path.dirname(path.resolve(theirs.root, form(base, theirs.root))));
        const ours = await router.call({ name: 'write_file', arguments: { path: form(base, mine.root), content } });
        await server.call('write_file', { path: form(base, theirs.root), content });
        const [here, there] = [mine, theirs].map(({ base: top }) =>
          snapshot(top).some((line) => line.endsWith(content)),
        );
        expect(ours.ok).toBe(here);
        if (here && !there) expect({ base, form: String(form), hadParent }).toMatchObject({ hadParent: false });
        if (!here && there) differences.add(reasonOf(ours));
        for (const { root } of [mine, theirs]) removeOthers(root, kept);
      }
    }
    expect(snapshot(mine.out)).toEqual(outside);
    expect([...differences].sort()).toEqual([
      'backslash',
      'char',
      'drive',
      'escape',
      'invisible',
      'no-access',
      'not-dir',
      'protected',
      'tilde',
      'trailing',
      'unc',
    ]);
    for (const reason of differences) expect(stricter).toHaveProperty(reason);
  });
});

function reasonOf(result: Awaited<ReturnType<ReturnType<typeof createRouter>['call']>>): string {
  const details = result.ok ? undefined : (result.details as { reason?: string } | undefined);
  return details?.reason ?? '';
}

function isFolder(name: string): boolean {
  try {
    return fs.statSync(name).isDirectory();
  } catch {
    return false;
  }
}

/** So that what one of the two did is no obstacle later. */
function removeOthers(root: string, kept: ReadonlySet<string>): void {
  for (const name of fs.readdirSync(root)) {
    if (!kept.has(name)) fs.rmSync(path.join(root, name), { recursive: true });
  }
}
