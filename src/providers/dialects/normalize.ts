import type { JsonSchema, JsonSchemaObject } from '../../schema/json-schema.ts';
import { pointerNames } from '../../schema/pointer.ts';
import { asSchema, at, listOf, resolveRef, schemasOf } from '../refs.ts';
import { lists, maps, singles } from './each.ts';
import { mergeSchemas } from './merge.ts';
import type { Trace } from './trace.ts';

/** A schema that is being put together. */
export type Draft = { [keyword: string]: unknown };

const jsonTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Keywords that identify a document and constrain nothing; definitions are gathered anew. */
const leftOut: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
  '$vocabulary',
  '$comment',
  '$defs',
  'definitions',
  '__proto__',
]);
const oneSchema: ReadonlySet<string> = new Set([...singles, 'contentSchema']);
const schemaList: ReadonlySet<string> = new Set(lists);
const schemaMap: ReadonlySet<string> = new Set(maps);
const mayBeBoolean: ReadonlySet<string> = new Set([
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Subschemas in the outcome, and levels of them; what would lie beyond becomes "anything". */
const mostSchemas = 5000;
const mostLevels = 100;

export interface NormalizeOptions {
  /** `keep`: references to definitions stay references; `inline`: all are written out, and recursion ends. */
  readonly refs: 'keep' | 'inline';
}

/**
 * Brings a schema of any draft into one form that the dialects start from: 2020-12 keywords, no boolean schemas where
 * an object does, no reference that leads nowhere, only the definitions in use, and all of those in `$defs`.
 */
export function normalize(root: JsonSchemaObject, { refs }: NormalizeOptions, trace: Trace): JsonSchemaObject {
  const definitions = new Map<string, { name: string; schema?: JsonSchemaObject }>();
  let schemas = 0;
  let levels = 0;

  const whole = visit(root, '', []);
  if (definitions.size === 0) return whole;
  const defs = [...definitions.values()].map(({ name, schema }) => [name, schema] as const);
  return { ...whole, $defs: Object.fromEntries(defs) as { [name: string]: JsonSchema } };

  function visit(schema: JsonSchema, pointer: string, within: readonly string[]): JsonSchemaObject {
    if (schemas >= mostSchemas || levels >= mostLevels) {
      trace.lose(pointer, '$ref', 'changed', 'the schema is too large or too deep with its references written out');
      return {};
    }
    schemas++;
    levels++;
    try {
      return visited(schema, pointer, within);
    } finally {
      levels--;
    }
  }

  function visited(schema: JsonSchema, pointer: string, within: readonly string[]): JsonSchemaObject {
    const own = plain(asSchema(schema), pointer, within);
    const { $ref } = asSchema(schema);
    if ($ref === undefined) return own;
    const target = resolveRef(root, $ref);
    if (!target) {
      trace.lose(pointer, '$ref', 'dropped', `the reference ${JSON.stringify($ref)} leads nowhere in this schema`);
      return own;
    }
    if (refs === 'keep' && target.pointer === '') return { ...own, $ref: '#' };
    const kept = refs === 'keep' ? keptDefinition(target) : undefined;
    if (kept) return { ...own, $ref: kept };
    if (within.includes(target.pointer)) {
      trace.lose(
        pointer,
        '$ref',
        'changed',
        'the schema refers to itself without end; from here on anything is allowed',
      );
      const { type } = asSchema(target.schema);
      return { ...(jsonTypes.has(type) && { type: type as 'object' }), ...own };
    }
    return mergeSchemas(visit(target.schema, pointer, [...within, target.pointer]), own, pointer, trace);
  }

  function keptDefinition(target: { schema: JsonSchema; pointer: string }): string | undefined {
    const [home, key, ...further] = pointerNames(target.pointer);
    if ((home !== '$defs' && home !== 'definitions') || !key || further.length > 0) return undefined;
    let known = definitions.get(target.pointer);
    if (!known) {
      const wanted = key.replace(/[^A-Za-z0-9_.-]/g, '_');
      const taken = new Set([...definitions.values()].map(({ name }) => name));
      let name = wanted;
      for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`;
      known = { name };
      definitions.set(target.pointer, known);
      known.schema = visit(target.schema, at('', '$defs', name), []);
    }
    return `#/$defs/${known.name}`;
  }

  function plain(schema: JsonSchemaObject, pointer: string, within: readonly string[]): JsonSchemaObject {
    const draft: Draft = {};
    const inner = (sub: JsonSchema, ...tokens: (string | number)[]) => visit(sub, at(pointer, ...tokens), within);
    for (const [keyword, value] of Object.entries(modern(schema))) {
      if (keyword === '$ref' || leftOut.has(keyword) || value === undefined) continue;
      if (keyword === '$dynamicRef' || keyword === '$recursiveRef') {
        trace.lose(pointer, keyword, 'dropped', 'dynamic references are not followed');
      } else if (mayBeBoolean.has(keyword) && typeof value === 'boolean') draft[keyword] = value;
      else if (oneSchema.has(keyword)) {
        if (keyword === 'items' && value === false) draft[keyword] = false;
        else draft[keyword] = inner(value as JsonSchema, keyword);
      } else if (schemaList.has(keyword)) {
        const list = listOf(value).map((sub, index) => inner(sub, keyword, index));
        if (list.length > 0) draft[keyword] = list;
      } else if (schemaMap.has(keyword)) {
        draft[keyword] = Object.fromEntries(schemasOf(value).map(([name, sub]) => [name, inner(sub, keyword, name)]));
      } else {
        const cleaned = clean(keyword, value);
        if (cleaned === undefined) trace.lose(pointer, keyword, 'dropped', `its value is not valid in JSON Schema`);
        else draft[keyword] = cleaned;
      }
    }
    return draft;
  }
}

const numeric: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
]);

function clean(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'type': {
      if (!Array.isArray(value)) return jsonTypes.has(value) ? value : undefined;
      const words = [...new Set(value.filter((word) => jsonTypes.has(word)))];
      return words.length > 1 ? words : words[0];
    }
    case 'required':
      return Array.isArray(value) ? [...new Set(value.filter((name) => typeof name === 'string'))] : undefined;
    case 'enum':
      return Array.isArray(value) && value.length > 0 ? value : undefined;
    case 'description':
    case 'title':
    case 'pattern':
    case 'format':
      return typeof value === 'string' ? value : undefined;
    default:
      return numeric.has(keyword) && typeof value !== 'number' ? undefined : value;
  }
}

/** Spells the keywords of older drafts as 2020-12 does. */
function modern(schema: JsonSchemaObject): Draft {
  const draft: Draft = { ...schema };
  if (Array.isArray(schema.items)) {
    draft['prefixItems'] = schema.items;
    draft['items'] = schema['additionalItems'];
  }
  delete draft['additionalItems'];
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof draft[exclusive] !== 'boolean') continue;
    if (draft[exclusive] && typeof draft[bound] === 'number') {
      draft[exclusive] = draft[bound];
      delete draft[bound];
    } else delete draft[exclusive];
  }
  const dependencies = schemasOf(schema['dependencies']);
  if (dependencies.length > 0) {
    const lists = dependencies.filter(([, value]) => Array.isArray(value));
    const subschemas = dependencies.filter(([, value]) => !Array.isArray(value));
    if (lists.length > 0) draft['dependentRequired'] = Object.fromEntries(lists);
    if (subschemas.length > 0) draft['dependentSchemas'] = Object.fromEntries(subschemas);
    delete draft['dependencies'];
  }
  return draft;
}
