import { valuesAt } from '../definition/argument-places.ts';
import { pointerNames } from '../schema/pointer.ts';
import { RuleError } from './shape.ts';

/** A property name or a JSON pointer as the names of its parts. */
export function pathOf(argument: string, at = 'The argument'): readonly string[] {
  if (argument === '') throw new RuleError(at, 'needs the name of an argument, or a JSON pointer');
  return argument.startsWith('/') ? pointerNames(argument) : [argument];
}

/** The values at the places that a tool declares. What is of another form on the way goes to `unread`. */
export function declared(args: unknown, pointers: readonly string[], unread?: unknown[]): readonly unknown[] {
  return pointers.flatMap((pointer) => valuesAt(args, pathOf(pointer), unread));
}
