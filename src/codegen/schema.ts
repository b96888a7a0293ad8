import type { Revival } from './revival.ts';

/** A JSON Schema while it is being made. */
export interface Schema {
  [keyword: string]: unknown;
}

/** What a type became. */
export interface Converted {
  readonly schema: Schema;
  readonly revival?: Revival | undefined;
  /** `undefined` is among its values: it may be left out. */
  readonly optional?: boolean;
  /** The type that is inferred from the schema is no wider than the function's own, so that no cast is needed. */
  readonly exact: boolean;
}

const scalars: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/** Joins the branches of a union: scalar types into one list of types, everything else into `anyOf`. */
export function unionOf(branches: readonly Schema[]): Schema {
  const merged: Schema[] = [];
  const types: unknown[] = [];
  for (const branch of branches) {
    if (Object.keys(branch).length !== 1 || !scalars.has(branch['type'])) merged.push(branch);
    else {
      if (types.length === 0) merged.push({ type: types });
      if (!types.includes(branch['type'])) types.push(branch['type']);
    }
  }
  const plain = merged.find((branch) => branch['type'] === types);
  if (plain && types.length === 1) plain['type'] = types[0];
  if (merged.length === 1) return merged[0] as Schema;
  return orNull(merged) ?? { anyOf: merged };
}

/** A scalar that may be null stays one schema with two types; an enum then lists null too. */
function orNull(branches: readonly Schema[]): Schema | undefined {
  const [values, empty] = branches;
  if (branches.length !== 2 || !values || empty?.['type'] !== 'null') return undefined;
  const types = Array.isArray(values['type']) ? (values['type'] as unknown[]) : [values['type']];
  if (!types.every((type) => scalars.has(type))) return undefined;
  const { const: only, enum: list = only === undefined ? undefined : [only], ...rest } = values;
  return { ...rest, type: [...types, 'null'], ...(Array.isArray(list) && { enum: [...list, null] }) };
}

/** Literals as one schema; a literal and the member of an enum may be the same value. */
export function enumOf(literals: readonly (string | number | boolean)[]): Schema {
  const values = [...new Set(literals)];
  const types = [...new Set(values.map((value) => typeof value))];
  const type = types.length === 1 ? types[0] : types;
  return values.length === 1 ? { type, const: values[0] } : { type, enum: values };
}

/**
 * Puts a keyword on the part of a schema that it can stand on: the schema itself, a branch of it, or the items of a list.
 * Gives false when there is none.
 */
export function constrain(schema: Schema, keyword: string, value: unknown, types: readonly string[]): boolean {
  const own = Array.isArray(schema['type']) ? (schema['type'] as unknown[]) : [schema['type']];
  if (own.some((type) => types.includes(String(type)))) {
    if (keyword === 'integer') setInteger(schema, own);
    else schema[keyword] = value;
    return true;
  }
  const branches = (schema['anyOf'] as Schema[] | undefined) ?? [];
  if (branches.map((branch) => constrain(branch, keyword, value, types)).some(Boolean)) return true;
  const items = schema['items'];
  return typeof items === 'object' && items !== null && constrain(items as Schema, keyword, value, types);
}

function setInteger(schema: Schema, own: readonly unknown[]): void {
  const types = own.map((type) => (type === 'number' ? 'integer' : type));
  schema['type'] = types.length === 1 ? types[0] : types;
}

/** Finds the schema that a dotted path names, such as `options.tags[]`. */
export function schemaAt(root: Schema, path: string): Schema | undefined {
  let schema: Schema | undefined = root;
  for (const step of path.replaceAll('[]', '.[]').split('.')) {
    const object: Schema | undefined = schema && inner(schema);
    const next: unknown = step === '[]' ? object?.['items'] : (object?.['properties'] as Schema | undefined)?.[step];
    schema = typeof next === 'object' && next !== null ? (next as Schema) : undefined;
  }
  return schema;
}

/** The only branch of a nullable object or list, so that a path can go on through it. */
function inner(schema: Schema): Schema {
  const branches = (schema['anyOf'] as Schema[] | undefined)?.filter((branch) => branch['type'] !== 'null') ?? [];
  return branches.length === 1 ? (branches[0] as Schema) : schema;
}
