import type { ErrorObject } from '../explain.ts';
import { pointerStep, valueAt } from '../pointer.ts';
import { fragmentNames, type LibraryError, type Lookup } from './library.ts';
import { TextCheck } from './text-check.ts';

/** Errors that only repeat that something inside did not fit; what that was comes right after them. */
const wrappers: ReadonlySet<string> = new Set([
  '$recursiveRef',
  '$ref',
  'additionalItems',
  'additionalProperties',
  'allOf',
  'dependentSchemas',
  'if',
  'items',
  'patternProperties',
  'prefixItems',
  'properties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/** The package's errors in Ajv's words: the first that says what is wrong, and not only where. */
export function toErrorObjects(
  errors: readonly LibraryError[],
  schema: object | boolean,
  lookup: Lookup,
  value: unknown,
): ErrorObject[] {
  const at = errors.findIndex(({ keyword }) => !wrappers.has(keyword));
  const error = errors[at];
  if (error === undefined) return [];
  const before = errors[at - 1];
  const instancePath = fragmentNames(error.instanceLocation).map(pointerStep).join('');
  const holder = schemaAt(schema, lookup, fragmentNames(error.keywordLocation).slice(0, -1));
  if (error.keyword === 'false') {
    const isUnknown = before !== undefined && /^(additional|unevaluated)Properties$/.test(before.keyword);
    return [{ instancePath, keyword: isUnknown ? before.keyword : 'false schema', params: {} }];
  }
  if (error.keyword === 'format') return [textFault(instancePath, holder['format'], valueAt(value, instancePath))];
  const { keyword } = error;
  const missing = /(?:required property|but does not have) "(.*)"\.$/s.exec(error.error)?.[1];
  const limit = holder[keyword];
  const types = typeof limit === 'string' ? [limit] : limit;
  return [
    {
      instancePath,
      keyword,
      params: {
        ...(missing !== undefined && { missingProperty: missing }),
        ...(keyword === 'const' && { allowedValue: limit }),
        ...(keyword === 'enum' && { allowedValues: limit }),
        ...(keyword === 'type' && { type: types }),
        ...(keyword === 'oneOf' && error.error.includes('more than one') && { passingSchemas: [] }),
      },
      message: messageOf(keyword, limit, types),
    },
  ];
}

function textFault(instancePath: string, check: unknown, text: unknown): ErrorObject {
  const failed =
    check instanceof TextCheck
      ? check.tests.find(({ test }) => typeof text !== 'string' || !test(text))
      : /* not reached */ undefined;
  if (failed === undefined) return { instancePath, keyword: 'format', params: {}, message: 'is not of the right form' };
  const { keyword, name } = failed;
  return { instancePath, keyword, params: { [keyword]: name }, message: `must match pattern "${name}"` };
}

function messageOf(keyword: string, limit: unknown, types: unknown): string {
  switch (keyword) {
    case 'type':
      return `must be ${Array.isArray(types) ? types.join(',') : String(types)}`;
    case 'enum':
      return 'must be equal to one of the allowed values';
    case 'minimum':
      return `must be >= ${String(limit)}`;
    case 'exclusiveMinimum':
      return `must be > ${String(limit)}`;
    case 'multipleOf':
      return `must be multiple of ${String(limit)}`;
    case 'uniqueItems':
      return 'must not have the same item twice';
    case 'minItems':
      return `must NOT have fewer than ${String(limit)} items`;
    case 'maxItems':
      return `must NOT have more than ${String(limit)} items`;
    case 'contains':
      return 'must contain an item of the form that is asked for';
    default:
      return `does not fit "${keyword}"`;
  }
}

/** The schema that the steps of an error lead to, references followed. */
function schemaAt(root: object | boolean, lookup: Lookup, steps: readonly string[]): Record<string, unknown> {
  let node: unknown = root;
  for (const name of steps) {
    if (typeof node !== 'object' || node === null) return {};
    const held = node as Record<string, unknown>;
    const target = held['__absolute_ref__'];
    node = name === '$ref' && typeof target === 'string' ? lookup[target] : held[name];
  }
  return typeof node === 'object' && node !== null ? (node as Record<string, unknown>) : {};
}
