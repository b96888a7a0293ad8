import { canonicalJson } from '../basics/canonical-json.ts';
import { isPlainObject } from '../basics/plain-object.ts';
import { argumentPathTest } from './argument-paths.ts';
import { commandMatcher } from './commands.ts';
import { hostMatcher } from './hosts.ts';
import { type Match, matchOf, not } from './match.ts';
import { foldText } from './names.ts';
import type { PolicyRequest } from './policy.ts';
import { entriesOf, RuleError, textLists, texts, unknownMember } from './shape.ts';

type Scalar = string | number | boolean | null;

/**
 * What a rule can say of one argument:
 * - a scalar, which it must equal, or a list of scalars, one of which it must equal;
 * - `path`: globs on a canonical path, relative to the first root or absolute;
 * - `host`: `example.com` or `*.example.com`, of a URL or a host;
 * - `command`: the first words of an argument list or a plain command line, `["git", "log"]`, or several of these;
 * - `min` and `max`: bounds of a number, both included;
 * - `equals`: any JSON value, which it must equal in all its parts;
 * - `not`: none of this;
 * - a function, in code: `true` or `false`.
 *
 * Where it forbids or asks, a rule matches widely (letter case and Unicode forms do not count); an `allow` exactly.
 */
export type ValueMatcher =
  | Scalar
  | readonly Scalar[]
  | { readonly path: string | readonly string[] }
  | { readonly host: string | readonly string[] }
  | { readonly command: readonly string[] | readonly (readonly string[])[] }
  | { readonly min?: number; readonly max?: number }
  | { readonly equals: unknown }
  | { readonly not: ValueMatcher }
  | ((value: unknown, request: PolicyRequest) => boolean);

export type ValueTest = (value: unknown, request: PolicyRequest) => Match;

/** Compiles a matcher; `at` names its place in the rule, for the message of a RuleError. */
export function valueTest(matcher: ValueMatcher, wide: boolean, at: string): ValueTest {
  if (typeof matcher === 'function') return (value, request) => matchOf(answer(matcher(value, request), at));
  if (isScalar(matcher)) return scalarTest([matcher], wide);
  if (Array.isArray(matcher)) {
    if (matcher.length === 0 || !matcher.every(isScalar))
      throw new RuleError(at, 'needs texts, numbers, booleans or null');
    return scalarTest(matcher, wide);
  }
  const entries = entriesOf(matcher, at);
  const [kind, operand] = entries[0] ?? ['', undefined];
  if (kind === 'min' || kind === 'max') return rangeTest(entries, at);
  if (entries.length !== 1)
    throw new RuleError(at, 'needs exactly one of path, host, command, equals, not, or min and max');
  switch (kind) {
    case 'path':
      return argumentPathTest(texts(operand, `${at}.path`), wide);
    case 'host':
      return hosts(operand, `${at}.host`);
    case 'command':
      return commandMatcher(textLists(operand, `${at}.command`), wide);
    case 'equals':
      return equalTest(operand, wide, `${at}.equals`);
    case 'not': {
      // What must not be so is tested the other way round, so that an `allow` stays narrow.
      const test = valueTest(operand as ValueMatcher, !wide, `${at}.not`);
      return (value, request) => not(test(value, request));
    }
    default:
      throw unknownMember(`${at}.${kind}`, kind, ['path', 'host', 'command', 'equals', 'min', 'max', 'not']);
  }
}

/** Host patterns as a test; a bad one is reported with its place. */
export function hosts(operand: unknown, at: string): (value: unknown) => Match {
  const patterns = texts(operand, at);
  try {
    return hostMatcher(patterns);
  } catch (error) {
    throw new RuleError(at, (error as Error).message);
  }
}

/** What a rule's own function said; anything but true or false is a fault of the rule. */
export function answer(said: unknown, at: string): boolean {
  if (typeof said !== 'boolean') throw new RuleError(at, 'is a function that gave neither true nor false');
  return said;
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function scalarTest(scalars: readonly Scalar[], wide: boolean): ValueTest {
  const fold = (value: unknown): unknown => (wide && typeof value === 'string' ? foldText(value) : value);
  const accepted = new Set(scalars.map(fold));
  // What is neither may stand for one of them, such as a Date, or a bigint.
  return (value) => (value === undefined || isScalar(value) ? matchOf(accepted.has(fold(value) as Scalar)) : 'unsure');
}

/** Whether a value is what JSON can say, so that another that is as well must look the same to be the same. */
function isJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isScalar(value);
  return (Array.isArray(value) || isPlainObject(value)) && Object.values(value).every(isJson);
}

function equalTest(operand: unknown, wide: boolean, at: string): ValueTest {
  const textOf = (value: unknown): string => (wide ? foldText(canonicalJson(value)) : canonicalJson(value));
  let wanted: string;
  let isWantedJson: boolean;
  try {
    wanted = textOf(operand);
    isWantedJson = isJson(operand);
  } catch (error) {
    throw new RuleError(at, `cannot be compared: ${(error as Error).message}`);
  }
  return (value) => {
    try {
      if (textOf(value) === wanted) return 'yes';
      return isWantedJson && !isJson(value) ? 'unsure' : 'no';
    } catch {
      return 'unsure';
    }
  };
}

function rangeTest(entries: readonly (readonly [string, unknown])[], at: string): ValueTest {
  const bounds = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };
  for (const [key, bound] of entries) {
    if (key !== 'min' && key !== 'max') throw new RuleError(`${at}.${key}`, 'does not go together with min and max');
    if (typeof bound !== 'number' || !Number.isFinite(bound)) throw new RuleError(`${at}.${key}`, 'needs a number');
    bounds[key] = bound;
  }
  if (bounds.min > bounds.max) throw new RuleError(at, 'has a min above its max, so it matches nothing');
  return (value) => {
    if ((typeof value !== 'number' && typeof value !== 'bigint') || Number.isNaN(value)) return 'unsure';
    return matchOf(value >= bounds.min && value <= bounds.max);
  };
}
