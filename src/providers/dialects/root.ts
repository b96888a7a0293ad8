import type { JsonSchema, JsonSchemaObject } from '../../schema/json-schema.ts';
import { asSchema, listOf, resolveRef, schemasOf } from '../refs.ts';
import { describe, literal } from './describe.ts';
import { rebuild } from './each.ts';
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
  let root = withoutUnions(schema, schema, '', trace, 0);
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

/**
 * For dialects that know no `allOf`, and no union beside `properties`: merges them, everywhere in a normalized schema.
 */
export function simplify(schema: JsonSchemaObject, trace: Trace): JsonSchemaObject {
  return rebuild(schema, (part, pointer) => {
    const merged = part.allOf ? mergeAllOf(part, pointer, trace) : part;
    const isUnionBeside = merged.properties !== undefined && (merged.anyOf ?? merged.oneOf) !== undefined;
    return isUnionBeside ? withoutUnions(merged, schema, pointer, trace, 0) : merged;
  });
}

function mergeAllOf(part: JsonSchemaObject, pointer: string, trace: Trace): JsonSchemaObject {
  const { allOf, ...rest } = part;
  let merged: JsonSchemaObject = {};
  for (const branch of listOf(allOf).map(asSchema)) {
    const isFirst = Object.keys(merged).length === 0;
    if (branch.$ref === undefined || isFirst) merged = mergeSchemas(merged, branch, pointer, trace);
    else trace.lose(pointer, 'allOf', 'changed', 'of several references that must all hold the first is shown');
  }
  return mergeSchemas(merged, rest as JsonSchemaObject, pointer, trace);
}

function withoutUnions(
  part: JsonSchemaObject,
  whole: JsonSchemaObject,
  pointer: string,
  trace: Trace,
  depth: number,
): JsonSchemaObject {
  let flatter = part;
  for (let merges = 0; merges < mostMerges && (flatter.$ref !== undefined || flatter.allOf); merges++) {
    flatter = mergeOnce(flatter, whole, pointer, trace);
  }
  if (depth > 3) return flatter;
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = listOf(flatter[keyword]).map((branch) =>
      withoutUnions(asSchema(branch), whole, pointer, trace, depth + 1),
    );
    if (branches.length > 0) flatter = overlay(flatter, branches, keyword, pointer, trace);
  }
  return flatter;
}

function mergeOnce(part: JsonSchemaObject, whole: JsonSchemaObject, pointer: string, trace: Trace): JsonSchemaObject {
  const { $ref, allOf, ...rest } = part;
  const target = $ref === undefined || $ref === '#' ? undefined : resolveRef(whole, $ref);
  let merged: JsonSchemaObject = target ? asSchema(target.schema) : {};
  for (const branch of listOf(allOf)) merged = mergeSchemas(merged, asSchema(branch), pointer, trace);
  return mergeSchemas(merged, rest as JsonSchemaObject, pointer, trace);
}

function overlay(
  root: JsonSchemaObject,
  branches: readonly JsonSchemaObject[],
  keyword: 'anyOf' | 'oneOf',
  pointer: string,
  trace: Trace,
): JsonSchemaObject {
  const { [keyword]: _, ...rest } = root;
  trace.lose(pointer, keyword, 'described', 'a union is refused here; its branches are laid over one another');
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
