import type { JsonSchemaObject, JsonSchemaType } from './json-schema.ts';

/** The types that a schema names; none where it names none. OpenAPI's `nullable` counts, as it does for Ajv. */
export function typesOf(schema: JsonSchemaObject): readonly string[] {
  const { type } = schema;
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? [...type] : [];
  return schema['nullable'] === true && types.length > 0 ? [...types, 'null'] : types;
}

const bits: Readonly<Record<JsonSchemaType, number>> = {
  null: 1,
  boolean: 2,
  string: 4,
  number: 8,
  integer: 16,
  array: 32,
  object: 64,
};
const notJson = 128;
const allKinds = 255;

/** The kinds of value that a schema's types allow, as bits. A type that is not JSON Schema allows everything. */
export function kindsOf(schema: JsonSchemaObject): number {
  const types = typesOf(schema);
  if (types.length === 0 || !types.every((type) => Object.hasOwn(bits, type))) return allKinds;
  return types.reduce((sum, type) => sum | bits[type as JsonSchemaType], 0);
}

/** The kinds that a value is of: it fits a schema's types when `kindsOf(schema) & kindOf(value)` is not 0. */
export function kindOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return bits.string;
    case 'number':
      return Number.isInteger(value) ? bits.number | bits.integer : Number.isFinite(value) ? bits.number : notJson;
    case 'boolean':
      return bits.boolean;
    case 'object':
      return value === null ? bits.null : Array.isArray(value) ? bits.array : bits.object;
    default:
      return notJson;
  }
}

/** What to add to a message when a value seems to have been sent as JSON text of itself; `''` when not. */
export function encodedHint(value: unknown, expected: string): string {
  if (typeof value !== 'string' || !(expected.includes('object') || expected.includes('array'))) return '';
  const first = value.trimStart().charAt(0);
  const isEncoded = (first === '{' && expected.includes('object')) || (first === '[' && expected.includes('array'));
  return isEncoded ? '; send the value itself, not JSON text of it' : '';
}
