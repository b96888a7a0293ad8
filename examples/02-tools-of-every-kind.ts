// Handlers may be synchronous, asynchronous, or generators that report how far they have come.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { createRouter, defineTool, ToolError } from 'callgate';

const shout = defineTool({
  name: 'shout',
  description: 'Write a text in capital letters.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  permission: 'read',
  handler: ({ text }) => text.toUpperCase(),
});

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city.',
  parameters: {
    type: 'object',
    // A default is filled in before the handler runs, so its type is not `| undefined`.
    properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'], default: 'celsius' } },
    required: ['city'],
  },
  permission: 'read',
  timeout: 50,
  handler: async ({ city, unit }, ctx) => {
    if (city === 'Atlantis') throw new ToolError('There is no weather in Atlantis; ask for a city on land.');
    // Whatever can be cancelled takes the signal, and stops when the deadline passes.
    await wait(city === 'Ulaanbaatar' ? 10_000 : 1, undefined, { signal: ctx.signal });
    return { city, degrees: unit === 'celsius' ? 21 : 70 };
  },
});

const index = defineTool({
  name: 'index_notes',
  description: 'Index all notes.',
  parameters: { type: 'object', properties: {} },
  permission: 'read',
  handler: async function* () {
    for (const percent of [30, 60, 100]) yield { percent };
    return '3 notes indexed';
  },
});

const router = createRouter({ tools: [shout, weather, index] });

const [loud, warm, none, slow] = await router.callAll([
  { name: 'shout', arguments: { text: 'hello' } },
  { name: 'weather', arguments: { city: 'Athens' } },
  { name: 'weather', arguments: { city: 'Atlantis' } },
  { name: 'weather', arguments: { city: 'Ulaanbaatar' } },
]);
assert.equal(loud?.data, 'HELLO');
assert.deepEqual(warm?.data, { city: 'Athens', degrees: 21 });
assert.equal(none?.error, 'There is no weather in Atlantis; ask for a city on land.');
assert.equal(slow?.ok, false);
assert.equal(!slow?.ok && slow?.code, 'timeout');
// The handler had started, so nobody knows whether it took effect; the answer says so.
assert.equal(!slow?.ok && slow?.effect, 'unknown');

const progress: unknown[] = [];
for await (const event of router.stream([{ name: 'index_notes' }])) {
  if (event.type === 'progress') progress.push(event.data);
  else assert.equal(event.result.data, '3 notes indexed');
}
assert.deepEqual(progress, [{ percent: 30 }, { percent: 60 }, { percent: 100 }]);
