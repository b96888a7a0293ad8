import { withSlashes } from '../basics/slashes.ts';
import type { Effect } from '../types.ts';
import { mayWalk, relativePathsOf } from './argument-paths.ts';
import { commandMatcher } from './commands.ts';
import { every, type Match, matchOf, some } from './match.ts';
import { answer, hosts } from './matchers.ts';
import { isAnchored, pathMatcher } from './paths.ts';
import type { PolicyRequest } from './policy.ts';
import { entriesOf, RuleError, textLists, texts, unknownMember } from './shape.ts';

/** What a rule can say of one effect; every condition that is given must hold. */
export interface EffectMatcher {
  readonly kind?: Effect['kind'] | readonly Effect['kind'][];
  /** Globs on the absolute, canonical path of `fs.read` and `fs.write`. Where it forbids or asks, `src/**` will do. */
  readonly path?: string | readonly string[];
  /** `example.com` or `*.example.com`, for `net`. */
  readonly host?: string | readonly string[];
  readonly port?: number | readonly number[];
  /** The first words of an `exec`, `["git", "log"]`, or several of these. */
  readonly command?: readonly string[] | readonly (readonly string[])[];
}

export type EffectCondition =
  | EffectMatcher
  | readonly EffectMatcher[]
  | ((effect: Effect, request: PolicyRequest) => boolean);

type EffectTest = (effect: Effect, request: PolicyRequest) => Match;

/**
 * Compiles a rule's condition on effects. An `allow` needs every effect of the call to be covered, and at least one;
 * with `wide` one effect that matches is enough.
 */
export function effectsTest(condition: EffectCondition, wide: boolean, at: string): (request: PolicyRequest) => Match {
  const test = conditionTest(condition, wide, at);
  return (request) => {
    if (request.effects.length === 0) return 'no';
    const matches = request.effects.map((effect) => test(effect, request));
    return wide ? some(matches) : every(matches);
  };
}

function conditionTest(condition: EffectCondition, wide: boolean, at: string): EffectTest {
  if (typeof condition === 'function') return (effect, request) => matchOf(answer(condition(effect, request), at));
  if (!Array.isArray(condition)) return matcherTest(condition as EffectMatcher, wide, at);
  if (condition.length === 0) throw new RuleError(at, 'is an empty list, so it matches nothing');
  const tests = condition.map((matcher: EffectMatcher, index) => matcherTest(matcher, wide, `${at}[${index}]`));
  return (effect, request) => some(tests.map((test) => test(effect, request)));
}

const kinds: ReadonlySet<string> = new Set<Effect['kind']>(['fs.read', 'fs.write', 'net', 'exec']);

function matcherTest(matcher: EffectMatcher, wide: boolean, at: string): EffectTest {
  const tests = entriesOf(matcher, at).map(([key, operand]) => memberTest(key, operand, wide, `${at}.${key}`));
  return (effect, request) => every(tests.map((test) => test(effect, request)));
}

function memberTest(key: string, operand: unknown, wide: boolean, at: string): EffectTest {
  switch (key) {
    case 'kind': {
      const wanted = new Set(texts(operand, at));
      for (const kind of wanted) {
        if (!kinds.has(kind)) throw new RuleError(at, `has "${kind}"; expected one of ${[...kinds].join(', ')}`);
      }
      return (effect) => matchOf(wanted.has(effect.kind));
    }
    case 'path': {
      const globs = texts(operand, at);
      if (!wide && !globs.every(isAnchored)) {
        throw new RuleError(at, 'must begin with / or **/ to allow anything, for effects hold absolute paths');
      }
      const test = pathMatcher(globs, wide);
      const isRelative = !globs.every(isAnchored);
      return (effect, request) => {
        if (!('path' in effect)) return 'no';
        const walks = wide && mayWalk(request);
        const match = test(withSlashes(effect.path), walks);
        if (match !== 'no' || !isRelative || !walks) return match;
        // A glob that is relative to a root does not tell what lies above it; the argument, which is relative too, does.
        return some(relativePathsOf(effect, request).map((path) => test(path)));
      };
    }
    case 'host': {
      const test = hosts(operand, at);
      return (effect) => ('host' in effect ? test(effect.host) : 'no');
    }
    case 'port': {
      const ports: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
      if (ports.length === 0 || !ports.every(Number.isInteger))
        throw new RuleError(at, 'needs a port, or a list of them');
      return (effect) => matchOf('port' in effect && ports.includes(effect.port));
    }
    case 'command': {
      const test = commandMatcher(textLists(operand, at), wide);
      return (effect) => ('argv' in effect ? test(effect.argv) : 'no');
    }
    default:
      throw unknownMember(at, key, ['kind', 'path', 'host', 'port', 'command']);
  }
}
