import { didYouMean, inQuotes } from '../basics/nearest.ts';
import { isPlainRecord } from '../basics/plain-object.ts';

/** A rule that is not well-formed. The message names its place, such as `Rule 3: arguments.path.host`. */
export class RuleError extends TypeError {
  override readonly name = 'RuleError';

  constructor(at: string, problem: string) {
    super(`${at} ${problem}.`);
  }
}

/** The fault of a member that is none of those that are known. */
export function unknownMember(at: string, member: string, known: Iterable<string>): RuleError {
  const names = [...known];
  const hint = didYouMean(member, names, 'aside', inQuotes);
  return new RuleError(at, `is unknown${hint}; expected ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
}

/** One text or several, as a list. */
export function texts(value: unknown, at: string): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw new RuleError(at, 'is an empty list, so it matches nothing');
  for (const text of list) {
    if (typeof text !== 'string' || text === '')
      throw new RuleError(at, 'needs a text, or a list of texts, none empty');
  }
  return [...(list as readonly string[])];
}

/** One list of texts or several, as a list of lists. */
export function textLists(value: unknown, at: string): readonly (readonly string[])[] {
  if (!Array.isArray(value)) throw new RuleError(at, 'needs a list of words, such as ["git", "log"], or several');
  return Array.isArray(value[0]) ? value.map((list: unknown) => texts(list, at)) : [texts(value, at)];
}

/** The members of a plain object: of another one not all would be seen. */
export function entriesOf(value: unknown, at: string): [string, unknown][] {
  if (!isPlainRecord(value)) throw new RuleError(at, 'needs an object, and a plain one');
  const entries = Object.entries(value);
  if (entries.length === 0) throw new RuleError(at, 'is empty');
  return entries;
}
