/** Lines with their ends, so that joining them gives the text again. An empty text has none. */
export function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}
