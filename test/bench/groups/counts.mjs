import * as bench from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import * as counts from '../lib/counts.mjs';
import * as work from '../lib/work.mjs';

/** What one call makes. These figures carry no noise, so tests assert them. */
export const title = 'counts';

const subjects = {
  'floor, by hand': () => {
    const byHand = work.floor();
    return () => byHand(work.objectCall());
  },
  'default chain, async handler': (callgate) => {
    const router = bench.defaultRouter(callgate);
    return () => router.call(work.objectCall());
  },
  'default chain, arguments as JSON text': (callgate) => {
    const router = bench.defaultRouter(callgate);
    return () => router.call(work.textCall());
  },
  'sync handler': (callgate) => {
    const router = bench.defaultRouter(callgate, { handler: work.syncHandler });
    return () => router.call(work.objectCall());
  },
  'invalid arguments': (callgate) => {
    const router = bench.defaultRouter(callgate);
    return () => router.call(work.invalidCall());
  },
  'denied by permission': (callgate) => {
    const router = bench.defaultRouter(callgate, { permission: 'write' }, { mode: 'plan' });
    return () => router.call(work.objectCall());
  },
  'three async user stages more': (callgate) => {
    let chain = callgate.defaultPipeline();
    for (const name of ['one', 'two', 'three'])
      chain = chain.before('normalize', name, async (_ctx, next) => await next());
    const router = callgate.createRouter({ tools: [bench.addTool(callgate)], pipeline: chain, mode: 'trusted' });
    return () => router.call(work.objectCall());
  },
};

/** The goals, for the chain with a handler that settles without I/O. */
export const goals = { promises: 5, turns: 4, timers: 0, signals: 0, bytes: 2750 };

async function count(name, { entry }) {
  const call = subjects[name](await bench.load(entry));
  for (let i = 0; i < 2000; i++) await call();
  // Bytes come first: once promise hooks have run, V8 keeps slower code.
  const bytes = await counts.bytesOf(call);
  return {
    bytes,
    promises: await counts.promisesOf(call),
    turns: await counts.turnsOf(call),
    signals: await counts.signalsOf(call),
    ...(await counts.timersOf(call)),
  };
}

export const cases = Object.fromEntries(Object.keys(subjects).map((name) => [name, (options) => count(name, options)]));

/** The counts of one subject, taken in a process of its own. */
export function countsOf(name, options = {}) {
  return inChild(import.meta.url, name, options, counts.flagsForBytes);
}

/** Which subjects the goals bind: calls that reach their handler. */
const bound = [
  'default chain, async handler',
  'default chain, arguments as JSON text',
  'sync handler',
  'invalid arguments',
];

export async function* rows(options) {
  for (const what of Object.keys(subjects)) {
    const found = await countsOf(what, options);
    yield { group: title, key: what, what, counts: found, ...(bound.includes(what) && { limits: goals }) };
  }
}
