import { createHash } from 'node:crypto';

/** Which tool names a provider takes. */
export interface NameRule {
  /** The most characters. */
  readonly limit: number;
  /** Every character that may stand in a name. */
  readonly characters: RegExp;
  /** What the first character may be. */
  readonly first: RegExp;
}

/** The canonical names of a set of tools beside those that a provider sees. */
export interface Aliases {
  /** The provider's name of a tool. A name outside the set is translated as if it stood alone. */
  alias(canonical: string): string;
  /** The canonical name of an alias; a name that is no alias comes back untouched. */
  canonical(alias: string): string;
}

/** Fits every provider known: a letter first, then letters, digits, `_` and `-`, 64 characters at most. */
export const portableNames: NameRule = { limit: 64, characters: /[A-Za-z0-9_-]/, first: /[A-Za-z]/ };

/**
 * Gives every name an alias that fits the rule: reversible, free of collisions, the same in every run and whatever the
 * order of the names.
 *
 * A name that fits keeps itself. Elsewhere `.`, `/` and whatever else does not fit become `__` (`fs.read` is
 * `fs__read`), and what is too long keeps its head and its tail around eight hex digits of its SHA-256. Where two names
 * would meet, each of them that does not fit by itself gets the digits, so no name's alias depends on which came first.
 */
export function makeAliases(names: Iterable<string>, rule: NameRule): Aliases {
  const aliasOf = new Map<string, string>();
  const canonicalOf = new Map<string, string>();
  const take = (name: string, alias: string): void => {
    aliasOf.set(name, alias);
    canonicalOf.set(alias, name);
  };
  const groups = new Map<string, string[]>();
  for (const name of new Set(names)) {
    if (fits(name, rule)) take(name, name);
    else groups.set(translate(name, rule), [...(groups.get(translate(name, rule)) ?? []), name]);
  }
  const crowded: string[] = [];
  for (const [alias, group] of groups) {
    if (group.length === 1 && !canonicalOf.has(alias)) take(group[0]!, alias);
    else crowded.push(...group);
  }
  // Sorted, so that even the outcome of a collision of digests does not depend on the order of the names.
  for (const name of crowded.sort()) take(name, freeAlias(name, rule, canonicalOf));
  return {
    alias: (name) => aliasOf.get(name) ?? (fits(name, rule) ? name : translate(name, rule)),
    canonical: (alias) => canonicalOf.get(alias) ?? alias,
  };
}

function fits(name: string, rule: NameRule): boolean {
  return (
    name.length <= rule.limit && rule.first.test(name.charAt(0)) && [...name].every((c) => rule.characters.test(c))
  );
}

function translate(name: string, rule: NameRule): string {
  const plain = spell(name, rule);
  return plain.length <= rule.limit ? plain : withDigest(name, rule, 8);
}

function spell(name: string, rule: NameRule): string {
  const plain = Array.from(name, (c) => (rule.characters.test(c) ? c : '__')).join('');
  return rule.first.test(plain.charAt(0)) ? plain : `t_${plain}`;
}

function withDigest(name: string, rule: NameRule, digits: number): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, digits);
  const plain = spell(name, rule);
  const room = rule.limit - digits - 2;
  if (plain.length <= room + 1) return `${plain}_${digest}`;
  const head = Math.ceil(room / 2);
  return `${plain.slice(0, head)}_${digest}_${plain.slice(plain.length - (room - head))}`;
}

function freeAlias(name: string, rule: NameRule, taken: ReadonlyMap<string, string>): string {
  for (let digits = 8; digits <= 40; digits += 8) {
    const alias = withDigest(name, rule, digits);
    if (!taken.has(alias)) return alias;
  }
  throw new TypeError(`No alias is left for the tool name ${JSON.stringify(name)}; rename the tool.`);
}
