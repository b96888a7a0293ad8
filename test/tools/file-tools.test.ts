import fs from 'node:fs';
import path from 'node:path';
import { createRouter, isContent } from 'callgate';
import { fileTools } from 'callgate/tools';
import { beforeEach, describe, expect, it } from 'vitest';
import { workspaceForEachTest } from './workspace.ts';

const workspace = workspaceForEachTest();
const { put, bytes } = workspace;
const text = (name: string) => bytes(name).toString();
const call = (name: string, args: object) => workspace.router.call({ name, arguments: args });
async function data(name: string, args: object): Promise<unknown> {
  const result = await call(name, args);
  if (!result.ok) throw new Error(`${result.code}: ${result.error}`);
  return result.data;
}
async function reason(name: string, args: object): Promise<unknown> {
  const result = await call(name, args);
  if (result.ok) throw new Error('It should have failed.');
  return (result.details as { reason?: unknown } | undefined)?.reason ?? result.code;
}

describe('read_file', () => {
  it('gives exactly the text of the file', async () => {
    for (const content of ['', 'a', 'a\n', '\ufeffa\r\nb\r\n', 'caf\u00e9 \u{1f600}\n']) {
      put('f', content);
      expect(await data('read_file', { path: 'f' })).toBe(content);
    }
  });

  it('gives a range of lines, with numbers if asked, and says how to go on', async () => {
    put('f', 'one\ntwo\nthree\n');
    expect(await data('read_file', { path: 'f', offset: 2, limit: 1, line_numbers: true })).toBe(
      '2\ttwo\n[Lines 2 to 2 of 3; go on with offset 3.]',
    );
    expect(await data('read_file', { path: 'f', offset: 3 })).toBe('three\n');
    expect(await data('read_file', { path: 'f', offset: 9 })).toBe('[There is no line 9: the file has 3 lines.]');
  });

  it('pages through a large file without a gap', { timeout: 60_000 }, async () => {
    const lines = Array.from({ length: 60_000 }, (_, at) => `line ${at + 1} \u20ac`);
    put('large', lines.join('\n'));
    const got: string[] = [];
    let offset: number | undefined = 1;
    while (offset !== undefined) {
      const page: string = String(await data('read_file', { path: 'large', offset, limit: 50_000 }));
      const next: string | undefined = /\[Lines .*; go on with offset (\d+)\.\]$/.exec(page)?.[1];
      got.push(page.replace(/\n?\[Lines .*\]$/, ''));
      offset = next === undefined ? undefined : Number(next);
    }
    expect(got.length).toBeGreaterThan(2);
    expect(got.join('\n')).toBe(lines.join('\n'));
  });

  it('cuts a line that is longer than a page, and goes on after it', async () => {
    put('wide', `${'x'.repeat(700_000)}\nnext\n`);
    const page = String(await data('read_file', { path: 'wide' }));
    expect(page.length).toBeLessThan(140_000);
    expect(page).toContain('Line 1 is too long and was cut.');
    expect(await data('read_file', { path: 'wide', offset: 2 })).toBe('next\n');
  });

  it.each<[string, Uint8Array]>([
    ['at the start', Buffer.from('PK\x03\x04\0\0\xff\xfe', 'latin1')],
    ['late', Buffer.concat([Buffer.alloc(5000, 'a'), Buffer.from([0, 255])])],
  ])('says that a file with NUL %s is binary, and how large', async (_, content) => {
    put('bin', content);
    const result = await call('read_file', { path: 'bin', limit: 1_000_000 });
    expect(result).toMatchObject({ ok: false, details: { reason: 'binary', size: content.length } });
    expect(result.ok ? '' : result.error).toContain(`${content.length} bytes`);
    expect(JSON.stringify(result)).not.toContain('\\u0000');
  });

  it('shows no NUL of a long file, wherever it stands', async () => {
    put('long', Buffer.concat([Buffer.alloc(400_000, 'a\n'), Buffer.from([0])]));
    expect(await data('read_file', { path: 'long' })).toContain('go on with offset 2001');
    expect(await reason('read_file', { path: 'long', offset: 199_000 })).toBe('binary');
  });

  it('says that bytes are not valid UTF-8', async () => {
    put('latin', Buffer.from('caf\xe9 = 1\n', 'latin1'));
    expect(await data('read_file', { path: 'latin' })).toMatch(/^caf\ufffd = 1\n\[.*not valid UTF-8/);
  });

  it('decodes UTF-16 in both orders', async () => {
    const le = Buffer.from('\ufeffhi \u20ac\r\n', 'utf16le');
    for (const content of [le, Buffer.from(le).swap16()]) {
      put('u16', content);
      expect(await data('read_file', { path: 'u16' })).toBe('\ufeffhi \u20ac\r\n[The file is in UTF-16.]');
    }
  });

  it('gives an image as an image block', async () => {
    const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
    put('a.png', png);
    const got = await data('read_file', { path: 'a.png' });
    expect(isContent(got)).toBe(true);
    expect(got).toMatchObject({ content: [{ type: 'image', mimeType: 'image/png', data: png.toString('base64') }] });
  });

  it('says what is not there, and what is a folder', async () => {
    put('d/x', '');
    expect(await reason('read_file', { path: 'none' })).toBe('not-found');
    expect(await reason('read_file', { path: 'd' })).toBe('is-dir');
  });

  it('reads exactly the name that was asked for, odd spaces and accents included', async () => {
    put('cafe\u0301.txt', 'nfd');
    put('at 3.00\u202fPM.png.txt', 'nn');
    put('a\u00a0b.txt', 'nbsp');
    put('a b.txt', 'space');
    expect(await data('read_file', { path: 'a\u00a0b.txt' })).toBe('nbsp');
    expect(await data('read_file', { path: 'a b.txt' })).toBe('space');
    expect(await data('read_file', { path: 'at 3.00\u202fPM.png.txt' })).toBe('nn');
    expect(await data('read_file', { path: 'cafe\u0301.txt' })).toBe('nfd');
    const twin = await call('read_file', { path: 'caf\u00e9.txt' });
    expect(twin).toMatchObject({ ok: false, details: { reason: 'not-found', lookAlike: 'cafe\u0301.txt' } });
  });
});

describe('write_file', () => {
  it('writes exactly the content, and makes missing folders', async () => {
    const content = 'a\r\n\u{1f600}$& `';
    expect(await data('write_file', { path: 'n/m/f', content })).toEqual({
      path: 'n/m/f',
      created: true,
      bytes: Buffer.byteLength(content),
    });
    expect(text('n/m/f')).toBe(content);
    expect(await data('write_file', { path: 'n/m/f', content: '' })).toMatchObject({ created: false, bytes: 0 });
    expect(text('n/m/f')).toBe('');
  });

  it('does not replace when told not to', async () => {
    put('f', 'old');
    expect(await call('write_file', { path: 'f', content: 'new', overwrite: false })).toMatchObject({
      code: 'conflict',
      retryable: false,
    });
    expect(text('f')).toBe('old');
    expect(await data('write_file', { path: 'g', content: 'new', overwrite: false })).toMatchObject({ created: true });
  });

  it('refuses half a character', async () => {
    expect(await reason('write_file', { path: 'f', content: 'a\ud800' })).toBe('broken-unicode');
    expect(fs.existsSync(path.join(workspace.root, 'f'))).toBe(false);
  });

  it('shows an approver the difference, and changes nothing before', async () => {
    put('f', 'one\ntwo\n');
    const seen: unknown[] = [];
    const asking = createRouter({
      tools: fileTools,
      roots: [workspace.root],
      approve: async (request) => {
        seen.push(request.preview, text('f'));
        return { decision: 'deny', reason: 'no' };
      },
    });
    const result = await asking.call({ name: 'write_file', arguments: { path: 'f', content: 'one\n2\n' } });
    expect(result).toMatchObject({ ok: false, code: 'denied' });
    expect(seen).toEqual(['--- f\n+++ f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n', 'one\ntwo\n']);
  });
});

describe('list_files', () => {
  beforeEach(() => {
    for (const name of [
      'a.ts',
      'b.md',
      'src/c.ts',
      'src/deep/d.tsx',
      'node_modules/x/index.js',
      'out/e.js',
      '.git/HEAD',
    ]) {
      put(name, '');
    }
    put('.gitignore', 'node_modules/\n/out\n*.md\n!keep.md\n');
    put('src/.gitignore', 'deep/*\n!deep/d.tsx\n');
    put('src/deep/z.txt', '');
    put('src/keep.md', '');
  });

  it('lists one level as paths to be used again', async () => {
    expect(String(await data('list_files', {})).split('\n')).toEqual(['.git/', '.gitignore', 'a.ts', 'src/']);
    expect(await data('list_files', { path: 'src' })).toBe('src/.gitignore\nsrc/c.ts\nsrc/deep/\nsrc/keep.md');
  });

  it('goes deeper, and past the rules of git if asked', async () => {
    expect(await data('list_files', { path: './src/', depth: 2 })).toContain('src/deep/d.tsx');
    expect(await data('list_files', { depth: 4 })).not.toMatch(/node_modules|out\/|b\.md|z\.txt|HEAD/);
    expect(await data('list_files', { depth: 4, ignored: true })).toMatch(/HEAD[\s\S]*node_modules\/x\/index\.js/);
  });

  it('filters by a glob at all depths', async () => {
    expect(await data('list_files', { glob: '*.{ts,tsx}' })).toBe('a.ts\nsrc/c.ts\nsrc/deep/d.tsx');
    expect(await data('list_files', { glob: 'src/*.ts' })).toBe('src/c.ts');
    expect(await data('list_files', { glob: '*.none' })).toBe('[No entries.]');
    expect(await reason('list_files', { glob: '{a,b}'.repeat(9) })).toBe('bad-glob');
  });

  it('stops at its limit and says so', async () => {
    expect(String(await data('list_files', { limit: 2 })).split('\n')).toHaveLength(3);
    expect(await data('list_files', { limit: 2 })).toMatch(/\[More follows after 2 entries/);
  });

  it('quotes names that could pass for several, or for commands to a terminal', async () => {
    put('odd/x\n/etc/passwd', '');
    put('odd/\u001b[2J', '');
    const lines = String(await data('list_files', { path: 'odd', depth: 3 })).split('\n');
    expect(lines).toContain('"odd/\\u{1b}[2J"');
    expect(lines).not.toContain('/etc/passwd');
  });
});

describe('edit_file', () => {
  const dollars = "$$100 $& $` $' $1 $<n> USD";

  it('inserts the new text as it stands', async () => {
    put('f', 'price: HERE\ntail HERE\n');
    await data('edit_file', { path: 'f', old: 'price: HERE', new: `price: ${dollars}` });
    expect(text('f')).toBe(`price: ${dollars}\ntail HERE\n`);
    put('f', 'HERE HERE');
    expect(await data('edit_file', { path: 'f', old: 'HERE', new: dollars, replace_all: true })).toMatchObject({
      replacements: 2,
    });
    expect(text('f')).toBe(`${dollars} ${dollars}`);
  });

  it('gives a diff', async () => {
    put('f', `${Array.from({ length: 20 }, (_, at) => `l${at + 1}`).join('\n')}\n`);
    const { diff } = (await data('edit_file', { path: 'f', old: 'l10', new: 'ten' })) as { diff: string };
    expect(diff).toBe('--- f\n+++ f\n@@ -7,7 +7,7 @@\n l7\n l8\n l9\n-l10\n+ten\n l11\n l12\n l13\n');
  });

  it.each<[string, object, string]>([
    ['an empty old', { old: '', new: 'X' }, 'empty-old'],
    ['an empty old everywhere', { old: '', new: 'X', replace_all: true }, 'empty-old'],
    ['no change', { old: 'a', new: 'a' }, 'no-change'],
    ['an ambiguous old', { old: 'ab', new: 'X' }, 'not-unique'],
    ['an old that is not there', { old: 'zz', new: 'X' }, 'no-match'],
    ['no edits', {}, 'no-edits'],
    ['no new', { old: 'a' }, 'no-edits'],
    ['both forms', { old: 'a', new: 'b', edits: [{ old: 'a', new: 'b' }] }, 'no-edits'],
    [
      'edits that undo each other',
      {
        edits: [
          { old: 'abcd', new: 'x' },
          { old: 'x', new: 'abcd' },
        ],
      },
      'no-change',
    ],
    [
      'a second edit that does not fit',
      {
        edits: [
          { old: 'cd', new: '1' },
          { old: 'cd', new: '2' },
        ],
      },
      'no-match',
    ],
    ['half a character', { old: 'a', new: '\udc00' }, 'broken-unicode'],
  ])('refuses %s and changes nothing', async (_, edit, expected) => {
    put('f', 'abcd ab');
    expect(await reason('edit_file', { path: 'f', ...edit })).toBe(expected);
    expect(text('f')).toBe('abcd ab');
  });

  it('says at which lines an ambiguous text stands, and where a similar one does', async () => {
    put('f', 'x = 1\ny\nx = 1\n\tfoo("bar");\n');
    expect(await call('edit_file', { path: 'f', old: 'x = 1', new: '' })).toMatchObject({
      error: expect.stringContaining('lines 1, 3'),
    });
    expect(await call('edit_file', { path: 'f', old: '    foo(\u201cbar\u201d);', new: '' })).toMatchObject({
      error: expect.stringContaining('line 4 differs from it only in white space'),
    });
  });

  it('applies several edits in order, each on what the one before left', async () => {
    put('f', 'one two three');
    const edits = [
      { old: 'one', new: 'two two' },
      { old: 'two', new: '2', replace_all: true },
    ];
    expect(await data('edit_file', { path: 'f', edits })).toMatchObject({ replacements: 4 });
    expect(text('f')).toBe('2 2 2 three');
  });

  it('keeps line ends, byte order mark and every foreign byte', async () => {
    put('crlf', '\ufeffone\r\ntwo\r\nthree\r\n');
    await data('edit_file', { path: 'crlf', old: 'one\ntwo', new: '1\n2\n2b' });
    expect(text('crlf')).toBe('\ufeff1\r\n2\r\n2b\r\nthree\r\n');
    put('mixed', 'a\r\nb\nc\n');
    await data('edit_file', { path: 'mixed', old: 'b\nc', new: 'B\nC' });
    expect(text('mixed')).toBe('a\r\nB\nC\n');
    put('latin', Buffer.from('caf\xe9 = 1\nx = 1\n', 'latin1'));
    await data('edit_file', { path: 'latin', old: 'x = 1', new: 'x = \u20ac' });
    expect(bytes('latin')).toEqual(
      Buffer.concat([Buffer.from('caf\xe9 = 1\n', 'latin1'), Buffer.from('x = \u20ac\n')]),
    );
    put('invalid', Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x62]));
    await data('edit_file', { path: 'invalid', old: 'b', new: 'B' });
    expect([...bytes('invalid')]).toEqual([0x61, 0xff, 0xc3, 0x28, 0x42]);
  });

  it('edits UTF-16 and finds no match between two characters', async () => {
    const le = Buffer.from('\ufeff\u6100a\u0061b', 'utf16le');
    for (const content of [le, Buffer.from(le).swap16()]) {
      put('u16', content);
      await data('edit_file', { path: 'u16', old: 'b', new: '\u20ac' });
      const got = content === le ? bytes('u16') : Buffer.from(bytes('u16')).swap16();
      expect(got.toString('utf16le')).toBe('\ufeff\u6100aa\u20ac');
    }
  });

  it('refuses a binary file', async () => {
    put('bin', Buffer.from([1, 0, 2]));
    expect(await reason('edit_file', { path: 'bin', old: 'x', new: 'y' })).toBe('binary');
  });

  it('loses none of many edits that run at the same time, also through a link', { timeout: 60_000 }, async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}.`);
    for (let round = 0; round < 20; round++) {
      put('race.txt', lines.join('\n'));
      fs.rmSync(path.join(workspace.root, 'link.txt'), { force: true });
      fs.symlinkSync('race.txt', path.join(workspace.root, 'link.txt'));
      const calls = lines.map((line, at) => ({
        id: String(at),
        name: 'edit_file',
        arguments: { path: at % 2 ? 'race.txt' : './link.txt', old: line, new: `edit ${at}!` },
      }));
      const results = await workspace.router.callAll(calls);
      expect(results.filter(({ ok }) => !ok)).toEqual([]);
      expect(text('race.txt')).toBe(lines.map((_, at) => `edit ${at}!`).join('\n'));
    }
  });
});

describe('search_files', () => {
  beforeEach(() => {
    put('a.txt', 'alpha\r\nbeta (x)\r\n');
    put('src/b.ts', 'const alpha = 1;\nconst b = 22;\n');
    put('bin', Buffer.from('alpha\0'));
  });

  it('gives path, line and text', async () => {
    expect(await data('search_files', { pattern: 'alpha' })).toBe(
      'a.txt:1: alpha\nsrc/b.ts:1: const alpha = 1;\n[1 binary, too large or unreadable files were left out.]',
    );
    expect(await data('search_files', { pattern: '\\d{2};$' })).toMatch(/^src\/b\.ts:2: const b = 22;\n/);
    expect(await data('search_files', { pattern: '(x)', literal: true, glob: '*.txt' })).toBe('a.txt:2: beta (x)');
    expect(await data('search_files', { pattern: 'ALPHA', ignore_case: true, path: 'a.txt' })).toBe('a.txt:1: alpha');
    expect(await data('search_files', { pattern: '^A.*A$', ignore_case: true, path: 'a.txt' })).toBe('a.txt:1: alpha');
    expect(await data('search_files', { pattern: 'nowhere', path: 'src' })).toBe('[No matches.]');
  });

  it('takes a pattern with needless escapes', async () => {
    expect(await data('search_files', { pattern: 'b\\ =', path: 'src' })).toBe('src/b.ts:2: const b = 22;');
  });

  it.each<[string, string]>([
    ['(', 'invalid-pattern'],
    ['[a', 'invalid-pattern'],
    ['', 'empty-pattern'],
    ['x'.repeat(1001), 'invalid-pattern'],
  ])('refuses the pattern %j', async (pattern, expected) => {
    expect(await reason('search_files', { pattern })).toBe(expected);
  });

  it('stops at its limit, and cuts long lines', async () => {
    put('many', `${'hit\n'.repeat(50)}hit ${'x'.repeat(5000)}`);
    expect(String(await data('search_files', { pattern: 'hit', path: 'many', limit: 3 })).split('\n')).toEqual([
      'many:1: hit',
      'many:2: hit',
      'many:3: hit',
      '[Only the first 3 lines; make the pattern or the path narrower.]',
    ]);
    expect(String(await data('search_files', { pattern: 'hit x', path: 'many' })).length).toBeLessThan(400);
  });

  it('ends a pattern that backtracks for ever at the deadline, and the event loop goes on', {
    timeout: 30_000,
  }, async () => {
    put('r.txt', `${'a'.repeat(35)}!`);
    const impatient = createRouter({ tools: fileTools, roots: [workspace.root], mode: 'trusted', timeout: 500 });
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 10);
    const result = await impatient.call({ name: 'search_files', arguments: { pattern: '(a+)+$', path: 'r.txt' } });
    clearInterval(ticking);
    expect(result).toMatchObject({ ok: false, code: 'timeout' });
    expect(ticks).toBeGreaterThan(10);
  });

  it('takes names with brackets and braces as they stand', async () => {
    put('app/issues/[id]/page.tsx', 'one');
    put('app/sign-in/[[...sign-in]]/page.tsx', 'two');
    put('a{b,c}/x y.txt', 'three');
    await data('edit_file', { path: 'app/issues/[id]/page.tsx', old: 'one', new: 'ONE' });
    expect(text('app/issues/[id]/page.tsx')).toBe('ONE');
    expect(await data('search_files', { path: 'app/sign-in/[[...sign-in]]', pattern: 'two' })).toContain(
      'page.tsx:1: two',
    );
    expect(await data('list_files', { path: 'a{b,c}' })).toBe('a{b,c}/x y.txt');
    expect(await data('search_files', { glob: '**/[[...sign-in]]/*.tsx', pattern: 'two' })).toBe(
      'app/sign-in/[[...sign-in]]/page.tsx:1: two',
    );
  });

  it('does not look where the rules forbid it', async () => {
    put('secrets/key', 'alpha');
    const guarded = createRouter({
      tools: fileTools,
      roots: [workspace.root],
      mode: 'trusted',
      pathGuard: { deny: ['secrets/**'] },
    });
    const result = await guarded.call({ name: 'search_files', arguments: { pattern: 'alpha', ignored: true } });
    expect(String(result.data)).not.toContain('secrets');
  });
});
