import { describe, expect, it } from 'vitest';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';
import { looksTooOften } from '../../src/schema/visits.ts';

/** Each definition is applied by two references of the one before. */
function forks(count: number, apply: (next: object) => object, name = (at: number) => `#/$defs/d${at}`): object {
  const defs = Array.from({ length: count }, (_, at): [string, object] => [
    `d${at}`,
    { $anchor: `a${at}`, ...(at + 1 < count ? apply({ $ref: name(at + 1) }) : { type: 'string' }) },
  ]);
  return { type: 'object', properties: { a: { $ref: name(0) } }, $defs: Object.fromEntries(defs) };
}
const self = { $ref: '#' };
const json = { anyOf: [{ type: 'string' }, { items: self }, { type: 'object', additionalProperties: self }] };

const endless: [why: string, schema: object][] = [
  ['allOf', forks(40, (next) => ({ allOf: [next, next] }))],
  ['anyOf', forks(40, (next) => ({ anyOf: [next, next] }))],
  ['oneOf', forks(40, (next) => ({ oneOf: [next, next] }))],
  ['if, else and not', forks(40, (next) => ({ if: next, else: { not: next } }))],
  ['a reference beside another keyword', forks(40, (next) => ({ ...next, allOf: [next] }))],
  ['dependent schemas', forks(40, (next) => ({ dependentSchemas: { a: next, b: next } }))],
  [
    'anchors',
    forks(
      40,
      (next) => ({ allOf: [next, next] }),
      (at) => `#a${at}`,
    ),
  ],
  [
    'one level of the value for each',
    forks(40, (n) => ({ allOf: [{ properties: { x: n } }, { properties: { x: n } }] })),
  ],
  ['lists', forks(40, (n) => ({ allOf: [{ items: n }, { prefixItems: [n] }] }))],
  ['itself, twice for one name', { allOf: [{ properties: { x: self } }, { patternProperties: { '^x$': self } }] }],
];
const bounded: [why: string, schema: object][] = [
  ['a few forks', forks(8, (next) => ({ allOf: [next, next] }))],
  ['a tree', { properties: { left: self, right: self, more: { type: 'array', items: self } } }],
  ['any JSON', json],
  [
    'two objects that hold the same',
    { properties: { a: { properties: { x: self } }, b: { properties: { x: self } } } },
  ],
  [
    'a filter of and, or',
    { anyOf: [{ properties: { and: { items: self } } }, { properties: { or: { items: self } } }] },
  ],
  ['a circle, which no validator gets through', { allOf: [self] }],
  ['a reference to nothing', { properties: { a: { $ref: '#/$defs/none' } } }],
  ['many properties', { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, {}])) }],
];

describe('schemas that look at one place of a value again and again', () => {
  it.each(endless)('by %s are found', (_why, schema) => {
    expect(looksTooOften(schema as JsonSchemaObject, 64, 100_000)).toBe(true);
  });

  it.each(bounded)('are not those with %s', (_why, schema) => {
    expect(looksTooOften(schema as JsonSchemaObject, 64, 100_000)).toBe(false);
  });
});
