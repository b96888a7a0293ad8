import { createRequire } from 'node:module';
import fc from 'fast-check';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { expect, it } from 'vitest';
import { offerTools, openaiChat, undoStrictNulls } from '../../src/providers/index.ts';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';
import { toolNamed } from './tools.ts';

const Ajv = createRequire(import.meta.url)('ajv/dist/2020').default as new (
  options: object,
) => {
  compile(schema: object): (value: unknown) => boolean;
};

interface Case {
  readonly schema: JsonSchemaObject;
  /** A value that fits, with optional properties left out here and there. */
  readonly value: unknown;
  /** The same as strict mode makes a model send it. */
  readonly filled: unknown;
}

const leaf: fc.Arbitrary<Case> = fc.oneof(
  fc.string().map((value) => ({ schema: { type: 'string' as const, maxLength: 50 }, value, filled: value })),
  fc.integer().map((value) => ({ schema: { type: 'integer' as const }, value, filled: value })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean' as const, default: false }, value, filled: value })),
  fc.constantFrom('a', 'b').map((value) => ({ schema: { enum: ['a', 'b'] }, value, filled: value })),
  fc.constantFrom('x', null).map((value) => ({ schema: { type: ['string', 'null'] as const }, value, filled: value })),
  fc.constantFrom<unknown>('x', 7).map((value) => ({
    schema: { anyOf: [{ type: 'string' as const }, { type: 'number' as const }] },
    value,
    filled: value,
  })),
);

const { anyCase } = fc.letrec<{ anyCase: Case; object: Case }>((tie) => ({
  anyCase: fc.oneof({ maxDepth: 3, depthIdentifier: 'case' }, leaf, tie('object'), tie('anyCase').map(inArray)),
  object: objectOf(tie('anyCase')),
}));

function inArray({ schema, value, filled }: Case): Case {
  return { schema: { type: 'array', items: schema }, value: [value], filled: [filled] };
}

function objectOf(inner: fc.Arbitrary<Case>): fc.Arbitrary<Case> {
  const property = fc.record({ inner, isRequired: fc.boolean(), isSent: fc.boolean() });
  return fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), property, { minKeys: 1, noNullPrototype: true })
    .map((properties) => {
      const entries = Object.entries(properties);
      const sent = entries.filter(([, { isRequired, isSent }]) => isRequired || isSent);
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(entries.map(([name, each]) => [name, each.inner.schema])),
          required: entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
          additionalProperties: false,
        },
        value: Object.fromEntries(sent.map(([name, each]) => [name, each.inner.value])),
        filled: Object.fromEntries(
          entries.map(([name, each]) => [name, sent.some(([one]) => one === name) ? each.inner.filled : null]),
        ),
      };
    });
}

it('brings every call back as it was meant, through a schema that OpenAI takes', () => {
  const ajv = new Ajv({ strict: false });
  fc.assert(
    fc.property(objectOf(anyCase), ({ schema, value, filled }) => {
      const tool = toolNamed('t', schema);
      const offer = offerTools('openai', [tool], { strict: true });
      expect(offer.report[0]!.strict).toBe(true);
      const { parameters } = offer.tools[0]!.function;
      expect(toStrictJsonSchema(structuredClone(parameters))).toEqual(parameters);
      expect(ajv.compile(parameters)(filled)).toBe(true);
      // A property that may be null by itself stays null; the tool then gets what its own schema allows.
      const undone = undoStrictNulls(tool, filled);
      expect(ajv.compile(schema)(undone)).toBe(true);
      expect(withoutNulls(undone)).toEqual(withoutNulls(value));
      const message = { tool_calls: [{ id: 'c', function: { name: 't', arguments: JSON.stringify(filled) } }] };
      const [call] = openaiChat.readCalls(message, offer);
      const args = call!.arguments;
      expect(typeof args === 'string' ? JSON.parse(args) : args).toEqual(undone);
    }),
    { numRuns: 40 },
  );
});

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner)]));
}
