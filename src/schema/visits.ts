import type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
import { valueAt } from './pointer.ts';
import { eachSchema, isSchemaObject, someSchema } from './walk.ts';

/** How often each schema looks at one place of a value. */
type Counts = Map<JsonSchemaObject, number>;

/** Schemas that look at the same place follow one another at most so often; what goes on longer is a circle. */
const longestChain = 1_000;
/** Kinds of places that are told apart; a schema with more of them is taken to look too often. */
const mostPlaces = 50_000;

/**
 * Whether some value, of at most `deepest` levels, has a place that a validator would look at more than `most` times. A
 * few lines of references that fork again and again come to billions. Counts every branch, as if none failed early, so
 * that what is not found here is known to be bounded.
 */
export function looksTooOften(root: JsonSchemaObject, deepest: number, most: number): boolean {
  // Without references it is a tree, and no larger than it was written.
  if (!someSchema(root, refers)) return false;
  const follow = references(root);
  const keyOf = keys();
  const known = new Set<string>();
  let level: readonly Counts[] = [new Map([[root, 1]])];
  for (let depth = 0; depth <= deepest && level.length > 0; depth++) {
    const next: Counts[] = [];
    for (const begun of level) {
      const key = keyOf(begun);
      if (known.has(key)) continue;
      known.add(key);
      const here = withTheirOwn(begun, follow, most);
      if (here === undefined || known.size > mostPlaces) return true;
      for (const place of below(here)) next.push(place);
    }
    level = next;
  }
  return false;
}

function refers({ $ref, $dynamicRef, $recursiveRef }: JsonSchemaObject): boolean {
  return $ref !== undefined || $dynamicRef !== undefined || $recursiveRef !== undefined;
}

/** One text for each kind of place. */
function keys(): (counts: Counts) => string {
  const numbers = new Map<JsonSchemaObject, number>();
  return (counts) => {
    const parts = [...counts].map(([schema, count]) => {
      const number = numbers.get(schema) ?? numbers.size;
      numbers.set(schema, number);
      return `${number}x${count}`;
    });
    return parts.sort().join();
  };
}

/** With the schemas that these apply to the same place; `undefined` when it is too often. */
function withTheirOwn(
  begun: Counts,
  follow: (schema: JsonSchemaObject) => readonly JsonSchema[],
  most: number,
): Counts | undefined {
  const all: Counts = new Map();
  let total = 0;
  let now = begun;
  for (let step = 0; now.size > 0 && step < longestChain; step++) {
    const next: Counts = new Map();
    for (const [schema, count] of now) {
      add(all, schema, count);
      total += count;
      for (const inner of inPlace(schema)) add(next, inner, count);
      for (const inner of follow(schema)) add(next, inner, count);
    }
    if (total > most) return undefined;
    now = next;
  }
  return all;
}

function inPlace(schema: JsonSchemaObject): readonly unknown[] {
  const { allOf, anyOf, oneOf, not, if: condition, then, else: otherwise, dependentSchemas, dependencies } = schema;
  return [
    ...[allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : [])),
    ...[not, condition, then, otherwise],
    ...[dependentSchemas, dependencies].flatMap((map) => (isSchemaObject(map) ? Object.values(map) : [])),
  ];
}

/** The places a level deeper: for each name, for all other names, and in a list. */
function below(here: Counts): readonly Counts[] {
  const byName = new Map<string, Counts>();
  const anyName: Counts = new Map();
  const items: Counts = new Map();
  for (const [schema, count] of here) {
    const { properties, patternProperties } = schema;
    for (const [name, inner] of Object.entries(isSchemaObject(properties) ? properties : {})) {
      const counts: Counts = byName.get(name) ?? new Map();
      byName.set(name, counts);
      add(counts, inner, count);
    }
    for (const inner of Object.values(isSchemaObject(patternProperties) ? patternProperties : {})) {
      add(anyName, inner, count);
    }
    for (const keyword of ofAnyName) add(anyName, schema[keyword], count);
    for (const keyword of ofItems) for (const inner of [schema[keyword]].flat()) add(items, inner, count);
  }
  for (const counts of byName.values()) for (const [schema, count] of anyName) add(counts, schema, count);
  return [...byName.values(), anyName, items].filter(({ size }) => size > 0);
}

const ofAnyName = ['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'contentSchema'];
const ofItems = ['items', 'prefixItems', 'additionalItems', 'contains', 'unevaluatedItems'];

function add(counts: Counts, schema: unknown, count: number): void {
  if (isSchemaObject(schema)) counts.set(schema, (counts.get(schema) ?? 0) + count);
}

/** What a schema's references may lead to; where that depends on `$id`, all that it could be. */
function references(root: JsonSchemaObject): (schema: JsonSchemaObject) => readonly JsonSchema[] {
  const documents: JsonSchemaObject[] = [root];
  const anchors = new Map<string, JsonSchemaObject[]>();
  eachSchema(root, (schema) => {
    const { $id, $anchor, $dynamicAnchor } = schema;
    if (schema !== root && typeof $id === 'string') documents.push(schema);
    const own = [$anchor, $dynamicAnchor, typeof $id === 'string' && $id.startsWith('#') ? $id.slice(1) : undefined];
    for (const anchor of own) {
      if (typeof anchor === 'string') anchors.set(anchor, [...(anchors.get(anchor) ?? []), schema]);
    }
  });
  const targets = new Map<string, readonly JsonSchema[]>();
  const find = (reference: string): readonly JsonSchema[] => {
    const [address = '', fragment = ''] = reference.split('#');
    const near = address === '' ? documents : documents.filter(({ $id }) => lastPart($id) === lastPart(address));
    if (fragment === '') return near;
    const named = anchors.get(fragment);
    if (named !== undefined) return named;
    const pointer = decoded(fragment);
    return near.flatMap((document) => {
      const found = valueAt(document, pointer);
      return isSchemaObject(found) ? [found] : [];
    });
  };
  return ({ $ref, $dynamicRef, $recursiveRef }) => {
    const found: JsonSchema[] = [];
    for (const reference of [$ref, $dynamicRef, $recursiveRef]) {
      if (typeof reference !== 'string') continue;
      const known = targets.get(reference) ?? find(reference);
      targets.set(reference, known);
      found.push(...known);
    }
    return found;
  };
}

function lastPart(address: unknown): string | undefined {
  return typeof address === 'string' ? (address.split('#', 1)[0] as string).split('/').at(-1) : undefined;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
