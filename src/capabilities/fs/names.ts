// Hangul fillers and the like are invisible as well; the Unicode property covers them, interlinear marks it does not.
const invisible = /[\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]/u;
const everyInvisible = /[\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const loneSurrogate = /\p{Surrogate}/u;
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const plain = /^[\x20-\x7e]*$/;
const unprintable = new RegExp(`${control.source}|\\p{Surrogate}|${invisible.source}`, 'gu');

/** What is wrong with the characters of a name, if anything: `char`, `bidi` or `invisible`. */
export function suspiciousCharacters(text: string): 'char' | 'bidi' | 'invisible' | undefined {
  if (plain.test(text)) return undefined;
  if (control.test(text) || loneSurrogate.test(text)) return 'char';
  if (bidi.test(text)) return 'bidi';
  return invisible.test(text) ? 'invisible' : undefined;
}

/**
 * Makes all spellings of a `/`-separated path equal that some file system or editor takes for the same: case,
 * Unicode form and compatibility form, invisible characters, and trailing dots and spaces of a component.
 * For deny rules, which must match wide; never for finding a file.
 */
export function foldPath(path: string): string {
  return path.split('/').map(foldComponent).join('/');
}

/** As {@link foldPath}, and without Windows' stream names, so that `.env::$DATA` is `.env`. */
export function foldPathWithoutStreams(path: string): string {
  return path
    .split('/')
    .map((component) => foldComponent(component.replace(/:.*$/s, '')))
    .join('/');
}

function foldComponent(component: string): string {
  const folded = plain.test(component)
    ? component.toLowerCase()
    : // Lower, upper and lower again also joins what only one of the directions joins, such as sharp s and ss.
      component
        .normalize('NFKC')
        .replace(everyInvisible, '')
        .normalize('NFKD')
        .toLowerCase()
        .toUpperCase()
        .normalize('NFKD')
        .toLowerCase();
  return folded.replace(/[. ]+$/, '') || folded;
}

/** A name as a message may show it: quoted, cut after 120 characters, nothing in it that a terminal or reader obeys. */
export function showName(name: string): string {
  const cut = name.length > 120 ? `${name.slice(0, 120)}...` : name;
  const visible = cut.replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return `"${visible}"`;
}
