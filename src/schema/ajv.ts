import { createRequire } from 'node:module';
import type { Ajv, AnySchemaObject, Options, ValidateFunction } from 'ajv';
import type { FormatsPlugin } from 'ajv-formats';
import { type Dialect, dialectOf } from './dialect.ts';
import type { Validator } from './engine.ts';
import { Explainer } from './explain.ts';
import type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
import { compilePattern } from './pattern/compile.ts';
import { prepareSchema } from './prepare.ts';
import { asyncSchema, invalidSchema, MetaSchemaErrors } from './schema-fault.ts';
import { uniqueItems } from './unique-items.ts';
import type { Violation } from './violation.ts';
import { isSchemaObject, someSchema } from './walk.ts';

const modules: Readonly<Record<Dialect, string>> = {
  'draft-07': 'ajv',
  '2019-09': 'ajv/dist/2019.js',
  '2020-12': 'ajv/dist/2020.js',
};

/** An instance keeps something of every schema it ever compiled, so it is given up after this many. */
const mostCompiled = 2_000;

const require = createRequire(import.meta.url);

interface CompilerOptions {
  readonly defaults: boolean;
  readonly plain?: boolean;
  readonly formats?: boolean;
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}

/** Compiles schemas with Ajv, each by its own dialect: one instance a dialect, made when first needed. */
export class AjvCompiler {
  readonly #options: CompilerOptions;
  readonly #instances = new Map<string, Instance>();

  constructor(options: CompilerOptions) {
    this.#options = options;
  }

  compile(schema: JsonSchema): Validator {
    if (typeof schema === 'boolean') return this.#validator(schema, '2020-12', schema);
    if (!isSchemaObject(schema)) throw invalidSchema('A schema must be an object or a boolean.');
    if (isAsync(schema)) throw asyncSchema(schema);
    return this.#validator(prepareSchema(schema), dialectOf(schema), schema);
  }

  #validator(prepared: JsonSchema, dialect: Dialect, schema: JsonSchema): Validator {
    const validate = this.#instance(dialect, prepared).compile(prepared);
    let explainer: Explainer | undefined;
    const validator = (value: unknown): readonly Violation[] | undefined => {
      try {
        // Exactly true: an asynchronous schema would answer with a promise.
        if ((validate(value) as unknown) === true) return undefined;
        explainer ??= new Explainer(prepared);
        return explainer.explain(value, validate.errors ?? []);
      } catch {
        return new Explainer(schema).explain(value, []);
      }
    };
    return Object.assign(validator, { fills: this.#options.defaults && hasDefault(prepared) });
  }

  #instance(dialect: Dialect, schema: JsonSchema): Instance {
    const { plain, schemas } = this.#options;
    // Plain data inherits what every object does, so only a schema that speaks of that must look at own properties.
    const ownProperties = !plain || schemas !== undefined || speaksOfInherited(schema);
    const kind = `${dialect} ${ownProperties}`;
    const current = this.#instances.get(kind);
    if (current !== undefined && current.compiled < mostCompiled) return current;
    const made = new Instance(dialect, this.#options, ownProperties);
    this.#instances.set(kind, made);
    return made;
  }
}

class Instance {
  compiled = 0;
  readonly #ajv: Ajv;
  readonly #refs: Ajv['refs'];
  readonly #schemas: Ajv['schemas'];

  constructor(dialect: Dialect, options: CompilerOptions, ownProperties: boolean) {
    const loaded = require(modules[dialect]) as { default: new (options: Options) => Ajv };
    const AjvClass = loaded.default;
    this.#ajv = new AjvClass({
      strict: false,
      strictNumbers: true,
      allErrors: false,
      ownProperties,
      coerceTypes: false,
      removeAdditional: false,
      useDefaults: options.defaults,
      $data: false,
      // Without it Ajv 8.20 cannot resolve "$ref": "#" in a schema that has no $id. `#forget` undoes it.
      addUsedSchema: true,
      // Done below, where the errors can be had.
      validateSchema: false,
      validateFormats: options.formats ?? true,
      logger: false,
      code: { regExp: Object.assign((pattern: string) => compilePattern(pattern), { code: 'compilePattern' }) },
    });
    this.#ajv.removeKeyword('uniqueItems');
    this.#ajv.addKeyword(uniqueItems);
    if (options.formats ?? true) {
      const { default: addFormats } = require('ajv-formats') as { default: FormatsPlugin };
      addFormats(this.#ajv);
    }
    for (const [uri, schema] of Object.entries(options.schemas ?? {})) this.#ajv.addSchema(known(schema), uri);
    this.#refs = { ...this.#ajv.refs };
    this.#schemas = { ...this.#ajv.schemas };
  }

  compile(schema: AnySchemaObject | boolean): ValidateFunction {
    this.compiled++;
    try {
      if (this.#ajv.validateSchema(schema) !== true) throw new MetaSchemaErrors(this.#ajv.errors ?? []);
      return this.#ajv.compile(schema);
    } finally {
      this.#forget(schema);
    }
  }

  /** Takes away all traces of a schema: what one tool calls itself must not be seen by the next. */
  #forget(schema: AnySchemaObject | boolean): void {
    if (typeof schema === 'object') this.#ajv.removeSchema(schema);
    restore(this.#ajv.refs, this.#refs);
    restore(this.#ajv.schemas, this.#schemas);
  }
}

/** Whether a name that every object inherits, such as `toString`, stands anywhere in a schema. */
function speaksOfInherited(schema: JsonSchema): boolean {
  const text = JSON.stringify(schema);
  return Object.getOwnPropertyNames(Object.prototype).some((name) => text.includes(JSON.stringify(name)));
}

function hasDefault(schema: JsonSchema): boolean {
  return someSchema(schema, (inner) => inner.default !== undefined);
}

/** An asynchronous validator answers with a promise, which would be true of any value. */
function isAsync(schema: JsonSchema): boolean {
  return someSchema(schema, (inner) => inner['$async'] !== undefined);
}

function known(schema: JsonSchema): AnySchemaObject | boolean {
  return isSchemaObject(schema) ? prepareSchema(schema as JsonSchemaObject) : schema;
}

function restore<Value>(table: Record<string, Value>, before: Readonly<Record<string, Value>>): void {
  for (const key of Object.keys(table)) if (!Object.hasOwn(before, key)) delete table[key];
  Object.assign(table, before);
}
