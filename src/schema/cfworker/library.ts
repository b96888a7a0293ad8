import { createRequire } from 'node:module';

/** The parts of `@cfworker/json-schema` that are used, as structural types of our own. */
export interface Library {
  /** Validators of formats by name, for the whole package. */
  readonly format: Record<string, (text: string) => boolean>;
  dereference(schema: object | boolean, lookup?: Lookup): Lookup;
  validate(value: unknown, schema: object | boolean, draft: '2020-12', lookup: Lookup): Outcome;
}

/** Every schema there is, by its absolute URI. */
export type Lookup = Record<string, object | boolean>;

export interface Outcome {
  readonly valid: boolean;
  readonly errors: readonly LibraryError[];
}

export interface LibraryError {
  readonly keyword: string;
  /** To the schema, as it was walked: a URI fragment, with `$ref` as a step of its own. */
  readonly keywordLocation: string;
  /** To the value: a JSON pointer as a URI fragment. */
  readonly instanceLocation: string;
  readonly error: string;
}

const require = createRequire(import.meta.url);
let loaded: Library | undefined;

/** Loads the package on first use. Throws an Error that names the package where it is missing. */
export function library(): Library {
  try {
    loaded ??= require('@cfworker/json-schema') as Library;
    return loaded;
  } catch (cause) {
    throw new Error(
      'cfworkerEngine() needs the optional package @cfworker/json-schema. Run: npm install @cfworker/json-schema',
      { cause },
    );
  }
}

/** The names in a JSON pointer that is written as a URI fragment. */
export function fragmentNames(fragment: string): string[] {
  return fragment
    .split('/')
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
}
