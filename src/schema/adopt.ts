import type { ArgumentLimits } from './limits.ts';

export type Bag = Record<string, unknown>;

export const rootPrototype: object = Object.prototype;
const isOwn = rootPrototype.hasOwnProperty;
const bare = {};

/** Each level is a call inside another: what is nested deeper is left to the walk that needs no stack. */
const deepest = 64;

/** What was met so far. */
interface Walk {
  readonly limits: ArgumentLimits;
  readonly isOurs: boolean;
  keys: number;
  values: number;
  /** Of all keys and strings. */
  length: number;
}

/**
 * Makes an object that is ours plain data throughout: the objects and arrays in it are replaced by copies, or kept if
 * `isOurs` says that nobody else has them, as after `JSON.parse`. Gives the number of keys in it and all that it holds.
 *
 * This is the quick way, for what almost every call sends. It gives -1, and may have done half, where a limit is
 * passed, for a forbidden key, and for all that is not surely plain: `undefined`, numbers that are not finite, other
 * prototypes, arrays with holes, nesting beyond 64 levels. `copyDeep` decides then.
 */
export function adopt(object: Bag, limits: ArgumentLimits, isOurs: boolean): number {
  if (isPolluted()) return -1;
  const walk: Walk = { limits, isOurs, keys: 0, values: 1, length: 0 };
  return adoptObject(object, object, 1, walk) ? walk.keys : -1;
}

/** Whether something was added to the prototype of all objects, where `for in` meets it in each of them. */
function isPolluted(): boolean {
  for (const _ in bare) return true;
  return false;
}

// `constructor` is an honest property name; only with a `prototype` inside does it reach for one when merged.
export function isForbidden(key: string, value: unknown): boolean {
  if (key === '__proto__') return true;
  return key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

function adoptObject(source: Bag, target: Bag, depth: number, walk: Walk): boolean {
  const { maxNodes } = walk.limits;
  let keys = 0;
  let length = 0;
  for (const key in source) {
    const item = source[key];
    if (typeof item === 'object' && item !== null) {
      const inner = adoptInner(item, depth + 1, walk);
      if (inner === undefined || isForbidden(key, item)) return false;
      if (inner !== item) target[key] = inner;
    } else {
      if (typeof item === 'string') length += item.length;
      else if (!isPlain(item)) return false;
      if (key === '__proto__') return false;
      if (source !== target) target[key] = item;
    }
    length += key.length;
    if (++keys > maxNodes) return false;
  }
  walk.keys += keys;
  return fits(walk, keys, length);
}

function adoptList(source: unknown[], target: unknown[], depth: number, walk: Walk): boolean {
  if (source.length > walk.limits.maxNodes) return false;
  let length = 0;
  for (let at = 0; at < source.length; at++) {
    if (source !== target && !isOwn.call(source, at)) return false;
    const item = source[at];
    if (typeof item === 'object' && item !== null) {
      const inner = adoptInner(item, depth + 1, walk);
      if (inner === undefined) return false;
      if (inner !== item) target[at] = inner;
    } else {
      if (!isPlain(item)) return false;
      if (typeof item === 'string') length += item.length;
      if (source !== target) target[at] = item;
    }
  }
  return fits(walk, source.length, length);
}

function isPlain(item: unknown): boolean {
  switch (typeof item) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(item);
    default:
      return item === null;
  }
}

function fits(walk: Walk, values: number, length: number): boolean {
  walk.values += values;
  walk.length += length;
  return walk.values <= walk.limits.maxNodes && walk.length <= walk.limits.maxBytes;
}

function adoptInner(given: object, depth: number, walk: Walk): object | undefined {
  if (depth > walk.limits.maxDepth || depth > deepest) return undefined;
  if (Array.isArray(given)) {
    const list = walk.isOurs ? given : [];
    return adoptList(given, list, depth, walk) ? list : undefined;
  }
  if (!walk.isOurs && Object.getPrototypeOf(given) !== rootPrototype) return undefined;
  const object = (walk.isOurs ? given : {}) as Bag;
  return adoptObject(given as Bag, object, depth, walk) ? object : undefined;
}
