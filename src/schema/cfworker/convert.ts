import type { Dialect } from '../dialect.ts';
import type { JsonSchemaObject } from '../json-schema.ts';
import { SlowPattern } from '../pattern/compile.ts';
import { parsePattern } from '../pattern/syntax.ts';
import { steps, workOf } from '../pattern/work.ts';
import { pointerStep } from '../pointer.ts';
import { invalidSchema } from '../schema-fault.ts';
import { typesOf } from '../types-of.ts';
import { isSchemaObject, mapSchema } from '../walk.ts';
import { TextCheck } from './text-check.ts';

/** Items in an array that must be unique: the package compares each with each. */
const mostUnique = 1_000;
/** Characters in a name that is matched against `patternProperties`, which is done by backtracking. */
export const longestName = 256;
const mostSteps = 1_000_000;

/** Keywords that an older dialect does not have, and that the package would heed all the same. */
const later: Readonly<Record<Dialect, readonly string[]>> = {
  'draft-07': [
    'prefixItems',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedItems',
    'unevaluatedProperties',
    'minContains',
    'maxContains',
    '$anchor',
    '$recursiveRef',
    '$recursiveAnchor',
  ],
  '2019-09': ['prefixItems'],
  '2020-12': ['additionalItems'],
};

/** What is asked of a schema beside being converted. */
export interface ConversionOptions {
  readonly formats: boolean;
  /** Meta-schemas are known, and are applied to schemas whose size was limited elsewhere. */
  readonly trusted?: boolean;
}

/**
 * Says a schema again so that the package reads it as the engine on Ajv does: texts are checked in linear time and by
 * the same formats, keywords of later dialects are taken off, `nullable` becomes a type. What cannot be checked safely
 * throws. The result is for the package alone: it is no JSON Schema any more.
 */
export function toPackageSchema(
  schema: JsonSchemaObject,
  dialect: Dialect,
  { formats, trusted = false }: ConversionOptions,
): JsonSchemaObject {
  return mapSchema(schema, (inner, pointer) => {
    if (!trusted) refuseUncheckable(inner, pointer);
    const { pattern, format, nullable, id: _, $dynamicAnchor: anchor, ...rest } = inner;
    // Without `$dynamicRef` it is a name as any other.
    const converted: Record<string, unknown> = anchor === undefined ? rest : { $anchor: anchor, ...rest };
    for (const keyword of later[dialect]) delete converted[keyword];
    // The package takes an empty reference for none.
    if (inner.$ref === '') converted['$ref'] = '#';
    if (nullable === true && inner.type !== undefined) converted['type'] = typesOf(inner);
    const check = new TextCheck(
      typeof pattern === 'string' ? pattern : undefined,
      formats && typeof format === 'string' ? format : undefined,
    );
    if (check.tests.length > 0) converted['format'] = check;
    if (inner['uniqueItems'] === true && !trusted) {
      converted['maxItems'] = Math.min(mostUnique, Number(inner['maxItems'] ?? mostUnique));
    }
    const names = inner['patternProperties'];
    if (isSchemaObject(names) && !trusted) {
      converted['allOf'] = [...(inner.allOf ?? []), { propertyNames: { maxLength: longestName } }];
    }
    return converted as JsonSchemaObject;
  });
}

function refuseUncheckable(schema: JsonSchemaObject, pointer: string): void {
  for (const keyword of ['$dynamicRef', '$recursiveRef']) {
    const target = schema[keyword];
    if (target === undefined || (keyword === '$recursiveRef' && target === '#')) continue;
    const message = `${pointer || 'The schema'}: "${keyword}" is not supported by this engine; use "$ref".`;
    throw invalidSchema(message, pointer, keyword);
  }
  if (Array.isArray(schema.enum) && schema.enum.length === 0) throw new Error('enum must have a value');
  const names = schema['patternProperties'];
  if (!isSchemaObject(names)) return;
  for (const name of Object.keys(names)) {
    new RegExp(name, 'u');
    const node = parsePattern(name);
    if (node !== undefined && steps(workOf(node), longestName) <= mostSteps) continue;
    const at = `${pointer}${pointerStep('patternProperties')}${pointerStep(name)}`;
    throw invalidSchema(
      `${at}: this pattern could take too long to match; leave out its nested repetitions.`,
      at,
      'patternProperties',
      new SlowPattern(name),
    );
  }
}
