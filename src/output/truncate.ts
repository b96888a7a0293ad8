/** What the note says one can do about it, unless the tool knows better. */
export const defaultHint = 'Ask for less at once to see the rest: a range, a page or a filter.';

/**
 * Shortens text to at most `limit` UTF-16 code units (as `length` counts them): the head, a note with the full size and
 * `hint`, and the tail. Never cuts inside a code point. Text that fits comes back as it is.
 */
export function truncateText(text: string, limit: number, hint: string = defaultHint): string {
  return text.length <= limit ? text : joinEnds(text, text, text, limit, hint);
}

/** As {@link truncateText}, for the head and the tail of a `whole` that is too long to be worked on. */
export function joinEnds(head: string, tail: string, whole: string, limit: number, hint: string): string {
  const note = noteFor(whole, limit, hint);
  const room = limit - note.length;
  if (room < 0) return headOf(head, limit);
  // The head matters more than the tail, but errors and totals tend to stand at the end.
  const begin = headOf(head, Math.ceil(room * 0.7));
  return begin + note + tailOf(tail, room - begin.length);
}

function noteFor(whole: string, limit: number, hint: string): string {
  if (limit < 200) return '[...]';
  const characters = whole.length.toLocaleString('en-US');
  const bytes = Buffer.byteLength(whole).toLocaleString('en-US');
  return `\n[... cut here: the whole text has ${characters} characters (${bytes} bytes).${hint && ` ${hint}`} ...]\n`;
}

function headOf(text: string, length: number): string {
  if (length >= text.length) return text;
  const splits = length > 0 && isLow(text.charCodeAt(length)) && isHigh(text.charCodeAt(length - 1));
  return text.slice(0, splits ? length - 1 : Math.max(0, length));
}

function tailOf(text: string, length: number): string {
  if (length >= text.length) return text;
  const start = text.length - Math.max(0, length);
  const splits = isLow(text.charCodeAt(start)) && isHigh(text.charCodeAt(start - 1));
  return text.slice(splits ? start + 1 : start);
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
