import type { JsonSchema, JsonSchemaObject } from '../../schema/json-schema.ts';
import { at, listOf, schemasOf } from '../refs.ts';
import type { Draft } from './normalize.ts';
import type { Trace } from './trace.ts';

const annotations: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
]);
const larger: ReadonlySet<string> = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const smaller: ReadonlySet<string> = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

/**
 * One schema in place of two that must both hold. Where that cannot be said in one schema, the wider form is taken and
 * noted. The annotations of `second` win: it stands nearer to the place of use.
 */
export function mergeSchemas(
  first: JsonSchemaObject,
  second: JsonSchemaObject,
  pointer: string,
  trace: Trace,
): JsonSchemaObject {
  if (Object.keys(first).length === 0) return second;
  const merged: Draft = { ...first };
  for (const [keyword, value] of Object.entries(second)) {
    const before = merged[keyword];
    merged[keyword] =
      before === undefined || annotations.has(keyword) ? value : both(keyword, before, value, pointer, trace);
    if (merged[keyword] === undefined) delete merged[keyword];
  }
  // A branch that is closed by itself would shut out the properties of the others.
  if (first.additionalProperties !== second.additionalProperties && schemasOf(first.properties).length > 0) {
    const open = schemasOf(second.properties).some(([name]) => !Object.hasOwn(first.properties ?? {}, name));
    if (open && (first.additionalProperties === false || second.additionalProperties === false)) {
      delete merged['additionalProperties'];
    }
  }
  return merged;
}

function both(keyword: string, a: unknown, b: unknown, pointer: string, trace: Trace): unknown {
  if (JSON.stringify(a) === JSON.stringify(b)) return a;
  if (larger.has(keyword) || smaller.has(keyword)) {
    if (typeof a === 'number' && typeof b === 'number') return larger.has(keyword) ? Math.max(a, b) : Math.min(a, b);
  }
  switch (keyword) {
    case 'properties':
      return mergeProperties(a, b, pointer, trace);
    case 'required':
      return [...new Set([...(a as string[]), ...(b as string[])])];
    case 'type':
      return commonTypes(a, b) ?? lost(keyword, a, pointer, trace);
    case 'enum': {
      const values = (a as unknown[]).filter((one) =>
        (b as unknown[]).some((other) => JSON.stringify(one) === JSON.stringify(other)),
      );
      return values.length > 0 ? values : lost(keyword, a, pointer, trace);
    }
    case 'items':
      if (typeof a === 'object' && typeof b === 'object') {
        return mergeSchemas(a as JsonSchemaObject, b as JsonSchemaObject, at(pointer, keyword), trace);
      }
      return a === false ? a : b;
    case 'additionalProperties':
      if (typeof a === 'object' && typeof b === 'object')
        return mergeSchemas(a as JsonSchemaObject, b as JsonSchemaObject, at(pointer, keyword), trace);
      return a === false || b === true ? a : b;
    case 'allOf':
      return [...listOf(a), ...listOf(b)];
    case 'uniqueItems':
      return a === true || b === true;
    default:
      return lost(keyword, a, pointer, trace);
  }
}

function lost(keyword: string, kept: unknown, pointer: string, trace: Trace): unknown {
  trace.lose(
    pointer,
    keyword,
    'changed',
    'two values of it must hold at once, which one schema cannot say; the first is shown',
  );
  return kept;
}

function mergeProperties(a: unknown, b: unknown, pointer: string, trace: Trace): { [name: string]: JsonSchema } {
  const merged = new Map(schemasOf(a));
  for (const [name, schema] of schemasOf(b)) {
    const before = merged.get(name);
    merged.set(
      name,
      before === undefined
        ? schema
        : mergeSchemas(before as JsonSchemaObject, schema as JsonSchemaObject, at(pointer, 'properties', name), trace),
    );
  }
  return Object.fromEntries(merged);
}

function commonTypes(a: unknown, b: unknown): unknown {
  const left = [a].flat();
  const right = [b].flat();
  const common = new Set<unknown>();
  for (const one of left) {
    for (const other of right) {
      if (one === other) common.add(one);
      else if ((one === 'number' && other === 'integer') || (one === 'integer' && other === 'number'))
        common.add('integer');
    }
  }
  const words = [...common];
  return words.length > 1 ? words : words[0];
}
