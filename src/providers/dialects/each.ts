import type { JsonSchema, JsonSchemaObject } from '../../schema/json-schema.ts';
import { asSchema, at, listOf, schemasOf } from '../refs.ts';
import type { Draft } from './normalize.ts';

/** Keywords that hold one schema, a list of them, or schemas by name, in a normalized schema. */
export const singles = [
  'items',
  'additionalProperties',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const;
export const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
export const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs'] as const;

/**
 * Rebuilds a normalized schema from the leaves: `rewrite` gets every subschema with its own subschemas already rebuilt.
 */
export function rebuild(
  schema: JsonSchemaObject,
  rewrite: (schema: JsonSchemaObject, pointer: string) => JsonSchemaObject,
  pointer = '',
): JsonSchemaObject {
  const draft: Draft = { ...schema };
  const inner = (sub: JsonSchema, ...tokens: (string | number)[]) =>
    rebuild(asSchema(sub), rewrite, at(pointer, ...tokens));
  for (const keyword of singles) {
    const sub = schema[keyword];
    if (typeof sub === 'object' && sub !== null) draft[keyword] = inner(sub as JsonSchemaObject, keyword);
  }
  for (const keyword of lists) {
    if (schema[keyword]) draft[keyword] = listOf(schema[keyword]).map((sub, index) => inner(sub, keyword, index));
  }
  for (const keyword of maps) {
    if (!schema[keyword]) continue;
    draft[keyword] = Object.fromEntries(
      schemasOf(schema[keyword]).map(([name, sub]) => [name, inner(sub, keyword, name)]),
    );
  }
  return rewrite(draft, pointer);
}

/** The words of `type`; an empty list when there is none. */
export function typeWords(schema: JsonSchemaObject | Draft): readonly string[] {
  return schema['type'] === undefined ? [] : ([schema['type']].flat() as string[]);
}

/** Whether the schema speaks of objects: by its type, or by its keywords where it has no type. */
export function isObjectSchema(schema: JsonSchemaObject | Draft): boolean {
  const words = typeWords(schema);
  return words.length > 0
    ? words.includes('object')
    : schema['properties'] !== undefined || schema['additionalProperties'] !== undefined;
}

/** Whether the schema speaks of arrays. */
export function isArraySchema(schema: JsonSchemaObject | Draft): boolean {
  const words = typeWords(schema);
  return words.length > 0
    ? words.includes('array')
    : schema['items'] !== undefined || schema['prefixItems'] !== undefined;
}
