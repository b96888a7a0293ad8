import type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
import { pointerStep } from './pointer.ts';

/** Deeper than any schema that a person or a generator writes; what lies below is a cycle or an attack. */
const deepestSchema = 256;

const holdsOne: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const holdsList: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const holdsMap: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

export function isSchemaObject(value: unknown): value is JsonSchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Calls `visit` for a schema and every schema inside it, outermost first, with the JSON pointer to each. Only places
 * where JSON Schema expects a schema are entered: not `default`, `enum`, `const` or `examples`.
 */
export function eachSchema(
  schema: JsonSchema,
  visit: (schema: JsonSchemaObject, pointer: string, depth: number) => void,
  pointer = '',
  depth = 1,
): void {
  if (!isSchemaObject(schema)) return;
  if (depth > deepestSchema) throw new RangeError(`The schema is nested more than ${deepestSchema} levels deep.`);
  visit(schema, pointer, depth);
  for (const [keyword, value] of Object.entries(schema)) {
    eachChild(keyword, value, (child, steps) => {
      eachSchema(child, visit, pointer + pointerStep(keyword) + steps, depth + 1);
    });
  }
}

/** Whether `is` holds for a schema or for any schema inside it. */
export function someSchema(schema: JsonSchema, is: (schema: JsonSchemaObject) => boolean): boolean {
  let found = false;
  eachSchema(schema, (inner) => {
    found ||= is(inner);
  });
  return found;
}

/**
 * Rebuilds a schema from the inside out: `change` gets every schema, its children already changed, and returns it or
 * another. What nothing was changed in stays the same object.
 */
export function mapSchema(
  schema: JsonSchemaObject,
  change: (schema: JsonSchemaObject, pointer: string) => JsonSchemaObject,
  pointer = '',
  depth = 1,
): JsonSchemaObject {
  if (depth > deepestSchema) throw new RangeError(`The schema is nested more than ${deepestSchema} levels deep.`);
  const changed: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const copy = mapValue(keyword, value, (child, steps) =>
      mapSchema(child, change, pointer + pointerStep(keyword) + steps, depth + 1),
    );
    if (copy !== value) changed.push([keyword, copy]);
  }
  return change(changed.length === 0 ? schema : { ...schema, ...Object.fromEntries(changed) }, pointer);
}

function eachChild(keyword: string, value: unknown, visit: (child: JsonSchemaObject, steps: string) => void): void {
  mapValue(keyword, value, (child, steps) => {
    visit(child, steps);
    return child;
  });
}

type MapChild = (child: JsonSchemaObject, steps: string) => JsonSchemaObject;

function mapValue(keyword: string, value: unknown, map: MapChild): unknown {
  if (Array.isArray(value)) {
    if (!holdsList.has(keyword)) return value;
    const copies = value.map((item: unknown, index) => (isSchemaObject(item) ? map(item, `/${index}`) : item));
    return copies.some((copy, index) => copy !== value[index]) ? copies : value;
  }
  if (!isSchemaObject(value)) return value;
  if (holdsMap.has(keyword)) {
    const copies = Object.entries(value).map(([name, child]): [string, unknown] => [
      name,
      isSchemaObject(child) ? map(child, pointerStep(name)) : child,
    ]);
    return copies.some(([name, copy]) => copy !== value[name]) ? Object.fromEntries(copies) : value;
  }
  return holdsOne.has(keyword) ? map(value, '') : value;
}
