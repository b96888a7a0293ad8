import { pointerNames, pointerStep } from './schema/pointer.ts';

/**
 * Replaces what stands at a declared place of the arguments: a property name, or a JSON pointer with `*` for every item
 * of a list. Copies only what has to change on the way; an argument that is absent or null is left as it is.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901
 */
export function rewriteAt(
  args: unknown,
  declared: string,
  visit: (value: unknown, pointer: string) => unknown,
): unknown {
  return rewrite(args, declared.startsWith('/') ? pointerNames(declared) : [declared], 0, '', visit);
}

function rewrite(
  value: unknown,
  parts: readonly string[],
  at: number,
  pointer: string,
  visit: (value: unknown, pointer: string) => unknown,
): unknown {
  // An optional argument that is not there, or null, is granted nothing.
  if (value === undefined || value === null) return value;
  const part = parts[at];
  if (part === undefined) return visit(value, pointer);
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (const [index, item] of value.entries()) {
      if (part !== '*' && part !== String(index)) continue;
      const rewritten = rewrite(item, parts, at + 1, `${pointer}/${index}`, visit);
      if (rewritten === item) continue;
      copy ??= [...value];
      copy[index] = rewritten;
    }
    return copy ?? value;
  }
  if (typeof value !== 'object' || !Object.hasOwn(value, part)) return value;
  const item = (value as Record<string, unknown>)[part];
  const rewritten = rewrite(item, parts, at + 1, pointer + pointerStep(part), visit);
  return rewritten === item ? value : { ...value, [part]: rewritten };
}
