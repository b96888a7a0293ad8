// Many calls with random faults, aborts and limits, in a process of its own: node --expose-gc soak.mjs CALLS SEED
// Prints what was counted as one line of JSON.
import { EventEmitter, getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';
import { createRouter, defaultPipeline } from 'callgate';
import { cache, circuitBreaker, dedupe, fallback, forTools, rateLimit, retry } from 'callgate/middleware';
import { faults, stubTool, withFaults } from 'callgate/testing';

const total = Number(process.argv[2] ?? 5_000);
const seed = Number(process.argv[3] ?? 1);
EventEmitter.defaultMaxListeners = 10;

let state = seed >>> 0;
/** A whole number below `limit`, decided by the seed. */
function below(limit) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

const pick = (list) => list[below(list.length)];
const turn = () => new Promise((resolve) => setImmediate(resolve));

const found = { unhandled: 0, warnings: [], wrong: [], codes: {}, made: 0, answered: 0, ended: 0, late: 0, retries: 0 };
const wrong = (what) => found.wrong.length < 20 && found.wrong.push(what);
process.on('unhandledRejection', (reason) => {
  found.unhandled++;
  wrong(`unhandled: ${String(reason?.stack ?? reason)}`);
});
process.on('warning', ({ name, message }) => found.warnings.push(`${name}: ${message}`));

const parameters = {
  type: 'object',
  properties: { n: { type: 'integer' }, key: { type: 'string' } },
  required: ['n'],
  additionalProperties: false,
};

function tool(name, handler, more = {}) {
  // A stub would remember every call, and this is about memory.
  const { calls, reset, ...rest } = stubTool(name, []);
  return { ...rest, parameters, handler, ...more };
}

const written = new Map();
const real = [
  tool('sync', ({ n }) => n + 1),
  tool('async', async ({ n }) => ({ n, text: 'x'.repeat(n % 50) })),
  tool('steps', async function* ({ n }) {
    for (let at = 0; at < 3; at++) yield { progress: at, total: 3 };
    return n;
  }),
  tool('report', async ({ n }, { progress }) => {
    progress('half');
    await turn();
    return n;
  }),
  tool('cached', async ({ n }) => ({ n: n % 20 }), { annotations: { readOnly: true } }),
  tool(
    'write',
    async ({ n, key = 'a' }) => {
      const before = written.get(key) ?? 0;
      await turn();
      written.set(key, before + 1);
      return n;
    },
    { permission: 'write', locks: ({ key = 'a' }) => [{ key, mode: 'write' }] },
  ),
  tool('limited', async ({ n }) => n),
  tool('fragile', async ({ n }) => n),
  tool('backed', async ({ n }) => n),
  tool('listening', ({ n }, { signal }) => {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, n % 4, n);
      const leave = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
    });
  }),
];
const rates = { latency: 0.1, denial: 0.03, crash: 0.1, wrong_output: 0.02, hang: 0.004, late: 0.01 };
const shaky = ['async', 'limited', 'fragile', 'backed', 'cached', 'listening', 'report'];
const tools = real.map((each, at) =>
  shaky.includes(each.name)
    ? withFaults(each, { rates, seed: seed + at, latency: 3 })
    : each.name === 'write'
      ? withFaults(each, { rates: { latency: 0.1, crash: 0.05, late: 0.01 }, seed: seed + at, latency: 3 })
      : each,
);

const pipeline = defaultPipeline({
  timeout: 25,
  limits: { total: 500, perTool: { limited: 20, write: 50 }, queue: 2_000, wait: 40, afterAnswer: 20 },
  locks: { queue: 2_000, wait: 40, afterAnswer: 20 },
})
  .before('validate', 'broken', faults({ rates: { broken_json: 0.02, denial: 0.01, latency: 0.02 }, seed, latency: 2 }))
  .before('locks', 'cache', cache({ ttl: 5, maxEntries: 50 }))
  .before('locks', 'dedupe', dedupe({ window: 2, resets: () => false }))
  .before('locks', 'fallback', forTools('backed', fallback({ data: () => 'fallback' })))
  .before('timeout', 'retry', retry({ attempts: 3, delay: 2, maxDelay: 8, safe: () => true }))
  .before('timeout', 'rateLimit', forTools('limited', rateLimit({ perSecond: 2_000, burst: 20, maxWait: 5 })))
  .before('timeout', 'circuitBreaker', forTools('fragile', circuitBreaker({ failures: 3, openFor: 5 })));
const router = createRouter({ tools, pipeline, mode: 'trusted' });
/** Observers come and go: they must not leave anything either. */
function observe() {
  const offs = [
    router.on('end', () => found.ended++),
    router.on('late', () => found.late++),
    router.on('retry', () => found.retries++),
    router.on('decision', () => {
      throw new Error('an observer of bad manners');
    }),
  ];
  return () => {
    for (const off of offs) off();
  };
}

/** Lives as long as the process: what calls add to it would stay. */
const lasting = new AbortController();
const names = [...tools.map(({ name }) => name), 'nothing'];

function call() {
  const n = below(1_000_000);
  const args = { n: below(4) === 0 ? n % 10 : n, ...(below(3) === 0 && { key: pick(['a', 'b', 'c']) }) };
  const sent = below(20) === 0 ? { n: 'no number' } : below(3) === 0 ? JSON.stringify(args) : args;
  return { id: `c${++found.made}`, name: pick(names), arguments: sent };
}

function judge(one, result) {
  found.answered++;
  if (result === undefined || result.call_id !== one.id || result.tool_name !== one.name) {
    wrong(`${one.id} ${one.name} got ${JSON.stringify(result)}`);
    return;
  }
  const code = result.ok ? 'ok' : result.code;
  found.codes[code] = (found.codes[code] ?? 0) + 1;
  if (code === 'internal') wrong(`${one.name}: ${result.error}`);
}

async function abortSoon(controller) {
  for (let left = below(6); left > 0; left--) await turn();
  controller.abort();
}

async function single() {
  const one = call();
  const own = below(3) === 0 ? new AbortController() : undefined;
  const signal = own?.signal ?? (below(2) === 0 ? lasting.signal : undefined);
  const deadline = below(5) === 0 ? 1 + below(20) : undefined;
  const pending = router.call(one, { ...(signal && { signal }), ...(deadline && { deadline }), onProgress: () => {} });
  if (own !== undefined && below(2) === 0) await abortSoon(own);
  judge(one, await pending);
}

async function batch() {
  const calls = Array.from({ length: 1 + below(40) }, call);
  const own = new AbortController();
  const options = {
    signal: below(4) === 0 ? own.signal : lasting.signal,
    ...(below(3) === 0 && { deadline: 5 + below(30) }),
    ...(below(3) === 0 && { concurrency: 1 + below(8) }),
  };
  const leaving = options.signal === own.signal ? abortSoon(own) : undefined;
  if (below(2) === 0) {
    const results = await router.callAll(calls, options);
    for (const [at, one] of calls.entries()) judge(one, results[at]);
    if (results.length !== calls.length) wrong(`${calls.length} calls, ${results.length} results`);
  } else {
    const open = new Map(calls.entries());
    for await (const event of router.stream(calls, options)) {
      if (event.type !== 'result') continue;
      if (!open.has(event.index)) wrong(`${event.index} was answered twice in a stream`);
      else judge(open.get(event.index), event.result);
      open.delete(event.index);
    }
    if (open.size > 0) wrong(`${open.size} calls of a stream were not answered`);
  }
  await leaving;
}

/** Programs that this process started. */
function children() {
  try {
    const own = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8');
    return own.trim() === '' ? 0 : own.trim().split(' ').length;
  } catch {
    return 0;
  }
}

function openFiles() {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}

/** Bytes of objects; neither compiled code nor the capacity of large tables, which V8 doubles and halves as it sees fit. */
function objects() {
  const counted = getHeapSpaceStatistics().filter(
    ({ space_name: name }) => name === 'old_space' || name === 'new_space',
  );
  return counted.reduce((sum, space) => sum + space.space_used_size, 0);
}

async function resting() {
  // Longer than any deadline, window or wait above.
  await new Promise((resolve) => setTimeout(resolve, 150));
  // What is collected in one round frees what the next one collects, and tables shrink only after that.
  let heap = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 40));
    heap = Math.min(heap, objects());
  }
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return {
    heap,
    resources: process.getActiveResourcesInfo().filter((name) => !/^(TTY|Pipe|FS)/.test(name)),
    processListeners: listeners,
    signalListeners: getEventListeners(lasting.signal, 'abort').length,
    children: children(),
    openFiles: openFiles(),
  };
}

// Tables of what is held weakly grow with what has not been collected yet, and do not shrink by themselves: without this
// their size at the end would depend on when the collector happened to run.
let collectedAt = 0;
function collectNowAndThen() {
  if (found.made - collectedAt < 2_000) return;
  collectedAt = found.made;
  globalThis.gc();
}

async function quarter(until) {
  const worker = async () => {
    while (found.made < until) {
      await (below(4) === 0 ? batch() : single());
      collectNowAndThen();
    }
  };
  await Promise.all(Array.from({ length: 400 }, worker));
  return resting();
}

const begun = performance.now();
const leave = observe();
// The first calls load and compile what later ones use.
await quarter(Math.min(4_000, total / 4));
const observed = found.made;
leave();
const rests = [];
for (let at = 1; at <= 4; at++) rests.push(await quarter((at * total) / 4));
await router.close();
const { heap, ...last } = await resting();
console.log(
  JSON.stringify({
    ...found,
    observed,
    seconds: (performance.now() - begun) / 1_000,
    heaps: rests.map((rest) => rest.heap),
    first: rests[0],
    last,
  }),
);
