import type { Io, Output } from '../io.ts';

/** Ways to set text off. Without colour each gives the text as it is. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

// Select Graphic Rendition (ECMA-48): how to begin and how to end.
const sgr = (begin: number, end: number) => (text: string) =>
  text === '' ? '' : `\u001b[${begin}m${text}\u001b[${end}m`;
const same = (text: string): string => text;

export const coloured: Style = Object.freeze({
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
});

export const plain: Style = Object.freeze({
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  cyan: same,
});

/** Colours for a terminal, unless NO_COLOR is set (https://no-color.org); none for anything else. */
export function styleFor(output: Output, env: Io['env']): Style {
  const wanted = output.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return wanted ? coloured : plain;
}
