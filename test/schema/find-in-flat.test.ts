import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInFlat } from '../../src/schema/find-in-flat.ts';
import { findViolations } from '../../src/schema/find-violations.ts';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';
import { Plans } from '../../src/schema/plan.ts';

const types = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'] as const;
const flat = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: ['string', 'null'] }, c: { type: 'object' } },
  required: ['a'],
  additionalProperties: false,
} as const;

function look(schema: JsonSchemaObject, value: unknown) {
  return findInFlat(new Plans(schema).of(schema), value);
}

describe('a short look at flat arguments', () => {
  it.each([
    ['a wrong type', { a: 'x' }],
    ['several', { a: null, b: 7, c: '{"a":1}' }],
    ['a property that is missing', { b: 'x' }],
  ])('finds what the search finds: %s', (_, value) => {
    expect(look(flat, value)).toEqual(findViolations(flat, value));
  });

  it.each([
    ['an unknown property', flat, { a: 'x', d: 1 }],
    ['what is no object', flat, ['x']],
    ['what fits', flat, { a: 1 }],
    ['an object where none may be', { ...flat, type: 'array' }, { a: 'x' }],
    ['a schema with further keywords', { ...flat, minProperties: 2 }, { a: 'x' }],
    ['a property with further keywords', { properties: { a: { type: 'number' }, b: { enum: ['x'] } } }, { a: 'x' }],
    ['more than is told', { required: Array.from({ length: 11 }, (_, at) => `p${at}`), properties: {} }, {}],
  ])('leaves to the search %s', (_, schema, value) => {
    expect(look(schema as JsonSchemaObject, value)).toBeUndefined();
  });

  it('finds all that the search finds, or says nothing', () => {
    const name = fc.constantFrom('a', 'b', 'a/b', 'toString', 'x'.repeat(90));
    const property = fc.record(
      {
        type: fc.oneof(fc.constantFrom(...types), fc.subarray([...types], { minLength: 1 })),
        nullable: fc.boolean(),
        description: fc.string(),
        maximum: fc.integer(),
      },
      { requiredKeys: ['type'] },
    );
    const schemas = fc.record(
      {
        type: fc.constantFrom('object', 'string'),
        properties: fc.dictionary(name, property, { maxKeys: 4 }),
        required: fc.uniqueArray(name),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ['properties'] },
    );
    const item = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.constantFrom(null, true, '{"a":1}'), fc.object());
    fc.assert(
      fc.property(schemas, fc.dictionary(name, item, { maxKeys: 4 }), (schema, value) => {
        const found = look(schema as JsonSchemaObject, value);
        if (found !== undefined) expect(found).toEqual(findViolations(schema as JsonSchemaObject, value));
      }),
      { numRuns: 500 },
    );
  });
});
