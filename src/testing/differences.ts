import { pointerStep } from '../schema/pointer.ts';

/** More than anybody reads. */
const mostDifferences = 20;
const longestValue = 200;
const deepest = 256;

/**
 * Where a value differs from what was expected, in words, one place a line: `/data/celsius: expected 3, got 4`. Empty
 * when they are the same. Compares what JSON can say, by value and whatever the order of members.
 */
export function differences(expected: unknown, actual: unknown, ignored: readonly string[] = []): string[] {
  const found: string[] = [];
  compare(expected, actual, '', new Set(ignored), found);
  if (found.length <= mostDifferences) return found;
  return [...found.slice(0, mostDifferences), `... and ${found.length - mostDifferences} more`];
}

function compare(
  expected: unknown,
  actual: unknown,
  pointer: string,
  ignored: ReadonlySet<string>,
  found: string[],
  depth = 0,
): void {
  if (Object.is(expected, actual) || ignored.has(pointer)) return;
  // Deeper than any JSON that passes, so a cycle: shown, not followed.
  const parts = depth > deepest ? undefined : commonParts(expected, actual);
  if (parts === undefined) {
    found.push(`${pointer === '' ? '(all of it)' : pointer}: expected ${show(expected)}, got ${show(actual)}`);
    return;
  }
  for (const part of parts) {
    const at = pointer + pointerStep(part);
    compare(memberOf(expected, part), memberOf(actual, part), at, ignored, found, depth + 1);
  }
}

/** The members of either, if both are lists or both are records. */
function commonParts(one: unknown, other: unknown): Set<string> | undefined {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return undefined;
  if (Array.isArray(one) !== Array.isArray(other)) return undefined;
  const parts = new Set([...Object.keys(one), ...Object.keys(other)]);
  // Two of a kind that shows no members, such as dates, are compared by what they say.
  if (parts.size === 0 && show(one) !== show(other)) return undefined;
  return parts;
}

function memberOf(value: unknown, part: string): unknown {
  return Object.hasOwn(value as object, part) ? (value as Record<string, unknown>)[part] : undefined;
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  let shown: string | undefined;
  try {
    shown = JSON.stringify(value);
  } catch {
    // Below: what JSON cannot say is shown as it shows itself.
  }
  shown ??= String(value);
  return shown.length > longestValue ? `${shown.slice(0, longestValue)} ...` : shown;
}
