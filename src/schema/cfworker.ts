import { CachedEngine, type Compiler } from './cached-engine.ts';
import { toPackageSchema } from './cfworker/convert.ts';
import { toErrorObjects } from './cfworker/faults.ts';
import { fillDefaults } from './cfworker/fill-defaults.ts';
import { type Lookup, library } from './cfworker/library.ts';
import { metaSchemaOf, metaSchemas } from './cfworker/meta-schemas.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import type { SchemaEngine, SchemaEngineOptions, Validator, Violation } from './engine.ts';
import { type ErrorObject, Explainer } from './explain.ts';
import type { JsonSchema } from './json-schema.ts';
import { prepareSchema } from './prepare.ts';
import { asyncSchema, invalidSchema, MetaSchemaErrors } from './schema-fault.ts';
import { eachSchema, isSchemaObject, someSchema } from './walk.ts';

/**
 * Makes an engine that generates no code, for runtimes that forbid `eval`. It is made of the optional package
 * `@cfworker/json-schema`, loaded when the first schema is compiled; an Error names the package where it is missing.
 *
 * It refuses and allows what the engine on Ajv does, validates some 25 to 75 times slower (microseconds a call) and compiles
 * several times faster, but for this: `$dynamicRef` is refused, as are patterns of `patternProperties` that backtracking
 * could be slow with; an array that must be unique may have 1,000 items, and a name that is matched against
 * `patternProperties` 256 characters; formats of numbers are not checked; defaults are filled in before anything is checked,
 * and not in `then`, `else` or `dependentSchemas`.
 *
 * @example
 * const router = createRouter({ tools, validate: { engine: cfworkerEngine() } });
 */
export function cfworkerEngine(options: SchemaEngineOptions = {}): SchemaEngine {
  return new CachedEngine(new CfworkerCompiler(options, true), new CfworkerCompiler(options, false));
}

class CfworkerCompiler implements Compiler {
  readonly #formats: boolean;
  readonly #schemas: Readonly<Record<string, JsonSchema>>;
  readonly #defaults: boolean;
  #known: Lookup | undefined;

  constructor({ formats = true, schemas = {} }: SchemaEngineOptions, defaults: boolean) {
    this.#formats = formats;
    this.#schemas = schemas;
    this.#defaults = defaults;
  }

  compile(schema: JsonSchema): Validator {
    const { dereference, validate } = library();
    if (typeof schema !== 'boolean' && !isSchemaObject(schema)) {
      throw invalidSchema('A schema must be an object or a boolean.');
    }
    if (someSchema(schema, (inner) => inner['$async'] !== undefined)) throw asyncSchema(schema);
    const dialect = typeof schema === 'boolean' ? '2020-12' : dialectOf(schema);
    const prepared = typeof schema === 'boolean' ? schema : prepareSchema(schema);
    checkByMetaSchema(prepared, dialect);
    const own = this.#converted(prepared, dialect);
    const lookup = dereference(own, Object.create(this.#lookup()) as Lookup);
    checkReferences(own, lookup);
    let explainer: Explainer | undefined;
    const explain = (value: unknown, errors: readonly ErrorObject[]): readonly Violation[] => {
      explainer ??= new Explainer(prepared);
      return explainer.explain(value, errors);
    };
    const fills = this.#defaults && someSchema(prepared, (inner) => inner.default !== undefined);

    const validator = (value: unknown): readonly Violation[] | undefined => {
      try {
        if (fills) fillDefaults(own, value, lookup);
        const plain = asJson(value);
        const { valid, errors } = validate(plain, own, '2020-12', lookup);
        return valid ? undefined : explain(value, toErrorObjects(errors, own, lookup, plain));
      } catch {
        return explain(value, []);
      }
    };
    return Object.assign(validator, { fills });
  }

  #converted(schema: JsonSchema, dialect: Dialect): JsonSchema {
    return typeof schema === 'boolean' ? schema : toPackageSchema(schema, dialect, { formats: this.#formats });
  }

  /** What every schema may point to: the meta-schemas, and what the engine was given. */
  #lookup(): Lookup {
    if (this.#known !== undefined) return this.#known;
    const lookup = Object.create(metaSchemas()) as Lookup;
    for (const [uri, schema] of Object.entries(this.#schemas)) {
      if (!isSchemaObject(schema)) lookup[uri] = schema;
      else if (!hasDynamicReference(schema)) {
        const converted = this.#converted({ ...prepareSchema(schema), $id: schema.$id ?? uri }, dialectOf(schema));
        library().dereference(converted, lookup);
        lookup[uri] ??= converted;
      }
    }
    this.#known = lookup;
    return lookup;
  }
}

/** What the package cannot follow is left out, so that whatever points to it is refused. */
function hasDynamicReference(schema: JsonSchema): boolean {
  return someSchema(schema, (inner) => inner['$dynamicRef'] !== undefined);
}

function checkByMetaSchema(schema: JsonSchema, dialect: Dialect): void {
  const meta = metaSchemaOf(dialect);
  const { valid, errors } = library().validate(schema, meta, '2020-12', metaSchemas());
  if (!valid) throw new MetaSchemaErrors(toErrorObjects(withoutChoices(errors), meta, metaSchemas(), schema));
}

/** In a meta-schema a choice is between forms of one keyword; the first form says best what is wrong. */
function withoutChoices<E extends { readonly keyword: string }>(errors: readonly E[]): readonly E[] {
  return errors.filter(({ keyword }) => keyword !== 'anyOf');
}

/** References are followed when a value gets there; that one leads nowhere must be known before. */
function checkReferences(schema: JsonSchema, lookup: Lookup): void {
  eachSchema(schema, (inner) => {
    const target = inner['__absolute_ref__'];
    if (typeof target !== 'string' || lookup[target] !== undefined) return;
    throw Object.assign(new Error(`can't resolve reference ${String(inner.$ref)} from id `), {
      missingRef: inner.$ref,
    });
  });
}

/** The value as JSON has it, properties that are `undefined` left out. Throws for numbers and values JSON does not have. */
function asJson(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('JSON has no such number.');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(asJson);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value);
  const plain = entries.filter(([, item]) => item !== undefined).map(([name, item]) => [name, asJson(item)] as const);
  const isSame = plain.length === entries.length && plain.every(([, item], index) => item === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(plain);
}
