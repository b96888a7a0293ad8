import type { JsonSchema } from './json-schema.ts';
import type { SchemaNote } from './note.ts';
import { eachSchema } from './walk.ts';

/** How large the schema of a tool from elsewhere may be. */
export interface SchemaLimits {
  /** Size as JSON text, in bytes of UTF-8. Default 65,536 (64 KiB). */
  readonly maxBytes: number;
  /** Schemas inside one another, the root counted. Default 32. */
  readonly maxDepth: number;
  /** Values in one `enum`. Default 1,000. */
  readonly maxEnum: number;
  /** Regular expressions in all: every `pattern`, and every key of `patternProperties`. Default 50. */
  readonly maxPatterns: number;
}

const defaultSchemaLimits: SchemaLimits = Object.freeze({
  maxBytes: 65_536,
  maxDepth: 32,
  maxEnum: 1_000,
  maxPatterns: 50,
});

/**
 * Looks at the schema of a tool that somebody else wrote, before it is compiled: its size, and references that lead out
 * of it. Gives one note for every limit it breaks; empty when it may be compiled.
 */
export function checkForeignSchema(schema: JsonSchema, limits: Partial<SchemaLimits> = {}): readonly SchemaNote[] {
  const { maxBytes, maxDepth, maxEnum, maxPatterns } = { ...defaultSchemaLimits, ...limits };
  const size = sizeOf(schema);
  if (size === undefined) return [{ pointer: '', keyword: 'schema', message: 'the schema is not JSON' }];
  // The rest is only counted in what is small enough to be looked at.
  if (size > maxBytes) return [tooMuch('', 'schema', 'the schema', size, maxBytes, 'bytes')];
  const notes: SchemaNote[] = [];
  const ids = new Set<string>();
  const references: [string, string][] = [];
  let patterns = 0;
  let deepest = 0;
  try {
    eachSchema(schema, (inner, pointer, depth) => {
      deepest = Math.max(deepest, depth);
      const { enum: values, $id, $ref, pattern, patternProperties } = inner;
      if (Array.isArray(values) && values.length > maxEnum) {
        notes.push(tooMuch(pointer, 'enum', '"enum"', values.length, maxEnum, 'values'));
      }
      if (typeof $id === 'string') ids.add(withoutFragment($id));
      if (typeof $ref === 'string') references.push([$ref, pointer]);
      if (typeof pattern === 'string') patterns++;
      if (typeof patternProperties === 'object' && patternProperties !== null) {
        patterns += Object.keys(patternProperties).length;
      }
    });
  } catch {
    return [{ pointer: '', keyword: 'schema', message: `the schema is nested more than ${maxDepth} levels deep` }];
  }
  if (deepest > maxDepth) notes.push(tooMuch('', 'schema', 'the schema', deepest, maxDepth, 'levels'));
  if (patterns > maxPatterns) notes.push(tooMuch('', 'pattern', 'the schema', patterns, maxPatterns, 'patterns'));
  for (const [reference, pointer] of references) {
    if (isRemote(reference, ids)) {
      const message = `"$ref" leads out of the schema to ${JSON.stringify(reference.slice(0, 80))}; references are never fetched`;
      notes.push({ pointer, keyword: '$ref', message });
    }
  }
  return notes;
}

function sizeOf(schema: JsonSchema): number | undefined {
  try {
    const text: string | undefined = JSON.stringify(schema);
    return text === undefined ? undefined : Buffer.byteLength(text);
  } catch {
    return undefined;
  }
}

function isRemote(reference: string, ids: ReadonlySet<string>): boolean {
  return /^[a-z][a-z0-9+.-]*:|^\/\//i.test(reference) && !ids.has(withoutFragment(reference));
}

function withoutFragment(uri: string): string {
  return uri.replace(/#.*$/s, '');
}

function tooMuch(
  pointer: string,
  keyword: string,
  what: string,
  found: number,
  limit: number,
  unit: string,
): SchemaNote {
  return { pointer, keyword, message: `${what} has ${found} ${unit}; at most ${limit} are allowed` };
}
