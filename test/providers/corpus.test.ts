import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { describe, expect, it } from 'vitest';
import { repairArguments, repairSteps } from '../../src/providers/arguments/ladder.ts';
import { offerTools, type ProviderName, providers } from '../../src/providers/index.ts';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';
import { parseArguments } from '../../src/schema/parse.ts';
import { toolNamed } from './tools.ts';

const corpora = process.env['CALLGATE_CORPORA'] ?? '../shared/corpora';
const isThere = existsSync(`${corpora}/tool-schemas.jsonl`);
if (!isThere) console.warn(`skipped: no corpora at ${corpora}; set CALLGATE_CORPORA`);

function rows<Row>(file: string): Row[] {
  const lines = readFileSync(`${corpora}/${file}`, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Row);
}

const notAtRoot = new Set(['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'if', '$ref']);

/** Without `type` beside `enum` or `const`, which the Anthropic SDK leaves out and the API takes. */
function withoutTypedLiterals(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTypedLiterals);
  if (typeof value !== 'object' || value === null) return value;
  const isLiteral = 'enum' in value || 'const' in value;
  const entries = Object.entries(value).filter(
    ([key, inner]) => !(isLiteral && key === 'type' && typeof inner !== 'object'),
  );
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutTypedLiterals(inner)]));
}

describe.skipIf(!isThere)('the schemas of real tools', { timeout: 120_000 }, () => {
  const schemas = isThere ? rows<{ schema: JsonSchemaObject }>('tool-schemas.jsonl').map(({ schema }) => schema) : [];

  it.each(Object.keys(providers) as ProviderName[])('all become definitions of %s', (name) => {
    for (const schema of schemas) {
      const offer = offerTools(name, [toolNamed('t', schema)]);
      const text = JSON.stringify(offer.tools);
      if (name === 'gemini' || name === 'bedrock' || name === 'ollama') expect(text).not.toContain('"$ref":"#');
    }
  });

  it('are plain objects at the root for OpenAI and Anthropic', () => {
    for (const schema of schemas) {
      const tool = toolNamed('t', schema);
      for (const root of [
        offerTools('openai', [tool]).tools[0]!.function.parameters,
        offerTools('anthropic', [tool]).tools[0]!.input_schema,
      ]) {
        if (root['type'] !== 'object') expect(root).toMatchObject({ type: 'object' });
        const refused = Object.keys(root).filter((keyword) => notAtRoot.has(keyword));
        if (refused.length > 0) expect(refused).toEqual([]);
      }
    }
  });

  it("pass OpenAI's own check of strict schemas unchanged, wherever we offer them strictly", () => {
    let strict = 0;
    for (const schema of schemas) {
      const offer = offerTools('openai', [toolNamed('t', schema)], { strict: true });
      if (!offer.report[0]!.strict) continue;
      strict++;
      const { parameters } = offer.tools[0]!.function;
      expect(toStrictJsonSchema(structuredClone(parameters))).toEqual(parameters);
    }
    expect(strict / schemas.length).toBeGreaterThan(0.9);
  });

  it('are what the Anthropic SDK would make of them, wherever we offer them strictly', () => {
    let differ = 0;
    for (const schema of schemas) {
      const offer = offerTools('anthropic', [toolNamed('t', schema)], { strict: true });
      if (!offer.report[0]!.strict) continue;
      const ours = offer.tools[0]!.input_schema;
      const theirs = transformJSONSchema(structuredClone(ours) as never);
      if (JSON.stringify(sorted(withoutTypedLiterals(theirs))) !== JSON.stringify(sorted(withoutTypedLiterals(ours))))
        differ++;
    }
    // The SDK moves `items` into the description where `type` is a list of types; we leave it.
    expect(differ).toBeLessThan(10);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

describe.skipIf(!isThere)('the calls of real models', { timeout: 120_000 }, () => {
  const all = { steps: new Set(repairSteps) };

  it('as text are left as they are, wherever they are fit to be read', () => {
    for (const { arguments: text } of rows<{ arguments: string }>('argument-strings.jsonl')) {
      const { repaired, arguments: after } = repairArguments({ type: 'object' }, text, all);
      if (!('code' in parseArguments(text))) expect([after, repaired]).toEqual([text, []]);
    }
  });

  it('that fit their schema are never changed, and more fit it after repair', () => {
    interface Row {
      tools: { name: string; parameters: JsonSchemaObject }[];
      calls: { name: string; args: unknown }[];
    }
    const Ajv = createRequire(import.meta.url)('ajv/dist/2020').default as new (
      options: object,
    ) => {
      compile(schema: JsonSchemaObject): (value: unknown) => boolean;
    };
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const seen = { calls: 0, before: 0, after: 0 };
    // Compiling takes by far the most time, so every third row has to do.
    for (const { tools, calls } of rows<Row>('function-calls.jsonl').filter((_, index) => index % 3 === 0)) {
      for (const { name, args } of calls) {
        const tool = tools.find((each) => each.name === name);
        if (!tool) continue;
        const schema = withKnownTypes(tool.parameters) as JsonSchemaObject;
        const fits = ajv.compile(schema);
        const { arguments: mended, repaired } = repairArguments(schema, args, all);
        seen.calls++;
        if (fits(args)) {
          seen.before++;
          expect(repaired).toEqual([]);
        }
        if (fits(mended)) seen.after++;
      }
    }
    console.info(`calls that fit: ${seen.before} of ${seen.calls} as they are, ${seen.after} after repair`);
    expect(seen.after / seen.calls).toBeGreaterThan(0.98);
  });
});

const otherWords: { readonly [word: string]: string } = {
  dict: 'object',
  float: 'number',
  tuple: 'array',
  HashMap: 'object',
  Hashtable: 'object',
  ArrayList: 'array',
  Array: 'array',
  double: 'number',
  long: 'integer',
  char: 'string',
  String: 'string',
  Boolean: 'boolean',
  byte: 'integer',
  Bigint: 'integer',
};
const ownWords = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

function withKnownTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withKnownTypes);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'type' && typeof value === 'string') {
      const word = ownWords.has(value) ? value : otherWords[value];
      return word === undefined ? [] : [[key, word]];
    }
    if (key === 'properties') {
      return [
        [key, Object.fromEntries(Object.entries(value as object).map(([name, sub]) => [name, withKnownTypes(sub)]))],
      ];
    }
    return [[key, key === 'enum' || key === 'default' ? value : withKnownTypes(value)]];
  });
  return Object.fromEntries(entries);
}
