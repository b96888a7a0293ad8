import { describeValue, listed } from './describe.ts';
import { valueAt } from './pointer.ts';
import { encodedHint } from './types-of.ts';
import type { Violation } from './violation.ts';

/**
 * Turns the faults of all branches of an `anyOf` or `oneOf`, none of which fits, into what a model can act on: what is
 * wrong with the one branch that was meant, or one violation for the whole choice; never one for every branch.
 */
export function ofNoBranch(
  keyword: 'anyOf' | 'oneOf',
  faults: readonly (readonly Violation[])[],
  value: unknown,
  pointer: string,
): readonly Violation[] {
  // The branch that was meant shows by the kind of value, or by the word in the property that tells the forms apart.
  const meant = faults.filter(
    (branch) => !branch.some((fault) => fault.keyword === 'type' && fault.pointer === pointer),
  );
  const named = meant.filter((branch) => !branch.some(({ keyword: at }) => at === 'const' || at === 'enum'));
  const [only] = meant.length === 1 ? meant : named.length === 1 ? named : [];
  if (only !== undefined && faults.length > 1) return only;
  const told = choiceAt(faults, pointer) ?? tellingProperty(meant);
  if (told !== undefined) {
    const received = valueAt(value, told.pointer.slice(pointer.length));
    const expected = listed(told.expected, ' or ');
    return [
      {
        pointer: told.pointer,
        keyword,
        expected,
        received: describeValue(received),
        message: `${subjectOf(told.pointer)} must be ${expected} (got ${describeValue(received)})${encodedHint(received, expected)}`,
      },
    ];
  }
  const [nearest] = meant.toSorted((one, other) => distance(one) - distance(other));
  const reasons = (nearest ?? []).slice(0, 3).map((violation) => violation.message);
  const forms = `its ${faults.length} allowed forms`;
  return [
    {
      pointer,
      keyword,
      expected: `one of ${faults.length} forms`,
      received: describeValue(value),
      message: `${subjectOf(pointer)} fits none of ${forms}; for the nearest one ${reasons.join(', ')}`,
    },
  ];
}

/** How a message calls the value at a pointer. */
export function subjectOf(pointer: string): string {
  return pointer === '' ? 'the value' : pointer;
}

interface Choice {
  readonly pointer: string;
  readonly expected: readonly string[];
}

/** Where every branch only asks for another type or literal at one place, that is one choice. */
function choiceAt(faults: readonly (readonly Violation[])[], pointer: string): Choice | undefined {
  const found = faults.map((branch) =>
    branch.find((fault) => fault.pointer === pointer && isPlainChoice(fault.keyword)),
  );
  if (found.some((fault) => fault === undefined)) return undefined;
  return { pointer, expected: [...new Set(found.map((fault) => fault?.expected ?? ''))] };
}

/** The property that tells the forms apart, when the value has a word there that none of them knows. */
function tellingProperty(faults: readonly (readonly Violation[])[]): Choice | undefined {
  for (const { pointer, keyword } of faults[0] ?? []) {
    if (keyword !== 'const' && keyword !== 'enum') continue;
    const choice = choiceAt(faults, pointer);
    if (choice !== undefined) return choice;
  }
  return undefined;
}

function isPlainChoice(keyword: string): boolean {
  return ['type', 'const', 'enum', 'anyOf', 'oneOf'].includes(keyword);
}

// A wrong word in the property that tells the forms apart is further away than a property that is missing.
function distance(violations: readonly Violation[]): number {
  let sum = 0;
  for (const { keyword } of violations) sum += keyword === 'const' || keyword === 'enum' ? 10 : 1;
  return sum;
}
