/** Numbers that look random and are the same for the same seed, on every release of Node.js. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1, the latter not included (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0, below `limit`. */
  below(limit) {
    return Math.floor(this.next() * limit);
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  list(longest, item) {
    return Array.from({ length: this.below(longest + 1) }, item);
  }

  word() {
    return this.pick(words);
  }

  text() {
    return this.list(6, () => this.word()).join(this.pick(['', ' ', '\n']));
  }

  number() {
    return this.pick([0, -0, 1, -1, 7, 41.5, 1e21, 1e-7, 2 ** 53, -(2 ** 31), 5e-324, this.below(1000)]);
  }

  /** Any value that JSON has. */
  json(depth = 3) {
    const kind = this.below(depth > 0 ? 7 : 5);
    if (kind === 0) return null;
    if (kind === 1) return this.chance(0.5);
    if (kind === 2) return this.number();
    if (kind < 5) return this.text();
    if (kind === 5) return this.list(4, () => this.json(depth - 1));
    return Object.fromEntries(this.list(4, () => [this.word(), this.json(depth - 1)]));
  }
}

// Each for something that platforms are known to treat in their own way: case, width, order, escapes, secrets, paths.
const words = [
  ...[
    'a',
    'b',
    'city',
    'path',
    'limit',
    'name',
    'Straße',
    'İstanbul',
    'ſ',
    'naïve',
    'cafe\u0301',
    '東京',
    '👩‍👩‍👧',
    '🇩🇪',
  ],
  ...[
    '\ud800',
    'x\udc00',
    '\u2028',
    '\ufeff',
    '\u200b',
    '\u202e',
    '\0',
    '\u001b[31m',
    '\t',
    '\r\n',
    '\\',
    '"',
    "'",
    '`',
  ],
  ...['__proto__', 'constructor', 'toString', '10', '9', '-0', '1e3', 'NaN', 'null', 'true', '{}', '[', '}', ',', ':'],
  ...['../up', '/etc/passwd', 'C:\\x', 'https://user:pw@example.com/a?b=c', 'Bearer abcdefghijklmnopqrstuvwxyz012345'],
  ...['AKIAIOSFODNN7EXAMPLE', 'password=hunter2hunter2', `${'long '.repeat(80)}`, '\u{1fae8}', '\u{10ffff}', '½', 'ﬁ'],
];
