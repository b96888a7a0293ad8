import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { describe, expect, it } from 'vitest';
import { offerTools, report, toolSchemas, undoStrictNulls } from '../../src/providers/index.ts';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';
import { parseArguments } from '../../src/schema/parse.ts';
import { getWeather, toolNamed } from './tools.ts';

const eitherContentOrUrl: JsonSchemaObject = {
  type: 'object',
  anyOf: [
    { type: 'object', properties: { content: { type: 'string' } }, required: ['content'] },
    { type: 'object', properties: { source_url: { type: 'string' } }, required: ['source_url'] },
  ],
};

const diagram: JsonSchemaObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  $defs: { DiagramType: { type: 'string', enum: ['aws', 'flow'], title: 'DiagramType' } },
  properties: {
    diagram_type: { $ref: '#/$defs/DiagramType', default: 'all', description: 'Type' },
    headers: { type: 'object' },
    actions: { type: 'array', items: { $ref: '#/properties/headers' } },
  },
};

const tree: JsonSchemaObject = {
  type: 'object',
  properties: { root: { $ref: '#/$defs/Node' } },
  $defs: {
    Node: {
      type: 'object',
      properties: { value: { type: 'number' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
      required: ['value'],
      additionalProperties: false,
    },
  },
};

function openai(schema: JsonSchemaObject, strict = false) {
  return toolSchemas('openai', [toolNamed('t', schema)], { strict })[0]!.function;
}
function anthropic(schema: JsonSchemaObject, strict = false) {
  return toolSchemas('anthropic', [toolNamed('t', schema)], { strict })[0]!;
}
function gemini(schema: JsonSchemaObject): JsonSchemaObject {
  return toolSchemas('gemini', [toolNamed('t', schema)])[0]!.functionDeclarations[0]!.parametersJsonSchema;
}
function lossesOf(provider: 'openai' | 'anthropic' | 'gemini' | 'ollama', schema: JsonSchemaObject, strict = false) {
  return report(provider, [toolNamed('t', schema)], { strict })[0]!.losses;
}

describe('a union at the root', () => {
  it.each(['openai', 'anthropic', 'gemini', 'bedrock', 'mistral', 'ollama', 'ai-sdk'] as const)(
    'is laid over for %s, which would refuse the whole request',
    (provider) => {
      const text = JSON.stringify(toolSchemas(provider, [toolNamed('t', eitherContentOrUrl)]), (_, value) =>
        typeof value === 'object' && value !== null && '~standard' in value
          ? value['~standard'].jsonSchema.input()
          : value,
      );
      expect(text).not.toMatch(/anyOf|oneOf/);
      expect(text).toContain('source_url');
    },
  );

  it('keeps the properties of every branch and says which belong together', () => {
    expect(anthropic(eitherContentOrUrl).input_schema).toEqual({
      type: 'object',
      properties: { content: { type: 'string' }, source_url: { type: 'string' } },
      description: 'Give at least one of these sets of arguments: ("content") or ("source_url").',
    });
    expect(lossesOf('anthropic', eitherContentOrUrl)).toMatchObject([
      { pointer: '', keyword: 'anyOf', kind: 'described' },
    ]);
  });

  it('requires what every branch demands, and joins the words that tell the branches apart', () => {
    const { parameters } = openai({
      oneOf: [
        { type: 'object', properties: { kind: { const: 'a' }, x: { type: 'number' } }, required: ['kind', 'x'] },
        { type: 'object', properties: { kind: { const: 'b' }, y: { type: 'number' } }, required: ['kind', 'y'] },
      ],
    });
    expect(parameters).toMatchObject({
      type: 'object',
      required: ['kind'],
      properties: { kind: { enum: ['a', 'b'] } },
    });
    expect(Object.keys(parameters['properties'] as object)).toEqual(['kind', 'x', 'y']);
  });

  it('merges allOf and follows a reference at the root', () => {
    const { parameters } = openai({
      $ref: '#/$defs/Args',
      $defs: {
        Args: {
          allOf: [
            { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
            { properties: { b: { type: 'integer' } }, required: ['b'] },
          ],
        },
      },
    });
    expect(parameters).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      required: ['a', 'b'],
    });
    expect(parameters).not.toHaveProperty('$ref');
  });
});

describe('references', () => {
  it('are written out for Gemini, with what is said beside them', () => {
    const schema = gemini(diagram);
    expect(JSON.stringify(schema)).not.toMatch(/\$ref|\$defs|\$schema/);
    expect(schema.properties).toMatchObject({
      diagram_type: { type: 'string', enum: ['aws', 'flow'], description: 'Type Default: "all".' },
      actions: { type: 'array', items: { type: 'object' } },
    });
  });

  it('end where a schema refers to itself, and the report says where', () => {
    const schema = gemini(tree);
    expect(JSON.stringify(schema)).not.toContain('$ref');
    const place = '/properties/root/properties/children/items';
    expect(lossesOf('gemini', tree)).toContainEqual(
      expect.objectContaining({ pointer: place, keyword: '$ref', kind: 'changed' }),
    );
    expect(schema).toMatchObject({
      properties: { root: { properties: { children: { type: 'array', items: { type: 'object' } } } } },
    });
  });

  it('stay where the provider follows them, and only those in use', () => {
    const { input_schema } = anthropic({ ...tree, $defs: { ...tree.$defs, Unused: { type: 'string' } } });
    expect(input_schema['$defs']).toHaveProperty('Node');
    expect(input_schema['$defs']).not.toHaveProperty('Unused');
    expect(input_schema['properties']).toEqual({ root: { $ref: '#/$defs/Node' } });
  });

  it('that multiply when written out are cut off instead of filling the memory', () => {
    const levels = Array.from({ length: 40 }, (_, n) => [
      `L${n}`,
      { type: 'object', properties: { a: { $ref: `#/$defs/L${n + 1}` }, b: { $ref: `#/$defs/L${n + 1}` } } },
    ]);
    const bomb: JsonSchemaObject = {
      type: 'object',
      properties: { x: { $ref: '#/$defs/L0' } },
      $defs: Object.fromEntries([...levels, ['L40', { type: 'string' }]]),
    };
    expect(JSON.stringify(gemini(bomb)).length).toBeLessThan(2_000_000);
    expect(lossesOf('gemini', bomb).some(({ reason }) => reason.includes('too large'))).toBe(true);
  });

  it('that lead nowhere, or away, are dropped and reported, never fetched', () => {
    const schema: JsonSchemaObject = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/Missing' }, b: { $ref: 'https://example.com/schema.json' } },
    };
    expect(gemini(schema)).toMatchObject({ properties: { a: {}, b: {} } });
    expect(lossesOf('gemini', schema).map(({ pointer }) => pointer)).toEqual(['/properties/a', '/properties/b']);
  });
});

describe('older drafts', () => {
  it('are spelt as 2020-12 for Anthropic, which takes nothing else', () => {
    const { input_schema } = anthropic({
      $schema: 'http://json-schema.org/draft-04/schema#',
      type: 'object',
      definitions: { Pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false } },
      properties: { pair: { $ref: '#/definitions/Pair' }, n: { type: 'number', minimum: 0, exclusiveMinimum: true } },
      dependencies: { pair: ['n'] },
    });
    expect(input_schema).toEqual({
      type: 'object',
      properties: { pair: { $ref: '#/$defs/Pair' }, n: { type: 'number', exclusiveMinimum: 0 } },
      dependentRequired: { pair: ['n'] },
      $defs: { Pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false } },
    });
  });
});

describe('what a dialect does not know', () => {
  it('is told in the description, and reported', () => {
    const schema: JsonSchemaObject = {
      type: 'object',
      properties: { name: { type: 'string', description: 'Your name.', maxLength: 20, pattern: '^[A-Z]' } },
    };
    expect(gemini(schema).properties).toEqual({
      name: {
        type: 'string',
        description: 'Your name. At most 20 characters. Matches the regular expression ^[A-Z]',
      },
    });
    expect(lossesOf('gemini', schema).map(({ keyword, kind }) => [keyword, kind])).toEqual([
      ['maxLength', 'described'],
      ['pattern', 'described'],
    ]);
  });

  it('takes items to be anything where an array does not say', () => {
    expect(openai({ type: 'object', properties: { list: { type: 'array' } } }).parameters).toMatchObject({
      properties: { list: { type: 'array', items: {} } },
    });
  });

  it('leaves a property out whose name Anthropic refuses, so that the other tools can be used', () => {
    const schema: JsonSchemaObject = {
      type: 'object',
      properties: { ok: { type: 'string' }, 'not ok!': { type: 'string' } },
      required: ['ok', 'not ok!'],
    };
    expect(anthropic(schema).input_schema).toMatchObject({ properties: { ok: {} }, required: ['ok'] });
    expect(lossesOf('anthropic', schema)[0]).toMatchObject({ pointer: '/properties/not ok!', kind: 'dropped' });
  });

  it('never changes the tool: its own schema is what arguments are validated against', () => {
    const tool = toolNamed('t', structuredClone(eitherContentOrUrl));
    for (const strict of [false, true]) {
      for (const provider of ['openai', 'anthropic', 'gemini', 'bedrock', 'ollama', 'mcp'] as const) {
        offerTools(provider, [tool], { strict });
      }
    }
    expect(tool.parameters).toEqual(eitherContentOrUrl);
  });
});

describe('strict mode', () => {
  const optional: JsonSchemaObject = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer', default: 3, description: 'How many.' },
      unit: { enum: ['c', 'f'] },
      place: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      box: { type: 'object', properties: { w: { type: 'number' } }, required: ['w'], additionalProperties: false },
      note: { type: ['string', 'null'] },
    },
    required: ['city'],
    additionalProperties: false,
  };

  it('makes optional properties nullable for OpenAI and requires all', () => {
    const { parameters, strict } = openai(optional, true);
    expect(strict).toBe(true);
    expect(parameters).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: ['integer', 'null'], description: 'How many. Default: 3.' },
        unit: { type: ['string', 'null'], enum: ['c', 'f', null] },
        place: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
        box: {
          anyOf: [
            { type: 'object', properties: { w: { type: 'number' } }, required: ['w'], additionalProperties: false },
            { type: 'null' },
          ],
        },
        note: { type: ['string', 'null'] },
      },
      required: ['city', 'days', 'unit', 'place', 'box', 'note'],
      additionalProperties: false,
    });
    expect(toStrictJsonSchema(structuredClone(parameters))).toEqual(parameters);
  });

  it('undoes the nulls before validation, but not those that the schema means', () => {
    const tool = toolNamed('t', optional);
    const sent = { city: 'Bonn', days: null, unit: null, place: null, box: null, note: null };
    expect(undoStrictNulls(tool, sent)).toEqual({ city: 'Bonn', note: null });
    expect(undoStrictNulls(tool, JSON.stringify(sent))).toEqual({ city: 'Bonn', note: null });
    expect(undoStrictNulls(tool, { city: null })).toEqual({ city: null });
    const untouched = '{"city": "null"}';
    expect(undoStrictNulls(tool, untouched)).toBe(untouched);
    expect(undoStrictNulls(tool, '{"city": null, "days": nul')).toBe('{"city": null, "days": nul');
  });

  it('leaves text alone that names a key twice, so that validation can refuse it', () => {
    const twice = '{"city":"a","days":null,"days":null}';
    expect(undoStrictNulls(toolNamed('t', optional), twice)).toBe(twice);
    expect(parseArguments(twice)).toMatchObject({ reason: 'duplicate_key' });
  });

  it('undoes nulls in lists, below references and in the branches of a root union', () => {
    const nested = toolNamed('t', {
      type: 'object',
      properties: { nodes: { type: 'array', items: { $ref: '#/$defs/N' } } },
      $defs: {
        N: { type: 'object', properties: { id: { type: 'string' }, up: { $ref: '#/$defs/N' } }, required: ['id'] },
      },
    });
    expect(
      undoStrictNulls(nested, {
        nodes: [
          { id: 'a', up: { id: 'b', up: null } },
          { id: 'c', up: null },
        ],
      }),
    ).toEqual({
      nodes: [{ id: 'a', up: { id: 'b' } }, { id: 'c' }],
    });
    expect(undoStrictNulls(toolNamed('t', eitherContentOrUrl), { content: 'x', source_url: null })).toEqual({
      content: 'x',
    });
  });

  it('is undone in the calls that are read with the offer', () => {
    const offer = offerTools('openai', [getWeather], { strict: true });
    expect(offer.report[0]!.strict).toBe(true);
    expect([...offer.nullsMeanAbsent.keys()]).toEqual(['get_weather']);
  });

  it.each<[string, JsonSchemaObject]>([
    [
      'a map with free keys',
      { type: 'object', properties: { env: { type: 'object', additionalProperties: { type: 'string' } } } },
    ],
    ['an object of which nothing is said', { type: 'object', properties: { any: { type: 'object' } } }],
    ['a place where anything goes', { type: 'object', properties: { any: {} } }],
    ['names by pattern', { type: 'object', patternProperties: { '^x-': { type: 'string' } } }],
    [
      'more values than it takes',
      { type: 'object', properties: { n: { enum: Array.from({ length: 1001 }, (_, n) => n) } } },
    ],
  ])('is not used for %s, and the report says why', (_, schema) => {
    expect(openai(schema, true)).not.toHaveProperty('strict');
    const why = lossesOf('openai', schema, true).filter(({ keyword }) => keyword === 'strict');
    expect(why[0]?.reason).toMatch(/^offered without strict mode: /);
  });

  it('is asked for by name, tool by tool', () => {
    const tools = [toolNamed('a'), toolNamed('b')];
    expect(report('openai', tools, { strict: ['b'] }).map(({ strict }) => strict)).toEqual([false, true]);
  });

  it('keeps to what all strict tools of an Anthropic request may have together', () => {
    const tools = Array.from({ length: 25 }, (_, n) => toolNamed(`t${n}`));
    const strict = report('anthropic', tools, { strict: true }).filter((each) => each.strict);
    expect(strict).toHaveLength(20);
  });

  it('agrees with the transformation of the Anthropic SDK', () => {
    const { input_schema, strict } = anthropic(
      {
        type: 'object',
        properties: {
          when: { type: 'string', format: 'date' },
          count: { type: 'integer', minimum: 1 },
          tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
          who: { oneOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'number' } } }] },
        },
        required: ['when'],
      },
      true,
    );
    expect(strict).toBe(true);
    expect(transformJSONSchema(structuredClone(input_schema) as never)).toEqual(input_schema);
    expect(input_schema['properties']).toMatchObject({ count: { type: 'integer', description: 'At least 1.' } });
  });
});
