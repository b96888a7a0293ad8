import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import { asSchema, listOf } from '../refs.ts';
import type { Converted } from '../types.ts';
import { describe, restrict } from './describe.ts';
import { isArraySchema, isObjectSchema, rebuild, typeWords } from './each.ts';
import { mergeSchemas } from './merge.ts';
import { type Draft, normalize } from './normalize.ts';
import { plainRoot, simplify } from './root.ts';
import { type Trace, trace } from './trace.ts';

/** A dialect without references, whose models see a fixed set of keywords. */
export interface InlinedDialect {
  readonly name: string;
  readonly keywords: ReadonlySet<string>;
  /** The formats of strings that it knows; others are described. Absent: all. */
  readonly formats?: ReadonlySet<string>;
}

/** Writes all references out and keeps the keywords that the dialect knows; the others go into descriptions. */
export function inlinedSchema(schema: JsonSchemaObject, dialect: InlinedDialect): Converted {
  const lost = trace();
  const root = plainRoot(normalize(schema, { refs: 'inline' }, lost), lost);
  const simple = simplify(root, lost);
  return { schema: rebuild(simple, (part, pointer) => adapt(part, pointer, dialect, lost)), losses: lost.losses };
}

function adapt(part: JsonSchemaObject, pointer: string, dialect: InlinedDialect, lost: Trace): JsonSchemaObject {
  let draft: Draft = withOneUnion({ ...part }, pointer, dialect, lost);
  if (draft['const'] !== undefined && !dialect.keywords.has('const')) {
    draft['enum'] ??= [draft['const']];
    delete draft['const'];
  }
  draft = withTextEnum(withWholeBounds(draft), pointer, lost);
  if (dialect.formats && typeof draft['format'] === 'string' && !dialect.formats.has(draft['format'])) {
    const { format, ...rest } = draft;
    draft = describe(rest, `Format: ${String(format)}.`);
    lost.lose(pointer, 'format', 'described', `${dialect.name} does not know the format ${String(format)}`);
  }
  draft = restrict(draft as JsonSchemaObject, dialect.keywords, dialect.name, pointer, lost);
  if (draft['type'] === undefined && draft['anyOf'] === undefined) {
    if (isObjectSchema(draft)) draft['type'] = 'object';
    else if (isArraySchema(draft)) draft['type'] = 'array';
  }
  if (isArraySchema(draft) && draft['items'] === undefined) draft['items'] = {};
  return unionAlone(draft, pointer, lost);
}

function withOneUnion(draft: Draft, pointer: string, dialect: InlinedDialect, lost: Trace): Draft {
  if (!draft['oneOf'] || dialect.keywords.has('oneOf')) return draft;
  const { oneOf, ...rest } = draft;
  if (rest['anyOf']) {
    lost.lose(pointer, 'oneOf', 'dropped', `${dialect.name} knows one union at a place, anyOf`);
    return rest;
  }
  return { ...rest, anyOf: oneOf };
}

/** A union stands alone beside its description: what else is said there is said in each of its branches. */
function unionAlone(draft: Draft, pointer: string, lost: Trace): JsonSchemaObject {
  const { anyOf, title, description, ...rest } = draft;
  if (anyOf === undefined || Object.keys(rest).length === 0) return draft as JsonSchemaObject;
  const branches = listOf(anyOf).map((branch) =>
    mergeSchemas(rest as JsonSchemaObject, asSchema(branch), pointer, lost),
  );
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    anyOf: branches,
  } as Draft as JsonSchemaObject;
}

/** The enum of a place holds texts or numbers; null among them becomes a branch of its own, the rest is described. */
function withTextEnum(draft: Draft, pointer: string, lost: Trace): Draft {
  const values = draft['enum'];
  if (!Array.isArray(values) || values.every((value) => typeof value === 'string' || typeof value === 'number'))
    return draft;
  const usable = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  const { enum: _, type: __, ...rest } = draft;
  if (usable.length > 0 && usable.length + 1 === values.length && values.includes(null) && !draft['anyOf']) {
    const words = typeWords(draft).filter((word) => word !== 'null');
    const type = words.length === 1 ? words[0] : typeof usable[0];
    return { ...rest, anyOf: [{ type, enum: usable }, { type: 'null' }] };
  }
  lost.lose(pointer, 'enum', 'described', 'only texts and numbers can be listed');
  const types = draft['type'] ?? [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
  return describe(
    { ...rest, type: Array.isArray(types) && types.length === 1 ? types[0] : types },
    `One of ${JSON.stringify(values)}.`,
  );
}

// A whole number above 0 is at least 1.
function withWholeBounds(draft: Draft): Draft {
  if (draft['type'] !== 'integer') return draft;
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = draft;
  if (typeof exclusiveMinimum === 'number') {
    rest['minimum'] = Math.max(
      Math.floor(exclusiveMinimum) + 1,
      typeof rest['minimum'] === 'number' ? rest['minimum'] : -Infinity,
    );
  }
  if (typeof exclusiveMaximum === 'number') {
    rest['maximum'] = Math.min(
      Math.ceil(exclusiveMaximum) - 1,
      typeof rest['maximum'] === 'number' ? rest['maximum'] : Infinity,
    );
  }
  return rest;
}
