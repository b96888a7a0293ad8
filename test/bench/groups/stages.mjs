import * as bench from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import { compare, gives } from '../lib/measure.mjs';
import { ratioRow } from '../lib/rows.mjs';
import * as work from '../lib/work.mjs';

/** What each stage for resilience costs a call, alone in the default chain before the timeout. */
export const title = 'stages';

const forEver = 2 ** 31 - 1;

/** Every case names its stages; `fresh` makes calls that no earlier one was equal to, `tool` says what the tool is. */
const stageCases = {
  retry: { what: 'retry, nothing to retry', stages: ({ retry }) => ({ retry: retry() }) },
  circuitBreaker: {
    what: 'circuitBreaker, closed',
    stages: ({ circuitBreaker }) => ({ circuitBreaker: circuitBreaker() }),
  },
  rateLimit: {
    what: 'rateLimit, within the limit',
    stages: ({ rateLimit }) => ({ rateLimit: rateLimit({ perSecond: 1e9 }) }),
  },
  fallback: { what: 'fallback, not needed', stages: ({ fallback }) => ({ fallback: fallback({ data: () => 0 }) }) },
  hit: { what: 'cache, a hit', stages: ({ cache }) => ({ cache: cache({ ttl: forEver }) }) },
  miss: {
    what: 'cache, a miss that is kept',
    fresh: true,
    stages: ({ cache }) => ({ cache: cache({ ttl: forEver }) }),
  },
  writing: {
    what: 'cache, a call that drops what is kept',
    tool: { permission: 'write' },
    stages: ({ cache }) => ({ cache: cache() }),
  },
  dedupe: {
    what: 'dedupe, a first call',
    fresh: true,
    tool: { permission: 'write' },
    stages: ({ dedupe }) => ({ dedupe: dedupe() }),
  },
  reading: { what: 'dedupe, a tool that reads', stages: ({ dedupe }) => ({ dedupe: dedupe() }) },
  all: {
    what: 'all six, a miss',
    fresh: true,
    stages: (stages) => ({
      dedupe: stages.dedupe(),
      fallback: stages.fallback({ data: () => 0 }),
      cache: stages.cache({ ttl: forEver }),
      retry: stages.retry(),
      circuitBreaker: stages.circuitBreaker(),
      rateLimit: stages.rateLimit({ perSecond: 1e9 }),
    }),
  },
};

async function measure(name, { entry = bench.builtEntry, ...pace }) {
  const { what: _, stages, tool = {}, fresh = false } = stageCases[name];
  const callgate = await bench.load(entry);
  const middleware = await import(new URL('../middleware/index.js', entry).href);
  const plain = bench.defaultRouter(callgate, tool);
  let pipeline = callgate.defaultPipeline();
  for (const [place, stage] of Object.entries(stages(middleware))) pipeline = pipeline.before('timeout', place, stage);
  const staged = bench.defaultRouter(callgate, tool, { pipeline });
  let count = 0;
  const make = fresh
    ? () => {
        count++;
        return { id: 'c1', name: 'add', arguments: { a: count, b: 5 - count } };
      }
    : work.objectCall;
  const check = gives((result) => result.data, 5);
  return compare(
    [
      { name: 'plain', call: () => plain.call(make()), check },
      { name: 'staged', call: () => staged.call(make()), check },
    ],
    pace,
  );
}

export const cases = Object.fromEntries(
  Object.keys(stageCases).map((name) => [name, (options) => measure(name, options)]),
);

export async function* rows(options) {
  for (const [key, { what }] of Object.entries(stageCases)) {
    const samples = await inChild(import.meta.url, key, options);
    yield ratioRow(samples, 'staged', 'plain', { group: title, key, what, against: 'default chain without it' });
  }
}
