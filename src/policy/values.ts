import { isIndex } from '../definition/argument-places.ts';
import { pointerNames } from '../schema/pointer.ts';
import { RuleError } from './shape.ts';

/** A property name or a JSON pointer as the names of its parts. */
export function pathOf(argument: string, at = 'The argument'): readonly string[] {
  if (argument === '') throw new RuleError(at, 'needs the name of an argument, or a JSON pointer');
  return argument.startsWith('/') ? pointerNames(argument) : [argument];
}

/** The values that a path reaches; `*` is every item of an array. What is of another form on the way goes to `unread`. */
export function valuesAt(value: unknown, path: readonly string[], unread: unknown[] = []): readonly unknown[] {
  let values: readonly unknown[] = [value];
  for (const part of path) {
    values = values.flatMap((holder) => {
      if (holder === undefined || holder === null) return [];
      if (part === '*' && Array.isArray(holder)) return holder;
      if (typeof holder === 'object' && Object.hasOwn(holder, part)) return [(holder as Record<string, unknown>)[part]];
      const isAbsent = Array.isArray(holder) ? isIndex(part) : typeof holder === 'object' && part !== '*';
      if (!isAbsent) unread.push(holder);
      return [];
    });
  }
  return values;
}

/** The values at the places that a tool declares. */
export function declared(args: unknown, pointers: readonly string[]): readonly unknown[] {
  return pointers.flatMap((pointer) => valuesAt(args, pathOf(pointer)));
}
