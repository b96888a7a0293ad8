import { didYouMean } from './nearest.ts';
import { isPlainRecord, isRecord } from './plain-object.ts';

/**
 * Throws a TypeError for an option that does not exist: a mistyped `deny` must not become an open door. Nor must one of
 * those that close something (`closing`) and are `undefined`, such as a variable of the environment that is not set; nor
 * options of which not all would be seen, such as those of a Map, or what an object inherits.
 */
export function checkOptions(
  owner: string,
  options: unknown,
  known: readonly string[],
  closing: readonly string[] = [],
): void {
  if (!isPlainRecord(options)) throw new TypeError(`${owner}() takes an object of options; it got ${shown(options)}.`);
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) {
      const advice = `Its options are: ${known.join(', ') || '(none)'}.${didYouMean(option, known)}`;
      throw new TypeError(`${owner}() has no option "${option}". ${advice}`);
    }
  }
  for (const option of closing) {
    if (!(option in options) || options[option as keyof typeof options] !== undefined) continue;
    throw new TypeError(
      `${owner}({ ${option} }) is undefined, which would restrict nothing. If its value comes from the environment or a ` +
        'file, it is missing there; leave the option out if nothing is what you mean.',
    );
  }
}

/** Of which kind an option is. */
export type OptionKind = 'boolean' | 'text' | 'texts' | 'function' | 'object' | 'engine';

const kinds: Readonly<Record<OptionKind, readonly [words: string, fits: (value: unknown) => boolean]>> = {
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  text: ['a text', (value) => typeof value === 'string'],
  texts: ['a list of texts', (value) => Array.isArray(value) && value.every((one) => typeof one === 'string')],
  function: ['a function', (value) => typeof value === 'function'],
  // The environment is of a kind of its own, and all that it holds is seen.
  object: ['an object', (value) => isPlainRecord(value) || value === process.env],
  engine: ['a schema engine: { compile }', (value) => isRecord(value) && typeof value['compile'] === 'function'],
};

/**
 * Throws a TypeError for an option of another kind than expected, `null` included: it would be taken for something else, or
 * for nothing. What is undefined has its default.
 */
export function checkKinds<O extends object>(
  owner: string,
  options: O,
  expected: { readonly [K in keyof O]?: OptionKind },
): void {
  for (const option of Object.keys(expected) as (keyof O & string)[]) {
    const value: unknown = options[option];
    const [words, fits] = kinds[expected[option] as OptionKind];
    if (value === undefined || fits(value)) continue;
    throw new TypeError(`${owner}({ ${option} }) must be ${words}; it is ${shown(value)}.`);
  }
}

/** What a value of the wrong kind is, in words. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  return isPlainRecord(value) ? 'an object' : 'one of a class, or one that inherits, of which not all would be seen';
}
