import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type GenerateResult, generate } from '../../src/codegen/generate.ts';
import { writeGenerated } from '../../src/codegen/write.ts';
import { compilers, makeProject } from './project.ts';
import { schemaCases } from './schema-cases.ts';

const fileOf = (index: number): string => `case${String(index).padStart(2, '0')}.ts`;

// One file a case, so that each can have types of its own; one run for all of them, because loading a compiler takes long.
const folder = makeProject(
  Object.fromEntries(
    schemaCases.map(({ source }, index) => [
      fileOf(index),
      source.replace(/function f\b/, `export function f${index}`),
    ]),
  ),
);

const results = new Map<string, GenerateResult>();
let written: Record<string, unknown>;

beforeAll(async () => {
  const files = schemaCases.map((_, index) => fileOf(index));
  for (const typescript of compilers) {
    results.set(typescript, await generate({ cwd: folder, files, out: 'tools.gen.ts', typescript }));
  }
  const out = join(folder, 'tools.gen.ts');
  writeGenerated(out, results.get('typescript') as GenerateResult);
  written = (await import(out)) as Record<string, unknown>;
}, 60_000);

describe('the schema of', () => {
  it.each(schemaCases.map((row, index) => [row.title, row, index] as const))('%s', (_, row, index) => {
    expect(written[`f${index}Parameters`]).toEqual({
      type: 'object',
      properties: row.properties,
      ...(row.required && { required: row.required }),
      additionalProperties: false,
      ...(row.$defs && { $defs: row.$defs }),
    });
  });
});

describe('every compiler', () => {
  it.each(compilers)('writes the same bytes: %s', (typescript) => {
    expect(results.get(typescript)?.text).toBe(results.get('typescript')?.text);
  });
});
