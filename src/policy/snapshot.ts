import { canonicalJson, deepest } from '../basics/canonical-json.ts';
import { isPlainObject } from '../basics/plain-object.ts';

/**
 * A copy that shares nothing with the original, every part read once. Throws a TypeError for what has no canonical
 * form, such as functions, class instances and cycles: what cannot be shown cannot be approved.
 */
export function snapshot<T>(value: T): T {
  const copy = copyOf(value, 0);
  canonicalJson(copy);
  return copy as T;
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => copyOf(item, depth + 1));
  if (value instanceof Date) return new Date(value.getTime());
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = Object.getPrototypeOf(value) === null ? Object.create(null) : {};
  for (const key of Object.keys(value)) {
    // A plain assignment to `__proto__` would set the prototype and lose the member.
    Object.defineProperty(copy, key, {
      value: copyOf(value[key], depth + 1),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
}

/** Freezes plain data all the way down. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
