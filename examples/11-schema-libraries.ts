// One schema for the types, for the model and for validation; and data that is typed where it arrives.
import assert from 'node:assert/strict';
import { createRouter, defineTool } from 'callgate';
import { Type } from 'typebox';
import { z } from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city.',
  parameters: z.object({
    city: z.string().min(1),
    days: z.int().max(7).default(1),
    since: z
      .string()
      .transform((text) => new Date(text))
      .optional(),
  }),
  output: z.object({ city: z.string(), celsius: z.array(z.number()) }),
  permission: 'read',
  // `since` is a Date here: transforms and defaults are the library's own.
  handler: ({ city, days, since }) => ({
    city,
    celsius: Array(days).fill(since === undefined ? 21 : since.getUTCDate()),
  }),
});

// A TypeBox schema is JSON Schema already, and is typed all the same.
const sum = defineTool({
  name: 'sum',
  description: 'Add up numbers.',
  parameters: Type.Object({ numbers: Type.Array(Type.Number()) }),
  permission: 'read',
  handler: ({ numbers }) => numbers.reduce((total, number) => total + number, 0),
});

const router = createRouter({ tools: [weather, sum] });

const [shown] = await router.schemas('openai');
assert.deepEqual(shown?.function.parameters?.['required'], ['city']);

const result = await router.invoke(weather, { city: 'Bonn', days: 2 });
assert.ok(result.ok);
assert.equal(result.data.celsius[1]?.toFixed(1), '21.0');

const dated = await router.call({ name: 'weather', arguments: '{"city":"Bonn","since":"2024-05-31"}' });
assert.deepEqual(dated.data, { city: 'Bonn', celsius: [31] });

const wrong = await router.call({ name: 'weather', arguments: { city: 'Bonn', days: 9 } });
assert.match(wrong.error ?? '', /\/days/);

assert.equal((await router.invoke(sum, { numbers: [1, 2, 3] })).data, 6);
