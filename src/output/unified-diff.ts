import { splitLines } from './lines.ts';

const contextLines = 3;
// Beyond this many comparisons the changed part is shown as removed and added as a whole.
const maxComparisons = 4_000_000;
// Beyond this many characters, a change is only told of: nobody reads it, and it would hold everything else up.
const maxShown = 524_288;

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * A unified diff of two texts, with three lines of context; '' when they are equal. A change of more than half a million
 * characters is only told of, in brackets.
 *
 * @param before `undefined` where there was no file
 * @param newName the name of `after`. Default: the same
 */
export function unifiedDiff(before: string | undefined, after: string, name: string, newName: string = name): string {
  if (before === after) return '';
  const head = `--- ${before === undefined ? '/dev/null' : name}\n+++ ${newName}\n`;
  const { from, oldEnd, newEnd } = changedPart(before ?? '', after);
  const line = countLines(after, 0, from) + 1;
  if (oldEnd + newEnd - 2 * from > maxShown) {
    const removed = countLines(before ?? '', from, oldEnd);
    return `${head}[From line ${line} on, ${removed} lines become ${countLines(after, from, newEnd)}: too much to show.]\n`;
  }
  const lines = compare(splitLines((before ?? '').slice(from, oldEnd)), splitLines(after.slice(from, newEnd)));
  return head + hunksOf(lines, line).join('');
}

/** Where the texts differ, as whole lines with their context, so that what is equal need not be split into lines. */
function changedPart(before: string, after: string): { from: number; oldEnd: number; newEnd: number } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let end = 0;
  while (
    end < most - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) {
    end++;
  }
  let from = start;
  for (let lines = 0; lines <= contextLines && from > 0; lines++) {
    // From before the beginning, `lastIndexOf` would search at the beginning all the same.
    from = from < 2 ? 0 : before.lastIndexOf('\n', from - 2) + 1;
  }
  let oldEnd = before.length - end;
  for (let lines = 0; lines <= contextLines && oldEnd < before.length; lines++) {
    oldEnd = before.indexOf('\n', oldEnd) + 1 || before.length;
  }
  return { from, oldEnd, newEnd: oldEnd + after.length - before.length };
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  let at = from;
  while (at < to) {
    count++;
    at = text.indexOf('\n', at) + 1 || to;
  }
  return count;
}

function compare(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++;
  }
  return [
    ...before.slice(0, start).map(same),
    ...changed(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function same(text: string): Line {
  return { sign: ' ', text };
}

/** By the longest common subsequence. */
function changed(before: readonly string[], after: readonly string[]): Line[] {
  const width = after.length + 1;
  if (before.length * after.length > maxComparisons) {
    return [...before.map((text): Line => ({ sign: '-', text })), ...after.map((text): Line => ({ sign: '+', text }))];
  }
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] =
        before[i] === after[j]
          ? (common[(i + 1) * width + j + 1] as number) + 1
          : Math.max(common[(i + 1) * width + j] as number, common[i * width + j + 1] as number);
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const old = before[i];
    const fresh = after[j];
    if (old !== undefined && old === fresh) {
      lines.push(same(old));
      i++;
      j++;
    } else if (
      old !== undefined &&
      (fresh === undefined || (common[(i + 1) * width + j] as number) >= (common[i * width + j + 1] as number))
    ) {
      lines.push({ sign: '-', text: old });
      i++;
    } else {
      lines.push({ sign: '+', text: fresh as string });
      j++;
    }
  }
  return lines;
}

/** @param first number of the first line */
function hunksOf(lines: readonly Line[], first: number): string[] {
  const hunks: string[] = [];
  let oldLine = first;
  let newLine = first;
  for (let at = 0; at < lines.length; ) {
    if (lines[at]?.sign === ' ') {
      at++;
      oldLine++;
      newLine++;
      continue;
    }
    const lead = Math.min(contextLines, leadOf(lines, at));
    const end = hunkEnd(lines, at);
    const hunk = lines.slice(at - lead, end);
    const oldCount = hunk.filter(({ sign }) => sign !== '+').length;
    const newCount = hunk.filter(({ sign }) => sign !== '-').length;
    const range = (from: number, count: number) => `${count === 0 ? from - 1 : from},${count}`;
    hunks.push(
      `@@ -${range(oldLine - lead, oldCount)} +${range(newLine - lead, newCount)} @@\n${hunk.map(render).join('')}`,
    );
    oldLine += oldCount - lead;
    newLine += newCount - lead;
    at = end;
  }
  return hunks;
}

function leadOf(lines: readonly Line[], at: number): number {
  let lead = 0;
  while (lead < contextLines && lines[at - lead - 1]?.sign === ' ') lead++;
  return lead;
}

/** Changes that stand close together share a hunk. */
function hunkEnd(lines: readonly Line[], from: number): number {
  let end = from;
  for (let at = from; at < lines.length && at - end <= 2 * contextLines; at++) {
    if (lines[at]?.sign !== ' ') end = at + 1;
  }
  return Math.min(end + contextLines, lines.length);
}

function render({ sign, text }: Line): string {
  return text.endsWith('\n') ? sign + text : `${sign}${text}\n\\ No newline at end of file\n`;
}
