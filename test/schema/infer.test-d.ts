import { createRouter, defineTool, type JsonSchemaObject } from 'callgate';
import type { Infer } from 'callgate/schema';
import { describe, expectTypeOf, test } from 'vitest';

/** The type of a schema that is written down. */
function of<const S extends JsonSchemaObject>(_schema: S): Infer<S> {
  return undefined as Infer<S>;
}

describe('values', () => {
  test('simple types, enum and const', () => {
    expectTypeOf(of({ type: 'string' })).toEqualTypeOf<string>();
    expectTypeOf(of({ type: 'integer' })).toEqualTypeOf<number>();
    expectTypeOf(of({ type: 'boolean' })).toEqualTypeOf<boolean>();
    expectTypeOf(of({ type: 'null' })).toEqualTypeOf<null>();
    expectTypeOf(of({ type: 'string', enum: ['a', 'b'] })).toEqualTypeOf<'a' | 'b'>();
    expectTypeOf(of({ enum: [1, 'x', null] })).toEqualTypeOf<1 | 'x' | null>();
    expectTypeOf(of({ const: 5 })).toEqualTypeOf<5>();
    expectTypeOf(of({})).toEqualTypeOf<unknown>();
    expectTypeOf(of({ $ref: '#/$defs/x' })).toEqualTypeOf<unknown>();
    expectTypeOf(of({ not: { type: 'string' } })).toEqualTypeOf<unknown>();
    expectTypeOf<Infer<true>>().toEqualTypeOf<unknown>();
    expectTypeOf<Infer<false>>().toEqualTypeOf<never>();
    expectTypeOf<Infer<JsonSchemaObject>>().toEqualTypeOf<unknown>();
  });

  test('several types, and nullable', () => {
    expectTypeOf(of({ type: ['string', 'null'] })).toEqualTypeOf<string | null>();
    expectTypeOf(of({ type: ['array', 'integer'], items: { type: 'string' } })).toEqualTypeOf<string[] | number>();
    expectTypeOf(of({ type: 'string', nullable: true })).toEqualTypeOf<string | null>();
    expectTypeOf(of({ type: 'string', nullable: false })).toEqualTypeOf<string>();
  });

  test('arrays and tuples', () => {
    expectTypeOf(of({ type: 'array' })).toEqualTypeOf<unknown[]>();
    expectTypeOf(of({ type: 'array', items: { type: 'array', items: { type: 'number' } } })).toEqualTypeOf<
      number[][]
    >();
    const pair = [{ type: 'string' }, { type: 'number' }] as const;
    expectTypeOf(of({ type: 'array', prefixItems: pair, items: false, minItems: 2 })).toEqualTypeOf<[string, number]>();
    expectTypeOf(of({ type: 'array', items: pair, additionalItems: false, minItems: 2 })).toEqualTypeOf<
      [string, number]
    >();
    expectTypeOf(of({ type: 'array', prefixItems: pair, minItems: 2, maxItems: 2 })).toEqualTypeOf<[string, number]>();
    expectTypeOf(of({ type: 'array', prefixItems: pair, items: false })).toEqualTypeOf<[string?, number?]>();
    expectTypeOf(of({ type: 'array', prefixItems: pair, items: { type: 'null' }, minItems: 2 })).toEqualTypeOf<
      [string, number, ...null[]]
    >();
  });
});

describe('objects', () => {
  test('properties are present when they are required or have a default', () => {
    const schema = {
      type: 'object',
      properties: {
        path: { type: 'string' },
        limit: { type: 'integer', default: 5 },
        deep: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
      },
      required: ['path'],
    } as const;
    expectTypeOf(of(schema)).toEqualTypeOf<{ path: string; limit: number; deep?: { on: boolean } }>();
    // What a caller sends, and what data must have: a default is filled in for neither.
    expectTypeOf<Infer<typeof schema, false>>().toEqualTypeOf<{
      path: string;
      limit?: number;
      deep?: { on: boolean };
    }>();
  });

  test('open and closed objects', () => {
    expectTypeOf(of({ type: 'object' })).toEqualTypeOf<Record<string, unknown>>();
    expectTypeOf(of({ type: 'object', additionalProperties: { type: 'number' } })).toEqualTypeOf<
      Record<string, number>
    >();
    expectTypeOf(of({ type: 'object', additionalProperties: true })).toEqualTypeOf<Record<string, unknown>>();
    expectTypeOf(of({ type: 'object', additionalProperties: false })).toEqualTypeOf<Record<string, never>>();
    expectTypeOf(
      of({ type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false }),
    ).toEqualTypeOf<Record<string, string>>();
    expectTypeOf(of({ properties: { a: { type: 'string' } } })).toEqualTypeOf<{ a?: string }>();
  });
});

describe('combinations', () => {
  test('anyOf and oneOf are unions', () => {
    expectTypeOf(of({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toEqualTypeOf<string | null>();
    const shape = of({
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
          required: ['kind', 'radius'],
        },
        {
          type: 'object',
          properties: { kind: { const: 'square' }, side: { type: 'number' } },
          required: ['kind', 'side'],
        },
      ],
    });
    expectTypeOf(shape).toEqualTypeOf<{ kind: 'circle'; radius: number } | { kind: 'square'; side: number }>();
  });

  test('allOf is an intersection, with what stands beside it', () => {
    const both = of({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      allOf: [{ type: 'object', properties: { b: { type: 'number' } }, required: ['b'] }],
    });
    expectTypeOf(both.a).toEqualTypeOf<string>();
    expectTypeOf(both.b).toEqualTypeOf<number>();
  });

  test('a choice that only constrains takes nothing away', () => {
    const either = of({
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      anyOf: [{ required: ['id'] }, { required: ['name'] }],
    });
    expectTypeOf(either).toEqualTypeOf<{ id?: string; name?: string }>();
  });
});

describe('wrong use does not compile', () => {
  const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;

  test('of arguments', () => {
    // @ts-expect-error the schema calls it path
    defineTool({ name: 't', description: '', parameters, handler: ({ filename }) => filename });
    // @ts-expect-error it is a string
    defineTool({ name: 't', description: '', parameters, handler: ({ path }) => path.toFixed() });
    // @ts-expect-error there is no such type
    defineTool({ name: 't', description: '', parameters: { type: 'dict' }, handler: () => 1 });
    // @ts-expect-error required is a list
    defineTool({ name: 't', description: '', parameters: { type: 'object', required: true }, handler: () => 1 });
  });

  test('of data', () => {
    const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    // @ts-expect-error n is a number
    defineTool({ name: 't', description: '', parameters, output, handler: () => ({ n: 'one' }) });
    // @ts-expect-error n is missing
    defineTool({ name: 't', description: '', parameters, output, handler: async () => ({}) });
    defineTool({
      name: 't',
      description: '',
      parameters,
      output,
      handler: async function* () {
        yield 'half';
        return { n: 1 };
      },
    });
  });
});

describe('router.invoke', () => {
  const weather = defineTool({
    name: 'weather',
    description: '',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', default: 1 } },
      required: ['city'],
    },
    output: {
      type: 'object',
      properties: { celsius: { type: 'number' }, note: { type: 'string', default: '' } },
      required: ['celsius'],
    },
    handler: ({ city, days }) => ({ celsius: city.length + days }),
  });
  const plain = defineTool({ name: 'plain', description: '', parameters: { type: 'object' }, handler: () => 1 });
  const router = createRouter({ tools: [weather, plain] });

  test('gives data that is typed by the output schema', async () => {
    const result = await router.invoke(weather, { city: 'Bonn' });
    if (result.ok) expectTypeOf(result.data).toEqualTypeOf<{ celsius: number; note?: string }>();
    else expectTypeOf(result.data).toEqualTypeOf<null>();
    const other = await router.invoke(plain, {});
    if (other.ok) expectTypeOf(other.data).toEqualTypeOf<unknown>();
  });

  test('checks arguments', () => {
    // @ts-expect-error city is missing
    void router.invoke(weather, { days: 2 });
    // @ts-expect-error city is a string
    void router.invoke(weather, { city: 5 });
    // Any tool will do; then nothing is known of either.
    void router.invoke({ ...plain, name: 'x' }, 5 as never);
  });
});
