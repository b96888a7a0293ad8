import type { ToolError } from '../errors.ts';
import { canonicalJson } from '../policy/canonical-json.ts';
import { AjvCompiler } from './ajv.ts';
import type { JsonSchema } from './json-schema.ts';
import { invalidSchema, schemaFault } from './schema-fault.ts';
import type { Violation } from './violation.ts';
import { isSchemaObject } from './walk.ts';

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
  if (options !== undefined) return new AjvEngine(options);
  shared ??= new AjvEngine({});
  return shared;
}

/** Compiles a schema with the engine that the package shares. */
export function compile(schema: JsonSchema, options?: CompileOptions): Validator {
  return createSchemaEngine().compile(schema, options);
}

let shared: SchemaEngine | undefined;

/** Validators kept for schemas that look the same; those in use live on with their schema object. */
const mostByText = 2_000;

class AjvEngine implements SchemaEngine {
  readonly #filling: Compiled;
  readonly #checking: Compiled;

  constructor(options: SchemaEngineOptions) {
    this.#filling = new Compiled(new AjvCompiler({ ...options, defaults: true }));
    this.#checking = new Compiled(new AjvCompiler({ ...options, defaults: false }));
  }

  compile(schema: JsonSchema, options?: CompileOptions): Validator {
    return (options?.defaults === false ? this.#checking : this.#filling).get(schema);
  }
}

/** The validators of one kind: by the schema object, and by what it says. Refusals are remembered as well. */
class Compiled {
  readonly #compiler: AjvCompiler;
  readonly #byIdentity = new WeakMap<object, Validator | ToolError>();
  readonly #byText = new Map<string, Validator | ToolError>();

  constructor(compiler: AjvCompiler) {
    this.#compiler = compiler;
  }

  get(schema: JsonSchema): Validator {
    const known = isSchemaObject(schema) ? this.#byIdentity.get(schema) : undefined;
    const outcome = known ?? this.#find(schema);
    if (typeof outcome === 'function') return outcome;
    throw outcome;
  }

  #find(schema: JsonSchema): Validator | ToolError {
    const outcome = this.#compile(schema);
    if (isSchemaObject(schema)) this.#byIdentity.set(schema, outcome);
    return outcome;
  }

  #compile(schema: JsonSchema): Validator | ToolError {
    let snapshot: JsonSchema;
    let text: string;
    try {
      // Plain JSON from here on: no accessor, no class, nothing that can be changed under a validator.
      snapshot = JSON.parse(JSON.stringify(schema)) as JsonSchema;
      text = canonicalJson(snapshot);
    } catch {
      return invalidSchema('The schema is not JSON: it contains itself, is nested too deeply, or holds other values.');
    }
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const outcome = this.#make(snapshot);
    if (this.#byText.size >= mostByText) {
      const [oldest] = this.#byText.keys();
      this.#byText.delete(oldest as string);
    }
    this.#byText.set(text, outcome);
    return outcome;
  }

  #make(schema: JsonSchema): Validator | ToolError {
    try {
      return this.#compiler.compile(schema);
    } catch (error) {
      return schemaFault(schema, error);
    }
  }
}
