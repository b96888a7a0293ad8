import { createRegistry, createRouter, defaultPipeline, type ToolResult } from 'callgate';
import { repair } from 'callgate/middleware';
import { expect, test } from 'vitest';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';
import { corpora, missing, rows } from './corpora.ts';

interface Row {
  readonly tools: readonly { readonly name: string; readonly parameters: JsonSchemaObject }[];
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
}

/** What came of calls that are right by their benchmark, each through a router over the tools it was made for. */
async function results(repaired: boolean): Promise<ToolResult[]> {
  const plain = defaultPipeline();
  const pipeline = repaired ? plain.after('lookup', 'repair', repair()) : plain;
  const all: ToolResult[] = [];
  // Every third, or all with CALLGATE_FULL: the time goes into compiling two thousand schemas.
  const step = process.env['CALLGATE_FULL'] ? 1 : 3;
  for (const { tools, calls } of rows<Row>('function-calls.jsonl').filter((_, index) => index % step === 0)) {
    const registry = createRegistry();
    for (const [index, { parameters }] of tools.entries()) {
      const tool = { name: `tool_${index}`, description: '', parameters, permission: 'read', handler: () => 'ran' };
      registry.add(tool, { source: 'bench', lenient: true });
    }
    const known = calls.flatMap(({ name, args }) => {
      const index = tools.findIndex((tool) => tool.name === name);
      return index < 0 ? [] : [{ name: `bench.tool_${index}`, arguments: args }];
    });
    all.push(...(await createRouter({ registry, pipeline }).callAll(known)));
  }
  return all;
}

function kinds(refused: readonly ToolResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const result of refused) {
    const { violations } = (result.ok ? {} : (result.details ?? {})) as {
      violations?: { keyword: string; expected?: string }[];
    };
    const [first] = violations ?? [];
    const kind =
      first === undefined
        ? (result.error ?? '')
        : first.keyword === 'type'
          ? `must be ${first.expected}`
          : first.keyword;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

test.skipIf(corpora === undefined).each([
  ['as they are', false, 0.93],
  ['with repair', true, 0.97],
] as const)(
  `calls to leniently imported tools, %s${corpora ? '' : ` (skipped: ${missing})`}`,
  async (how, repaired, least) => {
    const all = await results(repaired);
    const refused = all.filter(({ ok }) => !ok);
    const share = (all.length - refused.length) / all.length;
    console.info(
      `${how}: ${all.length - refused.length} of ${all.length} (${(100 * share).toFixed(2)} %); the others:`,
      kinds(refused),
    );
    expect(all.length).toBeGreaterThan(1_000);
    expect(share).toBeGreaterThanOrEqual(least);
    expect(refused.filter((result) => !result.ok && result.code !== 'invalid_arguments')).toEqual([]);
  },
  60_000,
);
