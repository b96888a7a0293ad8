const string = /"(?:[^"\\]|\\.)*"/y;

/** The index at which the key `member` of the outermost object stands in a valid JSON text; 0 when it does not. */
export function placeOfMember(text: string, member: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    else if (character === '"') {
      string.lastIndex = at;
      const found = string.exec(text)?.[0] ?? '"';
      const end = at + found.length;
      if (depth === 1 && JSON.parse(found) === member && /^\s*:/.test(text.slice(end, end + 64))) return at;
      at = end - 1;
    }
  }
  return 0;
}
