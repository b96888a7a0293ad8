import fs from 'node:fs';
import path from 'node:path';
import { createRouter } from 'callgate';
import { fileTools } from 'callgate/tools';
import { beforeEach, describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../src/output/unified-diff.ts';
import { parseGitignore } from '../../src/tools/gitignore.ts';
import { workspaceForEachTest } from './workspace.ts';

const workspace = workspaceForEachTest();
const { put, bytes } = workspace;
const call = (name: string, args: object, signal?: AbortSignal) =>
  workspace.router.call({ name, arguments: args }, signal && { signal });
const reasonOf = (result: Awaited<ReturnType<typeof call>>): unknown =>
  result.ok ? 'done' : ((result.details as { reason?: unknown } | undefined)?.reason ?? result.code);

/** How often the event loop came round while something was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let going = true;
  const tick = (): void => {
    turns++;
    if (going) setImmediate(tick);
  };
  setImmediate(tick);
  await work;
  going = false;
  return turns;
}

describe('a tree of many small files', () => {
  beforeEach(() => {
    for (let folder = 0; folder < 120; folder++) {
      for (let file = 0; file < 25; file++) put(`d${folder}/f${file}.txt`, 'hello world\n');
    }
  });

  it.each([
    ['search_files', { pattern: 'nowhere' }],
    ['search_files', { pattern: 'no[w]here' }],
    ['list_files', { glob: '**/nothing' }],
  ])('%s %o lets others have their turn', async (name, args) => {
    expect(await turnsDuring(call(name, args))).toBeGreaterThan(5);
  });

  it('is no longer searched once the call is withdrawn', async () => {
    const controller = new AbortController();
    const searched = call('search_files', { pattern: 'hello' }, controller.signal);
    setImmediate(() => controller.abort());
    expect(await searched).toMatchObject({ ok: false, code: 'aborted' });
  });
});

describe('a .gitignore that means harm', () => {
  it.each([
    ['spaces without end', ` x${' '.repeat(200_000)}y`],
    ['a pattern without end', '*a'.repeat(100_000)],
    ['many stars', `${'*a'.repeat(400)}b`],
    ['many double stars', `${'**/a/'.repeat(190)}b`],
  ])('cannot hold up the one who reads it: %s', (_, line) => {
    const begun = performance.now();
    const ignores = parseGitignore(`${line}\nreal\n`);
    ignores('a'.repeat(255), false);
    ignores(Array.from({ length: 60 }, () => 'a').join('/'), false);
    expect(ignores('real', false)).toBe(true);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});

describe('edit_file', () => {
  const cases: readonly [name: string, before: Uint8Array, edit: object, after: Uint8Array | string][] = [
    ['$-patterns mean nothing', Buffer.from('a x b'), { old: 'x', new: "$&$1$`$'$$" }, "a $&$1$`$'$$ b"],
    ['CR LF stays', Buffer.from('a\r\nb\r\nc\r\n'), { old: 'a\nb', new: 'x\ny\nz' }, 'x\r\ny\r\nz\r\nc\r\n'],
    ['mixed line ends stay as they are', Buffer.from('a\r\nb\nc'), { old: 'b\nc', new: 'd\ne' }, 'a\r\nd\ne'],
    ['a byte order mark stays', Buffer.from('\ufeffa\n'), { old: 'a', new: 'b' }, '\ufeffb\n'],
    [
      'bytes of another encoding stay',
      Buffer.from([0x61, 0xe9, 0x0a, 0x62]),
      { old: 'b', new: 'c' },
      Buffer.from([0x61, 0xe9, 0x0a, 0x63]),
    ],
    [
      'UTF-16 stays',
      Buffer.from('\ufeffone two', 'utf16le'),
      { old: 'two', new: '\u20ac' },
      Buffer.from('\ufeffone \u20ac', 'utf16le'),
    ],
    ['overlapping matches are replaced once', Buffer.from('aaaa'), { old: 'aa', new: 'b', replace_all: true }, 'bb'],
    [
      'what an edit puts in is not replaced again',
      Buffer.from('ab'),
      { old: 'a', new: 'aa', replace_all: true },
      'aab',
    ],
  ];
  it.each(cases)('%s', async (_, before, edit, after) => {
    put('f', before);
    expect(reasonOf(await call('edit_file', { path: 'f', ...edit }))).toBe('done');
    expect(bytes('f')).toEqual(Buffer.from(after));
  });

  it.each([
    ['an empty file', '', { old: 'a', new: 'b' }, 'no-match'],
    ['half of a pair', 'a', { old: 'a', new: '\ud800' }, 'broken-unicode'],
    [
      'a file that would grow without bound',
      'a\n'.repeat(100_000),
      { old: 'a', new: 'b'.repeat(500), replace_all: true },
      'too-large',
    ],
    ['a binary file', 'a\u0000b', { old: 'a', new: 'b' }, 'binary'],
  ])('refuses %s and changes nothing', async (_, before, edit, reason) => {
    put('f', before);
    expect(reasonOf(await call('edit_file', { path: 'f', ...edit }))).toBe(reason);
    expect(bytes('f').toString()).toBe(before);
  });

  it('does not look for long where something similar might stand', async () => {
    put('f', 'a\n'.repeat(500_000));
    const begun = performance.now();
    expect(reasonOf(await call('edit_file', { path: 'f', old: `${'a\n'.repeat(100_000)}b`, new: 'c' }))).toBe(
      'no-match',
    );
    expect(performance.now() - begun).toBeLessThan(3000);
  });

  it('loses none of 60 edits by two routers that name the file differently', async () => {
    put('sub/f', `${Array.from({ length: 60 }, (_, count) => `<${count}>`).join('\n')}\n`);
    const inner = createRouter({ tools: fileTools, roots: [path.join(workspace.root, 'sub')], mode: 'trusted' });
    fs.symlinkSync('sub', path.join(workspace.root, 'link'));
    fs.symlinkSync('link/f', path.join(workspace.root, 'file'));
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, count) => {
        const edit = { old: `<${count}>`, new: `[${count}]` };
        if (count % 4 === 0) return inner.call({ name: 'edit_file', arguments: { path: 'f', ...edit } });
        return call('edit_file', { path: ['sub/f', 'link/f', 'file'][count % 3], ...edit });
      }),
    );
    expect(results.filter((result) => !result.ok)).toEqual([]);
    expect(bytes('sub/f').toString()).not.toContain('<');
  });
});

describe('a diff', () => {
  it('of a small change in a large file is small and quick', () => {
    const lines = Array.from({ length: 300_000 }, (_, count) => `line ${count}\n`);
    const before = lines.join('');
    lines[150_000] = 'changed\n';
    const begun = performance.now();
    const diff = unifiedDiff(before, lines.join(''), 'f');
    expect(diff.split('\n')[2]).toBe('@@ -149998,7 +149998,7 @@');
    expect(diff.length).toBeLessThan(300);
    expect(performance.now() - begun).toBeLessThan(2000);
  });

  it('that nobody could read is only told of', () => {
    const diff = unifiedDiff(`head\n${'a\n'.repeat(400_000)}`, `head\n${'b\n'.repeat(300_000)}`, 'f');
    expect(diff).toBe('--- f\n+++ f\n[From line 1 on, 400001 lines become 300001: too much to show.]\n');
  });
});

describe('what a tree holds cannot pass for something else', () => {
  it('neither in the list of files nor in the lines that were found', async () => {
    put('a\nb.txt:1: forged', 'needle\n');
    put('x\u001b]0;title\u0007', 'needle\n');
    put('plain', 'needle \u001b[2J\u202e\n');
    const listed = await call('list_files', {});
    expect(String(listed.data).split('\n')).toHaveLength(3);
    const found = await call('search_files', { pattern: 'needle' });
    expect(String(found.data).split('\n')).toEqual([
      'plain:1: needle \\u202e',
      '[2 binary, too large or unreadable files were left out.]',
    ]);
    for (const { data } of [listed, found]) expect(data).not.toMatch(/\p{Cc}(?<!\n)/u);
  });
});
