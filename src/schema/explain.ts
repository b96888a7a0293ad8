import type { ErrorObject as AjvError } from 'ajv';
import { subjectOf } from './branches.ts';
import { describeValue, listed, literal } from './describe.ts';
import { findInFlat } from './find-in-flat.ts';
import { most, violationsOf } from './find-violations.ts';
import type { JsonSchema } from './json-schema.ts';
import { type Plan, Plans } from './plan.ts';
import { pointerStep, valueAt } from './pointer.ts';
import type { Violation } from './violation.ts';

/** What an engine says of a fault, in Ajv's words. */
export type ErrorObject = Pick<AjvError, 'instancePath' | 'keyword' | 'params' | 'message'>;

const examples: ReadonlyMap<string, string> = new Map([
  ['date', '2024-05-31'],
  ['time', '09:30:00Z'],
  ['date-time', '2024-05-31T09:30:00Z'],
  ['duration', 'PT1H30M'],
  ['email', 'name@example.com'],
  ['uri', 'https://example.com/page'],
  ['uuid', '123e4567-e89b-12d3-a456-426614174000'],
  ['ipv4', '192.0.2.1'],
]);

/**
 * Says what is wrong with values that Ajv refused by a schema. Ajv stops at the first error, which keeps hostile input
 * cheap; so its one decisive error is joined by what a bounded search of our own finds beside it. Errors of Ajv carry
 * parts of the schema and are never handed on as they are.
 */
export class Explainer {
  readonly #plans: Plans;
  readonly #plan: Plan | undefined;

  constructor(schema: JsonSchema) {
    this.#plans = new Plans(schema);
    this.#plan = this.#plans.of(schema);
  }

  explain(value: unknown, errors: readonly ErrorObject[]): readonly Violation[] {
    try {
      const all = findInFlat(this.#plan, value);
      if (all !== undefined) return all;
      const found = violationsOf(this.#plan, this.#plans, value);
      const decisive = decisiveError(errors);
      if (decisive === undefined) return found.length > 0 ? found : [uncheckable(value)];
      if (anyCovers(found, decisive)) return found;
      return [violationOf(decisive, value), ...found].slice(0, most);
    } catch {
      return [uncheckable(value)];
    }
  }
}

/** Ajv adds the error of an outer keyword after those of the schemas inside it, so the last one decides. */
function decisiveError(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const last = errors.at(-1);
  // `if` and `propertyNames` only repeat that something inside did not fit.
  const repeats = last?.keyword === 'if' || last?.keyword === 'propertyNames';
  return (repeats && errors.at(-2)) || last;
}

function anyCovers(found: readonly Violation[], error: ErrorObject): boolean {
  for (let at = 0; at < found.length; at++) if (covers(found[at] as Violation, error)) return true;
  return false;
}

function covers(violation: Violation, error: ErrorObject): boolean {
  const pointer = pointerOf(error);
  // What was found at the place or below it explains the refusal of the whole.
  return violation.pointer === pointer || (isComposite(error) && violation.pointer.startsWith(`${pointer}/`));
}

function isComposite({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function pointerOf({ keyword, instancePath, params }: ErrorObject): string {
  // Asked first because it is the usual one, and has nothing more to say.
  if (keyword === 'type') return instancePath;
  const property: unknown = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  return typeof property === 'string' ? instancePath + pointerStep(property) : instancePath;
}

function violationOf(error: ErrorObject, root: unknown): Violation {
  const pointer = pointerOf(error);
  const value = valueAt(root, pointer);
  const { expected, what } = phrase(error);
  const received = describeValue(value);
  const shown = value === undefined || value === root ? '' : ` (got ${received})`;
  return {
    pointer,
    keyword: error.keyword,
    expected,
    received,
    message: `${subjectOf(pointer)} ${what}${shown}`,
  };
}

function phrase({ keyword, params, message }: ErrorObject): { expected: string; what: string } {
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return { expected: 'a value', what: 'is required' };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return { expected: 'no such property', what: 'is not a known property' };
    case 'false schema':
      return { expected: 'nothing', what: 'is not allowed here' };
    case 'const': {
      const wanted = literal(params['allowedValue']);
      return { expected: wanted, what: `must be ${wanted}` };
    }
    case 'enum': {
      const allowed: unknown = params['allowedValues'];
      const wanted = `one of ${Array.isArray(allowed) ? listed(allowed.map(literal)) : 'the allowed values'}`;
      return { expected: wanted, what: `must be ${wanted}` };
    }
    case 'anyOf':
      return { expected: 'one of the allowed forms', what: 'fits none of its allowed forms' };
    case 'oneOf': {
      const both: unknown = params['passingSchemas'];
      if (!Array.isArray(both)) return { expected: 'one of the allowed forms', what: 'fits none of its allowed forms' };
      return {
        expected: 'exactly one form',
        what: 'fits more than one of its allowed forms, where exactly one must fit',
      };
    }
    case 'format': {
      const name = String(params['format']);
      const example = examples.get(name);
      const wanted = `format "${name}"${example === undefined ? '' : `, such as ${example}`}`;
      return { expected: wanted, what: `must match ${wanted}` };
    }
    case 'not':
      return { expected: 'something else', what: 'is of a form that is not allowed' };
    default: {
      const what = message ?? `does not fit "${keyword}"`;
      return { expected: what.replace(/^must /, ''), what };
    }
  }
}

function uncheckable(value: unknown): Violation {
  return {
    pointer: '',
    keyword: 'schema',
    expected: 'a value that can be checked',
    received: typeof value,
    message: 'the value could not be checked to the end',
  };
}
