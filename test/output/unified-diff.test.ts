import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines } from '../../src/output/lines.ts';
import { unifiedDiff } from '../../src/output/unified-diff.ts';

/** Applies a unified diff, strictly: what it says about the old text must be so. */
function patch(before: string, diff: string): string {
  const old = splitLines(before);
  const result: string[] = [];
  let at = 0;
  const pieces = diff.split(/^(?=@@ )/m).slice(1);
  for (const hunk of pieces) {
    const [, from = '', count = ''] = /^@@ -(\d+),(\d+)/.exec(hunk) ?? [];
    const start = Number(count) === 0 ? Number(from) : Number(from) - 1;
    result.push(...old.slice(at, start));
    at = start;
    const body = hunk.slice(hunk.indexOf('\n') + 1).replace(/\n\\ No newline at end of file\n/g, '\u0001\n');
    for (const line of splitLines(body)) {
      const content = line.slice(1).replace('\u0001\n', '');
      if (line[0] !== '+') expect(old[at++]).toBe(content);
      if (line[0] !== '-') result.push(content);
    }
  }
  return [...result, ...old.slice(at)].join('');
}

describe('a unified diff', () => {
  it('of equal texts is empty', () => {
    expect(unifiedDiff('a\n', 'a\n', 'f')).toBe('');
  });

  it('of a new file starts from nothing', () => {
    expect(unifiedDiff(undefined, 'a\nb', 'f')).toBe(
      '--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n',
    );
  });

  it('shows the changes with three lines around them', () => {
    const before = 'a b c d e f g h i j k l m n o p q r s t'.split(' ');
    const after = [...before.slice(0, 4), 'X', ...before.slice(5, 15), ...before.slice(16)];
    expect(unifiedDiff(`${before.join('\n')}\n`, `${after.join('\n')}\n`, 'old', 'new')).toBe(
      '--- old\n+++ new\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n@@ -13,7 +13,6 @@\n m\n n\n o\n-p\n q\n r\n s\n',
    );
  });

  it('shows an empty first line before a change', () => {
    expect(unifiedDiff('\n', '\na\n', 'f')).toBe('--- f\n+++ f\n@@ -1,1 +1,2 @@\n \n+a\n');
  });

  it('says where a last line has no end', () => {
    expect(unifiedDiff('a\n', 'a', 'old', 'new')).toBe(
      '--- old\n+++ new\n@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n',
    );
    expect(unifiedDiff('', 'a\n', 'old', 'new')).toBe('--- old\n+++ new\n@@ -0,0 +1,1 @@\n+a\n');
  });

  it('leads from the old text to the new one, whatever they are', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', 'long line'), { maxLength: 40 })
      .chain((lines) => fc.constantFrom(lines.join('\n'), lines.map((line) => `${line}\n`).join('')));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(patch(before, unifiedDiff(before, after, 'f'))).toBe(after);
      }),
      { numRuns: 1000 },
    );
  });

  it('of texts that have nothing in common and are long takes no long time', () => {
    const many = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word}${at}\n`).join('');
    const begun = performance.now();
    expect(patch(many('a'), unifiedDiff(many('a'), many('b'), 'f'))).toBe(many('b'));
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});
