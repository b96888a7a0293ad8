import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../src/tools/diff.ts';
import { splitLines } from '../../src/tools/lines.ts';

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
    expect(unifiedDiff('f', 'a\n', 'a\n')).toBe('');
  });

  it('of a new file starts from nothing', () => {
    expect(unifiedDiff('f', undefined, 'a\nb')).toBe(
      '--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n',
    );
  });

  it('leads from the old text to the new one, whatever they are', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', 'long line'), { maxLength: 40 })
      .chain((lines) => fc.constantFrom(lines.join('\n'), lines.map((line) => `${line}\n`).join('')));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(patch(before, unifiedDiff('f', before, after))).toBe(after);
      }),
      { numRuns: 1000 },
    );
  });

  it('of texts that have nothing in common and are long takes no long time', () => {
    const many = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word}${at}\n`).join('');
    const begun = performance.now();
    expect(patch(many('a'), unifiedDiff('f', many('a'), many('b')))).toBe(many('b'));
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});
