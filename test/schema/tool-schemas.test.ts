import { describe, expect, it } from 'vitest';
import { ToolError } from '../../src/errors.ts';
import { createSchemaEngine } from '../../src/schema/engine.ts';
import { checkForeignSchema } from '../../src/schema/foreign.ts';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';
import { toLenientSchema } from '../../src/schema/lenient.ts';
import { lintSchema } from '../../src/schema/lint.ts';
import { valueAt } from '../../src/schema/pointer.ts';
import { corpora, missing, rows } from './corpora.ts';

interface ToolRow {
  readonly source: string;
  readonly name: string;
  readonly schema: JsonSchemaObject;
}

const skipped = corpora ? '' : ` (skipped: ${missing})`;

describe.skipIf(corpora === undefined)(`schemas of tools as they are in the wild${skipped}`, () => {
  it('every one compiles, or is refused with the keyword and the place', () => {
    const engine = createSchemaEngine({});
    const refused: string[] = [];
    const all = sample(rows<ToolRow>('tool-schemas.jsonl'));
    for (const { source, name, schema } of all) {
      try {
        const validator = engine.compile(schema);
        expect(typeof validator).toBe('function');
      } catch (error) {
        expect(error).toBeInstanceOf(ToolError);
        const { message, code, options } = error as ToolError;
        const { pointer, keyword } = options.details as { pointer: string; keyword: string };
        expect(code).toBe('invalid_schema');
        expect(valueAt(schema, pointer), `${source} ${name}: ${message}`).toBeDefined();
        expect(message).toContain(pointer === '' ? 'The schema' : pointer);
        refused.push(`${keyword}: ${message}`);
      }
    }
    console.info(`${refused.length} of ${all.length} refused:\n${refused.join('\n')}`);
    expect(refused.length / all.length).toBeLessThan(0.003);
  }, 60_000);

  it('reading them leniently saves some and breaks none', () => {
    const engine = createSchemaEngine({});
    let saved = 0;
    for (const { schema } of rows<ToolRow>('tool-schemas.jsonl').filter(
      (_, index) => index % 8 === 0 || index > 9_300,
    )) {
      const lenient = toLenientSchema(schema);
      if (lenient.notes.length === 0) expect(lenient.schema).toBe(schema);
      else if (compiles(engine, lenient.schema) && !compiles(engine, schema)) saved++;
      else expect(compiles(engine, lenient.schema) || !compiles(engine, schema)).toBe(true);
    }
    expect(saved).toBeGreaterThan(0);
  }, 60_000);

  it('nearly all keep within the limits for foreign schemas, and lint never throws', () => {
    const all = rows<ToolRow>('tool-schemas.jsonl');
    const over = all.filter(({ schema }) => checkForeignSchema(schema).length > 0);
    for (const { schema } of all) expect(Array.isArray(lintSchema(schema))).toBe(true);
    expect(over.length / all.length).toBeLessThan(0.002);
  });
});

/** Every fourth row, or all with CALLGATE_FULL: compiling ten thousand schemas takes half a minute. */
function sample<Row>(list: readonly Row[]): readonly Row[] {
  return process.env['CALLGATE_FULL'] ? list : list.filter((_, index) => index % 4 === 0);
}

function compiles(engine: ReturnType<typeof createSchemaEngine>, schema: JsonSchemaObject): boolean {
  try {
    return typeof engine.compile(schema) === 'function';
  } catch {
    return false;
  }
}
