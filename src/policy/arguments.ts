import { lacks, valuesAt } from '../definition/argument-places.ts';
import { every, type Match, some } from './match.ts';
import { type ValueMatcher, type ValueTest, valueTest } from './matchers.ts';
import type { PolicyRequest } from './policy.ts';
import { entriesOf, RuleError } from './shape.ts';
import { pathOf } from './values.ts';

/** Matchers by argument: a property name, or a JSON pointer with `*` for every item of an array. */
export interface ArgumentMatchers {
  readonly [argument: string]: ValueMatcher;
}

/**
 * Compiles a rule's conditions on arguments; all must hold. Where a pointer reaches several values, an `allow` needs
 * every one of them to match and, with `wide`, one is enough. An argument that is absent does not match; of one that is of
 * another form than the pointer says, such as a text for a list or a Map for an object, nobody can be sure.
 */
export function argumentsTest(
  matchers: ArgumentMatchers,
  wide: boolean,
  at: string,
): (request: PolicyRequest) => Match {
  const tests = entriesOf(matchers, at).map(([argument, matcher]) => {
    const place = `${at}.${argument}`;
    const path = pathOf(argument, place);
    // An `allow` means the argument of that name. One that forbids would be thought to mean all of them.
    if (wide && path[0] === '*') throw new RuleError(place, 'means no argument: they are no list; name each of them');
    const test = valueTest(matcher as ValueMatcher, wide, place);
    const [name] = path;
    if (path.length === 1 && name !== undefined) return propertyTest(name, test);
    return (request: PolicyRequest): Match => {
      const unread: unknown[] = [];
      const matches = valuesAt(request.arguments, path, unread).map((value) => test(value, request));
      if (unread.length > 0) matches.push('unsure');
      if (matches.length === 0) return 'no';
      return wide ? some(matches) : every(matches);
    };
  });
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return only;
  return (request) => every(tests.map((test) => test(request)));
}

/** The usual case, without making lists. */
function propertyTest(name: string, test: ValueTest): (request: PolicyRequest) => Match {
  return (request) => {
    const args = request.arguments;
    if (typeof args === 'object' && args !== null && Object.hasOwn(args, name)) {
      return test((args as Record<string, unknown>)[name], request);
    }
    return lacks(args, name) ? 'no' : 'unsure';
  };
}
