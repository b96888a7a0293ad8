import { isRecord } from '../basics/plain-object.ts';
import type { JsonSchema, JsonSchemaObject } from '../schema/json-schema.ts';
import { pointerNames, pointerStep } from '../schema/pointer.ts';

/** The schema as an object of keywords: `true` is an empty one, `false` one that nothing fits. */
export function asSchema(schema: unknown): JsonSchemaObject {
  if (isRecord(schema)) return schema as JsonSchemaObject;
  return schema === false ? { not: {} } : {};
}

/** The schemas of `properties`, or of another keyword that holds a schema by name. Only own names count. */
export function schemasOf(map: unknown): readonly (readonly [string, JsonSchema])[] {
  if (!isRecord(map)) return [];
  return Object.entries(map as { [name: string]: JsonSchema });
}

/** The schemas of a list keyword such as `anyOf`; an empty list for anything else. */
export function listOf(list: unknown): readonly JsonSchema[] {
  return Array.isArray(list) ? (list as readonly JsonSchema[]) : [];
}

/** Appends tokens to a JSON pointer (RFC 6901). */
export function at(pointer: string, ...tokens: readonly (string | number)[]): string {
  return pointer + tokens.map(pointerStep).join('');
}

/**
 * The schema that a reference inside a document names: `#`, a JSON pointer in a fragment, or a plain-name fragment
 * (`$anchor`) of a definition. `undefined` when it leads nowhere or out of the document; nothing is ever fetched.
 */
export function resolveRef(root: JsonSchemaObject, ref: unknown): { schema: JsonSchema; pointer: string } | undefined {
  if (typeof ref !== 'string') return undefined;
  const local = typeof root.$id === 'string' && ref.startsWith(`${root.$id}#`) ? ref.slice(root.$id.length) : ref;
  if (!local.startsWith('#')) return byAnchor(root, ref, '$id');
  const pointer = decode(local.slice(1));
  if (pointer === undefined) return undefined;
  if (pointer !== '' && !pointer.startsWith('/')) return byAnchor(root, pointer, '$anchor');
  let place: unknown = root;
  for (const name of pointerNames(pointer)) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, name)) return undefined;
    place = (place as { [key: string]: unknown })[name];
  }
  return typeof place === 'boolean' || isRecord(place) ? { schema: place as JsonSchema, pointer } : undefined;
}

function byAnchor(root: JsonSchemaObject, name: string, keyword: '$anchor' | '$id') {
  for (const home of ['$defs', 'definitions']) {
    for (const [key, schema] of schemasOf(root[home])) {
      if (asSchema(schema)[keyword] === name) return { schema, pointer: at('', home, key) };
    }
  }
  return undefined;
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
