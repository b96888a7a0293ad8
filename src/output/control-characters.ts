/*
 * Text from a tool may carry characters that act instead of being read: terminal sequences, direction overrides, hidden
 * letters. What is done with them depends on who reads: one function for each kind of reader.
 */

// Every pattern below is linear: a sequence's body never contains a character that could start another sequence.
const csi = '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]';
const commandString =
  '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u0090\\u0098\\u009c-\\u009f]*(?:\\u0007|\\u009c|\\u001b\\\\)';
const shortEscape = '\\u001b[ -/]*[0-~]';
const overrides = '\\u202a-\\u202e\\u2066-\\u2069';
const selectors = '\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}';
// The flags of England, Scotland and Wales are spelled with tag characters and are the one good use of them.
const flag = '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{1,6}\\u{e007f}';
const tags = '\\u{e0000}-\\u{e007f}';

const controls = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
const invisible = '\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028\\u2029\\u2060-\\u2065\\u206a-\\u206f\\ufeff';
// Written without the `u` flag: half of every tag character is U+DB40, and that is enough to look closer.
const hints = '\\udb40]|[\\ufe00-\\ufe0f]{2}';

const notForModel = new RegExp(`[${controls}${overrides}${hints}`);
const sequences = new RegExp(`${csi}|${commandString}|${shortEscape}`, 'g');
const anyControl = new RegExp(`[${controls}]`, 'g');
const hidden = new RegExp(`(${flag})|[${tags}]+|[${overrides}]`, 'gu');
const selectorRun = new RegExp(`(?<=[${selectors}])[${selectors}]+`, 'gu');

const joinerInEmoji =
  '(?<=\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{Extended_Pictographic})';
const notForTerminal = new RegExp(`[\\r${controls}${overrides}${invisible}${hints}`);
const shown = new RegExp(
  `(${flag}|\\r(?=\\n)|${joinerInEmoji})|(?<=[${selectors}])[${selectors}]|[\\r${controls}${overrides}${invisible}${tags}]`,
  'gu',
);

/**
 * Text as a model should get it: terminal sequences (ANSI, OSC, and the like) and control characters other than
 * newline, tab and carriage return are taken out, as are invisible tag characters and runs of variation selectors, which
 * serve to hide text; direction overrides (U+202A to U+202E, U+2066 to U+2069) become visible escapes. All else stays.
 */
export function forModel(text: string): string {
  if (!notForModel.test(text)) return text;
  return text
    .replace(sequences, '')
    .replace(anyControl, '')
    .replace(hidden, (found: string, keptFlag: string | undefined) => {
      if (keptFlag !== undefined) return keptFlag;
      return found.length === 1 ? escaped(found) : '';
    })
    .replace(selectorRun, '');
}

/**
 * Text as it may be shown to a person on a terminal, such as in a question whether a call may run: nothing in it acts
 * and nothing is invisible. Control characters (other than newline and tab), direction marks, zero-width and tag
 * characters become visible escapes such as `\u001b`, so that the reader sees that they were there.
 */
export function forTerminal(text: string): string {
  if (!notForTerminal.test(text)) return text;
  return text.replace(shown, (found: string, harmless: string | undefined) =>
    harmless === undefined ? escaped(found) : found,
  );
}

const lineBreaks = /[\n\r\t]/g;
const lineBreakNames: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text as one line of a log: as {@link forTerminal}, and newlines and tabs are escaped too. */
export function forLog(text: string): string {
  return forTerminal(text).replace(lineBreaks, (found) => lineBreakNames[found]!);
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
