import { isPlainObject } from '../basics/plain-object.ts';
import { ToolError } from '../errors.ts';
import type { Failure } from '../result.ts';
import { pointerNames, pointerStep } from '../schema/pointer.ts';
import type { Call } from '../types.ts';

/** As what a place is declared, which says who has to look at what stands there. */
export type PlaceKind = 'path' | 'url' | 'command';

/**
 * Replaces what stands at a declared place of the arguments: a property name, or a JSON pointer with `*` for every item
 * of a list. Copies only what has to change on the way; an argument that is absent or null is left as it is.
 *
 * Throws a ToolError (`path_denied`, `url_denied` or `command_denied`) where something else stands on the way to the place,
 * such as a text where a list was declared: what it holds would get past everybody who looks at the place.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901
 */
export function rewriteAt(
  args: unknown,
  declared: string,
  kind: PlaceKind,
  visit: (value: unknown, pointer: string) => unknown,
): unknown {
  return rewrite(args, namesIn(declared), 0, '', kind, visit);
}

/** What stands at a declared place. */
export interface Contents {
  readonly place: string;
  readonly values: readonly unknown[];
  /** How many values on the way there are of another form. */
  readonly unread: number;
}

export function contentsAt(args: unknown, place: string): Contents {
  const unread: unknown[] = [];
  const values = valuesAt(args, namesIn(place), unread).filter((value) => value !== undefined && value !== null);
  return { place, values, unread: unread.length };
}

/**
 * Whether fewer values stand at a declared place than before. What stood there twice may be left out once. What was of
 * another form on the way there counts as one value; where it still is, the guards refuse it.
 */
export function hasLost(before: Contents, args: unknown): boolean {
  const { values, unread } = contentsAt(args, before.place);
  return values.length + Math.min(unread, before.unread) < new Set(before.values).size + before.unread;
}

/**
 * The values that a path reaches; `*` is every item of a list. What stands on the way and may hold more of them, as it is of
 * another form than the path says, goes to `unread`.
 */
export function valuesAt(value: unknown, path: readonly string[], unread: unknown[] = []): readonly unknown[] {
  let values: readonly unknown[] = [value];
  for (const name of path) {
    values = values.flatMap((holder) => {
      if (name === '*' && Array.isArray(holder)) return holder;
      if (typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)) {
        return [(holder as Record<string, unknown>)[name]];
      }
      if (!lacks(holder, name)) unread.push(holder);
      return [];
    });
  }
  return values;
}

/** Whether what has no property of a name has nothing under that name. What is of a class may, such as a Map. */
export function lacks(holder: unknown, name: string): boolean {
  if (holder === undefined || holder === null) return true;
  if (Array.isArray(holder)) return isIndex(name);
  return typeof holder === 'object' && name !== '*' && isPlainObject(holder);
}

/** The names on the way to a declared place. */
export function namesIn(declared: string): readonly string[] {
  return declared.startsWith('/') ? pointerNames(declared) : [declared];
}

/** Whether a name on the way stands for an item of a list. */
export function isIndex(name: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(name);
}

/** The answer to a call in which what stands at a declared place, or on the way to it, was refused. */
export function refusedAt(ctx: Call, pointer: string, error: ToolError): Failure {
  const known = error.options.details as { readonly pointer?: string } | undefined;
  const text = known?.pointer === undefined ? `${pointer}: ${error.message}` : error.message;
  return ctx.fail(error.code, text, { ...error.options, details: { ...known, pointer: known?.pointer ?? pointer } });
}

function rewrite(
  value: unknown,
  names: readonly string[],
  at: number,
  pointer: string,
  kind: PlaceKind,
  visit: (value: unknown, pointer: string) => unknown,
): unknown {
  // An optional argument that is not there, or null, is granted nothing.
  if (value === undefined || value === null) return value;
  const name = names[at];
  if (name === undefined) return visit(value, pointer);
  // Arguments are an object, in which a star is a name like any other.
  const isList = Array.isArray(value);
  const wantsAll = name === '*' && (isList || at > 0);
  if (isList) {
    if (!wantsAll && !isIndex(name)) throw misplaced(pointer, 'an object', kind);
    let copy: unknown[] | undefined;
    for (const [index, item] of value.entries()) {
      if (!wantsAll && name !== String(index)) continue;
      const rewritten = rewrite(item, names, at + 1, `${pointer}/${index}`, kind, visit);
      if (rewritten === item) continue;
      copy ??= [...value];
      copy[index] = rewritten;
    }
    return copy ?? value;
  }
  if (wantsAll) throw misplaced(pointer, 'a list', kind);
  if (typeof value !== 'object') throw misplaced(pointer, isIndex(name) ? 'a list' : 'an object', kind);
  if (!Object.hasOwn(value, name)) {
    // What is of a class may have it all the same, such as a Map.
    if (isPlainObject(value)) return value;
    throw misplaced(pointer, 'a plain object', kind);
  }
  const item = (value as Record<string, unknown>)[name];
  const rewritten = rewrite(item, names, at + 1, pointer + pointerStep(name), kind, visit);
  return rewritten === item ? value : { ...value, [name]: rewritten };
}

function misplaced(pointer: string, expected: string, kind: PlaceKind): ToolError {
  const text = `${pointer || 'The arguments'} must be ${expected}, so that what it holds can be checked.`;
  const details = { reason: 'unchecked', pointer };
  return new ToolError(text, { code: `${kind}_denied`, effect: 'none', retryable: false, details });
}
