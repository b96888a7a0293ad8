import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type as ark } from 'arktype';
import { createRouter, defineTool, type Tool, type ToolResult } from 'callgate';
import { Type } from 'typebox';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const common = { name: 'find', description: 'Finds.', permission: 'read' } as const;

/** Routes one call to a tool through the default pipeline. */
function sent(tool: Tool, args: unknown): Promise<ToolResult> {
  return createRouter({ tools: [tool] }).call({ name: 'find', arguments: args });
}

const zodTool = defineTool({
  ...common,
  parameters: z.strictObject({
    path: z.string().min(1).describe('Where to look.'),
    limit: z.int().max(50).default(5),
    tags: z.array(z.enum(['a', 'b'])).optional(),
    since: z
      .string()
      .transform((text) => text.length)
      .optional(),
  }),
  handler: (args) => args,
});

const valibotTool = defineTool({
  ...common,
  parameters: toStandardJsonSchema(
    v.strictObject({
      path: v.pipe(v.string(), v.minLength(1), v.description('Where to look.')),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.maxValue(50)), 5),
      tags: v.optional(v.array(v.picklist(['a', 'b']))),
    }),
  ),
  handler: (args) => args,
});

const arkTool = defineTool({
  ...common,
  parameters: ark({ '+': 'reject', path: 'string > 0', limit: 'number.integer <= 50 = 5', 'tags?': "('a' | 'b')[]" }),
  handler: (args) => args,
});

const typeboxTool = defineTool({
  ...common,
  parameters: Type.Object(
    {
      path: Type.String({ minLength: 1, description: 'Where to look.' }),
      limit: Type.Optional(Type.Integer({ maximum: 50, default: 5 })),
      tags: Type.Optional(Type.Array(Type.Union([Type.Literal('a'), Type.Literal('b')]))),
    },
    { additionalProperties: false },
  ),
  handler: (args) => args,
});

describe.each<[string, Tool]>([
  ['zod', zodTool],
  ['valibot', valibotTool],
  ['arktype', arkTool],
  ['TypeBox', typeboxTool],
])('%s', (library, tool) => {
  test('the model is shown what it may send', async () => {
    const [definition] = await createRouter({ tools: [tool] }).schemas('openai');
    const shown = definition?.function.parameters as Tool['parameters'];
    const properties = shown.properties as Record<string, { default?: unknown }>;
    expect(Object.keys(properties).sort()).toEqual(
      library === 'zod' ? ['limit', 'path', 'since', 'tags'] : ['limit', 'path', 'tags'],
    );
    expect(shown.required).toEqual(['path']);
    expect(shown.additionalProperties).toBe(false);
    expect(properties['path']).toMatchObject({ type: 'string', minLength: 1 });
    expect(properties['limit']).toMatchObject({ type: 'integer', maximum: 50 });
    // Arktype leaves defaults out of its JSON Schema; it fills them in all the same.
    expect(properties['limit']?.default).toBe(library === 'arktype' ? undefined : 5);
  });

  test('fills its defaults in', async () => {
    expect(await sent(tool, '{"path":"src"}')).toMatchObject({ ok: true, data: { path: 'src', limit: 5 } });
  });

  test.each<[string, unknown, string]>([
    ['a missing property', {}, '/path'],
    ['a wrong type', { path: 5 }, '/path'],
    ['a number that is too large', { path: 'src', limit: 51 }, '/limit'],
    ['a wrong item', { path: 'src', tags: ['a', 'x'] }, '/tags/1'],
    ['an unknown property', { path: 'src', filename: 'x' }, '/filename'],
  ])('%s is a violation with its place', async (_, args, place) => {
    const result = await sent(tool, args);
    expect(result).toMatchObject({ ok: false, code: 'invalid_arguments', effect: 'none' });
    const { details, error } = result as { details: { violations: { pointer: string }[] }; error: string };
    const [violation] = details.violations;
    // Zod names an unknown property in the message, and places it at the object.
    expect([place, '']).toContain(violation?.pointer);
    expect(error).toContain(place.slice(1).split('/')[0]);
  });

  test('compiles as JSON Schema', async () => {
    expect(await createRouter({ tools: [tool] }).registry.verify()).toEqual([]);
  });
});

describe('what is the library’s own', () => {
  test('transforms: the handler gets what the schema makes of the arguments', async () => {
    expect(await sent(zodTool, { path: 'src', since: 'today' })).toMatchObject({ data: { since: 5 } });
  });

  test('asynchronous refinements are waited for', async () => {
    const free = async (name: string): Promise<boolean> => name !== 'taken';
    const tool = defineTool({
      ...common,
      parameters: z.object({ name: z.string().refine(free, 'is taken already') }),
      handler: ({ name }) => name,
    });
    expect(await sent(tool, { name: 'new' })).toMatchObject({ ok: true, data: 'new' });
    const refused = await sent(tool, { name: 'taken' });
    expect(refused).toMatchObject({
      code: 'invalid_arguments',
      error: expect.stringContaining('/name: is taken already'),
    });
  });

  test('a refinement that breaks down is a fault of the tool, and the handler does not run', async () => {
    const broken = (): boolean => {
      throw new Error('secret detail');
    };
    const tool = defineTool({
      ...common,
      parameters: z.object({ name: z.string().refine(broken) }),
      handler: () => 'ran',
    });
    const result = await sent(tool, { name: 'x' });
    expect(result).toMatchObject({ ok: false, code: 'invalid_schema', effect: 'none' });
    expect(result.error).not.toContain('secret');
  });

  test('arguments pass the limits before any library sees them', async () => {
    const result = await sent(zodTool, '{"path":"a","path":"b"}');
    expect(result).toMatchObject({ code: 'invalid_json', details: { reason: 'duplicate_key' } });
  });
});

describe('a library without JSON Schema', () => {
  const schema = v.object({ path: v.string() });

  test('is refused with what to do', () => {
    const define = (): unknown => defineTool({ ...common, parameters: schema, handler: () => 1 });
    expect(define).toThrow(/"find": valibot .*toStandardJsonSchema\(\) of @valibot\/to-json-schema.*"jsonSchema"/);
  });

  test('may be given one', async () => {
    const jsonSchema = { type: 'object', properties: { path: { type: 'string' } } } as const;
    const tool = defineTool({ ...common, parameters: schema, jsonSchema, handler: ({ path }) => path });
    expect(tool.parameters).toBe(jsonSchema);
    expect('jsonSchema' in tool).toBe(false);
    expect([(await sent(tool, { path: 'a' })).ok, (await sent(tool, {})).ok]).toEqual([true, false]);
  });

  test('what JSON Schema has no words for is refused with the reason', () => {
    const define = (): unknown => defineTool({ ...common, parameters: z.object({ at: z.date() }), handler: () => 1 });
    expect(define).toThrow(/"find": zod cannot say this schema in JSON Schema \(.*[Dd]ate.*"jsonSchema"/);
  });
});

describe('the schema of the data', () => {
  const finding = (data: unknown, output: object) =>
    defineTool({ ...common, parameters: z.object({}), output: output as never, handler: () => data as never });

  test.each<[string, object]>([
    ['zod', z.object({ n: z.number(), note: z.string().default('') })],
    ['valibot', toStandardJsonSchema(v.object({ n: v.number() }))],
    ['arktype', ark({ n: 'number' })],
    ['TypeBox', Type.Object({ n: Type.Number() })],
    ['JSON Schema', { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }],
  ])('may be of %s', async (library, output) => {
    const data = library === 'zod' ? { n: 1, note: 'x' } : { n: 1 };
    expect(await sent(finding(data, output), {})).toMatchObject({ ok: true, data });
    expect(await sent(finding({ ...data, n: 'one' }, output), {})).toMatchObject({
      ok: false,
      data: null,
      code: 'invalid_output',
      effect: 'unknown',
      details: { violations: [{ pointer: '/n', keyword: 'type' }] },
    });
  });

  test('without JSON Schema it is refused when the tool is defined', () => {
    expect(() => finding(1, v.number())).toThrow(/give "output" as JSON Schema/);
  });

  test('nothing is filled in: data is as the handler gave it', async () => {
    const output = { type: 'object', properties: { n: { type: 'number', default: 1 } } };
    expect(await sent(finding({}, output), {})).toMatchObject({ ok: true, data: {} });
  });

  test('router.invoke gives the data under its type', async () => {
    const tool = defineTool({
      ...common,
      parameters: z.object({ n: z.number() }),
      output: z.object({ twice: z.number() }),
      handler: ({ n }) => ({ twice: 2 * n }),
    });
    const router = createRouter({ tools: [tool] });
    const result = await router.invoke(tool, { n: 4 });
    expect(result.ok && result.data.twice).toBe(8);
    expect(await router.invoke(tool, { n: 'x' } as never)).toMatchObject({ code: 'invalid_arguments' });
    expect(await router.invoke({ ...tool, name: 'other' }, { n: 1 })).toMatchObject({ code: 'unknown_tool' });
  });
});
