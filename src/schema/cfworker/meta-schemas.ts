import { createRequire } from 'node:module';
import type { Dialect } from '../dialect.ts';
import type { JsonSchemaObject } from '../json-schema.ts';
import { toPackageSchema } from './convert.ts';
import { type Lookup, library } from './library.ts';

const require = createRequire(import.meta.url);

const roots: Readonly<Record<Dialect, string>> = {
  'draft-07': 'http://json-schema.org/draft-07/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

const files: Readonly<Record<Dialect, readonly string[]>> = {
  'draft-07': ['json-schema-draft-07'],
  '2019-09': [
    'schema',
    'meta/applicator',
    'meta/content',
    'meta/core',
    'meta/format',
    'meta/meta-data',
    'meta/validation',
  ].map((name) => `json-schema-2019-09/${name}`),
  '2020-12': [
    'schema',
    'meta/applicator',
    'meta/content',
    'meta/core',
    'meta/format-annotation',
    'meta/meta-data',
    'meta/unevaluated',
    'meta/validation',
  ].map((name) => `json-schema-2020-12/${name}`),
};

let known: Lookup | undefined;

/** The meta-schemas of all dialects, by their URIs; those that come with Ajv, which runs nothing to have them read. */
export function metaSchemas(): Lookup {
  if (known !== undefined) return known;
  const lookup: Lookup = Object.create(null) as Lookup;
  for (const dialect of Object.keys(files) as Dialect[]) {
    for (const file of files[dialect]) {
      const text = JSON.stringify(require(`ajv/dist/refs/${file}.json`));
      // Within one dialect, "whatever schema this is part of" is the root, which the package can follow.
      const whole = `"$ref":"${roots[dialect]}"`;
      const plain = text.replaceAll('"$dynamicRef":"#meta"', whole).replaceAll('"$recursiveRef":"#"', whole);
      const schema = JSON.parse(plain) as JsonSchemaObject;
      library().dereference(toPackageSchema(schema, dialect, { formats: false, trusted: true }), lookup);
    }
  }
  known = lookup;
  return lookup;
}

/** The meta-schema of a dialect. */
export function metaSchemaOf(dialect: Dialect): object | boolean {
  return metaSchemas()[roots[dialect]] as object;
}
