import { describe, expect, it } from 'vitest';
import { compile } from '../../src/schema/engine.ts';
import { checkForeignSchema } from '../../src/schema/foreign.ts';
import type { JsonSchema, JsonSchemaObject } from '../../src/schema/json-schema.ts';
import { toLenientSchema } from '../../src/schema/lenient.ts';
import { lintSchema } from '../../src/schema/lint.ts';

const schema = (value: unknown): JsonSchemaObject => value as JsonSchemaObject;

describe('limits for the schema of a tool from elsewhere', () => {
  const nest = (levels: number): JsonSchemaObject => {
    let inner: JsonSchemaObject = {};
    for (let level = 1; level < levels; level++) inner = { properties: { a: inner } };
    return inner;
  };
  const patterns = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`p${index}`, { pattern: '^a$' }]));
  const cyclic: Record<string, unknown> = {};
  cyclic['not'] = cyclic;

  it.each<[string, unknown, string, string, string]>([
    ['more than 64 KiB', { description: 'x'.repeat(66_000) }, '', 'schema', '65536 are allowed'],
    ['more than 32 levels', nest(33), '', 'schema', '33 levels'],
    ['levels without end', cyclic, '', 'schema', 'not JSON'],
    [
      'more than 1,000 values in an enum',
      { properties: { x: { enum: Array.from({ length: 1_001 }, (_, at) => at) } } },
      '/properties/x',
      'enum',
      '1001 values',
    ],
    ['more than 50 patterns', { properties: patterns }, '', 'pattern', '51 patterns'],
    ['a remote reference', { items: { $ref: 'https://example.com/x.json#/a' } }, '/items', '$ref', 'never fetched'],
    ['a reference without a scheme', { items: { $ref: '//example.com/x' } }, '/items', '$ref', 'never fetched'],
    ['a file', { items: { $ref: 'file:///etc/passwd' } }, '/items', '$ref', 'never fetched'],
  ])('%s is refused', (_, value, pointer, keyword, words) => {
    const notes = checkForeignSchema(schema(value));
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatchObject({ pointer, keyword });
    expect(notes[0]?.message).toContain(words);
  });

  it('lets through what keeps within them', () => {
    const fine: JsonSchema[] = [
      true,
      {},
      nest(32),
      { $id: 'urn:a', items: { $ref: 'urn:a#/x' } },
      { items: { $ref: '#/$defs/a' } },
    ];
    for (const one of fine) expect(checkForeignSchema(one)).toEqual([]);
  });

  it('can be set', () => {
    expect(checkForeignSchema(nest(3), { maxDepth: 2 })).toHaveLength(1);
  });
});

describe('lenient reading', () => {
  it.each<[string, unknown, unknown, number]>([
    [
      'Python',
      {
        type: 'dict',
        properties: { a: { type: 'float' }, b: { type: 'tuple', items: { type: 'int' } }, c: { type: 'any' } },
      },
      {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'array', items: { type: 'integer' } }, c: {} },
      },
      5,
    ],
    [
      'Java',
      {
        type: 'HashMap',
        properties: {
          a: { type: 'ArrayList' },
          b: { type: 'String' },
          c: { type: 'long' },
          d: { type: 'List<String>' },
          e: { type: 'int[]' },
        },
      },
      {
        type: 'object',
        properties: {
          a: { type: 'array' },
          b: { type: 'string' },
          c: { type: 'integer' },
          d: { type: 'array' },
          e: { type: 'array' },
        },
      },
      6,
    ],
    ['a list of types', { type: ['str', 'None'] }, { type: ['string', 'null'] }, 1],
    ['a list with any type', { type: ['string', 'any'] }, {}, 1],
    [
      'an empty enum',
      { properties: { a: { enum: [], type: 'string' } } },
      { properties: { a: { type: 'string' } } },
      1,
    ],
    ['an enum with a value twice', { enum: ['a', 'b', 'a', 1, '1'] }, { enum: ['a', 'b', 1, '1'] }, 1],
    [
      'required at the property',
      { properties: { a: { type: 'string', required: true }, b: { required: false } }, required: ['c'] },
      { properties: { a: { type: 'string' }, b: {} }, required: ['c', 'a'] },
      2,
    ],
    ['required at the root', { required: true, type: 'object' }, { type: 'object' }, 1],
  ])('%s', (_, given, meant, count) => {
    const before = structuredClone(given);
    const { schema: read, notes } = toLenientSchema(schema(given));
    expect(read).toEqual(meant);
    expect(notes).toHaveLength(count);
    expect(given).toEqual(before);
    expect(() => compile(read)).not.toThrow();
  });

  it('leaves a good schema alone, and what only looks like a type', () => {
    const good = schema({
      type: 'object',
      properties: { type: { type: 'string', enum: ['dict'], default: 'dict' } },
      examples: [{ type: 'dict' }],
    });
    expect(toLenientSchema(good)).toEqual({ schema: good, notes: [] });
    expect(toLenientSchema(good).schema).toBe(good);
  });

  it('leaves a type that nobody knows, for the compiler to refuse', () => {
    const odd = schema({ properties: { x: { type: 'frobnicate' } } });
    expect(toLenientSchema(odd).schema).toBe(odd);
    expect(() => compile(odd)).toThrow(expect.objectContaining({ code: 'invalid_schema' }));
  });

  it('says what it changed, and where', () => {
    expect(toLenientSchema(schema({ properties: { 'a/b': { type: 'dict' } } })).notes).toEqual([
      { pointer: '/properties/a~1b', keyword: 'type', message: 'type "dict" was read as "object"' },
    ]);
  });
});

describe('lint', () => {
  it.each<[string, unknown, string, string, string]>([
    ['a mistyped keyword', { propertees: {} }, '', 'propertees', 'did you mean "properties"?'],
    ['an unknown keyword', { properties: { a: { frobnicate: 1 } } }, '/properties/a', 'frobnicate', 'has no effect'],
    [
      'an unknown format',
      { properties: { a: { format: 'date-tme' } } },
      '/properties/a',
      'format',
      'did you mean "date-time"?',
    ],
    [
      'a keyword for another type',
      { properties: { a: { type: 'integer', minLength: 1 } } },
      '/properties/a',
      'minLength',
      'it is for type "string"',
    ],
    [
      'a required property that is not described',
      { properties: { a: {} }, required: ['b'] },
      '',
      'required',
      '"b" is required but',
    ],
    [
      'a default that does not fit',
      { properties: { a: { type: 'string', default: null } } },
      '/properties/a',
      'default',
      'does not fit',
    ],
    [
      "draft 4's bounds",
      { properties: { n: { minimum: 1, exclusiveMinimum: true } } },
      '/properties/n',
      'exclusiveMinimum',
      'today it is a number',
    ],
  ])('notes %s', (_, value, pointer, keyword, words) => {
    const notes = lintSchema(schema(value));
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatchObject({ pointer, keyword });
    expect(notes[0]?.message).toContain(words);
  });

  it('has nothing to say about a good schema', () => {
    const good = schema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      title: 'Search',
      properties: {
        query: { type: 'string', minLength: 1, examples: ['rag'] },
        limit: { type: ['integer', 'null'], minimum: 1, default: 5 },
        at: { type: 'string', format: 'date-time' },
        x: { 'x-order': 1 },
      },
      required: ['query'],
      additionalProperties: false,
    });
    expect(lintSchema(good)).toEqual([]);
    expect(lintSchema(true)).toEqual([]);
  });
});
