import type { JsonSchema, JsonSchemaObject } from '../../schema/json-schema.ts';
import { asSchema, listOf, resolveRef, schemasOf } from '../refs.ts';

/** Schemas that must all hold: one way to satisfy a schema. */
export type Alternative = readonly JsonSchemaObject[];

/** The JSON types, as in JSON Schema without `integer`. */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null';

const everyType: readonly JsonType[] = ['string', 'number', 'boolean', 'object', 'array', 'null'];
/** A schema with more ways than these is not looked into: its values are left as they are. */
const mostAlternatives = 64;
/** Schemas looked at for one answer; ends recursion that multiplies. */
const mostSteps = 1000;

/**
 * All ways to satisfy a schema, with references followed and unions (`anyOf`, `oneOf`) multiplied out. Empty when there
 * are too many to tell, which every user of this must take for "anything goes".
 */
export function alternativesOf(root: JsonSchemaObject, schema: JsonSchema): readonly Alternative[] {
  return expand(root, schema, { left: mostSteps }) ?? [];
}

function expand(
  root: JsonSchemaObject,
  schema: JsonSchema,
  steps: { left: number },
): readonly Alternative[] | undefined {
  if (steps.left-- <= 0) return undefined;
  const self = asSchema(schema);
  let ways: readonly Alternative[] | undefined = [[self]];
  const both = (more: readonly Alternative[] | undefined): void => {
    ways = ways && more && product(ways, more);
  };
  if (self.$ref !== undefined) {
    const target = resolveRef(root, self.$ref);
    both(target && expand(root, target.schema, steps));
  }
  for (const part of listOf(self.allOf)) both(ways && expand(root, part, steps));
  for (const union of [listOf(self.anyOf), listOf(self.oneOf)]) {
    if (union.length > 0) both(ways && either(root, union, steps));
  }
  return ways;
}

function either(
  root: JsonSchemaObject,
  union: readonly JsonSchema[],
  steps: { left: number },
): readonly Alternative[] | undefined {
  const ways: Alternative[] = [];
  for (const branch of union) {
    const more = expand(root, branch, steps);
    if (!more || ways.length + more.length > mostAlternatives) return undefined;
    ways.push(...more);
  }
  return ways;
}

function product(left: readonly Alternative[], right: readonly Alternative[]): readonly Alternative[] | undefined {
  if (left.length * right.length > mostAlternatives) return undefined;
  return left.flatMap((one) => right.map((other) => [...one, ...other]));
}

/** The types of value that an alternative lets through, by `type`, `enum` and `const`. */
export function typesOf(alternative: Alternative): ReadonlySet<JsonType> {
  let types: readonly JsonType[] = everyType;
  for (const schema of alternative) {
    const own = declaredTypes(schema);
    if (own) types = types.filter((type) => own.includes(type));
  }
  return new Set(types);
}

function declaredTypes(schema: JsonSchemaObject): readonly JsonType[] | undefined {
  if (schema.const !== undefined) return [typeOf(schema.const)];
  if (Array.isArray(schema.enum)) return schema.enum.map(typeOf);
  if (schema.type === undefined) return schema.not && Object.keys(asSchema(schema.not)).length === 0 ? [] : undefined;
  const named = Array.isArray(schema.type) ? schema.type : [schema.type];
  return named.map((type) => (type === 'integer' ? 'number' : type));
}

/** The JSON type of a value. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' ? 'object' : (typeof value as JsonType);
}

/** Whether only whole numbers fit the alternative. */
export function wantsInteger(alternative: Alternative): boolean {
  return alternative.some(
    ({ type }) => type === 'integer' || (Array.isArray(type) && type.includes('integer') && !type.includes('number')),
  );
}

/** The schemas that an alternative sets for a property of this name; none when it says nothing of it. */
export function declaredProperty(alternative: Alternative, name: string): readonly JsonSchema[] {
  return alternative.flatMap((schema) => {
    if (isOwn(schema.properties, name)) return [schema.properties[name]!];
    const byPattern = schemasOf(schema.patternProperties).filter(([pattern]) => matches(pattern, name));
    if (byPattern.length > 0) return byPattern.map(([, sub]) => sub);
    return typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
  });
}

function isOwn(properties: JsonSchemaObject['properties'], name: string): properties is { [name: string]: JsonSchema } {
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name);
}

/** The schemas that an alternative sets for the item at this index. */
export function declaredItem(alternative: Alternative, index: number): readonly JsonSchema[] {
  return alternative.flatMap((schema) => {
    const tuple = Array.isArray(schema.items) ? listOf(schema.items) : listOf(schema.prefixItems);
    if (index < tuple.length) return [tuple[index]!];
    const rest = Array.isArray(schema.items) ? schema['additionalItems'] : schema.items;
    return rest === undefined || Array.isArray(rest) ? [] : [rest as JsonSchema];
  });
}

/** Whether the alternative demands the property. */
export function demands(alternative: Alternative, name: string): boolean {
  return alternative.some(({ required }) => Array.isArray(required) && required.includes(name));
}

/**
 * The alternatives that an object can still be meant for: those whose constants (`kind: { const: 'agent' }`) it does not
 * contradict. All of them when it contradicts all.
 */
export function plausible(
  alternatives: readonly Alternative[],
  value: { readonly [name: string]: unknown },
): readonly Alternative[] {
  const left = alternatives.filter((alternative) =>
    alternative.every((schema) =>
      schemasOf(schema.properties).every(
        ([name, sub]) => !Object.hasOwn(value, name) || !contradicts(sub, value[name]),
      ),
    ),
  );
  return left.length > 0 ? left : alternatives;
}

function contradicts(schema: JsonSchema, value: unknown): boolean {
  const { const: only, enum: some } = asSchema(schema);
  if (typeof value !== 'string') return false;
  if (only !== undefined) return only !== value;
  return Array.isArray(some) && !some.includes(value);
}

// Patterns of foreign tools may backtrack for ever; only the simple ones are worth trying here.
function matches(pattern: string, name: string): boolean {
  if (pattern.length > 64 || name.length > 128 || /[*+}]\)?[*+{]|\\\d|\(\?/.test(pattern)) return false;
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return false;
  }
}
