import { isRecord } from '../basics/plain-object.ts';
import type { GuardedPath } from '../capabilities/fs/types.ts';
import { ToolError } from '../errors.ts';
import { member } from './members.ts';

/*
 * Arguments of operations, read one by one: what comes from a worker is data of any form, and what a capability gets is of
 * the form that its type says.
 */

export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw wrong('text');
}

/** A whole number from 0. */
export function count(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  // As handlers say that they want all.
  if (value === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER;
  throw wrong('a whole number from 0');
}

export function flag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw wrong('true or false');
}

export function choice<const T extends string>(value: unknown, choices: readonly T[]): T {
  if (choices.includes(value as T)) return value as T;
  throw wrong(`one of ${choices.join(', ')}`);
}

export function bytesOrText(value: unknown): string | Uint8Array {
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  throw wrong('text or bytes');
}

export function texts(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return [...value];
  throw wrong('a list of texts');
}

export function textsByName(value: unknown): { readonly [name: string]: string } {
  if (!isRecord(value)) throw wrong('an object of texts');
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, text(one)]));
}

/** A path as a handler may name it: as text, or as the guard gave it. */
export function path(value: unknown): GuardedPath | string {
  if (typeof value === 'string') return value;
  const requested = member(value, 'requested');
  const rel = member(value, 'rel');
  const root = member(value, 'root');
  if (typeof requested === 'string' && typeof rel === 'string' && typeof root === 'string') {
    return { requested, rel, root };
  }
  throw wrong('a path');
}

type Readers = { readonly [name: string]: (value: unknown) => unknown };
type Read<R extends Readers> = { [Name in keyof R]?: ReturnType<R[Name]> };

/** The known members of an object of options, those that are there. Others have no meaning and are left behind. */
export function options<R extends Readers>(value: unknown, readers: R): Read<R> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object') throw wrong('an object of options');
  const read: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(readers)) {
    const given = member(value, name);
    if (given !== undefined) read[name] = reader(given);
  }
  return read as Read<R>;
}

function wrong(wanted: string): ToolError {
  return new ToolError(`An operation got something else than ${wanted}.`, { code: 'internal' });
}
