import { nearest } from '../nearest.ts';
import { ofNoBranch, subjectOf } from './branches.ts';
import { describeValue, listed, literal } from './describe.ts';
import type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
import { pointerStep, valueAt } from './pointer.ts';
import { encodedHint, fitsType, typesOf } from './types-of.ts';
import type { Violation } from './violation.ts';
import { isSchemaObject } from './walk.ts';

const most = 10;
/** Schemas applied to values, in all: an explanation must not cost more than the call. */
const mostSteps = 2_000;
const deepest = 64;

/**
 * Looks for the violations that a model can mend best: wrong types, missing and unknown properties, values outside an
 * enumeration or a range. It is for explaining, never for deciding: what it does not know (patterns, formats,
 * conditions) it passes over, so finding nothing means nothing. Whatever it finds, a validator refuses too.
 * References are looked up in `root`.
 */
export function findViolations(schema: JsonSchema, value: unknown, root: JsonSchema = schema): Violation[] {
  const search = new Search(root);
  search.apply(schema, value, '', 0, false);
  return search.found;
}

class Search {
  readonly found: Violation[] = [];
  readonly #root: JsonSchema;
  #steps = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  apply(schema: unknown, value: unknown, pointer: string, depth: number, optional: boolean): void {
    if (++this.#steps > mostSteps || depth > deepest || this.found.length >= most) return;
    if (schema === false) this.#add(pointer, 'false', 'nothing', value, 'is not allowed here');
    if (!isSchemaObject(schema)) return;
    // A schema with an identity of its own changes what references mean; that is the validator's business.
    if (depth > 0 && typeof schema.$id === 'string') return;
    if (typeof schema.$ref === 'string') {
      this.apply(resolveLocal(this.#root, schema.$ref), value, pointer, depth + 1, optional);
    }
    if (!fitsType(schema, value)) {
      this.#wrongType(schema, value, pointer, optional);
      return;
    }
    this.#literals(schema, value, pointer);
    if (typeof value === 'number') this.#range(schema, value, pointer);
    else if (typeof value === 'string') this.#length(schema, value, pointer);
    else if (Array.isArray(value)) this.#items(schema, value, pointer, depth);
    else if (isSchemaObject(value)) this.#properties(schema, value, pointer, depth);
    if (Array.isArray(schema.allOf)) {
      for (const part of schema.allOf) this.apply(part, value, pointer, depth + 1, optional);
    }
    this.#branches(schema, 'anyOf', value, pointer, depth);
    this.#branches(schema, 'oneOf', value, pointer, depth);
  }

  #wrongType(schema: JsonSchemaObject, value: unknown, pointer: string, optional: boolean): void {
    const expected = typesOf(schema).join(' or ');
    const isEmpty = value === null && optional;
    const hint = isEmpty ? '; leave it out if it has no value' : encodedHint(value, expected);
    this.#add(pointer, 'type', expected, value, `must be ${expected} (got ${describeValue(value)})${hint}`);
  }

  #literals(schema: JsonSchemaObject, value: unknown, pointer: string): void {
    const isScalar = typeof value !== 'object' || value === null;
    const allowed = 'const' in schema ? [schema.const] : schema.enum;
    if (!isScalar || !Array.isArray(allowed) || allowed.includes(value)) return;
    const keyword = 'const' in schema ? 'const' : 'enum';
    const names = allowed.filter((one): one is string => typeof one === 'string');
    const [near] = typeof value === 'string' && allowed.length > most ? nearest(value, names, 1) : [];
    const choice = allowed.length === 1 ? literal(allowed[0]) : `one of ${listed(allowed.map(literal))}`;
    const hint = near === undefined ? '' : `; did you mean ${literal(near)}?`;
    this.#add(pointer, keyword, choice, value, `must be ${choice} (got ${describeValue(value)})${hint}`);
  }

  #range(schema: JsonSchemaObject, value: number, pointer: string): void {
    const limits: [string, string, (limit: number) => boolean][] = [
      ['minimum', 'at least', (limit) => value >= limit],
      ['maximum', 'at most', (limit) => value <= limit],
      ['exclusiveMinimum', 'more than', (limit) => value > limit],
      ['exclusiveMaximum', 'less than', (limit) => value < limit],
    ];
    for (const [keyword, words, holds] of limits) {
      const limit = schema[keyword];
      if (typeof limit !== 'number' || holds(limit)) continue;
      this.#add(
        pointer,
        keyword,
        `${words} ${limit}`,
        value,
        `must be ${words} ${limit} (got ${describeValue(value)})`,
      );
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
      this.apply(index < leading.length ? leading[index] : rest, item, `${pointer}/${index}`, depth + 1, false);
    }
  }

  #properties(
    schema: JsonSchemaObject,
    value: Readonly<Record<string, unknown>>,
    pointer: string,
    depth: number,
  ): void {
    const known = isSchemaObject(schema.properties) ? schema.properties : {};
    const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
    for (const name of required) {
      if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
      const wanted = Object.hasOwn(known, name) && isSchemaObject(known[name]) ? typesOf(known[name]).join(' or ') : '';
      this.#add(pointer + pointerStep(name), 'required', wanted || 'a value', undefined, 'is required');
    }
    for (const [name, item] of Object.entries(value)) {
      if (Object.hasOwn(known, name)) {
        this.apply(known[name], item, pointer + pointerStep(name), depth + 1, !required.includes(name));
      } else if (schema['patternProperties'] === undefined) {
        if (schema.additionalProperties === false) this.#unknown(name, Object.keys(known), item, pointer);
        else this.apply(schema.additionalProperties, item, pointer + pointerStep(name), depth + 1, false);
      }
    }
  }

  #unknown(name: string, known: readonly string[], item: unknown, pointer: string): void {
    // Names of one or two letters are all alike.
    const [near] = name.length > 2 ? nearest(name, known, 1) : [];
    const hint =
      near !== undefined ? `; did you mean "${near}"?` : known.length > 0 ? `; known are ${listed(known)}` : '';
    this.#add(
      pointer + pointerStep(name.slice(0, 80)),
      'additionalProperties',
      'no such property',
      item,
      `is not a known property${hint}`,
    );
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
      const search = new Search(this.#root);
      search.#steps = this.#steps;
      search.apply(branch, value, pointer, depth + 1, false);
      this.#steps = search.#steps;
      // A branch without a fault that this search knows of: the validator has to say what is wrong.
      if (search.found.length === 0) return;
      faults.push(search.found);
    }
    for (const violation of ofNoBranch(keyword, faults, value, pointer)) {
      if (this.found.length < most) this.found.push(violation);
    }
  }

  #add(pointer: string, keyword: string, expected: string, received: unknown, what: string): void {
    if (this.found.length >= most) return;
    const message = `${subjectOf(pointer)} ${what}`;
    this.found.push({ pointer, keyword, expected, received: describeValue(received), message });
  }
}

function amount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function resolveLocal(root: JsonSchema, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  try {
    return valueAt(root, decodeURIComponent(reference.slice(1)));
  } catch {
    return undefined;
  }
}
