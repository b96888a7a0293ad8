/** A regular expression taken apart, as far as matching in linear time needs it. */
export type Node =
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly branches: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number }
  /** What needs to look around or back (`(?=`, `\1`, `\b`): only a backtracking engine can match it. */
  | { readonly kind: 'beyond'; readonly part: Node };

const empty: Node = { kind: 'sequence', parts: [] };
const mostDeep = 100;

/** Takes a pattern apart that `RegExp` has accepted. `undefined` for what is nested too deeply to be taken apart. */
export function parsePattern(pattern: string): Node | undefined {
  return new Parser(pattern).choice(0);
}

const counted = /\{(\d+)(?:(,)(\d*))?\}/y;
const groupHead = /\((?:\?(?::|<(?![=!])[^>]*>))?/y;
const lookaround = /\(\?(?:<?[=!]|[a-z-]+:)/y;
const backward = /\\(?:[1-9]\d*|k<[^>]*>|[bB])/y;
const escaped =
  /\\(?:u\{[0-9A-Fa-f]+\}|u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[pP]\{[^}]*\}|c[A-Za-z]|.)/suy;
const characterClass = /\[\^?(?:\\.|[^\]\\])*\]/suy;
const anyCharacter = /./suy;

class Parser {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  choice(depth: number): Node | undefined {
    if (depth > mostDeep) return undefined;
    const branches: Node[] = [];
    do {
      const parts: Node[] = [];
      for (let next = this.#peek(); next !== '' && next !== '|' && next !== ')'; next = this.#peek()) {
        const part = this.#term(depth);
        if (part === undefined) return undefined;
        parts.push(part);
      }
      branches.push(parts.length === 1 ? (parts[0] as Node) : { kind: 'sequence', parts });
    } while (this.#take('|'));
    return branches.length === 1 ? branches[0] : { kind: 'choice', branches };
  }

  #term(depth: number): Node | undefined {
    const atom = this.#atom(depth);
    return atom === undefined ? undefined : this.#quantified(atom);
  }

  #atom(depth: number): Node | undefined {
    switch (this.#peek()) {
      case '^':
        this.#at++;
        return { kind: 'start' };
      case '$':
        this.#at++;
        return { kind: 'end' };
      case '(':
        return this.#group(depth);
      case '[':
        return { kind: 'character', source: this.#skip(characterClass) };
      case '\\':
        if (this.#skip(backward) !== '') return { kind: 'beyond', part: empty };
        return { kind: 'character', source: this.#skip(escaped) };
      default: {
        const character = this.#skip(anyCharacter);
        return { kind: 'character', source: /[{}\]]/.test(character) ? `\\${character}` : character };
      }
    }
  }

  #group(depth: number): Node | undefined {
    const looksAround = this.#skip(lookaround) !== '';
    if (!looksAround) this.#skip(groupHead);
    const part = this.choice(depth + 1);
    this.#take(')');
    return part !== undefined && looksAround ? { kind: 'beyond', part } : part;
  }

  #quantified(part: Node): Node {
    const range = this.#range();
    if (range === undefined) return part;
    // A lazy quantifier finds another match, but never makes the difference between a match and none.
    this.#take('?');
    return { kind: 'repeat', part, least: range[0], most: range[1] };
  }

  #range(): [number, number] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    counted.lastIndex = this.#at;
    const [text, least, comma, most] = counted.exec(this.#pattern) ?? [];
    if (text === undefined) return undefined;
    this.#at += text.length;
    if (comma === undefined) return [Number(least), Number(least)];
    return [Number(least), most === '' ? Number.POSITIVE_INFINITY : Number(most)];
  }

  #peek(): string {
    return this.#pattern.charAt(this.#at);
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  #skip(part: RegExp): string {
    part.lastIndex = this.#at;
    const found = part.exec(this.#pattern)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}
