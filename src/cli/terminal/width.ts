import { stripVTControlCharacters } from 'node:util';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ascii = /^[\x20-\x7e]*$/;
// East Asian Wide and Fullwidth (Unicode Standard Annex 11), and what is drawn as a picture.
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const nothing = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** How many columns a terminal takes for a text; what only sets its colour takes none. */
export function displayWidth(text: string): number {
  const bare = text.includes('\u001b') ? stripVTControlCharacters(text) : text;
  if (ascii.test(bare)) return bare.length;
  let width = 0;
  for (const { segment } of segmenter.segment(bare)) width += widthOfGrapheme(segment);
  return width;
}

function widthOfGrapheme(grapheme: string): number {
  if (nothing.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** The beginning of a text without colours, in at most `columns` columns; with `…` where something was left out. */
export function cut(text: string, columns: number): string {
  // Nothing after this many code units can be seen, and segmenting megabytes takes its time.
  const bounded = text.length > columns * 16 + 64 ? text.slice(0, columns * 16 + 64) : text;
  if (bounded === text && displayWidth(text) <= columns) return text;
  if (columns < 1) return '';
  let kept = '';
  let width = 0;
  for (const { segment } of segmenter.segment(bounded)) {
    width += widthOfGrapheme(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** As `padEnd`, by what is seen. */
export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/** As `padStart`, by what is seen. */
export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - displayWidth(text))) + text;
}

/**
 * Sets words (which may be coloured) in lines of at most `columns`; always at least one line. A word that is longer than
 * a line is broken, unless it is coloured. Of more than `mostLines` lines the last that is shown ends in `…`.
 */
export function wrap(
  words: readonly string[],
  columns: number,
  mostLines: number = Number.POSITIVE_INFINITY,
): string[] {
  const lines = [''];
  for (const piece of words.flatMap((word) => pieces(word, columns))) {
    const line = lines.at(-1) as string;
    const longer = line === '' ? piece : `${line} ${piece}`;
    if (line === '' || displayWidth(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(piece);
    if (lines.length > mostLines) break;
  }
  if (lines.length <= mostLines) return lines;
  const last = lines[mostLines - 1] as string;
  const ending = displayWidth(last) < columns ? `${last}…` : cut(`${last}…`, columns);
  return [...lines.slice(0, mostLines - 1), ending];
}

/** A word in pieces that fit into a line. */
function pieces(word: string, columns: number): string[] {
  if (word.includes('\u001b') || displayWidth(word) <= columns) return [word];
  const broken = [''];
  let width = 0;
  for (const { segment } of segmenter.segment(word)) {
    const more = widthOfGrapheme(segment);
    if (width + more > columns) {
      broken.push('');
      width = 0;
    }
    broken[broken.length - 1] += segment;
    width += more;
  }
  return broken;
}
