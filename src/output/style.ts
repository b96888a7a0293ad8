/** Ways to set text off. Without colour each gives the text as it is. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const same = (text: string): string => text;

/** For whatever is no terminal. */
export const plain: Style = Object.freeze({
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  cyan: same,
});
