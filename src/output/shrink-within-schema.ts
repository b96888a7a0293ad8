import type { JsonSchema, JsonSchemaObject } from '../schema/json-schema.ts';
import { fairShare, fitText, jsonLength } from './fit-text.ts';
import { defaultHint } from './truncate.ts';

/** No text is cut below this many characters of JSON text. */
const leastText = 300;

/** What a schema may say without bounding the texts below it. Anything else, known or not, counts as a bound. */
const unbounding: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'prefixItems', 'maxLength', 'default'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties', 'minimum', 'maximum', 'multipleOf'],
  ...['$schema', '$id', '$defs', '$comment', 'definitions', 'title', 'description', 'examples', 'deprecated'],
]);

/**
 * Shortens data that an output schema describes, and keeps it valid: only texts are cut that the schema leaves free (no
 * `enum`, `pattern`, `format`, `minLength`, and nothing like `$ref` or `anyOf` above them). All else stays whole, so the
 * JSON text may still have more than `limit` characters.
 */
export function shrinkWithinSchema(
  value: unknown,
  schema: JsonSchemaObject,
  limit: number,
  hint: string = defaultHint,
): unknown {
  const sizes: number[] = [];
  mapFreeTexts(value, schema, (text) => {
    sizes.push(jsonLength(text));
    return text;
  });
  let free = 0;
  for (const size of sizes) free += size;
  const room = limit - (jsonLength(value) - free);
  const share = Math.max(leastText, fairShare(sizes, room));
  return mapFreeTexts(value, schema, (text) => (text.length + 2 > share ? fitText(text, share, hint) : text));
}

function mapFreeTexts(value: unknown, schema: JsonSchema | undefined, map: (text: string) => string): unknown {
  if (schema === false || isBounding(schema)) return value;
  if (typeof value === 'string') return map(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => mapFreeTexts(item, itemSchema(schema, index), map));
  const members = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(
    members.map(([key, member]) => [key, mapFreeTexts(member, memberSchema(schema, key), map)]),
  );
}

function isBounding(schema: JsonSchema | undefined): boolean {
  return typeof schema === 'object' && Object.keys(schema).some((keyword) => !unbounding.has(keyword));
}

function itemSchema(schema: JsonSchema | undefined, index: number): JsonSchema | undefined {
  if (typeof schema !== 'object') return undefined;
  const { items, prefixItems } = schema;
  const prefix = prefixItems ?? (Array.isArray(items) ? (items as readonly JsonSchema[]) : undefined);
  if (prefix && index < prefix.length) return prefix[index];
  // The rest of a tuple of an older draft is described by `additionalItems`, which counts as a bound above.
  return Array.isArray(items) ? undefined : (items as JsonSchema | undefined);
}

function memberSchema(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  if (typeof schema !== 'object') return undefined;
  const { properties = {}, additionalProperties } = schema;
  return Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
}
