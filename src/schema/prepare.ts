import { findViolations } from './find-violations.ts';
import type { JsonSchemaObject } from './json-schema.ts';
import { namelessProperty } from './schema-fault.ts';
import { isSchemaObject, mapSchema } from './walk.ts';

/**
 * Makes a schema ready for compiling, without changing what it allows:
 *
 * - `$schema` is taken off, because the dialect has been chosen already;
 * - draft 4's `exclusiveMinimum: true` beside a `minimum` becomes today's number;
 * - OpenAPI's `nullable` goes where it has no effect and Ajv would refuse it: when false, and without a `type`;
 * - a default that does not fit its own schema (`{ type: 'string', default: null }`) is dropped: filled in, it would have
 *   every call refused that leaves the property out.
 *
 * Gives the same object back where there was nothing to do. Throws a ToolError with code `invalid_schema` where a property
 * with the empty name is required: Ajv never finds that one missing.
 */
export function prepareSchema(schema: JsonSchemaObject): JsonSchemaObject {
  const ready = mapSchema(schema, (inner, pointer) => {
    refuseNameless(inner, pointer);
    return withoutMisfits(schema, withNumericBounds(withoutIdleNullable(inner)));
  });
  if (ready.$schema === undefined) return ready;
  const { $schema: _, ...rest } = ready;
  return rest;
}

function refuseNameless(schema: JsonSchemaObject, pointer: string): void {
  const isNameless = (names: unknown): boolean => Array.isArray(names) && names.includes('');
  if (isNameless(schema.required)) throw namelessProperty(pointer, 'required');
  for (const keyword of ['dependentRequired', 'dependencies'] as const) {
    const lists = schema[keyword];
    if (isSchemaObject(lists) && Object.values(lists).some(isNameless)) throw namelessProperty(pointer, keyword);
  }
}

function withoutIdleNullable(schema: JsonSchemaObject): JsonSchemaObject {
  const { nullable, ...rest } = schema;
  return nullable === false || (nullable === true && schema.type === undefined) ? rest : schema;
}

function withNumericBounds(schema: JsonSchemaObject): JsonSchemaObject {
  const lower = asNumericBound(schema, 'minimum', 'exclusiveMinimum');
  return asNumericBound(lower, 'maximum', 'exclusiveMaximum');
}

function asNumericBound(schema: JsonSchemaObject, bound: string, exclusive: string): JsonSchemaObject {
  const { [exclusive]: flag, [bound]: limit, ...rest } = schema;
  if (typeof flag !== 'boolean') return schema;
  if (limit === undefined) return rest;
  return flag ? { ...rest, [exclusive]: limit } : { ...rest, [bound]: limit };
}

/** Whether a schema has a default that it would itself refuse. */
export function hasMisfitDefault(root: JsonSchemaObject, schema: JsonSchemaObject): boolean {
  return schema.default !== undefined && findViolations(schema, schema.default, root).length > 0;
}

function withoutMisfits(root: JsonSchemaObject, schema: JsonSchemaObject): JsonSchemaObject {
  const { properties } = schema;
  if (!isSchemaObject(properties)) return schema;
  const entries = Object.entries(properties);
  const kept = entries.map(([name, property]): [string, unknown] => {
    if (!isSchemaObject(property) || !hasMisfitDefault(root, property)) return [name, property];
    const { default: _, ...rest } = property;
    return [name, rest];
  });
  if (kept.every(([, property], index) => property === entries[index]?.[1])) return schema;
  return { ...schema, properties: Object.fromEntries(kept) as NonNullable<JsonSchemaObject['properties']> };
}
