import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cfworkerEngine, createSchemaEngine, type JsonSchema, type SchemaEngine } from 'callgate/schema';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ToolError } from '../../src/errors.ts';
import { corpora, missing, rows } from './corpora.ts';
import { groupsOf, outcome, remotesOf, withDialect } from './suite.ts';

const skipped = corpora ? '' : ` (skipped: ${missing})`;
const ajv = createSchemaEngine({});
const cfworker = cfworkerEngine();

/** What an engine makes of a value: whether it fits, and how it was filled in; or that the schema cannot be used. */
function verdict(engine: SchemaEngine, schema: JsonSchema, value: unknown, defaults = false): unknown {
  const filled = structuredClone(value);
  try {
    const violations = engine.compile(schema, { defaults })(filled);
    return violations === undefined ? { filled } : 'does not fit';
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError);
    return 'refused';
  }
}

describe.skipIf(corpora === undefined)(`on the JSON Schema test suite${skipped}`, () => {
  it.each([
    ['draft7', 'http://json-schema.org/draft-07/schema#', 923],
    ['draft2019-09', 'https://json-schema.org/draft/2019-09/schema', 1250],
    ['draft2020-12', 'https://json-schema.org/draft/2020-12/schema', 1240],
  ])('%s fails only where the engine on Ajv fails too, or refuses', (draft, dialect, least) => {
    const schemas = remotesOf(draft);
    const [reference, engine] = [
      createSchemaEngine({ formats: false, schemas }),
      cfworkerEngine({ formats: false, schemas }),
    ];
    let passed = 0;
    const worse: string[] = [];
    for (const [file, group] of groupsOf(draft)) {
      const schema = withDialect(group.schema, dialect);
      for (const { data, valid, description } of group.tests) {
        const found = outcome(engine, schema, data);
        if (found === valid) passed++;
        else if (outcome(reference, schema, data) === valid) {
          const isRefused = typeof found === 'string' && /\$dynamicRef|never fetched/.test(found);
          if (!isRefused) worse.push(`${file}: ${group.description}: ${description}`);
        }
      }
    }
    // An anchor beside an $id that is itself referred to: stricter.
    expect(worse.filter((name) => !name.startsWith('ref.json: order of evaluation: $id and $anchor'))).toEqual([]);
    expect(passed).toBeGreaterThanOrEqual(least);
  });
});

describe('beside the engine on Ajv', () => {
  // Ajv takes no notice of `__proto__`, compares what has a `toString`, and fills in a `constructor`, wrongly.
  const name = fc.constantFrom('a', 'b', 'c');
  const scalar = fc.oneof(
    fc.constantFrom('', 'a', 'aab', 'x@example.com', '2024-05-31'),
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(0.5, true, false, null),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
    const inner = tie('schema');
    // Not `contains`, `if`, `unevaluated...` and, within a choice, `patternProperties`: there Ajv errs, on the safe side.
    const keyword = fc.oneof(
      fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object') }),
      fc.record({ type: fc.constant(['string', 'object']), nullable: fc.boolean() }),
      fc.record({
        properties: fc.array(fc.tuple(name, inner), { maxLength: 2 }).map((all) => Object.fromEntries(all)),
      }),
      fc.record({ required: fc.uniqueArray(name, { maxLength: 2 }) }),
      fc.record({ additionalProperties: inner }),
      fc.record({ propertyNames: fc.record({ maxLength: fc.integer({ min: 1, max: 11 }) }) }),
      fc.record({ items: inner }),
      fc.record({ prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
      fc.record({ minItems: fc.integer({ min: -1, max: 2 }), uniqueItems: fc.boolean() }),
      fc.record({ enum: fc.uniqueArray(scalar, { maxLength: 3 }) }),
      fc.record({ const: value }),
      fc.record({ minimum: fc.integer({ min: -2, max: 2 }), multipleOf: fc.constantFrom(1, 2, 0.1) }),
      fc.record({ minimum: fc.constant(0), exclusiveMinimum: fc.boolean() }),
      fc.record({ minLength: fc.integer({ min: 0, max: 2 }), maxLength: fc.integer({ min: 0, max: 4 }) }),
      fc.record({ pattern: fc.constantFrom('^a+b?$', '^(a+)+$', 'b$', '[') }),
      fc.record({ format: fc.constantFrom('email', 'date', 'toString', 'no-such') }),
      fc.record({ anyOf: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
      fc.record({ oneOf: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
      fc.record({ allOf: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
      fc.record({ not: inner }),
      fc.record({ dependentRequired: fc.record({ a: fc.constant(['b']) }) }),
      fc.record({ $ref: fc.constantFrom('#/$defs/x', '#/$defs/none') }),
    );
    return {
      schema: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.boolean(),
        fc.array(keyword, { minLength: 1, maxLength: 3 }).map((all) => Object.assign({}, ...all) as JsonSchema),
      ),
    };
  });

  const whole = fc
    .tuple(schema, fc.constantFrom('string', 'object', 'array'))
    .map(([one, type]) =>
      typeof one === 'boolean' ? one : { ...one, $defs: { x: { type } } },
    ) as fc.Arbitrary<JsonSchema>;

  it('random schemas allow and refuse the same random values', () => {
    fc.assert(
      fc.property(whole, fc.array(value, { minLength: 4, maxLength: 8 }), (one, values) => {
        for (const each of values) {
          expect(verdict(cfworker, one, each)).toEqual(verdict(ajv, one, each));
        }
      }),
      { numRuns: process.env['CALLGATE_FULL'] ? 5_000 : 300 },
    );
  }, 120_000);

  it('defaults are filled in at the same places', () => {
    const { filling } = fc.letrec<{ filling: JsonSchema }>((tie) => {
      const inner = tie('filling');
      const property = fc.oneof(
        inner,
        fc.record({ default: scalar }),
        fc.record({ type: fc.constant('object'), default: fc.constant({}) }),
      );
      const keyword = fc.oneof(
        fc.record({
          properties: fc.array(fc.tuple(name, property), { maxLength: 3 }).map((all) => Object.fromEntries(all)),
        }),
        fc.record({ additionalProperties: inner }),
        fc.record({ patternProperties: fc.record({ '^[ab]$': inner }) }),
        fc.record({ items: inner }),
        fc.record({ prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
        fc.record({ allOf: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
        fc.record({ $ref: fc.constant('#/$defs/x') }),
      );
      const all = fc.array(keyword, { minLength: 1, maxLength: 3 });
      return {
        filling: fc.oneof(
          { maxDepth: 3 },
          fc.constant(true),
          all.map((some) => Object.assign({}, ...some) as JsonSchema),
        ),
      };
    });
    const x = { properties: { a: { default: 1 }, c: { default: [] } } };
    fc.assert(
      fc.property(filling, fc.array(value, { minLength: 4, maxLength: 8 }), (one, values) => {
        const schema = typeof one === 'boolean' ? one : ({ ...one, $defs: { x } } as JsonSchema);
        for (const each of values)
          expect(verdict(cfworker, schema, each, true)).toEqual(verdict(ajv, schema, each, true));
      }),
      { numRuns: process.env['CALLGATE_FULL'] ? 5_000 : 300 },
    );
  });
});

describe('what it is for', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));

  it('a whole call runs where code generation from strings is forbidden', async () => {
    const program = `
      import { createRouter, defineTool } from './src/index.ts';
      import { cfworkerEngine } from './src/schema/index.ts';
      try { new Function('return 1'); process.exit(3); } catch {}
      const double = defineTool({
        name: 'double', description: '', permission: 'read',
        parameters: { type: 'object', properties: { n: { type: 'integer', default: 4 } }, additionalProperties: false },
        output: { type: 'integer' },
        handler: ({ n }) => n * 2,
      });
      const router = createRouter({ tools: [double], validate: { engine: cfworkerEngine() } });
      const forbidden = createRouter({ tools: [double] });
      const results = [await router.call({ name: 'double' }), await router.call({ name: 'double', arguments: { n: 'x' } })];
      console.log(JSON.stringify([...results.map(({ data, code }) => [data, code]), (await forbidden.call({ name: 'double' })).code]));`;
    const node = ['--disallow-code-generation-from-strings', '--import', 'tsx', '--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: root });
    expect(JSON.parse(stdout)).toEqual([[8, null], [null, 'invalid_arguments'], 'invalid_schema']);
  });

  it('says which package is missing', async () => {
    vi.resetModules();
    vi.doMock('node:module', async (original) => {
      const real = await original<typeof import('node:module')>();
      const createRequire = (from: string) => (name: string) => {
        if (name === '@cfworker/json-schema') throw new Error(`Cannot find module '${name}'`);
        return real.createRequire(from)(name) as unknown;
      };
      return { ...real, createRequire };
    });
    const { cfworkerEngine: without } = await import('../../src/schema/cfworker.ts');
    const engine = without();
    expect(() => engine.compile({ type: 'object' })).toThrow('npm install @cfworker/json-schema');
    vi.doUnmock('node:module');
    vi.resetModules();
  });
});

describe('what only it has to care for', () => {
  const refusal = (schema: unknown): ToolError => {
    try {
      cfworker.compile(schema as JsonSchema);
    } catch (error) {
      return error as ToolError;
    }
    throw new Error('the schema compiled');
  };

  it.each<[string, unknown, string, string]>([
    ['$dynamicRef', { properties: { x: { $dynamicRef: '#a' } } }, '/properties/x', '$dynamicRef'],
    ['$recursiveRef', { properties: { x: { $recursiveRef: '#x' } } }, '/properties/x', '$recursiveRef'],
    ["Python's dict", { properties: { x: { type: 'dict' } } }, '/properties/x/type', 'use "object"'],
    ['an empty enum', { properties: { x: { enum: [] } } }, '/properties/x', 'no value at all'],
    ['a dangling reference', { properties: { x: { $ref: '#/$defs/y' } } }, '/properties/x', 'not part of the schema'],
    ['a remote reference', { properties: { x: { $ref: 'https://example.com/y' } } }, '/properties/x', 'never fetched'],
    ['a slow pattern', { properties: { x: { pattern: '^(?=(a+)+$)b' } } }, '/properties/x', 'exponential'],
    [
      'a slow pattern of names',
      { properties: { x: { patternProperties: { '^(a+)+$': {} } } } },
      '/properties/x/patternProperties/^(a+)+$',
      'too long',
    ],
    ['a broken pattern', { properties: { x: { pattern: '(' } } }, '/properties/x', 'not a regular expression'],
    ['$async', { $async: true }, '', 'not supported'],
    ['a required property without a name', { not: { required: [''] } }, '/not', 'empty name'],
    ['no schema', 5, '', 'object or a boolean'],
  ])('%s is refused with keyword and place', (_, schema, pointer, words) => {
    const { code, message, options } = refusal(schema);
    expect(code).toBe('invalid_schema');
    expect(options.details).toMatchObject({ pointer });
    expect(message).toContain(words);
  });

  it('a pattern that backtracking takes forever for is matched in linear time', () => {
    const validate = cfworker.compile({ properties: { x: { type: 'string', pattern: '^(a+)+$' } } });
    expect(validate({ x: `${'a'.repeat(50_000)}b` })?.[0]).toMatchObject({ pointer: '/x', keyword: 'pattern' });
    expect(validate({ x: 'a'.repeat(50_000) })).toBeUndefined();
  });

  it('long lists that must be unique, and long names that a pattern is for, are refused before they cost time', () => {
    const unique = cfworker.compile({ type: 'array', uniqueItems: true });
    expect(unique(Array.from({ length: 1_001 }, (_, index) => index))?.[0]?.keyword).toBe('maxItems');
    const named = cfworker.compile({ patternProperties: { '^x-': { type: 'string' } } });
    expect([named({ 'x-a': 'b' }), named({ ['x-'.repeat(200)]: 'b' })?.length]).toEqual([undefined, 1]);
  });

  it('numbers that JSON does not have do not fit, and properties that are undefined are not there', () => {
    const validate = cfworker.compile(
      { properties: { n: { type: 'number' } }, additionalProperties: false },
      { defaults: false },
    );
    for (const n of [Number.NaN, Number.POSITIVE_INFINITY, 1n]) expect(validate({ n })?.length).toBe(1);
    expect(validate({ n: 1, other: undefined })).toBeUndefined();
  });

  it('an empty reference is to the whole schema', () => {
    const validate = cfworker.compile({ properties: { a: { $ref: '' } }, additionalProperties: false });
    expect([validate({ a: { a: {} } }), validate({ a: { b: 1 } })?.length]).toEqual([undefined, 1]);
  });

  it('a schema that takes the place of a meta-schema, or of a known one, is refused', () => {
    const engine = cfworkerEngine({ schemas: { 'https://example.com/size.json': { type: 'integer' } } });
    expect(engine.compile({ $ref: 'https://example.com/size.json' })('x')?.[0]?.keyword).toBe('type');
    for (const $id of ['https://json-schema.org/draft/2020-12/schema', 'https://example.com/size.json']) {
      expect(() => engine.compile({ $id, type: 'string' })).toThrow(ToolError);
    }
  });

  it.each<[string, JsonSchema, unknown, string]>([
    [
      'format',
      { properties: { a: { format: 'email' } } },
      { a: 'x' },
      '/a must match format "email", such as name@example.com (got string "x")',
    ],
    [
      'a pattern beside a format',
      { properties: { a: { pattern: '^x', format: 'date' } } },
      { a: 'y' },
      '/a must match pattern "^x" (got string "y")',
    ],
    [
      'a pattern behind a reference',
      { properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { pattern: '^x' } } },
      { a: 'y' },
      '/a must match pattern "^x" (got string "y")',
    ],
    [
      'unevaluated',
      { properties: { a: {} }, unevaluatedProperties: false },
      { b: 1 },
      '/b is not a known property (got number 1)',
    ],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1 }, '/b is required'],
    ['multipleOf', { properties: { a: { multipleOf: 2 } } }, { a: 3 }, '/a must be multiple of 2 (got number 3)'],
    [
      'not',
      { properties: { a: { not: { const: 1 } } } },
      { a: 1 },
      '/a is of a form that is not allowed (got number 1)',
    ],
    ['type', { properties: { a: { type: 'integer' } } }, { a: '4' }, '/a must be integer (got string "4")'],
  ])('says of %s what the engine on Ajv says', (_, schema, value, message) => {
    expect(
      cfworker
        .compile(schema)(value)
        ?.map((one) => one.message),
    ).toEqual([message]);
    expect(
      ajv
        .compile(schema)(value)
        ?.map((one) => one.message),
    ).toEqual([message]);
  });
});

interface ToolRow {
  readonly name: string;
  readonly schema: JsonSchema;
}

describe.skipIf(corpora === undefined)(`schemas of tools as they are in the wild${skipped}`, () => {
  it('are taken and refused as by the engine on Ajv', () => {
    const step = process.env['CALLGATE_FULL'] ? 1 : 20;
    const different = rows<ToolRow>('tool-schemas.jsonl')
      // Ajv does not miss a required property whose name is empty.
      .filter(({ schema }, index) => index % step === 0 && !JSON.stringify(schema).includes('"required":[""]'))
      .filter(({ schema }) => {
        const [one, other] = [cfworker, ajv].map((engine) => verdict(engine, schema, {}));
        return JSON.stringify(one) !== JSON.stringify(other);
      });
    expect(different.map(({ name }) => name)).toEqual([]);
  }, 120_000);
});
