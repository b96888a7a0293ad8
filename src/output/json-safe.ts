import type { Notes } from './clean.ts';
import { readSpecial } from './special-values.ts';

export interface JsonSafeOptions {
  /** Applied to every text in the value, with `notes`; has to make it well-formed too. Default: only that. */
  readonly text?: (text: string, notes: Notes) => string;
  /** Applied to the names of members instead of `text`. Default: `text`. */
  readonly key?: (key: string, notes: Notes) => string;
  /** How many levels of arrays and objects are kept. Default 100. */
  readonly maxDepth?: number;
  /** How many values are looked at altogether; the rest is counted and left out. Default 1,000,000. */
  readonly maxValues?: number;
  /** How many characters of text are kept altogether, give or take the last text. Default: no limit. */
  readonly maxCharacters?: number;
}

/** The state of one conversion. */
export interface Walk {
  readonly text: JsonSafeOptions['text'];
  readonly key: JsonSafeOptions['key'];
  readonly notes: Notes | undefined;
  readonly maxDepth: number;
  /** The arrays and objects around the value at hand, to find cycles: the first `depth` of the list. */
  readonly around: (object | undefined)[];
  depth: number;
  /** How many more values may be looked at. */
  left: number;
  /** How many more characters of text there may be. */
  leftCharacters: number;
  /** Whether a member got another name, so that names may now meet. */
  renamed: boolean;
  /** Whether somebody added to `Object.prototype`, so that `for in` sees more than the members. */
  readonly polluted: boolean;
}

/**
 * Turns any JavaScript value into one that JSON can carry without loss: a copy made of plain objects, arrays, texts,
 * finite numbers, booleans and null. Never throws; a text comes back well-formed.
 *
 * | value | becomes |
 * | --- | --- |
 * | `undefined` | `null`; left out as a member of an object, `null` in an array |
 * | a hole in an array | `null` |
 * | `NaN`, `Infinity`, `-Infinity` | their names as text; `-0` becomes `0` |
 * | BigInt | its decimal text |
 * | half of a surrogate pair | U+FFFD |
 * | function, symbol | left out as a member of an object; else `"[Function: name]"`, `"[Symbol: name]"` |
 * | Date | ISO text; `null` for an invalid one |
 * | RegExp, URL, URLSearchParams | its text |
 * | boxed primitive | the primitive |
 * | Map | an object when every key is text, else an array of pairs |
 * | Set | an array |
 * | Error | `{ name, message, code?, cause?, errors? }`, without the stack |
 * | Buffer, typed array, DataView, ArrayBuffer, Blob | `{ type: 'binary', bytes, base64? }`; base64 up to 4,096 bytes |
 * | instance of a class with a `toJSON` method | what that gives, converted in turn; else as the next row |
 * | instance of a class | its own enumerable members; `"[ClassName]"` when it has none |
 * | Headers, FormData | an array of pairs |
 * | Promise, stream, iterator, generator, WeakMap ... | its type as text, such as `"[Readable]"`: it is not read |
 * | a cycle | `"[Circular]"` |
 * | a level too deep | `"[Too deep]"` |
 * | a getter or Proxy that throws | `"[Unreadable]"` |
 * | more than `maxValues` or `maxCharacters` | in an array `"[12 more items]"`, in an object a member `"[left out]"` |
 *
 * A plain object's own `toJSON` is never called, as functions are left out. A member named `__proto__` stays a member
 * and changes no prototype.
 */
export function toJsonSafe(value: unknown, options: JsonSafeOptions = {}): unknown {
  if (value === null || typeof value === 'boolean') return value;
  return convertItem(value, startWalk(options));
}

/** More than the longest text that JavaScript can hold, and still a small integer. */
const noLimit = 2_000_000_000;

/** @param notes where `text` and `key` note what they do; not needed by those that note nothing */
export function startWalk(options: JsonSafeOptions, notes?: Notes): Walk {
  return {
    text: options.text,
    key: options.key ?? options.text,
    notes,
    maxDepth: options.maxDepth ?? 100,
    // Room for the usual depth: an empty list grows to four times that.
    around: [undefined, undefined, undefined, undefined],
    depth: 0,
    left: options.maxValues ?? 1_000_000,
    leftCharacters: options.maxCharacters ?? noLimit,
    renamed: false,
    polluted: prototypeIsPolluted(),
  };
}

/** Converts one value; `undefined` for one that an object leaves out. */
export function convert(value: unknown, walk: Walk): unknown {
  switch (typeof value) {
    case 'string':
      return convertText(value, walk);
    case 'number':
      if (value === 0) return 0;
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
    case 'undefined':
      return value;
    case 'bigint':
      return convertText(value.toString(), walk);
    case 'object':
      return value === null ? null : convertObject(value, walk);
    default:
      return undefined;
  }
}

/** Converts a value that stands where nothing can be left out: on top, or in an array. */
export function convertItem(value: unknown, walk: Walk): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return convertText(nameOf(value), walk);
  const safe = convert(value, walk);
  return safe === undefined ? null : safe;
}

export function convertText(text: string, walk: Walk): string {
  const result = walk.text === undefined ? wellFormed(text) : walk.text(text, walk.notes as Notes);
  walk.leftCharacters -= result.length;
  if (walk.leftCharacters <= 0) walk.left = 0;
  return result;
}

/** Half surrogate pairs become U+FFFD, since JSON text in UTF-8 cannot carry them. */
export function wellFormed(text: string): string {
  const es2024 = text as string & { isWellFormed(): boolean; toWellFormed(): string };
  return es2024.isWellFormed() ? text : es2024.toWellFormed();
}

function nameOf(value: object | symbol): string {
  if (typeof value === 'symbol') return `[Symbol: ${value.description ?? ''}]`;
  try {
    return `[Function: ${String((value as { name?: unknown }).name || 'anonymous')}]`;
  } catch {
    return '[Function: anonymous]';
  }
}

function convertObject(value: object, walk: Walk): unknown {
  const { around } = walk;
  for (let at = walk.depth - 1; at >= 0; at -= 1) if (around[at] === value) return '[Circular]';
  if (walk.depth >= walk.maxDepth) return '[Too deep]';
  around[walk.depth] = value;
  walk.depth += 1;
  try {
    if (Array.isArray(value)) return convertArray(value, walk);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return convertPlain(value, walk);
    return readSpecial(value, walk);
  } catch {
    return '[Unreadable]';
  } finally {
    walk.depth -= 1;
  }
}

function convertArray(value: readonly unknown[], walk: Walk): unknown[] {
  const { length } = value;
  // A list that grows has room for seventeen from the start.
  const items: unknown[] = length === 1 ? [undefined] : [];
  for (let index = 0; index < length; index += 1) {
    if (walk.left <= 0) {
      items[index] = `[${length - index} more items]`;
      break;
    }
    walk.left -= 1;
    let item: unknown;
    try {
      item = value[index];
    } catch {
      item = '[Unreadable]';
    }
    items[index] = convertItem(item, walk);
  }
  return items;
}

function convertPlain(value: object, walk: Walk): unknown {
  // `for in` is twice as fast as a list of keys, and the same where no prototype adds to it.
  if (walk.polluted) return convertMembers(value, walk);
  const source = value as Record<string, unknown>;
  const members: Record<string, unknown> = {};
  let seen = 0;
  try {
    for (const key in source) {
      if (walk.left <= 0) {
        put(members, '[left out]', `${Object.keys(source).length - seen} more members`, walk);
        break;
      }
      walk.left -= 1;
      seen += 1;
      const member = convert(source[key], walk);
      if (member !== undefined) put(members, key, member, walk);
    }
  } catch {
    return convertMembers(value, walk);
  }
  return members;
}

function prototypeIsPolluted(): boolean {
  for (const _ in Object.prototype) return true;
  return false;
}

/** The own enumerable members, each read on its own, so that one that throws spoils only itself. */
export function convertMembers(value: object, walk: Walk): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  const keys = Object.keys(value);
  for (const [index, key] of keys.entries()) {
    if (walk.left <= 0) {
      put(members, '[left out]', `${keys.length - index} more members`, walk);
      break;
    }
    walk.left -= 1;
    let member: unknown;
    try {
      member = (value as Record<string, unknown>)[key];
    } catch {
      member = '[Unreadable]';
    }
    const safe = convert(member, walk);
    if (safe !== undefined) put(members, key, safe, walk);
  }
  return members;
}

/** Sets an own member under a safe name, whatever the name is. */
export function put(members: Record<string, unknown>, key: string, value: unknown, walk: Walk): void {
  walk.leftCharacters -= key.length;
  let name = walk.key === undefined ? wellFormed(key) : walk.key(key, walk.notes as Notes);
  if (name !== key) walk.renamed = true;
  if (walk.renamed) while (Object.hasOwn(members, name)) name += '_';
  if (name === '__proto__') {
    Object.defineProperty(members, name, { value, enumerable: true, writable: true, configurable: true });
  } else {
    members[name] = value;
  }
}
