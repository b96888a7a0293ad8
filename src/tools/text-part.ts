/** Which part of a text is wanted, and what is to be said of it. */
export interface WantedPart {
  /** Where the text is from. */
  readonly url: string;
  /** In characters. */
  readonly offset: number;
  readonly limit: number;
  readonly notes: readonly string[];
}

/** A part of a page's text, the links that occur in it, and a note that says where it is from and how to go on. */
export function partOf(text: string, links: readonly string[], { url, offset, limit, notes }: WantedPart): string {
  const from = wholeCharacter(text, offset);
  const to = wholeCharacter(text, from + limit);
  const shown = text.slice(from, to);
  const numbers = new Set([...shown.matchAll(/\[L(\d+)\]/g)].map(([, number]) => Number(number)));
  const listed = [...numbers].flatMap((number) => {
    const link = links[number - 1];
    return link === undefined ? [] : [`L${number}: ${link}`];
  });
  const said = [`From ${url}`];
  if (from > 0 || to < text.length) said.push(`characters ${from} to ${to} of ${text.length}`);
  if (to < text.length) said.push(`go on with offset ${to}`);
  said.push(...notes);
  return [shown, ...(listed.length > 0 ? [listed.join('\n')] : []), `[${said.join('; ')}.]`].join('\n\n');
}

/** Never between the halves of a character. */
function wholeCharacter(text: string, at: number): number {
  const end = Math.min(at, text.length);
  const code = text.charCodeAt(end);
  return code >= 0xdc00 && code <= 0xdfff && end > 0 ? end - 1 : end;
}
