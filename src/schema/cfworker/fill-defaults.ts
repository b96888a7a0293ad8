import { isSchemaObject } from '../walk.ts';
import { longestName } from './convert.ts';
import type { Lookup } from './library.ts';

/** Schemas applied to values, in all. */
const mostSteps = 200_000;

/**
 * Fills the defaults of absent properties in on `value` itself, where the engine on Ajv does so: under `properties`,
 * `patternProperties`, `additionalProperties`, `items`, `allOf` and `$ref`; not in the branches of a choice or a condition, since it is not known
 * which of them will fit. It is done before anything is checked. Every call gets copies of its own. Throws a RangeError for a schema without end.
 */
export function fillDefaults(schema: object | boolean, value: unknown, lookup: Lookup): void {
  let steps = 0;

  function fill(inner: unknown, held: unknown): void {
    if (typeof held !== 'object' || held === null || !isSchemaObject(inner)) return;
    if (++steps > mostSteps) throw new RangeError('The schema does not come to an end.');
    const reference = inner['__absolute_ref__'];
    if (typeof reference === 'string') fill(lookup[reference], held);
    for (const part of inner.allOf ?? []) fill(part, held);
    if (Array.isArray(held)) fillItems(inner, held);
    else fillProperties(inner, held as Record<string, unknown>);
  }

  function fillProperties(inner: Readonly<Record<string, unknown>>, held: Record<string, unknown>): void {
    const known = isSchemaObject(inner['properties']) ? inner['properties'] : {};
    for (const [name, property] of Object.entries(known)) {
      if (!isSchemaObject(property)) continue;
      if (!Object.hasOwn(held, name) && property.default !== undefined) {
        // Not an assignment, which would follow `__proto__`.
        const copy = structuredClone(property.default);
        Object.defineProperty(held, name, { value: copy, writable: true, enumerable: true, configurable: true });
      }
      if (Object.hasOwn(held, name)) fill(property, held[name]);
    }
    fillOthers(inner, held, known);
  }

  function fillOthers(inner: Readonly<Record<string, unknown>>, held: Record<string, unknown>, known: object): void {
    const { patternProperties, additionalProperties: rest } = inner;
    if (!isSchemaObject(patternProperties) && !isSchemaObject(rest)) return;
    const patterns = Object.entries(isSchemaObject(patternProperties) ? patternProperties : {}).map(
      ([pattern, schema]) => ({ pattern: new RegExp(pattern, 'u'), schema }),
    );
    for (const name of Object.keys(held)) {
      // A longer one is about to be refused.
      if (name.length > longestName) continue;
      const matching = patterns.filter(({ pattern }) => pattern.test(name));
      for (const { schema } of matching) fill(schema, held[name]);
      if (matching.length === 0 && !Object.hasOwn(known, name)) fill(rest, held[name]);
    }
  }

  function fillItems(inner: Readonly<Record<string, unknown>>, held: unknown[]): void {
    const { items, prefixItems } = inner;
    const leading: readonly unknown[] = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : [];
    for (const [index, item] of leading.entries()) {
      if (index === held.length && Array.isArray(items) && isSchemaObject(item) && item.default !== undefined) {
        held.push(structuredClone(item.default));
      }
      fill(item, held[index]);
    }
    if (isSchemaObject(items)) for (const item of held.slice(leading.length)) fill(items, item);
  }

  fill(schema, value);
}
