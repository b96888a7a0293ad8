// Every stage can be swapped one for one. Here: a timeout that is shorter at night, and no permission at all in a test.
import assert from 'node:assert/strict';
import { createRouter, defaultPipeline, defineTool, type Found, type Stage } from 'callgate';
import { allowAll, timeout } from 'callgate/middleware';

const hours = { now: 23 };

const byDay = timeout({ default: 60_000 });
const byNight = timeout({ default: 20 });
const timeoutByHour: Stage<Found> = (ctx, next) => (hours.now >= 22 ? byNight : byDay)(ctx, next);

const report = defineTool({
  name: 'report',
  description: 'Write the long report.',
  parameters: { type: 'object' },
  permission: 'write',
  handler: (_, ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve('stopped'))),
});

const nightly = defaultPipeline().replace('timeout', timeoutByHour);

// Without an approver the default mode stops a write before it starts ...
const asked = await createRouter({ tools: [report], pipeline: nightly }).call({ name: 'report' });
assert.equal(!asked.ok && asked.code, 'approval_required');
assert.equal(!asked.ok && asked.effect, 'none');

// ... and switching permission off is written where a reviewer can search for it.
const open = nightly.replace('permission', allowAll());
const result = await createRouter({ tools: [report], pipeline: open }).call({ name: 'report' });
assert.equal(!result.ok && result.code, 'timeout');

assert.throws(
  // @ts-expect-error a guard can be replaced, but not left out
  () => nightly.without('permission'),
  /replace\('permission', allowAll\(\)\)/,
);
