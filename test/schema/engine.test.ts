import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../src/errors.ts';
import { compile, createSchemaEngine, type Validator } from '../../src/schema/engine.ts';
import { findViolations } from '../../src/schema/find-violations.ts';
import type { JsonSchema, JsonSchemaObject } from '../../src/schema/json-schema.ts';

const texts = (schema: JsonSchema, value: unknown): string[] =>
  (compile(schema)(value) ?? []).map(({ message }) => message);
const fits = (schema: JsonSchema, value: unknown): boolean => compile(schema)(value) === undefined;

function refusal(schema: unknown): ToolError {
  try {
    compile(schema as JsonSchema);
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError);
    expect((error as ToolError).code).toBe('invalid_schema');
    return error as ToolError;
  }
  throw new Error('the schema compiled');
}

describe('dialects', () => {
  const properties = { url: { type: 'string' } } as const;

  it.each([
    [undefined],
    ['http://json-schema.org/draft-07/schema#'],
    ['http://json-schema.org/draft-07/schema'],
    ['https://json-schema.org/draft-07/schema#'],
    ['http://json-schema.org/draft-06/schema#'],
    ['http://json-schema.org/draft-04/schema#'],
    ['https://json-schema.org/draft/2019-09/schema'],
    ['https://json-schema.org/draft/2020-12/schema'],
    ['https://json-schema.org/draft/2020-12/schema#'],
    ['https://example.com/my-own-schema'],
  ])('$schema %s compiles and validates', ($schema) => {
    const schema = {
      ...($schema && { $schema }),
      type: 'object',
      properties,
      required: ['url'],
      additionalProperties: false,
    };
    expect(fits(schema as JsonSchema, { url: 'http://127.0.0.1/' })).toBe(true);
    expect(compile(schema as JsonSchema)({ url: 1 })?.[0]?.pointer).toBe('/url');
  });

  it('a schema without $schema is 2020-12, so prefixItems counts', () => {
    const schema = {
      properties: {
        point: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false, minItems: 2 },
      },
    } as const;
    expect(fits(schema, { point: [1, 'x'] })).toBe(false);
    expect(fits(schema, { point: [1, 2, 3] })).toBe(false);
    expect(fits(schema, { point: [1, 2] })).toBe(true);
  });

  it('a schema without $schema that has the older list form of items means it', () => {
    const schema = { properties: { point: { items: [{ type: 'number' }], additionalItems: false } } } as const;
    expect(fits(schema, { point: ['x'] })).toBe(false);
    expect(fits(schema, { point: [1, 2] })).toBe(false);
    expect(fits(schema, { point: [1] })).toBe(true);
  });

  it("draft 4's boolean bounds keep their meaning", () => {
    const schema = {
      properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } },
    } as const;
    expect([-1, 0, 1, 9, 10].map((n) => fits(schema, { n }))).toEqual([false, false, true, true, false]);
  });

  it('references, definitions and recursion work in every dialect', () => {
    for (const [$schema, place] of [
      ['http://json-schema.org/draft-07/schema#', 'definitions'],
      ['https://json-schema.org/draft/2019-09/schema', '$defs'],
      ['https://json-schema.org/draft/2020-12/schema', '$defs'],
    ] as const) {
      const schema = {
        $schema,
        type: 'object',
        properties: { child: { $ref: '#' }, size: { $ref: `#/${place}/size` } },
        additionalProperties: false,
        [place]: { size: { type: 'integer', minimum: 1 } },
      } as const;
      expect(fits(schema, { child: { child: { size: 2 } } })).toBe(true);
      expect(fits(schema, { child: { child: { size: 0 } } })).toBe(false);
      expect(fits(schema, { child: { other: 1 } })).toBe(false);
    }
  });
});

describe('identity', () => {
  it('two tools with the same $id are each validated by their own schema, and again after a fresh import', () => {
    const one = { $id: 'urn:x:input', type: 'object', properties: { p: { type: 'string' } }, required: ['p'] } as const;
    const two = { $id: 'urn:x:input', type: 'object', properties: { q: { type: 'number' } }, required: ['q'] } as const;
    for (const [p, q] of [
      [one, two],
      [structuredClone(one), structuredClone(two)],
    ] as const) {
      expect([fits(p, { p: 'x' }), fits(p, { q: 1 }), fits(q, { q: 1 }), fits(q, { p: 'x' })]).toEqual([
        true,
        false,
        true,
        false,
      ]);
    }
  });

  it('a schema cannot reach what another tool calls by an $id, a nested $id or an $anchor', () => {
    compile({ $id: 'urn:tool:a', $defs: { secret: { $id: 'urn:tool:a:inner', $anchor: 'here', type: 'string' } } });
    for (const $ref of ['urn:tool:a', 'urn:tool:a:inner', 'urn:tool:a:inner#here']) {
      expect(refusal({ properties: { x: { $ref } } }).message).toContain($ref);
    }
  });

  it('no tool can replace a meta-schema by taking its $id', () => {
    for (const $id of [
      'https://json-schema.org/draft/2020-12/schema',
      'https://json-schema.org/draft/2020-12/meta/validation',
    ]) {
      refusal({ $id, type: 'object' });
      refusal({ $defs: { x: { $id, not: {} } }, $ref: $id });
    }
    expect(refusal({ type: 'nonsense' }).message).toContain('/type');
    expect(fits({ type: 'object' }, {})).toBe(true);
  });

  it('equal schemas share one validator, by object and by what they say', () => {
    const schema: JsonSchemaObject = { type: 'object', properties: { a: { type: 'string' } } };
    expect(compile(schema)).toBe(compile(schema));
    expect(compile({ properties: { a: { type: 'string' } }, type: 'object' })).toBe(compile(schema));
    expect(compile({ type: 'object', properties: { a: { type: 'number' } } })).not.toBe(compile(schema));
    expect(compile(schema, { defaults: false })).not.toBe(compile(schema));
    expect(createSchemaEngine()).toBe(createSchemaEngine());
  });

  it('a schema counts as it was when it was compiled', () => {
    const schema = { type: 'object', properties: { a: { enum: ['x'] } } };
    const validator = compile(schema as JsonSchema);
    schema.properties.a.enum.push('y');
    expect(validator({ a: 'y' })).toBeDefined();
  });

  it('known schemas can be registered, and nothing is fetched', () => {
    const engine = createSchemaEngine({ schemas: { 'https://example.com/size.json': { type: 'integer' } } });
    const validator = engine.compile({ properties: { n: { $ref: 'https://example.com/size.json' } } });
    expect([validator({ n: 1 }), validator({ n: 'x' })?.[0]?.pointer]).toEqual([undefined, '/n']);
    expect(refusal({ properties: { n: { $ref: 'https://example.com/size.json' } } }).message).toContain(
      'never fetched',
    );
  });
});

describe('schemas that cannot be used are refused with keyword and place', () => {
  const cyclic: Record<string, unknown> = { type: 'object' };
  cyclic['properties'] = { self: cyclic };
  let deep: JsonSchemaObject = {};
  for (let level = 0; level < 20_000; level++) deep = { not: deep };

  it.each<[string, unknown, string, string, string]>([
    [
      'a remote reference',
      { properties: { x: { $ref: 'http://example.com/x.json' } } },
      '/properties/x',
      '$ref',
      'never fetched',
    ],
    [
      'a dangling reference',
      { properties: { x: { $ref: '#/components/schemas/Page' } } },
      '/properties/x',
      '$ref',
      'not part of the schema',
    ],
    ['$async', { $async: true, type: 'object' }, '', '$async', 'not supported'],
    [
      '$async inside',
      { properties: { x: { $ref: '#/$defs/y' } }, $defs: { y: { $async: true } } },
      '/$defs/y',
      '$async',
      'not supported',
    ],
    [
      "Python's dict",
      { type: 'dict', properties: {} },
      '/type',
      'type',
      `type 'dict', which is not JSON Schema; use "object"`,
    ],
    ["Python's float", { properties: { x: { type: 'float' } } }, '/properties/x/type', 'type', 'use "number"'],
    [
      'a tuple in a list',
      { properties: { x: { type: 'array', items: { type: 'tuple' } } } },
      '/properties/x/items/type',
      'type',
      'use "array"',
    ],
    ["Java's HashMap", { properties: { x: { type: 'HashMap' } } }, '/properties/x/type', 'type', 'use "object"'],
    ['any', { properties: { x: { type: 'any' } } }, '/properties/x/type', 'type', 'leave "type" out'],
    ['an empty enum', { properties: { x: { enum: [] } } }, '/properties/x', 'enum', 'no value at all'],
    [
      'an enum with a value twice, in draft 7',
      { $schema: 'http://json-schema.org/draft-07/schema#', properties: { x: { enum: ['a', 'a'] } } },
      '/properties/x/enum',
      'enum',
      'same item twice',
    ],
    [
      'required: true',
      { properties: { x: { type: 'string', required: true } } },
      '/properties/x/required',
      'required',
      'must be array',
    ],
    [
      'properties that are none',
      { properties: { type: 'object' } },
      '/properties/type',
      'properties',
      'must be a schema',
    ],
    [
      'a broken pattern',
      { properties: { x: { pattern: '[' } } },
      '/properties/x',
      'pattern',
      'not a regular expression',
    ],
    [
      'a broken property pattern',
      { properties: { x: { patternProperties: { '(': {} } } } },
      '/properties/x',
      'patternProperties',
      'not a regular expression',
    ],
    [
      'a pattern that only exponential backtracking can match',
      { properties: { x: { pattern: '^(?=(a+)+$)b' } } },
      '/properties/x',
      'pattern',
      'exponential',
    ],
    [
      'a negative length',
      { properties: { x: { minLength: -1 } } },
      '/properties/x/minLength',
      'minLength',
      'must be >= 0',
    ],
    [
      'one $id for two schemas',
      { $defs: { a: { $id: 'urn:a', type: 'string' }, b: { $id: 'urn:a', type: 'number' } } },
      '',
      '$id',
      'more than one schema',
    ],
    ['a required property without a name', { required: ['a', ''] }, '', 'required', 'empty name'],
    [
      'one inside',
      { properties: { x: { items: { properties: { '': {} }, required: [''] } } } },
      '/properties/x/items',
      'required',
      'empty name',
    ],
    [
      'one behind a reference',
      { $ref: '#/$defs/y', $defs: { y: { required: [''] } } },
      '/$defs/y',
      'required',
      'empty',
    ],
    ['one beside another', { dependentRequired: { a: ['b'], b: [''] } }, '', 'dependentRequired', 'empty name'],
    ['one in an older word', { not: { dependencies: { a: [''] } } }, '/not', 'dependencies', 'empty name'],
    ['a number', 5, '', 'schema', 'object or a boolean'],
    ['nothing', undefined, '', 'schema', 'not JSON'],
    ['a cycle', cyclic, '', 'schema', 'contains itself'],
    ['too deep a schema', deep, '', 'schema', 'too deeply'],
  ])('%s', (_, schema, pointer, keyword, words) => {
    const first = refusal(schema);
    expect(first.message).toContain(words);
    expect(first.options.details).toMatchObject({ pointer, keyword });
    // Remembered, so that a broken tool costs its compilation once.
    if (typeof schema === 'object') expect(refusal(schema)).toBe(first);
  });

  it('unknown keywords and formats are passed over', () => {
    expect(
      fits(
        { type: 'object', propertees: {}, properties: { x: { type: 'string', format: 'no-such-format' } } },
        { x: 'y' },
      ),
    ).toBe(true);
  });

  it('patterns that are regular expressions only without Unicode rules are taken', () => {
    expect(fits({ properties: { did: { type: 'string', pattern: '^did\\:key\\:' } } }, { did: 'did:key:z6' })).toBe(
      true,
    );
  });
});

describe('values', () => {
  it.each<[string, JsonSchema, unknown, boolean]>([
    ['an inherited property does not count as given', { required: ['toString'] }, {}, false],
    ['nor does "constructor"', { required: ['constructor'] }, {}, false],
    ['an absent "constructor" is absent', { properties: { ['constructor' as string]: { type: 'string' } } }, {}, true],
    ['a list is not unwrapped', { properties: { path: { type: 'string' } } }, { path: ['/etc'] }, false],
    ['text is not made a number', { properties: { n: { type: 'number' } } }, { n: '1e3' }, false],
    ['text is not made a boolean', { properties: { flag: { type: 'boolean' } } }, { flag: 'false' }, false],
    ['null is not made text', { properties: { path: { type: 'string' } } }, { path: null }, false],
    ['Infinity is not a number', { properties: { n: { type: 'number' } } }, { n: Number.POSITIVE_INFINITY }, false],
    ['nor is NaN', { properties: { n: { type: 'number' } } }, { n: Number.NaN }, false],
    ['-0 is an integer', { properties: { n: { type: 'integer' } } }, { n: -0 }, true],
    ['true allows everything', true, 5, true],
    ['false allows nothing', false, {}, false],
    [
      'an own __proto__ is an additional property',
      { additionalProperties: false },
      JSON.parse('{"__proto__":1}'),
      false,
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(fits(schema, value)).toBe(expected);
  });

  it('fills defaults in, each call its own, and only when asked to', () => {
    const schema = {
      properties: { limit: { type: 'integer', default: 5 }, tags: { type: 'array', default: [] } },
    } as const;
    const [one, two, other]: Record<string, unknown>[] = [{}, {}, {}];
    compile(schema)(one);
    compile(schema)(two);
    compile(schema, { defaults: false })(other);
    expect([one, two, other]).toEqual([{ limit: 5, tags: [] }, { limit: 5, tags: [] }, {}]);
    expect(one?.['tags']).not.toBe(two?.['tags']);
    expect([
      compile(schema).fills,
      compile(schema, { defaults: false }).fills,
      compile({ type: 'object' }).fills,
    ]).toEqual([true, false, false]);
  });

  it('a default that does not fit its own schema is not filled in, so that the call is not refused for it', () => {
    const schema = {
      properties: {
        a: { type: 'string', default: null },
        b: { $ref: '#/$defs/level', default: 'x' },
        c: { type: 'integer', default: 1 },
      },
      $defs: { level: { enum: ['low', 'high'] } },
    } as const;
    const args = {};
    expect(compile(schema)(args)).toBeUndefined();
    expect(args).toEqual({ c: 1 });
  });

  it('a value too deep to be checked does not fit', () => {
    const schema = { properties: { a: { $ref: '#' } }, additionalProperties: false } as const;
    let value: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level++) value = { a: value };
    expect(compile(schema)(value)?.length).toBeGreaterThan(0);
  });

  it('uniqueItems tells kinds of items apart', () => {
    const unique = (items: unknown[]): boolean => fits({ type: 'array', uniqueItems: true }, items);
    expect(unique([1, '1', true, 'true', null, 'null', {}, '{}', [], '[]', [1], ['1'], { a: 1 }, { a: true }])).toBe(
      true,
    );
    for (const twice of [
      [1, 1],
      ['a', 'b', 'a'],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [[1], [1]],
      [null, null],
      [0, -0],
    ]) {
      expect(unique(twice)).toBe(false);
    }
    expect(texts({ type: 'array', uniqueItems: true }, ['a', 'b', 'a'])[0]).toContain('items 0 and 2 are equal');
  });
});

it.each(['toString', 'constructor', 'valueOf', 'hasOwnProperty', '__proto__'])(
  'plain data that does not have %s does not have it, though it inherits it',
  (name) => {
    const fits = compile({ type: 'object', required: [name] }, { plain: true });
    expect(fits({})).toHaveLength(1);
    const dependent = compile({ type: 'object', dependentRequired: { a: [name] } }, { plain: true });
    expect(dependent({ a: 1 })).toHaveLength(1);
    const described = compile({ type: 'object', properties: { [name]: { type: 'number' } } }, { plain: true });
    expect(described({})).toBeUndefined();
  },
);

describe('nothing can make validation slow', () => {
  const within = (milliseconds: number, action: () => void): void => {
    const begun = process.cpuUsage();
    action();
    const { user, system } = process.cpuUsage(begun);
    expect((user + system) / 1_000).toBeLessThan(milliseconds);
  };

  it('uniqueItems on 8,000 objects', () => {
    const validator = compile({ properties: { list: { type: 'array', uniqueItems: true } } });
    const list = Array.from({ length: 8_000 }, (_, id) => ({ id, name: `n${id}` }));
    validator({ list: list.slice(0, 10) });
    within(250, () => expect(validator({ list })).toBeUndefined());
  });

  it('an enum of 50,000 in a schema', () => {
    const values = Array.from({ length: 50_000 }, (_, index) => `value ${index}`);
    within(2_000, () =>
      expect(
        fits(
          { $schema: 'http://json-schema.org/draft-07/schema#', properties: { x: { enum: values } } },
          { x: 'value 49999' },
        ),
      ).toBe(true),
    );
  });

  it('a pattern that backtracks exponentially, short and long', () => {
    const validator = compile({ properties: { x: { type: 'string', pattern: '^(a+)+$' } } });
    for (const count of [28, 200_000])
      within(250, () => expect(validator({ x: `${'a'.repeat(count)}!` })).toBeDefined());
    expect(validator({ x: 'aaaa' })).toBeUndefined();
  });

  it('explaining a list of 40,000 wrong items, or an object of 20,000 unknown properties', () => {
    const validator = compile({ properties: { list: { items: { type: 'integer' } } }, additionalProperties: false });
    validator({ list: ['x'] });
    within(250, () => expect(validator({ list: Array.from({ length: 40_000 }, () => 'x') })).toHaveLength(10));
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`unknown${index}`, index]));
    within(250, () => expect(validator(many)).toHaveLength(10));
  });
});

describe('what the violations say', () => {
  const add = {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'number' }, colour: { enum: ['red', 'green'] } },
    required: ['a', 'b'],
    additionalProperties: false,
  } as const;

  it.each<[string, JsonSchema, unknown, string[]]>([
    ['a wrong type and a missing property', add, { a: '4' }, ['/b is required', '/a must be integer (got string "4")']],
    [
      'an unknown property, with the nearest',
      add,
      { a: 1, b: 2, color: 'red' },
      ['/color is not a known property (did you mean "colour"?)'],
    ],
    [
      'an unknown property like no other',
      add,
      { a: 1, b: 2, zzzzzzz: 1 },
      ['/zzzzzzz is not a known property; known are a, b, colour'],
    ],
    [
      'a word that is not in the list',
      add,
      { a: 1, b: 2, colour: 'blue' },
      ['/colour must be one of "red", "green" (got string "blue")'],
    ],
    [
      'null for an optional property',
      { properties: { since: { type: 'string' } } },
      { since: null },
      ['/since must be string (got null); leave it out if it has no value'],
    ],
    [
      'null for a required one',
      { properties: { since: { type: 'string' } }, required: ['since'] },
      { since: null },
      ['/since must be string (got null)'],
    ],
    [
      'a list sent as text',
      { properties: { ids: { type: 'array' } } },
      { ids: '[1,2]' },
      ['/ids must be array (got string "[1,2]"); send the value itself, not JSON text of it'],
    ],
    ['a constant', { properties: { v: { const: 2 } } }, { v: 3 }, ['/v must be 2 (got number 3)']],
    [
      'bounds',
      { properties: { n: { minimum: 1, exclusiveMaximum: 5 } } },
      { n: 5 },
      ['/n must be less than 5 (got number 5)'],
    ],
    [
      'lengths',
      { properties: { s: { minLength: 2 }, l: { maxItems: 1 } } },
      { s: '😀', l: [1, 2] },
      ['/s must have at least 2 characters (got 1)', '/l must have at most 1 item (got 2)'],
    ],
    [
      'a format, with an example',
      { properties: { at: { format: 'date-time' } } },
      { at: '2021-01-29T10:00:00' },
      ['/at must match format "date-time", such as 2024-05-31T09:30:00Z (got string "2021-01-29T10:00:00")'],
    ],
    [
      'a pattern',
      { properties: { id: { pattern: '^[a-z]+$' } } },
      { id: 'A1' },
      ['/id must match pattern "^[a-z]+$" (got string "A1")'],
    ],
    [
      'a condition: the cause and not the condition',
      { if: { properties: { a: { const: 1 } } }, else: true, ['then' as string]: { required: ['b'] } },
      { a: 1 },
      ['/b is required'],
    ],
    [
      'a property name: the rule that it breaks',
      { propertyNames: { maxLength: 3 } },
      { abcdef: 1 },
      ['the value must NOT have more than 3 characters'],
    ],
    ['the whole', { type: 'array' }, {}, ['the value must be array (got empty object)']],
    [
      'a name that needs escaping',
      { properties: { 'a/b': { type: 'string' } } },
      { 'a/b': 1 },
      ['/a~1b must be string (got number 1)'],
    ],
    ['a dependency', { dependentRequired: { card: ['address'] } }, { card: 1 }, ['/address is required']],
    [
      'something forbidden',
      { properties: { x: { not: { type: 'string' } } } },
      { x: 'y' },
      ['/x is of a form that is not allowed (got string "y")'],
    ],
  ])('%s', (_, schema, value, messages) => {
    expect(texts(schema, value)).toEqual(messages);
  });

  const target = {
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'agent' }, name: { type: 'string' } },
        required: ['kind', 'name'],
      },
      { type: 'object', properties: { kind: { const: 'team' }, id: { type: 'string' } }, required: ['kind', 'id'] },
    ],
  } as const;

  it.each<[string, unknown, string]>([
    [
      'text of the object',
      '{"kind": "agent", "name": "x"}',
      '/target must be object (got string "{\\"kind\\": \\"agent\\", \\"name\\": \\"x\\"}"); send the value itself, not JSON text of it',
    ],
    ['the right form with a property missing', { kind: 'team' }, '/target/id is required'],
    ['a form that there is not', { kind: 'robot' }, '/target/kind must be "agent" or "team" (got string "robot")'],
    [
      'no form',
      {},
      '/target fits none of its 2 allowed forms; for the nearest one /target/kind is required, /target/name is required',
    ],
  ])('a choice of forms gives one readable violation for %s', (_, value, message) => {
    expect(texts({ properties: { target } }, { target: value })).toEqual([message]);
  });

  it('says when more than one form fits', () => {
    const [only, ...others] = texts({ properties: { n: { oneOf: [{ type: 'number' }, { minimum: 1 }] } } }, { n: 5 });
    expect(only).toContain('more than one of its allowed forms');
    expect(others).toEqual([]);
  });

  it('an optional object is explained by its object branch', () => {
    const schema = {
      properties: {
        page: { anyOf: [{ type: 'object', properties: { size: { type: 'integer' } } }, { type: 'null' }] },
      },
    } as const;
    expect(texts(schema, { page: { size: 'big' } })).toEqual(['/page/size must be integer (got string "big")']);
  });

  it('all wrong places are named at once, ten at most', () => {
    const schema = {
      properties: { maxBytes: { type: 'integer' }, pagesFrom: { type: 'integer' }, pagesTo: { type: 'integer' } },
    } as const;
    const found = compile(schema)({ maxBytes: '200000', pagesFrom: '4', pagesTo: '12' });
    expect(found?.map(({ pointer, keyword, expected, received }) => [pointer, keyword, expected, received])).toEqual([
      ['/maxBytes', 'type', 'integer', 'string "200000"'],
      ['/pagesFrom', 'type', 'integer', 'string "4"'],
      ['/pagesTo', 'type', 'integer', 'string "12"'],
    ]);
    expect(compile({ items: { type: 'integer' } })(Array.from({ length: 50 }, () => 'x'))).toHaveLength(10);
  });

  it('cuts long values, and shows no part of the schema', () => {
    const schema = {
      properties: {
        s: { type: 'string', maxLength: 3, description: 'internal: /srv/secret' },
        n: { type: 'number', description: 'internal' },
      },
    } as const;
    const text = JSON.stringify(compile(schema)({ s: 'x'.repeat(100_000), n: 'y'.repeat(100_000) }));
    expect(text.length).toBeLessThan(1_000);
    expect(text).not.toContain('internal');
  });

  it('holds in every dialect and for every schema: a violation that is found is one that the validator refuses', () => {
    const leaf = fc.constantFrom<JsonSchema>(
      true,
      false,
      { type: 'string' },
      { type: 'integer', minimum: 2 },
      { type: ['number', 'null'] },
      { enum: [1, 'a', null] },
      { const: 'a' },
      { type: 'string', minLength: 2, maxLength: 3 },
      { $ref: '#/$defs/node' },
    );
    const schemas = fc.letrec<{ schema: JsonSchema }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf,
        fc.record(
          {
            type: fc.constant('object'),
            properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema')),
            required: fc.subarray(['a', 'b']),
            additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          {
            items: tie('schema'),
            prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
            minItems: fc.nat(2),
            maxItems: fc.nat(3),
          },
          { requiredKeys: [] },
        ),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record(
          {
            allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
            nullable: fc.boolean(),
            type: fc.constantFrom('string', 'object'),
          },
          { requiredKeys: ['allOf'] },
        ),
      ) as fc.Arbitrary<JsonSchema>,
    })).schema;
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, true, 1, 2.5, 'a', 'abc', 'abcd'),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(schemas, values, (inner, value) => {
        const schema: JsonSchemaObject = {
          allOf: [inner],
          $defs: { node: { type: 'object', properties: { a: { $ref: '#/$defs/node' } } } },
        };
        const validator: Validator = compile(schema, { defaults: false });
        const found = findViolations(schema, value);
        const explained = validator(value);
        if (found.length > 0) expect(explained).toBeDefined();
        expect(explained === undefined || (explained.length > 0 && explained.length <= 10)).toBe(true);
      }),
      { numRuns: 400 },
    );
  }, 60_000);
});
