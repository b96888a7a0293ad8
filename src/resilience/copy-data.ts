import { isPlainObject } from '../basics/plain-object.ts';

/** Data that nobody else holds, and about how many bytes it takes. */
export interface Copied {
  readonly data: unknown;
  readonly bytes: number;
}

/** The most values in data that is copied, and the most levels. */
const mostValues = 200_000;
const deepest = 100;

/**
 * A copy that shares nothing with what it was made from: of plain objects, arrays, texts, numbers, booleans, `null`,
 * `undefined`, BigInt and Date. `undefined` for data with anything else in it (class instances, functions, streams, bytes),
 * for cycles, and for what is too large: of such data nobody knows whether a copy means the same.
 */
export function copyData(data: unknown): Copied | undefined {
  const walk: Walk = { bytes: 0, left: mostValues };
  try {
    return { data: copy(data, walk, 0), bytes: walk.bytes };
  } catch {
    // Also what a getter or a Proxy throws.
    return undefined;
  }
}

interface Walk {
  bytes: number;
  left: number;
}

const unsuitable: unique symbol = Symbol('unsuitable');

function copy(value: unknown, walk: Walk, depth: number): unknown {
  if (walk.left-- <= 0 || depth > deepest) throw unsuitable;
  walk.bytes += 16;
  switch (typeof value) {
    case 'string':
      walk.bytes += 2 * value.length;
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return value;
    case 'object':
      break;
    default:
      throw unsuitable;
  }
  if (value === null) return null;
  if (Array.isArray(value)) {
    // A list that is mostly holes must not be walked for its length.
    if (value.length > walk.left) throw unsuitable;
    const items: unknown[] = [];
    for (let at = 0; at < value.length; at++) items.push(copy(value[at], walk, depth + 1));
    return items;
  }
  if (!isPlainObject(value)) {
    if (value instanceof Date) return new Date(value.getTime());
    throw unsuitable;
  }
  const own: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    walk.bytes += 2 * name.length;
    const member = copy(value[name], walk, depth + 1);
    if (name === '__proto__') define(own, name, member);
    else own[name] = member;
  }
  return own;
}

/** Assigned, a member of this name would be the object's prototype. */
function define(own: object, name: string, value: unknown): void {
  Object.defineProperty(own, name, { value, enumerable: true, configurable: true, writable: true });
}
