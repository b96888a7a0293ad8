import { forModel } from '../../output/control-characters.ts';
import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import { looksTooOften } from '../../schema/visits.ts';
import { knownKeywords } from '../../schema/vocabulary.ts';
import { eachSchema, isSchemaObject, mapSchema } from '../../schema/walk.ts';
import { cleanText } from './clean-text.ts';

/** The most characters of a text within a schema. */
const longestText = 2_048;
/** Keywords that only say something. What no vocabulary knows is among them. */
const sayings: ReadonlySet<string> = new Set(['$comment', 'title', 'description', 'examples']);
/** Deeper than any example; what lies below is left out. */
const deepestSaying = 32;
/** What a check may look at, for each place of a value: some milliseconds. */
const mostVisits = 1_000_000;
/** No arguments, and no data of a result, are deeper. */
const deepestValue = 128;

/** The same schema with texts that may be shown. Only what is said about it changes, never what it allows. */
export function cleanSchema(schema: JsonSchemaObject): JsonSchemaObject {
  return mapSchema(schema, (inner) => {
    const changed: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(inner)) {
      if (knownKeywords.has(keyword) && !sayings.has(keyword)) continue;
      const clean = cleanSaying(value, 1);
      if (clean !== value) changed.push([keyword, clean]);
    }
    return changed.length === 0 ? inner : { ...inner, ...Object.fromEntries(changed) };
  });
}

/** The same value when there was nothing to clean. */
function cleanSaying(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value, longestText);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepestSaying) return null;
  if (Array.isArray(value)) {
    const copies = value.map((item: unknown) => cleanSaying(item, depth + 1));
    return copies.some((copy, at) => copy !== value[at]) ? copies : value;
  }
  const entries = Object.entries(value);
  const copies = entries.map(([name, item]): [string, unknown] => [
    cleanText(name, longestText),
    cleanSaying(item, depth + 1),
  ]);
  const isSame = copies.every(([name, item], at) => name === entries[at]?.[0] && item === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(copies);
}

/**
 * Throws an Error for a schema that must not be used: in whose names and values something is hidden, so that nobody could
 * see what it stands for, or that could take for ever to check something by.
 */
export function checkSchema(schema: JsonSchemaObject): void {
  eachSchema(schema, (inner) => {
    for (const [keyword, value] of Object.entries(inner)) {
      const isShown = isClean(keyword) && (isMap(keyword, value) ? isClean(Object.keys(value)) : true);
      if (!isShown || (valued.has(keyword) && !isClean(value))) {
        throw new Error('its schema has names or values with characters that act or are hidden');
      }
    }
  });
  if (looksTooOften(schema, deepestValue, mostVisits)) throw new Error('its schema could take for ever to check');
}

/** Keywords with values that count as they are. */
const valued: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'format', 'pattern', 'required', '$ref']);

function isMap(keyword: string, value: unknown): value is object {
  return /^(?:properties|patternProperties|\$defs|definitions|depend\w+)$/.test(keyword) && isSchemaObject(value);
}

// JSON text shows these as escapes, so that they neither act nor hide; some values are separators.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const escaped = /[\u0000-\u001f]/g;

function isClean(value: unknown): boolean {
  if (typeof value === 'string') {
    const text = value.replaceAll(escaped, '');
    return forModel(text) === text;
  }
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, item]) => isClean(name) && isClean(item));
}
