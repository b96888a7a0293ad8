import { canonicalJson } from '../basics/canonical-json.ts';
import type { ToolError } from '../errors.ts';
import type { CompileOptions, SchemaEngine, Validator } from './engine.ts';
import type { JsonSchema } from './json-schema.ts';
import { invalidSchema, schemaFault } from './schema-fault.ts';
import { isSchemaObject } from './walk.ts';

/** Makes a validator of a schema that is plain JSON and that nobody changes any more. May throw whatever it likes. */
export interface Compiler {
  compile(schema: JsonSchema): Validator;
}

/**
 * An engine that compiles equal schemas once: one compiler that fills defaults in, one that changes nothing, and one that
 * fills defaults in and takes plain data for granted.
 */
export class CachedEngine implements SchemaEngine {
  readonly #filling: Compiled;
  readonly #checking: Compiled;
  readonly #plain: Compiled;

  constructor(filling: Compiler, checking: Compiler, plain?: Compiler) {
    this.#filling = new Compiled(filling);
    this.#checking = new Compiled(checking);
    this.#plain = plain === undefined ? this.#filling : new Compiled(plain);
  }

  compile(schema: JsonSchema, options?: CompileOptions): Validator {
    if (options?.defaults === false) return this.#checking.get(schema);
    return (options?.plain ? this.#plain : this.#filling).get(schema);
  }
}

/** Validators kept for schemas that look the same; those in use live on with their schema object. */
const mostByText = 2_000;

/** The validators of one kind: by the schema object, and by what it says. Refusals are remembered as well. */
class Compiled {
  readonly #compiler: Compiler;
  readonly #byIdentity = new WeakMap<object, Validator | ToolError>();
  readonly #byText = new Map<string, Validator | ToolError>();

  constructor(compiler: Compiler) {
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
