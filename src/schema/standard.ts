import { describeValue } from './describe.ts';
import { pointerStep, valueAt } from './pointer.ts';
import type { Violation } from './violation.ts';

/** What a Standard Schema library made of a value: the value it gives, or what is wrong. */
export type StandardOutcome =
  | { readonly value: unknown; readonly violations?: undefined }
  | { readonly violations: readonly Violation[] };

const most = 10;

/**
 * Reads the result of a Standard Schema's `validate`. Anything that is not clearly a success is a failure.
 * Throws a TypeError for what is no result at all. https://standardschema.dev
 */
export function readStandardResult(result: unknown, input: unknown): StandardOutcome {
  if (typeof result !== 'object' || result === null) throw new TypeError('The schema library gave no result.');
  const { issues } = result as { issues?: unknown };
  if (issues === undefined && 'value' in result) return { value: result.value };
  if (!Array.isArray(issues) || issues.length === 0) throw new TypeError('The schema library gave no usable result.');
  return { violations: issues.slice(0, most).map((issue: unknown) => violationOf(issue, input)) };
}

function violationOf(issue: unknown, input: unknown): Violation {
  const { message, path } = (issue ?? {}) as { message?: unknown; path?: unknown };
  const pointer = Array.isArray(path) ? path.map(step).join('') : '';
  const received = describeValue(valueAt(input, pointer));
  const said = typeof message === 'string' && message !== '' ? message.slice(0, 300) : 'does not fit';
  return {
    pointer,
    keyword: 'standard-schema',
    expected: said,
    received,
    message: `${pointer === '' ? 'the value' : pointer}: ${said}`,
  };
}

/** A path names properties directly, or as `{ key }`. */
function step(segment: unknown): string {
  const key: unknown = typeof segment === 'object' && segment !== null ? (segment as { key?: unknown }).key : segment;
  return pointerStep(typeof key === 'number' ? key : String(key));
}
