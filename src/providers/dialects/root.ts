import type { JsonSchema, JsonSchemaObject } from '../../schema/json-schema.ts';
import { asSchema, at, listOf, resolveRef, schemasOf } from '../refs.ts';
import { describe, literal } from './describe.ts';
import { mergeSchemas } from './merge.ts';
import type { Draft } from './normalize.ts';
import type { Trace } from './trace.ts';

/** What providers refuse at the root of a tool's schema, with the whole request. */
const notAtRoot = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'enum',
  'const',
  'if',
  'then',
  'else',
  'dependentSchemas',
] as const;
const mostMerges = 32;

/**
 * Makes the root a plain object schema, as providers demand: `{ type: 'object', properties, required }` without a union.
 * The branches of a union are laid over one another: every property of any branch is offered, those that all branches
 * demand are required, and the description says which belong together.
 *
 * @param schema A normalized schema.
 */
export function plainRoot(schema: JsonSchemaObject, trace: Trace): JsonSchemaObject {
  let root = schema;
  for (let merges = 0; merges < mostMerges && (root.$ref !== undefined || root.allOf); merges++) {
    root = flat(root, schema, trace);
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = listOf(root[keyword]).map((branch) => flatBranch(asSchema(branch), schema, trace));
    if (branches.length > 0) root = overlay(root, branches, keyword, trace);
  }
  root = withConditional(root, trace);
  const draft: Draft = { ...root };
  for (const keyword of notAtRoot) {
    if (draft[keyword] === undefined) continue;
    delete draft[keyword];
    if (keyword === 'not' || keyword === 'enum' || keyword === 'const') {
      trace.lose('', keyword, 'dropped', 'providers refuse it at the root of a schema');
    }
  }
  if (draft['type'] !== 'object') {
    if (draft['type'] !== undefined) trace.lose('', 'type', 'changed', 'the arguments of a tool are always an object');
    draft['type'] = 'object';
  }
  draft['properties'] ??= {};
  return inOrder(draft);
}

function flat(root: JsonSchemaObject, whole: JsonSchemaObject, trace: Trace): JsonSchemaObject {
  const { $ref, allOf, ...rest } = root;
  let merged: JsonSchemaObject = {};
  const target = $ref === undefined || $ref === '#' ? undefined : resolveRef(whole, $ref);
  if (target) merged = asSchema(target.schema);
  for (const part of listOf(allOf)) merged = mergeSchemas(merged, asSchema(part), '', trace);
  return mergeSchemas(merged, rest as JsonSchemaObject, '', trace);
}

function flatBranch(branch: JsonSchemaObject, whole: JsonSchemaObject, trace: Trace): JsonSchemaObject {
  let flatter = branch;
  for (let merges = 0; merges < mostMerges && (flatter.$ref !== undefined || flatter.allOf); merges++) {
    flatter = flat(flatter, whole, trace);
  }
  return flatter;
}

function overlay(
  root: JsonSchemaObject,
  branches: readonly JsonSchemaObject[],
  keyword: 'anyOf' | 'oneOf',
  trace: Trace,
): JsonSchemaObject {
  const { [keyword]: _, ...rest } = root;
  trace.lose('', keyword, 'described', 'providers refuse a union at the root; its branches are laid over one another');
  const properties = new Map<string, JsonSchema>(schemasOf(rest.properties));
  for (const branch of branches) {
    for (const [name, schema] of schemasOf(branch.properties)) {
      const before = properties.get(name);
      properties.set(name, before === undefined ? schema : eitherOf(before, schema));
    }
  }
  const demanded = branches.map((branch) => (Array.isArray(branch.required) ? (branch.required as string[]) : []));
  const inAll = demanded[0]?.filter((name) => demanded.every((names) => names.includes(name))) ?? [];
  const sets = demanded.filter((names) => names.length > 0).map((names) => `(${names.map(literal).join(', ')})`);
  const hint =
    sets.length > 1 && new Set(sets).size > 1
      ? `Give ${keyword === 'oneOf' ? 'exactly one' : 'at least one'} of these sets of arguments: ${sets.join(' or ')}.`
      : undefined;
  const merged: Draft = { ...rest, properties: Object.fromEntries(properties) };
  const required = [...new Set([...(Array.isArray(rest.required) ? rest.required : []), ...inAll])];
  if (required.length > 0) merged['required'] = required;
  return hint ? describe(merged, hint) : merged;
}

function eitherOf(a: JsonSchema, b: JsonSchema): JsonSchema {
  if (JSON.stringify(a) === JSON.stringify(b)) return a;
  const [one, other] = [asSchema(a), asSchema(b)];
  const values = [one, other].map((schema) => (schema.const !== undefined ? [schema.const] : schema.enum));
  // The usual discriminator: one list of words says more than a union of constants.
  if (values[0] && values[1] && one.type === other.type) {
    const { const: _, ...rest } = one;
    return { ...rest, enum: [...new Set([...values[0], ...values[1]])] };
  }
  return { anyOf: [...unionOf(one), other] };
}

function unionOf(schema: JsonSchemaObject): readonly JsonSchema[] {
  return Object.keys(schema).length === 1 && schema.anyOf ? schema.anyOf : [schema];
}

function withConditional(root: JsonSchemaObject, trace: Trace): JsonSchemaObject {
  const { if: condition, then: consequence, else: alternative, dependentSchemas, ...rest } = root;
  const more = [consequence, alternative, ...schemasOf(dependentSchemas).map(([, schema]) => schema)];
  if (condition === undefined && dependentSchemas === undefined) return root;
  const keyword = condition === undefined ? 'dependentSchemas' : 'if';
  trace.lose('', keyword, 'changed', 'providers refuse conditions at the root; their properties are all offered');
  const properties = new Map<string, JsonSchema>(schemasOf(rest.properties));
  for (const part of more) {
    for (const [name, schema] of schemasOf(asSchema(part).properties))
      if (!properties.has(name)) properties.set(name, schema);
  }
  return { ...rest, properties: Object.fromEntries(properties) };
}

function inOrder(draft: Draft): JsonSchemaObject {
  const { type, properties, required, ...rest } = draft;
  const known = Array.isArray(required) ? required.filter((name) => Object.hasOwn(properties as object, name)) : [];
  return { type: 'object', properties, ...(known.length > 0 && { required: known }), ...rest } as JsonSchemaObject;
}

/** The pointer of a property of the root. */
export function rootProperty(name: string): string {
  return at('', 'properties', name);
}
