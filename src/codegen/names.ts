/** The words of a camelCase, PascalCase or snake_case name; a run of capitals is one word. */
function words(name: string): string[] {
  return name.match(/\p{Lu}+(?!\p{Ll})\d*|\p{Lu}?\p{Ll}+\d*|\d+/gu) ?? [];
}

/** `searchNotes` is `search_notes`, `getHTTPStatus2` is `get_http_status2`. */
export function snakeCase(name: string): string {
  return words(name).join('_').toLowerCase();
}

/** A name as a sentence, for a function that nobody has described. */
export function humanized(name: string): string {
  const text = words(name).join(' ').toLowerCase();
  return text === '' ? name : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Gives out names that are unique in one file. */
export function createNames(reserved: Iterable<string>): (wanted: string) => string {
  const taken = new Set(reserved);
  return (wanted) => {
    const base = wanted.replace(/[^\p{ID_Continue}$]/gu, '_').replace(/^(?=\d)/, '_');
    let name = base;
    for (let count = 2; taken.has(name) || keywords.has(name); count++) name = `${base}${count}`;
    taken.add(name);
    return name;
  };
}

export const isIdentifier = (name: string): boolean => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);

const keywords: ReadonlySet<string> = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof undefined var void while with yield'
  ).split(' '),
);
