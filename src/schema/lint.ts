import { didYouMean, inQuotes } from '../basics/nearest.ts';
import { listed } from './describe.ts';
import type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
import type { SchemaNote } from './note.ts';
import { hasMisfitDefault } from './prepare.ts';
import { typesOf } from './types-of.ts';
import { harmlessKeywords, keywordsOfType, knownFormats, knownKeywords } from './vocabulary.ts';
import { eachSchema, isSchemaObject } from './walk.ts';

type Rule = (schema: JsonSchemaObject, root: JsonSchemaObject) => readonly [keyword: string, message: string][];

const rules: readonly Rule[] = [
  unknownKeywords,
  unknownFormat,
  idleKeywords,
  unlistedRequired,
  misfitDefaults,
  oldBounds,
];

/**
 * Finds what compiles and yet is probably not what its author meant: mistyped keywords, unknown formats, keywords that
 * have no effect on the type they stand at, required properties that are not described, defaults that do not fit.
 * Empty when there is nothing to say. A schema that does not compile is `compile`'s business.
 */
export function lintSchema(schema: JsonSchema): readonly SchemaNote[] {
  if (!isSchemaObject(schema)) return [];
  const notes: SchemaNote[] = [];
  eachSchema(schema, (inner, pointer) => {
    for (const rule of rules) {
      for (const [keyword, message] of rule(inner, schema)) notes.push({ pointer, keyword, message });
    }
  });
  return notes;
}

function unknownKeywords(schema: JsonSchemaObject): [string, string][] {
  return Object.keys(schema)
    .filter((keyword) => !knownKeywords.has(keyword) && !harmlessKeywords.has(keyword) && !/^x-/i.test(keyword))
    .map((keyword) => {
      const hint = didYouMean(keyword, knownKeywords, 'clause', inQuotes);
      return [keyword, `"${keyword.slice(0, 80)}" is not a keyword of JSON Schema and has no effect${hint}`];
    });
}

function unknownFormat({ format }: JsonSchemaObject): [string, string][] {
  if (typeof format !== 'string' || knownFormats.has(format)) return [];
  const hint = didYouMean(format, knownFormats, 'clause', inQuotes);
  return [['format', `the format "${format.slice(0, 80)}" is not known and is not checked${hint}`]];
}

function idleKeywords(schema: JsonSchemaObject): [string, string][] {
  const types = typesOf(schema).map((type) => (type === 'integer' ? 'number' : type));
  if (types.length === 0) return [];
  return Object.entries(keywordsOfType)
    .filter(([type]) => !types.includes(type))
    .flatMap(([type, keywords]) =>
      keywords.filter((keyword) => Object.hasOwn(schema, keyword)).map((keyword) => [type, keyword] as const),
    )
    .map(([type, keyword]) => [
      keyword,
      `"${keyword}" has no effect here: it is for type "${type}", not "${listed(types, '", "')}"`,
    ]);
}

function unlistedRequired({ required, properties, patternProperties }: JsonSchemaObject): [string, string][] {
  if (!Array.isArray(required) || !isSchemaObject(properties) || patternProperties !== undefined) return [];
  return required
    .filter((name): name is string => typeof name === 'string' && !Object.hasOwn(properties, name))
    .map((name) => ['required', `"${name.slice(0, 80)}" is required but not among the properties`]);
}

function misfitDefaults(schema: JsonSchemaObject, root: JsonSchemaObject): [string, string][] {
  return hasMisfitDefault(root, schema)
    ? [['default', 'the default does not fit the schema itself and is not filled in']]
    : [];
}

function oldBounds(schema: JsonSchemaObject): [string, string][] {
  return ['exclusiveMinimum', 'exclusiveMaximum']
    .filter((keyword) => typeof schema[keyword] === 'boolean')
    .map((keyword) => [keyword, `"${keyword}" is a boolean, as in draft 4; today it is a number`]);
}
