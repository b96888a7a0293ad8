const contextLines = 3;
// Beyond this the table of the comparison gets too large, and the whole changed middle is shown as replaced.
const largestTable = 4_000_000;

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** A unified diff of two texts, as `diff -u` writes it; empty when they are equal. */
export function unifiedDiff(before: string, after: string, beforeName: string, afterName: string): string {
  if (before === after) return '';
  const lines = compare(linesOf(before), linesOf(after));
  const hunks = hunksOf(lines).map((hunk) => hunkText(lines, hunk));
  return `--- ${beforeName}\n+++ ${afterName}\n${hunks.join('')}`;
}

const marker = '\n\\ No newline at end of file';

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop() ?? ''}${marker}`);
  return lines;
}

function compare(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const same = (text: string): Line => ({ sign: ' ', text });
  return [
    ...before.slice(0, start).map(same),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** The longest common subsequence by the usual table. */
function compareMiddle(before: readonly string[], after: readonly string[]): Line[] {
  const [rows, columns] = [before.length, after.length];
  if (rows * columns > largestTable) {
    return [...before.map((text): Line => ({ sign: '-', text })), ...after.map((text): Line => ({ sign: '+', text }))];
  }
  const width = columns + 1;
  const table = new Uint32Array((rows + 1) * width);
  const cell = (row: number, column: number): number => table[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      table[row * width + column] =
        before[row] === after[column]
          ? cell(row + 1, column + 1) + 1
          : Math.max(cell(row + 1, column), cell(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && before[row] === after[column]) {
      lines.push({ sign: ' ', text: before[row++] ?? '' });
      column++;
    } else if (row < rows && (column === columns || cell(row + 1, column) >= cell(row, column + 1))) {
      lines.push({ sign: '-', text: before[row++] ?? '' });
    } else {
      lines.push({ sign: '+', text: after[column++] ?? '' });
    }
  }
  return lines;
}

/** Ranges of lines around the changes; ranges that touch are one. */
function hunksOf(lines: readonly Line[]): { start: number; end: number }[] {
  const hunks: { start: number; end: number }[] = [];
  lines.forEach((line, index) => {
    if (line.sign === ' ') return;
    const [start, end] = [Math.max(0, index - contextLines), Math.min(lines.length, index + contextLines + 1)];
    const last = hunks.at(-1);
    if (last && start <= last.end) last.end = end;
    else hunks.push({ start, end });
  });
  return hunks;
}

function hunkText(lines: readonly Line[], { start, end }: { start: number; end: number }): string {
  const count = (part: readonly Line[], sign: string): number => part.filter((line) => line.sign !== sign).length;
  const [before, hunk] = [lines.slice(0, start), lines.slice(start, end)];
  const range = (sign: string): string => {
    const length = count(hunk, sign);
    return `${count(before, sign) + (length === 0 ? 0 : 1)},${length}`;
  };
  const text = hunk.map((line) => `${line.sign}${line.text}\n`).join('');
  return `@@ -${range('+')} +${range('-')} @@\n${text}`;
}
