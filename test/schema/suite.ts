import { readdirSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { SchemaEngine } from '../../src/schema/engine.ts';
import type { JsonSchema } from '../../src/schema/json-schema.ts';
import { corpora } from './corpora.ts';

interface Group {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** Whether a value fits; or why the schema cannot be used. */
export function outcome(engine: SchemaEngine, schema: JsonSchema, data: unknown): boolean | string {
  try {
    return engine.compile(schema, { defaults: false })(data) === undefined;
  } catch (error) {
    return String(error);
  }
}

// The groups of draft 7 do not name their dialect, and without a name it would be 2020-12.
export function withDialect(schema: JsonSchema, dialect: string): JsonSchema {
  return typeof schema === 'object' && schema.$schema === undefined ? { $schema: dialect, ...schema } : schema;
}

/** The groups of a draft, each with the name of its file. */
export function* groupsOf(draft: string): Generator<[string, Group]> {
  const folder = resolve(corpora ?? '.', 'json-schema-test-suite/tests', draft);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    for (const group of JSON.parse(readFileSync(resolve(folder, file), 'utf8')) as Group[]) yield [file, group];
  }
}

/** What the schemas of a draft may point to. */
export function remotesOf(draft: string): Record<string, JsonSchema> {
  const folder = resolve(corpora ?? '.', 'json-schema-test-suite/remotes');
  const remotes: Record<string, JsonSchema> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, resolve(entry.parentPath, entry.name));
    if (!entry.isFile() || (/^(draft|v1)/.test(path) && !path.startsWith(draft))) continue;
    remotes[`http://localhost:1234/${path}`] = JSON.parse(readFileSync(resolve(folder, path), 'utf8')) as JsonSchema;
  }
  return remotes;
}
