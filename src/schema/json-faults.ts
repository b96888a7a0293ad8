import { pointerStep } from './pointer.ts';

/** What is wrong with a JSON text, and where. */
export type JsonFault =
  | { readonly kind: 'syntax'; readonly index: number; readonly problem: string }
  | { readonly kind: 'truncated'; readonly index: number; readonly problem: string }
  | { readonly kind: 'duplicate'; readonly index: number; readonly key: string; readonly pointer: string };

/**
 * Reads JSON text (RFC 8259) and gives its first fault: a breach of the grammar, an end that came too soon, or a key
 * that one object has twice. `undefined` when there is none. For explaining what `JSON.parse` refused, so it is slow
 * and exact. Nesting beyond `maxDepth` counts as a fault.
 */
export function findJsonFault(text: string, maxDepth: number): JsonFault | undefined {
  try {
    new Reader(text, maxDepth).document();
    return undefined;
  } catch (fault) {
    if (fault instanceof Found) return fault.fault;
    throw fault;
  }
}

class Found {
  readonly fault: JsonFault;

  constructor(fault: JsonFault) {
    this.fault = fault;
  }
}

const blank = /[ \t\n\r]*/y;
const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const wordForm = /[A-Za-z_][A-Za-z0-9_]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them
const plainText = /[^"\\\u0000-\u001f]*/y;
const escapeForm = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
const escapeBegun = /\\(?:u[0-9A-Fa-f]{0,3})?$/y;

const words: ReadonlySet<string> = new Set(['true', 'false', 'null']);
const foreignWords: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['undefined', 'null'],
  ['NaN', 'null'],
  ['Infinity', 'null'],
]);

class Reader {
  readonly #text: string;
  readonly #maxDepth: number;
  #at = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  document(): void {
    if (this.#text.startsWith('\uFEFF')) this.#fail('the text begins with a byte order mark; leave it out');
    this.#skip(blank);
    if (this.#text.startsWith('```', this.#at)) this.#fail('send the bare JSON, without a Markdown fence around it');
    this.#value('', 1);
    this.#skip(blank);
    if (this.#at === this.#text.length) return;
    if (this.#peek() === '{') this.#fail('a second JSON value begins here; one call takes one object');
    this.#fail(`nothing may follow the JSON value, found ${this.#here()}`);
  }

  #value(pointer: string, depth: number): void {
    const first = this.#peek();
    if (first === '{' || first === '[') {
      if (depth > this.#maxDepth) this.#fail(`nested more than ${this.#maxDepth} levels deep`);
      this.#at++;
      if (first === '{') this.#members(pointer, depth);
      else this.#items(pointer, depth);
    } else if (first === '"') {
      this.#string();
    } else if (this.#skip(numberForm) === '') {
      this.#word();
    }
  }

  #members(pointer: string, depth: number): void {
    const keys = new Set<string>();
    this.#skip(blank);
    if (this.#take('}')) return;
    for (;;) {
      const index = this.#at;
      if (this.#peek() !== '"') this.#expected('a key in double quotes');
      const key = JSON.parse(this.#string()) as string;
      const place = pointer + pointerStep(key);
      if (keys.has(key)) throw new Found({ kind: 'duplicate', index, key, pointer: place });
      keys.add(key);
      this.#skip(blank);
      if (!this.#take(':')) this.#expected(`":" after the key ${JSON.stringify(key.slice(0, 40))}`);
      this.#skip(blank);
      this.#value(place, depth + 1);
      this.#skip(blank);
      if (this.#take('}')) return;
      if (!this.#take(',')) this.#expected('"," or "}" after a value');
      this.#skip(blank);
      if (this.#peek() === '}') this.#fail('there is a comma too many before "}"');
    }
  }

  #items(pointer: string, depth: number): void {
    this.#skip(blank);
    if (this.#take(']')) return;
    for (let index = 0; ; index++) {
      this.#value(`${pointer}/${index}`, depth + 1);
      this.#skip(blank);
      if (this.#take(']')) return;
      if (!this.#take(',')) this.#expected('"," or "]" after a value');
      this.#skip(blank);
      if (this.#peek() === ']') this.#fail('there is a comma too many before "]"');
    }
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      this.#skip(plainText);
      const next = this.#peek();
      if (this.#take('"')) return this.#text.slice(start, this.#at);
      if (next === '') this.#ended('in the middle of a string');
      if (next !== '\\') this.#fail(`a string holds a raw control character; write it as ${escaped(next)}`);
      if (this.#skip(escapeForm) !== '') continue;
      escapeBegun.lastIndex = this.#at;
      if (escapeBegun.test(this.#text)) this.#ended('in the middle of a string');
      this.#fail(`${JSON.stringify(this.#text.slice(this.#at, this.#at + 2))} is not an escape that JSON knows`);
    }
  }

  #word(): void {
    const index = this.#at;
    const word = this.#skip(wordForm);
    if (words.has(word)) return;
    const atEnd = this.#at === this.#text.length;
    this.#at = index;
    if (word !== '' && atEnd && [...words].some((whole) => whole.startsWith(word)))
      this.#ended('in the middle of a value');
    const instead = foreignWords.get(word);
    if (instead !== undefined) this.#fail(`${word} is not JSON; write ${instead}`);
    if (this.#peek() === "'") this.#fail("strings stand in double quotes, not in '...'");
    this.#expected('a value');
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #here(): string {
    const word = this.#text.slice(this.#at, this.#at + 12).split(/[\s,:{}[\]]/, 1)[0];
    return JSON.stringify(word === '' ? this.#peek() : word);
  }

  #expected(what: string): never {
    if (this.#at >= this.#text.length) this.#ended(`where ${what} was expected`);
    if (this.#peek() === "'") this.#fail("keys and strings stand in double quotes, not in '...'");
    this.#fail(`expected ${what}, found ${this.#here()}`);
  }

  #fail(problem: string): never {
    throw new Found({ kind: 'syntax', index: this.#at, problem });
  }

  #ended(where: string): never {
    throw new Found({ kind: 'truncated', index: this.#text.length, problem: `the text ends ${where}` });
  }
}

function escaped(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}
