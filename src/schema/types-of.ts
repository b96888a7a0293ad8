import type { JsonSchemaObject } from './json-schema.ts';
import { isSchemaObject } from './walk.ts';

/** The types that a schema names; none where it names none. OpenAPI's `nullable` counts, as it does for Ajv. */
export function typesOf(schema: JsonSchemaObject): readonly string[] {
  const { type } = schema;
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? [...type] : [];
  return schema['nullable'] === true && types.length > 0 ? [...types, 'null'] : types;
}

/** Whether a value is of one of the types that a schema names. A type that is not JSON Schema fits everything. */
export function fitsType(schema: JsonSchemaObject, value: unknown): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.some((type) => isOfType(value, type));
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isSchemaObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

/** What to add to a message when a value seems to have been sent as JSON text of itself; `''` when not. */
export function encodedHint(value: unknown, expected: string): string {
  if (typeof value !== 'string') return '';
  const first = value.trimStart().charAt(0);
  const isEncoded = (first === '{' && expected.includes('object')) || (first === '[' && expected.includes('array'));
  return isEncoded ? '; send the value itself, not JSON text of it' : '';
}
