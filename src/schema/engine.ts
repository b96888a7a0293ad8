import { AjvCompiler } from './ajv.ts';
import { CachedEngine } from './cached-engine.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Violation } from './violation.ts';

export type { Violation } from './violation.ts';

/**
 * A compiled schema: gives `undefined` when `value` fits, and otherwise what is wrong with it, one violation at least
 * and ten at most. A value that could not be checked to the end does not fit. Never throws.
 *
 * With defaults on, properties that are absent and have a default are filled in on `value` itself.
 */
export interface Validator {
  (value: unknown): readonly Violation[] | undefined;
  /** False when the schema has no defaults, so that nothing is ever added to a value. It only bears on speed. */
  readonly fills?: boolean;
}

export interface CompileOptions {
  /** Whether defaults are filled in. Default true; give false for data that must not be changed, such as output. */
  readonly defaults?: boolean;
  /**
   * Whether values will be plain data all through, as `JSON.parse` makes it, so that nothing in them is inherited but what
   * every object inherits. It only bears on speed. Default false.
   */
  readonly plain?: boolean;
}

/** What the validate stage needs of an engine for JSON Schema, so that another can be plugged in. */
export interface SchemaEngine {
  /**
   * Compiles a schema, or gives the validator that an equal schema already has.
   * Throws a ToolError with code `invalid_schema` that names the keyword and the place.
   */
  compile(schema: JsonSchema, options?: CompileOptions): Validator;
}

export interface SchemaEngineOptions {
  /** Whether `format` is checked. Formats that nobody knows are never checked. Default true. */
  readonly formats?: boolean;
  /** Schemas that `$ref` may point to, by absolute URI. Nothing is ever fetched. Default none. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}

/**
 * Makes an engine on Ajv, which is loaded when the first schema is compiled. Without options it is the one engine that
 * the package shares, so that equal schemas share one validator.
 *
 * A schema is compiled as it stands at that time; changing it later has no effect. Unknown keywords and formats are
 * passed over, as JSON Schema has it; `lintSchema` reports them.
 */
export function createSchemaEngine(options?: SchemaEngineOptions): SchemaEngine {
  if (options !== undefined) return onAjv(options);
  shared ??= onAjv({});
  return shared;
}

/** Compiles a schema with the engine that the package shares. */
export function compile(schema: JsonSchema, options?: CompileOptions): Validator {
  return createSchemaEngine().compile(schema, options);
}

let shared: SchemaEngine | undefined;

function onAjv(options: SchemaEngineOptions): SchemaEngine {
  return new CachedEngine(
    new AjvCompiler({ ...options, defaults: true }),
    new AjvCompiler({ ...options, defaults: false }),
    new AjvCompiler({ ...options, defaults: true, plain: true }),
  );
}
