import { Breath } from '../capabilities/fs/breath.ts';
import type { ToolError } from '../errors.ts';
import { failure } from './failure.ts';
import { bytesOf, decodeText, type TextEncoding } from './text.ts';

export interface Edit {
  readonly old: string;
  readonly new: string;
  readonly replace_all?: boolean;
}

const maxResultBytes = 16_777_216;
// The hint where almost the same text stands is looked for in files and texts of usual size only.
const maxHintBytes = 1_048_576;
const maxHintLines = 500;

/**
 * Applies edits one after the other to a file's bytes, given as a string with one character a byte. In a file whose
 * lines all end in CR LF, plain line ends in an edit mean those. Throws a ToolError when one edit does not fit, so
 * that all or nothing is done. Many edits of a large file let others have their turn.
 */
export async function applyEdits(
  bytes: string,
  edits: readonly Edit[],
  encoding: TextEncoding,
  signal: AbortSignal,
): Promise<{ result: string; replacements: number }> {
  const breath = new Breath(() => signal.throwIfAborted());
  let result = bytes;
  let replacements = 0;
  for (const [index, edit] of edits.entries()) {
    const where = edits.length > 1 ? `Edit ${index + 1} of ${edits.length}: ` : '';
    const applied = applyOne(result, edit, encoding, where);
    result = applied.result;
    replacements += applied.count;
    if (breath.due) await breath.take();
  }
  if (result === bytes) throw failure('The edits together change nothing.', 'no-change');
  return { result, replacements };
}

function applyOne(bytes: string, edit: Edit, encoding: TextEncoding, where: string): { result: string; count: number } {
  if (edit.old === '') {
    throw failure(`${where}old is empty. Give the text to replace; to make a new file, use write_file.`, 'empty-old');
  }
  if (/\p{Surrogate}/u.test(edit.old + edit.new)) {
    throw failure(`${where}old or new holds half of a surrogate pair. Send the whole character.`, 'broken-unicode');
  }
  const pair = fitLineEnds(bytes, edit, encoding);
  if (pair.old === pair.fresh) throw failure(`${where}old and new are the same, so nothing would change.`, 'no-change');
  const places = placesOf(bytes, pair.old, encoding);
  if (places.length === 0) throw noMatch(bytes, edit.old, encoding, where);
  if (places.length > 1 && !edit.replace_all) {
    const lines = places.slice(0, 10).map((place) => lineAt(bytes, place, encoding));
    throw failure(
      `${where}old occurs ${places.length} times, at lines ${lines.join(', ')}${places.length > 10 ? ' ...' : ''}. ` +
        'Add lines around it until it is unique, or set replace_all.',
      'not-unique',
    );
  }
  const length = bytes.length + places.length * (pair.fresh.length - pair.old.length);
  if (length > Math.max(bytes.length, maxResultBytes)) {
    throw failure(`${where}the file would become too large (${length} bytes; at most ${maxResultBytes}).`, 'too-large');
  }
  const result =
    encoding === 'utf8'
      ? bytes.split(pair.old).join(pair.fresh)
      : replaceAt(bytes, places, pair.old.length, pair.fresh);
  return { result, count: places.length };
}

/** Joins pieces, so that in a replacement text no character has a meaning of its own. */
function replaceAt(bytes: string, places: readonly number[], length: number, fresh: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (const place of places) {
    pieces.push(bytes.slice(done, place), fresh);
    done = place + length;
  }
  pieces.push(bytes.slice(done));
  return pieces.join('');
}

function placesOf(bytes: string, old: string, encoding: TextEncoding, most = Number.POSITIVE_INFINITY): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(old); at !== -1 && places.length < most; ) {
    // In UTF-16 a match that begins in the middle of a character is none.
    const aligned = encoding === 'utf8' || at % 2 === 0;
    if (aligned) places.push(at);
    at = bytes.indexOf(old, aligned ? at + old.length : at + 1);
  }
  return places;
}

function fitLineEnds(bytes: string, edit: Edit, encoding: TextEncoding): { old: string; fresh: string } {
  const asCrLf = hasOnlyCrLf(bytes, encoding);
  const adapt = (text: string) => bytesOf(asCrLf ? text.replace(/\r?\n/g, '\r\n') : text, encoding);
  return { old: adapt(edit.old), fresh: adapt(edit.new) };
}

function hasOnlyCrLf(bytes: string, encoding: TextEncoding): boolean {
  const crLf = bytesOf('\r\n', encoding);
  const lf = bytesOf('\n', encoding);
  // Mostly the first line says it.
  const first = placesOf(bytes.slice(0, maxHintBytes), lf, encoding, 1)[0];
  if (first !== undefined && bytes.slice(first + lf.length - crLf.length, first + lf.length) !== crLf) return false;
  return bytes.includes(crLf) && placesOf(bytes, lf, encoding).length === placesOf(bytes, crLf, encoding).length;
}

function lineAt(bytes: string, place: number, encoding: TextEncoding): number {
  return placesOf(bytes.slice(0, place), bytesOf('\n', encoding), encoding).length + 1;
}

function noMatch(bytes: string, old: string, encoding: TextEncoding, where: string): ToolError {
  const near =
    bytes.length > maxHintBytes ? undefined : similarLine(decodeText(Buffer.from(bytes, 'latin1'), encoding), old);
  return failure(
    near === undefined
      ? `${where}old does not occur in the file. Read the file and copy the text exactly.`
      : `${where}old does not occur in the file; line ${near} differs from it only in white space or quotation marks. Copy the text exactly.`,
    'no-match',
  );
}

/** The first line at which the text stands, white space and kinds of quotation marks aside. */
function similarLine(text: string, old: string): number | undefined {
  const plain = (line: string) =>
    line
      .replace(/\s+/g, '')
      .replace(/[\u2018\u2019]/g, "'")
      .replace(/[\u201c\u201d]/g, '"')
      .normalize('NFC');
  const wanted = old
    .split('\n', maxHintLines + 1)
    .map(plain)
    .filter(Boolean);
  if (wanted.length === 0 || wanted.length > maxHintLines) return undefined;
  const lines = text.split('\n').map((line, index) => ({ text: plain(line), number: index + 1 }));
  const full = lines.filter((line) => line.text !== '');
  const found = full.findIndex((_, at) => wanted.every((line, offset) => full[at + offset]?.text === line));
  return found === -1 ? undefined : full[found]?.number;
}
