// A pipeline is a list of named stages, the first outermost. This one has no guards: its tools touch nothing.
import assert from 'node:assert/strict';
import { createRouter, defineTool, pipeline, type Stage } from 'callgate';
import { execute, lookup, normalize, timeout, validate } from 'callgate/middleware';

const spent: number[] = [];

const stopwatch: Stage = async (_ctx, next) => {
  const begun = performance.now();
  const result = await next();
  spent.push(performance.now() - begun);
  return result;
};

const calculator = pipeline()
  .use('normalize', normalize())
  .use('lookup', lookup())
  .use('validate', validate())
  .use('timeout', timeout({ default: 1_000 }))
  .use('execute', execute());

// Every edit gives a new pipeline; the old one stays as it was.
const timed = calculator.before('normalize', 'stopwatch', stopwatch);
assert.deepEqual(calculator.names, ['normalize', 'lookup', 'validate', 'timeout', 'execute']);
assert.deepEqual(timed.names, ['stopwatch', 'normalize', 'lookup', 'validate', 'timeout', 'execute']);

const square = defineTool({
  name: 'square',
  description: 'The square of a number.',
  parameters: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  handler: ({ x }) => x * x,
});

const router = createRouter({ tools: [square], pipeline: timed });
assert.equal((await router.call({ name: 'square', arguments: { x: 9 } })).data, 81);
assert.equal(spent.length, 1);

// An order that cannot work does not compile, and for JavaScript it throws when the pipeline is built.
assert.throws(
  // @ts-expect-error Property 'tool' is missing in type 'Call<unknown>' but required in type 'Found<unknown>'
  () => pipeline().use('validate', validate()),
  /"validate" needs "tool", which no stage before it adds/,
);
