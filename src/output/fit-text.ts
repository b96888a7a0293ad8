import { truncateText } from './truncate.ts';

/** The length of the JSON text of a JSON-safe value, in characters. */
export function jsonLength(value: unknown): number {
  return JSON.stringify(value).length;
}

/**
 * Shortens text until its JSON text has at most `room` characters. That is longer than the text by its escapes, so the
 * limit is approached from above.
 */
export function fitText(text: string, room: number, hint: string): string {
  if (text.length + 2 <= room && jsonLength(text) <= room) return text;
  let limit = Math.min(text.length, room - 2);
  for (;;) {
    const short = truncateText(text, limit, limit > 500 ? hint : '');
    const length = jsonLength(short);
    if (length <= room || limit <= 0) return short;
    limit = Math.min(limit - 1, Math.floor((limit * room) / length));
  }
}

/** The room per part so that small parts stay whole and the large ones share evenly what is left. */
export function fairShare(sizes: readonly number[], room: number): number {
  const sorted = [...sizes].sort((a, b) => a - b);
  let left = room;
  for (const [index, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}
