import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repairArguments, repairSteps } from '../../src/providers/arguments/ladder.ts';
import { offerTools, type ProviderName, providers, undoStrictNulls } from '../../src/providers/index.ts';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';
import { toolNamed } from './tools.ts';

const words = [
  'type',
  'properties',
  'required',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'enum',
  'const',
  '$ref',
  '$defs',
  'definitions',
  'additionalProperties',
  'patternProperties',
  'dependencies',
  'if',
  'then',
  'default',
  'description',
  'format',
  'minimum',
  'exclusiveMinimum',
  'minItems',
  '$id',
  '$schema',
  '__proto__',
  'constructor',
];
const refs = fc.constantFrom('#', '#/$defs/A', '#/properties/a', '#/definitions/A', 'http://x/y', '#%', 'A');

/** Schemas of which some parts are right and others are anything. */
const { schema: anySchema } = fc.letrec<{ schema: JsonSchemaObject }>((tie) => ({
  schema: fc
    .tuple(
      fc.dictionary(
        fc.constantFrom(...words),
        fc.oneof(
          { maxDepth: 4 },
          fc.jsonValue({ maxDepth: 1 }),
          refs,
          tie('schema'),
          fc.array(tie('schema'), { maxLength: 3 }),
          fc.dictionary(fc.constantFrom('a', 'b', 'A', '__proto__'), tie('schema'), { maxKeys: 3 }),
        ),
        { maxKeys: 4, depthIdentifier: 'schema' },
      ),
      fc.option(
        fc.record({ type: fc.constantFrom('object', 'array', 'string', 'dict'), $ref: refs }, { requiredKeys: [] }),
        { nil: {} },
      ),
    )
    .map(([wild, tame]) => ({ ...wild, ...tame }) as JsonSchemaObject),
}));

describe('schemas that come from elsewhere', () => {
  it.each(Object.keys(providers) as ProviderName[])('never break the list of tools for %s', (name) => {
    fc.assert(
      fc.property(anySchema, fc.boolean(), (schema, strict) => {
        const before = JSON.stringify(schema);
        const { tools, report } = offerTools(name, [toolNamed('t', schema)], { strict });
        expect(report[0]!.tool).toBe('t');
        expect(JSON.stringify(tools)).toBeTypeOf('string');
        expect(JSON.stringify(schema)).toBe(before);
      }),
      { numRuns: 300 },
    );
    expect(({} as { type?: unknown }).type).toBeUndefined();
  });

  it('never break the reading of arguments', () => {
    fc.assert(
      fc.property(anySchema, fc.dictionary(fc.constantFrom('a', 'b', 'A'), fc.jsonValue()), (schema, args) => {
        undoStrictNulls(toolNamed('t', schema), args);
        repairArguments(schema, args, { steps: new Set(repairSteps) });
      }),
      { numRuns: 500 },
    );
  });

  it('that are nested beyond reason are cut off', () => {
    let deep: JsonSchemaObject = { type: 'string' };
    for (let n = 0; n < 5000; n++) deep = { type: 'object', properties: { a: deep } };
    for (const name of ['openai', 'gemini', 'anthropic'] as const) {
      const { report } = offerTools(name, [toolNamed('t', deep)]);
      expect(report[0]!.losses.some(({ reason }) => reason.includes('too deep'))).toBe(true);
    }
  });
});
