import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type as ark } from 'arktype';
import { createRouter, defineTool, type StandardSchema } from 'callgate';
import { type Static, Type } from 'typebox';
import * as v from 'valibot';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';

const common = { name: 't', description: '' } as const;

test('whatever keeps to the specification will do', () => {
  type Both = StandardSchemaV1<string, { n: number }> & StandardJSONSchemaV1<string, { n: number }>;
  expectTypeOf<StandardSchemaV1<string, number>>().toExtend<StandardSchema>();
  expectTypeOf<Both>().toExtend<StandardSchema<string, { n: number }>>();
  const parameters = undefined as unknown as Both;
  const define = () => defineTool({ ...common, parameters, handler: ({ n }) => n.toFixed() });
  expectTypeOf(define).returns.toExtend<object>();
});

test('zod: arguments are what it gives, input is what it takes', async () => {
  const tool = defineTool({
    ...common,
    parameters: z.object({
      since: z.string().transform((text) => text.length),
      limit: z.number().default(5),
      tag: z.enum(['a', 'b']).optional(),
    }),
    output: z.object({ n: z.number(), note: z.string().optional() }),
    handler: (args) => {
      expectTypeOf(args).toEqualTypeOf<{ since: number; limit: number; tag?: 'a' | 'b' | undefined }>();
      return { n: args.limit };
    },
  });
  const result = await createRouter({ tools: [tool] }).invoke(tool, { since: 'today' });
  if (result.ok) expectTypeOf(result.data).toEqualTypeOf<{ n: number; note?: string | undefined }>();
  // @ts-expect-error zod takes a string here
  void createRouter({ tools: [tool] }).invoke(tool, { since: 5 });
  // @ts-expect-error n is a number
  defineTool({ ...common, parameters: z.object({}), output: z.object({ n: z.number() }), handler: () => ({ n: 'x' }) });
});

test('valibot, with its JSON Schema or with one given', () => {
  const schema = v.object({ path: v.string(), depth: v.optional(v.number(), 2) });
  const handler = (args: { path: string; depth: number }) => args.depth;
  defineTool({ ...common, parameters: toStandardJsonSchema(schema), handler });
  defineTool({ ...common, parameters: schema, jsonSchema: { type: 'object' }, handler });
  // @ts-expect-error depth is a number
  defineTool({ ...common, parameters: schema, jsonSchema: { type: 'object' }, handler: ({ depth }) => depth.trim() });
});

test('arktype', () => {
  const parameters = ark({ path: 'string', 'depth?': 'number.integer', limit: 'number = 5' });
  defineTool({
    ...common,
    parameters,
    handler: (args) => {
      expectTypeOf(args).toEqualTypeOf<{ path: string; depth?: number; limit: number }>();
    },
  });
});

test('TypeBox: its own schemas are typed as it types them', () => {
  const parameters = Type.Object({
    path: Type.String(),
    depth: Type.Optional(Type.Integer({ default: 2 })),
    kind: Type.Union([Type.Literal('file'), Type.Literal('folder'), Type.Null()]),
    color: Type.Enum(['red', 'green']),
    range: Type.Tuple([Type.Number(), Type.Number()]),
    labels: Type.Record(Type.String(), Type.Boolean()),
    items: Type.Array(Type.Object({ id: Type.Integer() })),
  });
  defineTool({
    ...common,
    parameters,
    output: Type.Object({ n: Type.Number() }),
    handler: (args) => {
      expectTypeOf(args.range[1]).toEqualTypeOf<number>();
      expectTypeOf(args).toExtend<Omit<Static<typeof parameters>, 'range'>>();
      expectTypeOf<Omit<Static<typeof parameters>, 'range'>>().toExtend<Omit<typeof args, 'range'>>();
      return { n: 1 };
    },
  });
  // @ts-expect-error there is no such property
  defineTool({ ...common, parameters, handler: ({ filename }) => filename });
});
