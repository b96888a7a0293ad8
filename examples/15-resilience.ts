// Services fail, models repeat themselves, and many users want the same at once. Each of these stages is for one such
// thing, and each can be used alone; together they stand in this order, behind permission and outside the timeout.
import assert from 'node:assert/strict';
import { createRouter, defaultPipeline, defineTool, type Router, ToolError } from 'callgate';
import { cache, circuitBreaker, dedupe, fallback, forTools, rateLimit, retry } from 'callgate/middleware';

let weatherIsDown = 0;
let forecasts = 0;
const mails: string[] = [];

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  permission: 'read',
  handler: async ({ city }) => {
    if (weatherIsDown-- > 0) {
      // A service says how long to wait, and the tool passes that on: as milliseconds, or as the header that came.
      throw new ToolError('The weather service is busy.', { code: 'unavailable', details: { retry_after_ms: 5 } });
    }
    forecasts++;
    return { city, celsius: 21 };
  },
});
const almanac = defineTool({
  name: 'almanac',
  description: 'What the weather in a city is like at this time of the year.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  permission: 'read',
  handler: ({ city }) => ({ city, celsius: 18 }),
});
const sendMail = defineTool({
  name: 'send_mail',
  description: 'Send a mail.',
  parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  permission: 'network',
  handler: async ({ to }) => `${mails.push(to)} sent`,
});

const states: string[] = [];
const pipeline = defaultPipeline()
  // A call that is made twice is done once. Two mails have nothing to do with each other, so none resets another.
  .before('timeout', 'dedupe', dedupe({ window: 60_000, resets: () => false }))
  // Another tool goes through the router, so guards and permission judge it like any other call.
  .before('timeout', 'fallback', forTools('weather', fallback({ tool: 'almanac', router: () => router })))
  // Sending a mail changes no weather; without this, every call that may change something drops what is kept.
  .before('timeout', 'cache', forTools('weather', cache({ ttl: 60_000 })))
  .before('timeout', 'retry', retry({ attempts: 3, delay: 5 }))
  .before(
    'timeout',
    'circuitBreaker',
    circuitBreaker({ failures: 4, openFor: 60_000, onChange: ({ tool, to }) => states.push(`${tool} ${to}`) }),
  )
  .before('timeout', 'rateLimit', forTools('send_mail', rateLimit({ perHour: 2 })));
const router: Router = createRouter({ tools: [weather, almanac, sendMail], mode: 'trusted', pipeline });

// Retried, and then kept.
weatherIsDown = 2;
const first = await router.call({ name: 'weather', arguments: { city: 'Bonn' } });
assert.deepEqual([first.data, first.meta], [{ city: 'Bonn', celsius: 21 }, { attempts: 3 }]);
const second = await router.call({ name: 'weather', arguments: { city: 'Bonn' } });
assert.ok('cached' in second.meta);
assert.equal(forecasts, 1);

// Nobody gets an answer that was made for somebody else.
const ann = await router.call({ name: 'weather', arguments: { city: 'Bonn' } }, { run: { principal: 'ann' } });
assert.ok(!('cached' in ann.meta));

// The same mail, twice in one answer of a model: sent once, and both calls have their result.
const sent = await router.callAll(['c1', 'c2'].map((id) => ({ id, name: 'send_mail', arguments: { to: 'bo@x.org' } })));
assert.deepEqual(mails, ['bo@x.org']);
assert.deepEqual(
  sent.map(({ data, meta }) => [data, meta]),
  [
    ['1 sent', {}],
    ['1 sent', { deduplicated: { call_id: 'c1' } }],
  ],
);

// The limit is told to the model, and to the program in milliseconds. A mail is never tried again by itself.
await router.call({ name: 'send_mail', arguments: { to: 'cy@x.org' } });
const limited = await router.call({ name: 'send_mail', arguments: { to: 'di@x.org' } });
assert.ok(!limited.ok && limited.code === 'rate_limited');
assert.match(limited.error, /the limit is 2 an hour/);

// Down for long: the almanac answers, and after some failures in a row the service is left in peace.
weatherIsDown = Number.POSITIVE_INFINITY;
for (const city of ['Rome', 'Oslo', 'Kyiv']) {
  const result = await router.call({ name: 'weather', arguments: { city } });
  assert.deepEqual(result.data, { city, celsius: 18 });
  assert.deepEqual(result.meta['fallback'], { code: 'unavailable', tool: 'almanac' });
}
assert.deepEqual(states, ['weather open']);

// Where order is safety, a wrong one does not build.
assert.throws(() => defaultPipeline().before('permission', 'cache', cache()), /would answer what the guard refuses/);
assert.throws(() => defaultPipeline().before('permission', 'retry', retry()), /asked for again with every attempt/);
