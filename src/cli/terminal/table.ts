import type { Style } from './style.ts';
import { displayWidth, padEnd, wrap } from './width.ts';

const narrowest = 20;

/**
 * A table of text in columns. The last column's words are set in as many lines as its room needs; with a `width` of
 * `Infinity`, as for a file, in one. Columns with nothing in them are left out. Cells must be free of control characters.
 */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  style: Style,
): string {
  const used = heads.map((_, column) => column).filter((column) => rows.some((row) => (row[column] ?? '') !== ''));
  const inner = used.slice(0, -1);
  const last = used.at(-1) ?? 0;
  const widths = inner.map((column) => Math.max(...[heads, ...rows].map((row) => displayWidth(row[column] ?? ''))));
  const taken = widths.reduce((sum, each) => sum + each + 2, 0);
  const room = Math.max(narrowest, width - taken - 1);
  const lines = (row: readonly string[]): string[] =>
    wrap((row[last] ?? '').split(' '), room).map((text, at) => {
      const before = inner.map((column, index) => padEnd(at === 0 ? (row[column] ?? '') : '', widths[index] ?? 0));
      return [...before, text].join('  ').trimEnd();
    });
  return `${[...lines(heads).map(style.bold), ...rows.flatMap(lines)].join('\n')}\n`;
}
