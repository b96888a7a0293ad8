import type { JsonSchema, JsonSchemaObject } from '../../schema/json-schema.ts';
import { asSchema, schemasOf } from '../refs.ts';
import type { Converted, Loss } from '../types.ts';
import { withPossibleNames } from './anthropic.ts';
import { describe, restrict } from './describe.ts';
import { isArraySchema, isObjectSchema, rebuild, typeWords } from './each.ts';
import { isRecursive, strictFaults } from './limits.ts';
import { type Draft, normalize } from './normalize.ts';
import { remember } from './remember.ts';
import { plainRoot, simplify } from './root.ts';
import { type Trace, trace } from './trace.ts';

/** A provider's strict mode. */
interface StrictMode {
  readonly keywords: ReadonlySet<string>;
  /** Formats of strings that are kept; others are described. */
  readonly formats: ReadonlySet<unknown>;
  /** `minItems` above it is described. */
  readonly mostMinItems: number;
  /** What an optional property becomes: required and nullable, or it stays optional. */
  readonly optional: 'nullable' | 'optional';
  /** Which names properties may have; others are left out. Absent: any. */
  readonly names?: (schema: JsonSchemaObject, pointer: string, lost: Trace) => JsonSchemaObject;
  /** Reasons that lie in the whole schema, as sentences. */
  readonly faults: (schema: JsonSchemaObject) => readonly string[];
}

const everywhere = [
  'type',
  'title',
  'description',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  '$ref',
  '$defs',
  'pattern',
  'format',
  'minItems',
];
const openai: StrictMode = {
  keywords: new Set([
    ...everywhere,
    'maxItems',
    'multipleOf',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
  ]),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  mostMinItems: Infinity,
  optional: 'nullable',
  faults: strictFaults,
};
const anthropic: StrictMode = {
  keywords: new Set(everywhere.filter((keyword) => keyword !== 'pattern')),
  formats: new Set([...openai.formats, 'uri']),
  mostMinItems: 1,
  optional: 'optional',
  names: withPossibleNames,
  faults: (schema) => (isRecursive(schema) ? ['it refers to itself'] : []),
};

/** A schema for a strict mode, and why it cannot be strict without shutting out valid calls; empty when it can. */
export interface StrictlyConverted extends Converted {
  readonly impossible: readonly Loss[];
}

/**
 * For OpenAI's strict mode: every object closed, every property required, optional ones nullable instead.
 *
 * A map with free keys, a place where anything goes, more than the mode's limits: such a tool is better offered without
 * strict mode, and `impossible` says why.
 */
export const openaiStrictSchema: (schema: JsonSchemaObject) => StrictlyConverted = remember((schema) =>
  strictSchema(schema, openai),
);

/** For Anthropic's strict mode: every object closed, optional properties stay optional, bounds are described. */
export const anthropicStrictSchema: (schema: JsonSchemaObject) => StrictlyConverted = remember((schema) =>
  strictSchema(schema, anthropic),
);

function strictSchema(schema: JsonSchemaObject, mode: StrictMode): StrictlyConverted {
  const lost = trace();
  const faults = trace();
  const root = plainRoot(normalize(schema, { refs: 'keep' }, lost), lost);
  const simple = simplify(root, lost);
  const strict = rebuild(simple, (part, pointer) =>
    adapt(mode.names ? mode.names(part, pointer, lost) : part, pointer, mode, lost, faults),
  );
  for (const reason of mode.faults(strict)) faults.lose('', 'strict', 'changed', reason);
  return { schema: strict, losses: lost.losses, impossible: faults.losses };
}

function adapt(
  part: JsonSchemaObject,
  pointer: string,
  mode: StrictMode,
  lost: Trace,
  faults: Trace,
): JsonSchemaObject {
  if (part.$ref !== undefined) return reference(part, pointer, lost);
  let draft: Draft = withOneUnion({ ...part }, pointer, lost);
  if (typeof draft['format'] === 'string' && !mode.formats.has(draft['format'])) {
    const { format, ...rest } = draft;
    draft = describe(rest, `Format: ${String(format)}.`);
    lost.lose(pointer, 'format', 'described', `strict mode does not know the format ${String(format)}`);
  }
  if (typeof draft['pattern'] === 'string' && /\(\?[=!<]|\\\d/.test(draft['pattern'])) {
    const { pattern, ...rest } = draft;
    draft = describe(rest, `Matches the regular expression ${String(pattern)}`);
    lost.lose(pointer, 'pattern', 'described', 'strict mode knows no lookaround and no back-references');
  }
  if (typeof draft['minItems'] === 'number' && draft['minItems'] > mode.mostMinItems) {
    const { minItems, ...rest } = draft;
    draft = describe(rest, `At least ${String(minItems)} items.`);
    lost.lose(pointer, 'minItems', 'described', `strict mode knows at most ${mode.mostMinItems}`);
  }
  if (draft['patternProperties'] !== undefined)
    faults.lose(pointer, 'patternProperties', 'changed', 'property names by pattern cannot be strict');
  const wasOpen = draft['additionalProperties'];
  draft = restrict(draft as JsonSchemaObject, mode.keywords, 'strict mode', pointer, lost);
  if (isObjectSchema(draft)) draft = closed(draft, wasOpen, pointer, mode, lost, faults);
  else draft = without(draft, 'properties', 'required', 'additionalProperties');
  if (!isArraySchema(draft)) draft = without(draft, 'items', 'minItems', 'maxItems');
  else if (typeof draft['items'] !== 'object') {
    faults.lose(pointer, 'items', 'changed', 'an array of anything cannot be strict');
    draft['items'] = { type: 'string' };
  }
  return typed(draft, pointer, faults) as JsonSchemaObject;
}

// What is said of objects means nothing where no object can stand, and the like.
function without(draft: Draft, ...keywords: readonly string[]): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([keyword]) => !keywords.includes(keyword)));
}

// Strict mode takes no keyword beside a reference.
function reference(part: JsonSchemaObject, pointer: string, lost: Trace): JsonSchemaObject {
  const { $ref, description, title: _, default: fallback, $defs, ...others } = part;
  for (const keyword of Object.keys(others))
    lost.lose(pointer, keyword, 'dropped', 'strict mode takes no keyword beside a reference');
  const words = [description, fallback === undefined ? undefined : `Default: ${JSON.stringify(fallback)}.`].filter(
    Boolean,
  );
  const bare: JsonSchemaObject = { $ref: $ref!, ...($defs && { $defs }) };
  return words.length === 0 ? bare : { anyOf: [bare], description: words.join(' ') };
}

function withOneUnion(draft: Draft, pointer: string, lost: Trace): Draft {
  const { oneOf, ...rest } = draft;
  if (!oneOf) return draft;
  if (rest['anyOf']) {
    lost.lose(pointer, 'oneOf', 'dropped', 'strict mode knows one union at a place, anyOf');
    return rest;
  }
  lost.lose(pointer, 'oneOf', 'changed', 'strict mode knows anyOf only');
  return { ...rest, anyOf: oneOf };
}

function closed(draft: Draft, wasOpen: unknown, pointer: string, mode: StrictMode, lost: Trace, faults: Trace): Draft {
  const properties = schemasOf(draft['properties']);
  const required = new Set(Array.isArray(draft['required']) ? draft['required'] : []);
  if (wasOpen !== false && (properties.length === 0 || typeof wasOpen === 'object')) {
    const isEmptyRoot = pointer === '' && properties.length === 0 && wasOpen === undefined;
    if (!isEmptyRoot)
      faults.lose(pointer, 'additionalProperties', 'changed', 'an object with free keys cannot be strict');
  } else if (wasOpen === true) lost.lose(pointer, 'additionalProperties', 'changed', 'strict mode closes every object');
  const entries = properties.map(([name, sub]) => [
    name,
    required.has(name) || mode.optional === 'optional' ? sub : nullable(asSchema(sub)),
  ]);
  return {
    ...draft,
    properties: Object.fromEntries(entries),
    required:
      mode.optional === 'optional'
        ? properties.map(([name]) => name).filter((name) => required.has(name))
        : properties.map(([name]) => name),
    additionalProperties: false,
  };
}

/** The schema with null allowed beside what it allows. */
function nullable(schema: JsonSchemaObject): JsonSchema {
  const words = typeWords(schema);
  if (words.includes('null') && !schema.enum) return schema;
  if (
    schema.anyOf &&
    Object.keys(schema).every((keyword) => keyword === 'anyOf' || keyword === 'description' || keyword === 'title')
  ) {
    const hasNull = schema.anyOf.some((branch) => asSchema(branch).type === 'null');
    return hasNull ? schema : { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  }
  const isPlain = words.length > 0 && schema.$ref === undefined && schema.const === undefined && !schema.anyOf;
  if (isPlain && !words.some((word) => word === 'object' || word === 'array')) {
    const type = words.includes('null') ? words : [...words, 'null'];
    const values = schema.enum && !schema.enum.includes(null) ? [...schema.enum, null] : schema.enum;
    return { ...schema, type: type as 'string'[], ...(values && { enum: values }) };
  }
  const { description, ...rest } = schema;
  return { anyOf: [rest as JsonSchemaObject, { type: 'null' }], ...(description && { description }) };
}

const typeByValue: { readonly [name: string]: string } = { string: 'string', number: 'number', boolean: 'boolean' };

/** Strict mode wants a type at every place. */
function typed(draft: Draft, pointer: string, faults: Trace): Draft {
  if (draft['type'] !== undefined || draft['anyOf'] !== undefined) return draft;
  const values = draft['const'] !== undefined ? [draft['const']] : draft['enum'];
  if (Array.isArray(values)) {
    const words = [...new Set(values.map((value) => (value === null ? 'null' : typeByValue[typeof value])))];
    if (words.every((word) => word !== undefined)) return { ...draft, type: words.length === 1 ? words[0] : words };
  }
  if (isObjectSchema(draft)) return { ...draft, type: 'object' };
  if (isArraySchema(draft)) return { ...draft, type: 'array' };
  faults.lose(pointer, 'type', 'changed', 'a place where anything goes cannot be strict');
  return { ...draft, type: ['string', 'number', 'boolean', 'null'] };
}
