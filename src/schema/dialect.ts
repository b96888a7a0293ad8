import type { JsonSchemaObject } from './json-schema.ts';
import { someSchema } from './walk.ts';

/** The dialects of JSON Schema that are told apart. Drafts 4 and 6 are read as draft 7. */
export type Dialect = 'draft-07' | '2019-09' | '2020-12';

const officialUrl = /^https?:\/\/json-schema\.org\/(?:draft-0([467])|draft\/(2019-09|2020-12))\/schema#?$/;

/**
 * The dialect a schema is written in, by its `$schema`; with or without `#`, `http` or `https`.
 *
 * Without one, or with one that nobody knows, it is 2020-12, as the Model Context Protocol has it. Only the list form
 * of `items`, which 2020-12 does not have, shows an older schema, and then it is 2019-09, which has that form and nearly
 * all the rest.
 */
export function dialectOf(schema: JsonSchemaObject): Dialect {
  const declared = typeof schema.$schema === 'string' ? officialUrl.exec(schema.$schema.trim()) : null;
  if (declared?.[1] !== undefined) return 'draft-07';
  if (declared?.[2] !== undefined) return declared[2] as Dialect;
  return someSchema(schema, ({ items }) => Array.isArray(items)) ? '2019-09' : '2020-12';
}
