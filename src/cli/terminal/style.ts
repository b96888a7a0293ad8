import { plain, type Style } from '../../output/style.ts';
import { type Io, isTerminal, type Output } from '../io.ts';

export type { Style };

// Select Graphic Rendition (ECMA-48): how to begin and how to end.
const sgr = (begin: number, end: number) => (text: string) =>
  text === '' ? '' : `\u001b[${begin}m${text}\u001b[${end}m`;

export const coloured: Style = Object.freeze({
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
});

/** Colours for a terminal, unless NO_COLOR is set (https://no-color.org); none for anything else. */
export function styleFor(output: Output, env: Io['env']): Style {
  return isTerminal(output, env) && (env['NO_COLOR'] ?? '') === '' ? coloured : plain;
}
