const latin = /\p{Script=Latin}/u;
const similarScripts = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
const compatible = /[^\p{ASCII}]/u;

/**
 * Characters that are made to be taken for others: letters of a script that looks like the Latin one, among Latin letters
 * in the same part of a name or path, and forms of ASCII characters such as full-width ones. What is written in one script
 * throughout is not among them.
 */
function lookalikes(text: string): readonly string[] {
  const found = new Set<string>();
  for (const part of text.split(/[/\\\s]+/)) {
    const isLatin = latin.test(part);
    for (const character of part) {
      const isForm = compatible.test(character) && /^\p{ASCII}+$/u.test(character.normalize('NFKC'));
      if (isForm || (isLatin && similarScripts.test(character))) found.add(character);
    }
  }
  return [...found];
}

/** A remark about such characters, in one line; empty where there are none. */
export function lookalikeNote(text: string): string {
  const named = lookalikes(text).map((character) => {
    const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
    return `"${character}" is U+${code}`;
  });
  return named.length === 0 ? '' : `letters that look like others: ${named.join(', ')}`;
}
