import { pointerNames } from '../schema/pointer.ts';
import { every, type Match, some } from './match.ts';
import { type ValueMatcher, type ValueTest, valueTest } from './matchers.ts';
import type { PolicyRequest } from './policy.ts';
import { entriesOf, RuleError } from './shape.ts';

/** Matchers by argument: a property name, or a JSON pointer with `*` for every item of an array. */
export interface ArgumentMatchers {
  readonly [argument: string]: ValueMatcher;
}

/**
 * Compiles a rule's conditions on arguments; all must hold. Where a pointer reaches several values, an `allow` needs
 * every one of them to match and, with `wide`, one is enough. An argument that is absent does not match.
 */
export function argumentsTest(
  matchers: ArgumentMatchers,
  wide: boolean,
  at: string,
): (request: PolicyRequest) => Match {
  const tests = entriesOf(matchers, at).map(([argument, matcher]) => {
    const place = `${at}.${argument}`;
    const path = pathOf(argument, place);
    const test = valueTest(matcher as ValueMatcher, wide, place);
    const [name] = path;
    if (path.length === 1 && name !== undefined) return propertyTest(name, test);
    return (request: PolicyRequest): Match => {
      const values = valuesAt(request.arguments, path);
      if (values.length === 0) return 'no';
      const matches = values.map((value) => test(value, request));
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
    if (typeof args !== 'object' || args === null || !Object.hasOwn(args, name)) return 'no';
    return test((args as Record<string, unknown>)[name], request);
  };
}

/** A property name or a JSON pointer as the names of its parts. */
export function pathOf(argument: string, at = 'The argument'): readonly string[] {
  if (argument === '') throw new RuleError(at, 'needs the name of an argument, or a JSON pointer');
  return argument.startsWith('/') ? pointerNames(argument) : [argument];
}

/** The values that a path reaches; `*` is every item of an array. */
export function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  let values: readonly unknown[] = [value];
  for (const part of path) {
    values = values.flatMap((holder) => {
      if (typeof holder !== 'object' || holder === null) return [];
      if (part === '*' && Array.isArray(holder)) return holder;
      return Object.hasOwn(holder, part) ? [(holder as Record<string, unknown>)[part]] : [];
    });
  }
  return values;
}
