import { types } from 'node:util';
import { isPlainObject } from '../basics/plain-object.ts';
import { convert, convertItem, convertMembers, convertText, put, type Walk } from './json-safe.ts';

/** The largest binary value, in bytes, that is kept in full as base64. */
const keptBytes = 4_096;

/** The JSON form of an object that is neither an array nor plain in this realm; the table stands at `toJsonSafe`. May throw. */
export function readSpecial(value: object, walk: Walk): unknown {
  // Of another realm.
  if (isPlainObject(value)) return convertMembers(value, walk);
  if (types.isDate(value)) return readDate(value);
  if (types.isMap(value)) return readMap(value, walk);
  if (types.isSet(value)) return readAll(itemsOf.call(value), setSize.call(value), walk);
  if (types.isNativeError(value) || value instanceof Error) return readError(value, walk);
  if (types.isAnyArrayBuffer(value)) return readBinary(new Uint8Array(value), walk);
  if (ArrayBuffer.isView(value))
    return readBinary(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), walk);
  if (types.isRegExp(value)) return convertText(String(value), walk);
  if (types.isBoxedPrimitive(value)) return convertItem(value.valueOf(), walk);
  if (value instanceof URL || value instanceof URLSearchParams) return convertText(value.toString(), walk);
  if (value instanceof Blob) return { type: 'binary', bytes: Number(value.size) };
  if (value instanceof Headers || value instanceof FormData) return convertItem([...value.entries()], walk);
  if (isNotData(value)) return typeName(value, walk);
  return readInstance(value, walk);
}

// The platform's own methods: those of a subclass may give something else than they should, or never end.
const isoOf = Date.prototype.toISOString;
const timeOf = Date.prototype.getTime;
const keysOf = Map.prototype.keys;
const entriesOf = Map.prototype.entries;
const itemsOf = Set.prototype.values;
const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size')?.get as (this: unknown) => number;
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size')?.get as (this: unknown) => number;

function readDate(date: Date): string | null {
  return Number.isNaN(timeOf.call(date)) ? null : isoOf.call(date);
}

function readMap(map: Map<unknown, unknown>, walk: Walk): unknown {
  const size = mapSize.call(map);
  for (const key of keysOf.call(map)) if (typeof key !== 'string') return readAll(entriesOf.call(map), size, walk);
  const members: Record<string, unknown> = {};
  let index = 0;
  for (const [key, value] of entriesOf.call(map) as Iterable<[string, unknown]>) {
    if (walk.left <= 0) {
      put(members, '[left out]', `${size - index} more members`, walk);
      break;
    }
    walk.left -= 1;
    index += 1;
    const member = convert(value, walk);
    if (member !== undefined) put(members, key, member, walk);
  }
  return members;
}

function readAll(items: Iterable<unknown>, size: number, walk: Walk): unknown[] {
  const list: unknown[] = [];
  for (const item of items) {
    if (walk.left <= 0) {
      list.push(`[${size - list.length} more items]`);
      break;
    }
    walk.left -= 1;
    list.push(convertItem(item, walk));
  }
  return list;
}

function readError(error: object, walk: Walk): unknown {
  const members: Record<string, unknown> = {};
  for (const name of ['name', 'message', 'code', 'cause', 'errors']) {
    let member: unknown;
    try {
      member = (error as Record<string, unknown>)[name];
    } catch {
      member = '[Unreadable]';
    }
    const safe = convert(member, walk);
    if (safe !== undefined) members[name] = safe;
  }
  return members;
}

function readBinary(view: Uint8Array, walk: Walk): unknown {
  const { byteLength: bytes } = view;
  if (bytes > keptBytes) return { type: 'binary', bytes };
  return { type: 'binary', bytes, base64: convertText(Buffer.from(view).toString('base64'), walk) };
}

/** What stands for something still to come, or for something to be used up, rather than for data. */
function isNotData(value: object): boolean {
  if (types.isPromise(value) || types.isGeneratorObject(value)) return true;
  if (value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) return true;
  const object = value as Record<PropertyKey, unknown>;
  return (
    typeof object['then'] === 'function' ||
    typeof object[Symbol.asyncIterator] === 'function' ||
    (typeof object['next'] === 'function' && typeof object[Symbol.iterator] === 'function') ||
    (typeof object['pipe'] === 'function' && typeof object['on'] === 'function')
  );
}

function readInstance(value: object, walk: Walk): unknown {
  const json = inheritedToJson(value);
  if (json !== undefined && json !== value) return convertItem(json, walk);
  const members = convertMembers(value, walk);
  return Object.keys(members).length === 0 ? typeName(value, walk) : members;
}

function inheritedToJson(value: object): unknown {
  try {
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== 'function' || Object.hasOwn(value, 'toJSON')) return undefined;
    return toJSON.call(value, '');
  } catch {
    return undefined;
  }
}

function typeName(value: object, walk: Walk): string {
  let name: unknown;
  try {
    name = value.constructor?.name;
    // Whether iterators have a constructor of their own depends on the release of Node.js; their tag does not.
    if (!name || name === 'Object' || name === 'Iterator')
      name = (value as Record<symbol, unknown>)[Symbol.toStringTag] || name;
  } catch {
    name = undefined;
  }
  return convertText(typeof name === 'string' && name !== '' ? `[${name.slice(0, 100)}]` : '[Object]', walk);
}
