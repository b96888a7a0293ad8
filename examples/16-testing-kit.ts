// Testing what you build on tools, with the kit: stubs, faults, a clock, recordings, and your pipeline's one property.
import assert from 'node:assert/strict';
import { createRouter, defaultPipeline, defineTool, ToolError } from 'callgate';
import { retry } from 'callgate/middleware';
import {
  checkPipeline,
  expectFailure,
  expectOk,
  fakeClock,
  readRun,
  recordRun,
  replayRun,
  replayTools,
  stubTool,
  withFaults,
} from 'callgate/testing';

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  output: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
  permission: 'read',
  annotations: { readOnly: true, idempotent: true },
  handler: async () => {
    throw new Error('the real one would ask the network');
  },
});
const call = { id: 'c1', name: 'weather', arguments: { city: 'Bonn' } };

// A stub passes validation like the real tool, whose types it has, and remembers how it was called.
const stub = stubTool(weather, [
  new ToolError('No connection.', { code: 'unavailable' }),
  { celsius: 3 },
  { celsius: 4 },
]);

// Time passes when the test says so: the retry waits for minutes, the test for none.
const clock = fakeClock();
const patient = defaultPipeline().after('permission', 'retry', retry({ delay: 60_000, clock }));
const router = createRouter({ tools: [stub], pipeline: patient });
const told: number[] = [];
router.on('retry', ({ delayMs }) => told.push(delayMs));

let recording = '';
const stop = recordRun(router, (line) => {
  recording += line;
});
const pending = router.call(call);
await clock.untilPending();
await clock.advance(60_000);
assert.deepEqual(expectOk(await pending), { celsius: 3 });
expectFailure(await router.call({ ...call, arguments: {} }), 'invalid_arguments', 'city');
stop();
assert.equal(told.length, 1);
assert.deepEqual(
  stub.calls.map(({ args }) => args.city),
  ['Bonn', 'Bonn'],
);

// The recorded run is made again: by tools that answer as recorded, and as an assertion that nothing has changed.
const run = readRun(recording);
const recorded = replayTools(run, [weather]);
await replayRun(run, createRouter({ tools: recorded.tools }), { ignore: ['/meta'] });
assert.deepEqual(recorded.unused(), []);

// Faults, as planned here or at random by a seed.
const shaky = withFaults(
  stubTool(weather, () => ({ celsius: 5 })),
  { plan: ['crash', 'wrong_output', 'hang'] },
);
const careful = createRouter({ tools: [{ ...shaky, timeout: 20 }] });
expectFailure(await careful.call(call));
expectFailure(await careful.call(call), 'invalid_output');
expectFailure(await careful.call(call), 'timeout');
expectOk(await careful.call(call), { celsius: 5 });

// One result a call, whatever handlers and callers do: checked for your pipeline, with the smallest run that breaks it.
await checkPipeline(() => defaultPipeline().after('permission', 'retry', retry({ delay: 1 })), { runs: 50 });
const broken = () => defaultPipeline().before('lookup', 'forgetful', () => new Promise(() => {}));
await assert.rejects(checkPipeline(broken, { patience: 20 }), /got no result within 20 ms/);
