import { createRegistry, createRouter, type Tool } from 'callgate';
import { cfworkerEngine, type JsonSchemaObject } from 'callgate/schema';
import { describe, expect, test } from 'vitest';

function tool(parameters: unknown, more: Partial<Tool> = {}): Tool {
  const plain = { name: 'find', description: '', permission: 'read', handler: (args: unknown) => args };
  return { ...plain, parameters: parameters as JsonSchemaObject, ...more };
}

const python = {
  type: 'dict',
  properties: { name: { type: 'str', required: true }, ratio: { type: 'float' }, rest: { type: 'any' } },
};

describe('limits', () => {
  const long = { properties: { x: { enum: Array.from({ length: 1_001 }, (_, index) => index) } } };
  const remote = { properties: { x: { $ref: 'https://example.com/x.json' } } };

  test.each<[string, Tool, RegExp]>([
    [
      'an enum that is too long',
      tool(long),
      /"web\.find" from web .* in parameters\/properties\/x, "enum" has 1001 values/,
    ],
    ['a remote reference', tool(remote), /in parameters\/properties\/x, "\$ref" leads out of the schema/],
    ['an output that is too large', tool({}, { output: { description: 'x'.repeat(70_000) } }), /in output, .* bytes/],
  ])('%s: a tool from elsewhere is refused, with keyword and place', (_, foreign, message) => {
    const registry = createRegistry();
    expect(() => registry.add(foreign, { source: 'web' })).toThrow(message);
    expect(() => registry.add(foreign, { source: 'web', lenient: true })).toThrow(message);
    expect(() => registry.add({ ...foreign, name: 'web.find', source: 'web' })).toThrow(message);
    expect(registry.size).toBe(0);
  });

  test("the program's own tools are its own business", () => {
    expect(createRegistry([tool(long)]).size).toBe(1);
  });

  test('a schema without end is refused, and not walked', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['not'] = cyclic;
    expect(() => createRegistry().add(tool(cyclic), { source: 'web', lenient: true })).toThrow('not JSON');
  });
});

describe('lenient reading', () => {
  test('without it a foreign type name is refused with the right word', async () => {
    const registry = createRegistry().add(tool(python), { source: 'web' });
    const result = await createRouter({ registry }).call({ name: 'web.find', arguments: { name: 'x' } });
    expect(result).toMatchObject({ code: 'invalid_schema', error: expect.stringContaining('use "string"') });
    expect(registry.notes('web.find')).toEqual([]);
  });

  test('with it the tool works as it was meant, and each change is noted', async () => {
    const registry = createRegistry().add(tool(python), { source: 'web', lenient: true });
    const router = createRouter({ registry });
    expect(await router.call({ name: 'web.find', arguments: { name: 'x', ratio: 0.5, rest: [] } })).toMatchObject({
      ok: true,
    });
    expect(await router.call({ name: 'web.find', arguments: { ratio: 'x' } })).toMatchObject({
      code: 'invalid_arguments',
      error: expect.stringMatching(/\/name is required.*\/ratio must be number/),
    });
    expect(registry.notes('web.find').map(({ schema, pointer, keyword }) => [schema, pointer, keyword])).toEqual(
      expect.arrayContaining([
        ['parameters', '', 'type'],
        ['parameters', '', 'required'],
        ['parameters', '/properties/ratio', 'type'],
        ['parameters', '/properties/rest', 'type'],
      ]),
    );
    expect(await router.schemas('openai')).toMatchObject([
      { function: { parameters: { type: 'object', required: ['name'] } } },
    ]);
    expect(python.type).toBe('dict');
  });

  test('covers the schema of the data, and leaves a fine tool as it is', () => {
    const registry = createRegistry();
    registry.add(tool({ type: 'object' }, { output: { type: 'float' } as never }), { source: 'a', lenient: true });
    expect(registry.get('a.find')?.output).toEqual({ type: 'number' });
    expect(registry.notes('a.find')).toMatchObject([{ schema: 'output', pointer: '', keyword: 'type' }]);
    const fine = tool({ type: 'object' });
    expect(registry.add(fine, { lenient: true }).get('find')).toBe(fine);
    expect(registry.notes('find')).toEqual([]);
    expect(registry.notes('nobody')).toEqual([]);
  });

  test('the notes go when the tool is replaced', () => {
    const registry = createRegistry().add(tool(python), { source: 'web', lenient: true });
    registry.add(tool({ type: 'object' }), { source: 'web' });
    expect(registry.notes('web.find')).toEqual([]);
  });
});

describe('a tool that is an instance of a class', () => {
  class Counter implements Tool {
    readonly name = 'count';
    readonly description = '';
    readonly permission = 'read';
    readonly parameters = { type: 'dict' } as never;
    #count = 0;
    handler(): number {
      return ++this.#count;
    }
  }

  test('keeps its methods and its private state when it is renamed and mended', async () => {
    const registry = createRegistry().add(new Counter(), { source: 'web', lenient: true });
    const router = createRouter({ registry });
    await router.call({ name: 'web.count' });
    expect(await router.call({ name: 'web.count' })).toMatchObject({ ok: true, data: 2 });
  });
});

describe('verify', () => {
  const odd = tool({ type: 'object', propertees: {}, properties: { n: { type: 'integer', minimun: 1 } } });

  test('tells problems only, unless notes are asked for', async () => {
    const registry = createRegistry([odd]);
    expect(await registry.verify()).toEqual([]);
    expect(await registry.verify({ notes: true })).toEqual([
      { tool: 'find', kind: 'note', problem: expect.stringContaining('did you mean "properties"') },
      {
        tool: 'find',
        kind: 'note',
        problem: expect.stringMatching(/^parameters\/properties\/n: .*did you mean "minimum"\?/),
      },
    ]);
  });

  test('a schema that cannot be used is a problem and has no notes', async () => {
    const findings = await createRegistry([tool(python)]).verify({ notes: true });
    expect(findings).toEqual([{ tool: 'find', problem: expect.stringContaining('use "string"') }]);
  });

  test('compiles with the engine that is given', async () => {
    const registry = createRegistry([tool({ properties: { x: { $dynamicRef: '#x' } } })]);
    expect(await registry.verify({ engine: cfworkerEngine() })).toMatchObject([
      { tool: 'find', problem: expect.stringContaining('not supported by this engine') },
    ]);
  });
});
