import { didYouMean, inQuotes } from '../basics/nearest.ts';
import { isHarmless } from '../output/harmless.ts';
import { ofNoBranch, subjectOf } from './branches.ts';
import { describeValue, isShownHarmless, listed, literal } from './describe.ts';
import type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
import { type Bound, type Choice, type Plan, Plans, type Property } from './plan.ts';
import { pointerStep } from './pointer.ts';
import { encodedHint } from './types-of.ts';
import { Finding, type Violation } from './violation.ts';
import { isSchemaObject } from './walk.ts';

/** Violations that are told of one value. */
export const most = 10;
/** Schemas applied to values, in all: an explanation must not cost more than the call. */
const mostSteps = 2_000;
const deepest = 64;
// Inside `for in`, V8 knows what this will say; of `Object.hasOwn` it does not.
const isOwn = Object.prototype.hasOwnProperty;

/**
 * Looks for the violations that a model can mend best: wrong types, missing and unknown properties, values outside an
 * enumeration or a range. It is for explaining, never for deciding: what it does not know (patterns, formats,
 * conditions) it passes over, so finding nothing means nothing. Whatever it finds, a validator refuses too.
 * References are looked up in `root`.
 */
export function findViolations(schema: JsonSchema, value: unknown, root: JsonSchema = schema): readonly Violation[] {
  const plans = new Plans(root);
  return violationsOf(plans.of(schema), plans, value);
}

/** As {@link findViolations}, by a plan of the schema and those of the root, kept from an earlier search. */
export function violationsOf(plan: Plan | undefined, plans: Plans, value: unknown): readonly Violation[] {
  const search = new Search(plans);
  search.apply(plan, value, '', 0);
  return search.found;
}

class Search {
  found: Violation[] = [];
  readonly #plans: Plans;
  #steps = 0;

  constructor(plans: Plans) {
    this.#plans = plans;
  }

  apply(plan: Plan | undefined, value: unknown, pointer: string, depth: number, property?: Property): void {
    if (++this.#steps > mostSteps || depth > deepest || this.found.length >= most || plan === undefined) return;
    const { schema } = plan;
    if (typeof schema === 'boolean') {
      this.#add(pointer, 'false', 'nothing', value, 'is not allowed here');
      return;
    }
    // A schema with an identity of its own changes what references mean; that is the validator's business.
    if (plan.hasId && depth > 0) return;
    if (plan.hasReference) this.apply(plan.target, value, pointer, depth + 1, property);
    if (!plan.allows(value)) {
      this.#keep(wrongType(plan, value, pointer, property));
      return;
    }
    if (plan.choice !== undefined) this.#literals(plan.choice, value, pointer);
    if (typeof value === 'number') {
      if (plan.bounds.length > 0) this.#range(plan.bounds, value, pointer);
    } else if (typeof value === 'string') this.#length(schema, value, pointer);
    else if (Array.isArray(value)) this.#items(schema, value, pointer, depth);
    else if (isSchemaObject(value)) this.#properties(plan, value, pointer, depth);
    if (!plan.hasParts) return;
    if (Array.isArray(schema.allOf)) {
      for (const part of schema.allOf) this.apply(this.#plans.of(part), value, pointer, depth + 1, property);
    }
    this.#branches(schema, 'anyOf', value, pointer, depth);
    this.#branches(schema, 'oneOf', value, pointer, depth);
  }

  #literals({ keyword, allowed }: Choice, value: unknown, pointer: string): void {
    const isScalar = typeof value !== 'object' || value === null;
    if (!isScalar || allowed.includes(value)) return;
    const names = allowed.filter((one): one is string => typeof one === 'string');
    const choice = allowed.length === 1 ? literal(allowed[0]) : `one of ${listed(allowed.map(literal))}`;
    const isLong = typeof value === 'string' && allowed.length > most;
    const hint = isLong ? didYouMean(value, names, 'aside', literal) : '';
    this.#add(pointer, keyword, choice, value, `must be ${choice} (got `, `)${hint}`);
  }

  #range(bounds: readonly Bound[], value: number, pointer: string): void {
    for (const { keyword, words, holds } of bounds) {
      if (!holds(value)) this.#add(pointer, keyword, words, value, `must be ${words} (got `, ')');
    }
  }

  #length(schema: JsonSchemaObject, value: string, pointer: string): void {
    const { minLength, maxLength } = schema;
    if (typeof minLength !== 'number' && typeof maxLength !== 'number') return;
    let length = 0;
    for (const _ of value) length++;
    this.#count(pointer, 'Length', 'character', length, minLength, maxLength, value);
  }

  #items(schema: JsonSchemaObject, value: readonly unknown[], pointer: string, depth: number): void {
    this.#count(pointer, 'Items', 'item', value.length, schema['minItems'], schema['maxItems'], value);
    const { items } = schema;
    const leading = Array.isArray(schema.prefixItems) ? schema.prefixItems : Array.isArray(items) ? items : [];
    const rest: unknown = Array.isArray(items) ? schema['additionalItems'] : items;
    for (const [index, item] of value.entries()) {
      if (this.found.length >= most || this.#steps > mostSteps) return;
      const plan = this.#plans.of(index < leading.length ? leading[index] : rest);
      this.apply(plan, item, `${pointer}/${index}`, depth + 1);
    }
  }

  #properties(plan: Plan, value: Readonly<Record<string, unknown>>, pointer: string, depth: number): void {
    const { properties, required } = plan;
    // By index: an iterator would weigh more than all else here, and mostly nothing is missing.
    for (let at = 0; at < required.length; at++) {
      if (isOwn.call(value, (required[at] as Property).name)) continue;
      this.#keep(missing(required[at] as Property, pointer));
    }
    const { patternProperties, additionalProperties } = plan.schema as JsonSchemaObject;
    for (const name in value) {
      if (!isOwn.call(value, name)) continue;
      const known = properties.get(name);
      if (known !== undefined) {
        this.apply(known.plan, value[name], pointer + known.step, depth + 1, known);
      } else if (patternProperties !== undefined) {
        // What a pattern allows is the validator's business.
      } else if (additionalProperties === false) {
        this.#unknown(name, [...properties.keys()], value[name], pointer);
      } else {
        this.apply(this.#plans.of(additionalProperties), value[name], pointer + pointerStep(name), depth + 1);
      }
    }
  }

  #unknown(name: string, known: readonly string[], item: unknown, pointer: string): void {
    // Names of one or two letters are all alike.
    const near = name.length > 2 ? didYouMean(name, known, 'aside', inQuotes) : '';
    const hint = near !== '' || known.length === 0 ? near : `; known are ${listed(known)}`;
    const at = pointer + pointerStep(name.slice(0, 80));
    this.#add(at, 'additionalProperties', 'no such property', item, `is not a known property${hint}`);
  }

  #count(
    pointer: string,
    suffix: string,
    unit: string,
    count: number,
    least: unknown,
    greatest: unknown,
    value: unknown,
  ): void {
    const found = `(got ${count})`;
    if (typeof least === 'number' && count < least) {
      const expected = `at least ${amount(least, unit)}`;
      this.#add(pointer, `min${suffix}`, expected, value, `must have ${expected} ${found}`);
    }
    if (typeof greatest === 'number' && count > greatest) {
      const expected = `at most ${amount(greatest, unit)}`;
      this.#add(pointer, `max${suffix}`, expected, value, `must have ${expected} ${found}`);
    }
  }

  /** One violation for a choice of which no branch fits, however many branches there are. */
  #branches(
    schema: JsonSchemaObject,
    keyword: 'anyOf' | 'oneOf',
    value: unknown,
    pointer: string,
    depth: number,
  ): void {
    const branches: unknown = schema[keyword];
    if (!Array.isArray(branches) || branches.length === 0) return;
    const faults: (readonly Violation[])[] = [];
    for (const branch of branches as JsonSchema[]) {
      const search = new Search(this.#plans);
      search.#steps = this.#steps;
      search.apply(this.#plans.of(branch), value, pointer, depth + 1);
      this.#steps = search.#steps;
      // A branch without a fault that this search knows of: the validator has to say what is wrong.
      if (search.found.length === 0) return;
      faults.push(search.found);
    }
    for (const violation of ofNoBranch(keyword, faults, value, pointer)) this.#keep(violation);
  }

  #add(pointer: string, keyword: string, expected: string, value: unknown, what: string, end?: string): void {
    this.#keep(finding(pointer, keyword, expected, value, what, end));
  }

  #keep(violation: Violation): void {
    // Mostly there is one, and an empty list that gets its first item makes room for seventeen.
    if (this.found.length === 0) this.found = [violation];
    else if (this.found.length < most) this.found.push(violation);
  }
}

/** The violation of a value that is of none of the types that a plan names. */
export function wrongType(plan: Plan, value: unknown, pointer: string, property: Property | undefined): Violation {
  const { expected } = plan;
  const isEmpty = value === null && property !== undefined && !property.required;
  const hint = isEmpty ? '; leave it out if it has no value' : plan.isNested ? encodedHint(value, expected) : '';
  const end = hint === '' ? ')' : `)${hint}`;
  return property?.plan === plan && property.step === pointer
    ? said(pointer, 'type', expected, value, property.wrongType, property.isHarmless, end)
    : finding(pointer, 'type', expected, value, plan.wrongType, end);
}

/** The violation of an object, at a pointer, that lacks a property. */
export function missing({ step, plan, missing, isHarmless }: Property, pointer: string): Violation {
  const expected = plan?.expected || 'a value';
  return pointer === ''
    ? said(step, 'required', expected, undefined, missing, isHarmless)
    : finding(pointer + step, 'required', expected, undefined, 'is required');
}

/** The message shows what was there when it has an `end`: between `what` and that. */
function finding(
  pointer: string,
  keyword: string,
  expected: string,
  value: unknown,
  what: string,
  end?: string,
): Violation {
  const begin = `${subjectOf(pointer)} ${what}`;
  return said(pointer, keyword, expected, value, begin, isHarmless(begin), end);
}

function said(
  pointer: string,
  keyword: string,
  expected: string,
  value: unknown,
  begin: string,
  beginIsHarmless: boolean,
  end?: string,
): Violation {
  const received = describeValue(value);
  if (end === undefined) return new Finding({ pointer, keyword, expected, received, message: begin }, beginIsHarmless);
  // A space stands before what is shown, and a bracket after it.
  const isWhole = beginIsHarmless && (end === ')' || isHarmless(end)) && isShownHarmless(value, received);
  return new Finding({ pointer, keyword, expected, received, message: begin + received + end }, isWhole);
}

function amount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
