import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import type { Draft } from './normalize.ts';
import type { Trace } from './trace.ts';

/** The schema with a sentence added to its description. */
export function describe<S extends JsonSchemaObject | Draft>(schema: S, sentence: string): S {
  const before = typeof schema['description'] === 'string' ? schema['description'].trim() : '';
  return { ...schema, description: before === '' ? sentence : `${before} ${sentence}` };
}

/** A value as a model reads it, cut where it is long. */
export function literal(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}

/** How a keyword that a dialect does not know reads in a description. */
const phrases: { readonly [keyword: string]: (value: unknown) => string } = {
  default: (value) => `Default: ${literal(value)}.`,
  example: (value) => `Example: ${literal(value)}.`,
  examples: (value) => `Examples: ${literal(value)}.`,
  const: (value) => `Always ${literal(value)}.`,
  enum: (value) => `One of ${literal(value)}.`,
  pattern: (value) => `Matches the regular expression ${String(value)}`,
  format: (value) => `Format: ${String(value)}.`,
  minLength: (value) => `At least ${String(value)} characters.`,
  maxLength: (value) => `At most ${String(value)} characters.`,
  minimum: (value) => `At least ${String(value)}.`,
  maximum: (value) => `At most ${String(value)}.`,
  exclusiveMinimum: (value) => `More than ${String(value)}.`,
  exclusiveMaximum: (value) => `Less than ${String(value)}.`,
  multipleOf: (value) => `A multiple of ${String(value)}.`,
  minItems: (value) => `At least ${String(value)} items.`,
  maxItems: (value) => `At most ${String(value)} items.`,
  uniqueItems: () => 'No item twice.',
  minProperties: (value) => `At least ${String(value)} properties.`,
  maxProperties: (value) => `At most ${String(value)} properties.`,
  dependentRequired: (value) => `Properties that demand others: ${literal(value)}.`,
  prefixItems: (value) => `The first items, in order: ${literal(value)}.`,
  contains: (value) => `Holds an item that fits ${literal(value)}.`,
  propertyNames: (value) => `Property names fit ${literal(value)}.`,
  patternProperties: (value) => `Properties by pattern of their name: ${literal(value)}.`,
  not: (value) => `Must not fit ${literal(value)}.`,
};

/** Keywords without a phrase that say something of a value; any other unknown keyword says nothing, so nothing is lost. */
const meaningful: ReadonlySet<string> = new Set([
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
  'minContains',
  'maxContains',
  'contentEncoding',
  'contentMediaType',
]);

/**
 * Keeps the keywords that a dialect knows. Each of the others is written into the description where there are words for
 * it, and noted.
 */
export function restrict(
  schema: JsonSchemaObject,
  known: ReadonlySet<string>,
  dialect: string,
  pointer: string,
  trace: Trace,
): Draft {
  let draft: Draft = {};
  const sentences: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (known.has(keyword)) draft[keyword] = value;
    else if (!(keyword === 'uniqueItems' && value !== true) && !(keyword === 'not' && isNothing(value))) {
      const phrase = Object.hasOwn(phrases, keyword) ? phrases[keyword] : undefined;
      if (phrase) sentences.push(phrase(value));
      if (phrase || meaningful.has(keyword)) {
        trace.lose(pointer, keyword, phrase ? 'described' : 'dropped', `${dialect} does not know it`);
      }
    }
  }
  if (sentences.length > 0) draft = describe(draft, sentences.join(' '));
  return draft;
}

function isNothing(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
