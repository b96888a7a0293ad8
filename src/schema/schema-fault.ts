import { ToolError } from '../errors.ts';
import { describeValue } from './describe.ts';
import type { ErrorObject } from './explain.ts';
import { wordFor } from './foreign-types.ts';
import type { JsonSchema } from './json-schema.ts';
import { SlowPattern } from './pattern/compile.ts';
import { pointerNames, valueAt } from './pointer.ts';
import { eachSchema } from './walk.ts';

/** Thrown by the compiler when the schema itself breaks the rules of its dialect. */
export class MetaSchemaErrors {
  readonly errors: readonly ErrorObject[];

  constructor(errors: readonly ErrorObject[]) {
    this.errors = errors;
  }
}

/** A ToolError with code `invalid_schema`, for a fault at one keyword of a schema. */
export function invalidSchema(message: string, pointer = '', keyword = 'schema', cause?: unknown): ToolError {
  return new ToolError(message, { code: 'invalid_schema', details: { reason: 'schema', pointer, keyword }, cause });
}

/** Says for a schema that did not compile which keyword at which place is to blame, and what to write instead. */
export function schemaFault(schema: JsonSchema, error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  if (error instanceof MetaSchemaErrors) return metaSchemaFault(schema, error);
  if (error instanceof SlowPattern) return slowPattern(schema, error);
  if (error instanceof RangeError) return invalidSchema('The schema is nested too deeply.', '', 'schema', error);
  const said = error instanceof Error ? error.message : String(error);
  const { missingRef } = error as { missingRef?: unknown };
  if (typeof missingRef === 'string') return missingReference(schema, error);
  if (error instanceof SyntaxError) return badPattern(schema, error);
  if (said.includes('async schema')) return asyncSchema(schema);
  if (said.startsWith('enum must have')) {
    const pointer = placeWhere(schema, ({ enum: list }) => Array.isArray(list) && list.length === 0);
    return invalidSchema(
      `${place(pointer)}: "enum" allows no value at all; list at least one, or leave it out.`,
      pointer,
      'enum',
    );
  }
  const ambiguous = /^reference "(.*)" resolves to more than one schema$/.exec(said);
  if (ambiguous !== null) {
    return invalidSchema(
      `"$id" or "$anchor" ${describeValue(ambiguous[1])} is given to more than one schema.`,
      '',
      '$id',
      error,
    );
  }
  return invalidSchema(`The schema does not compile: ${said.slice(0, 200)}.`, '', 'schema', error);
}

function metaSchemaFault(schema: JsonSchema, { errors }: MetaSchemaErrors): ToolError {
  const first = errors[0];
  if (first === undefined) return invalidSchema('The schema breaks the rules of JSON Schema.');
  const pointer = first.instancePath;
  const names = pointerNames(pointer);
  const keyword = names.findLast((name) => !/^\d+$/.test(name)) ?? 'schema';
  const value = valueAt(schema, pointer);
  const { message, at } = rule(first, keyword, value, names.at(-2));
  return invalidSchema(`${place(pointer)} ${message}.`, pointer, at);
}

function rule(
  error: ErrorObject,
  keyword: string,
  value: unknown,
  holder: string | undefined,
): { message: string; at: string } {
  const word = keyword === 'type' && typeof value === 'string' ? wordFor(value) : undefined;
  if (word !== undefined) {
    const advice = word === null ? 'leave "type" out to allow any value' : `use "${word}"`;
    return { message: `says type '${String(value).slice(0, 40)}', which is not JSON Schema; ${advice}`, at: 'type' };
  }
  const types: unknown = error.params['type'];
  if (error.keyword === 'type' && Array.isArray(types) && types.includes('object')) {
    return {
      message: `must be a schema, that is an object or a boolean (got ${describeValue(value)})`,
      at: holder ?? keyword,
    };
  }
  const allowed: unknown = error.params['allowedValues'];
  const choice = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : '';
  return { message: `${error.message ?? 'is not allowed'}${choice} (got ${describeValue(value)})`, at: keyword };
}

function missingReference(schema: JsonSchema, error: unknown): ToolError {
  const { missingRef, message } = error as { missingRef: string; message: string };
  const written = /^can't resolve reference (.*) from id /.exec(message)?.[1];
  const points = ({ $ref, ...rest }: Record<string, unknown>): boolean =>
    [$ref, rest['$dynamicRef'], rest['$recursiveRef']].some((ref) => ref === written || ref === missingRef);
  const pointer = placeWhere(schema, points);
  const target = describeValue(written ?? missingRef);
  return invalidSchema(
    `${place(pointer)}: "$ref" points to ${target}, which is not part of the schema. References are never fetched; put what it means under "$defs" and point there.`,
    pointer,
    '$ref',
    error,
  );
}

function slowPattern(schema: JsonSchema, { pattern: slow }: SlowPattern): ToolError {
  const pointer = placeWhere(schema, ({ pattern }) => pattern === slow);
  const what =
    'could take exponential time to match; leave out its look-around or back reference, or the nested repetition';
  return invalidSchema(`${place(pointer)}: "pattern" ${describeValue(slow)} ${what}.`, pointer, 'pattern');
}

function badPattern(schema: JsonSchema, error: SyntaxError): ToolError {
  const broken = (pattern: unknown): boolean => typeof pattern === 'string' && !isPattern(pattern);
  let pointer = placeWhere(schema, ({ pattern }) => broken(pattern));
  let keyword = 'pattern';
  if (pointer === '' && !broken((schema as { pattern?: unknown }).pattern)) {
    pointer = placeWhere(schema, ({ patternProperties }) => Object.keys(patternProperties ?? {}).some(broken));
    keyword = 'patternProperties';
  }
  return invalidSchema(
    `${place(pointer)}: "${keyword}" is not a regular expression: ${error.message.slice(0, 160)}.`,
    pointer,
    keyword,
    error,
  );
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

/** For a schema whose `$async` would make every validation answer with a promise, which is true of any value. */
export function asyncSchema(schema: JsonSchema): ToolError {
  const pointer = placeWhere(schema, ({ $async }) => $async !== undefined);
  return invalidSchema(`${place(pointer)}: "$async" is not supported; leave it out.`, pointer, '$async');
}

/** For a schema that requires a property with the empty name. */
export function namelessProperty(pointer: string, keyword: string): ToolError {
  const what = 'requires a property with the empty name, which cannot be checked; give the property a name';
  return invalidSchema(`${place(pointer)}: "${keyword}" ${what}.`, pointer, keyword);
}

function placeWhere(schema: JsonSchema, is: (schema: Record<string, unknown>) => boolean): string {
  let found: string | undefined;
  eachSchema(schema, (inner, pointer) => {
    if (found === undefined && is(inner)) found = pointer;
  });
  return found ?? '';
}

function place(pointer: string): string {
  return pointer === '' ? 'The schema' : pointer;
}
