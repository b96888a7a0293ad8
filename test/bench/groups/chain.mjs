import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as bench from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import { compare, gives } from '../lib/measure.mjs';
import { ratioRow, wallRow } from '../lib/rows.mjs';
import * as work from '../lib/work.mjs';

/** The whole default chain, against the floor. */
export const title = 'chain';

const data = gives((result) => result.data, 5);
const code = (expected) => gives((result) => result.code, expected);

/** Every case is measured beside the floor, and beside the floor on the very same call where that means something. */
const chainCases = {
  object: { what: 'default chain, async handler', goal: { atMost: 5 } },
  text: { what: 'default chain, arguments as JSON text', make: work.textCall },
  sync: { what: 'sync handler', tool: { handler: work.syncHandler }, run: work.syncHandler, goal: { atMost: 3 } },
  invalid: { what: 'invalid arguments', make: work.invalidCall, check: code('invalid_arguments'), goal: { atMost: 4 } },
  throws: {
    what: 'tool throws an Error',
    tool: { handler: work.throwingHandler },
    run: work.throwingHandler,
    check: code('tool_error'),
  },
  denial: {
    what: 'denied by permission',
    tool: { permission: 'write' },
    options: { mode: 'plan' },
    check: code('denied'),
    alone: true,
  },
  stagesOutside: {
    what: 'three async user stages more, outermost',
    stages: 'normalize',
    alone: true,
    goal: { atMost: 8 },
  },
  stagesInside: {
    what: 'three async user stages more, before timeout',
    stages: 'timeout',
    alone: true,
    goal: { atMost: 8 },
  },
  signal: { what: "with a caller's AbortSignal", signal: true, alone: true },
};

const userStage = async (_ctx, next) => {
  const result = await next();
  return result;
};

function routerOf(callgate, { tool, options, stages }) {
  if (stages === undefined) return bench.defaultRouter(callgate, tool, options);
  let chain = callgate.defaultPipeline();
  for (const name of ['one', 'two', 'three']) chain = chain.before(stages, name, (ctx, next) => userStage(ctx, next));
  return callgate.createRouter({ tools: [bench.addTool(callgate)], pipeline: chain, mode: 'trusted' });
}

async function measureChain(spec, { entry, ...pace }) {
  const callgate = await bench.load(entry);
  const router = routerOf(callgate, spec);
  const { make = work.objectCall, check = data } = spec;
  const contenders = [{ name: 'floor', call: callOf(work.floor(), work.objectCall), check: data }];
  if (spec.signal) {
    const options = { signal: new AbortController().signal };
    contenders.push({ name: 'callgate', call: () => router.call(make(), options), check });
  } else {
    contenders.push({ name: 'callgate', call: callOf((call) => router.call(call), make), check });
  }
  if (spec.make !== undefined || spec.run !== undefined) {
    contenders.push({ name: 'same by hand', call: callOf(work.floor(spec.run), make), check });
  }
  return compare(contenders, pace);
}

const callOf = (run, make) => () => run(make());

/** One call a millisecond would take minutes to be compiled, so they are warmed up many at once: compare does the rest. */
async function heat(contenders) {
  for (let batch = 0; batch < 50; batch++) {
    for (const { call } of contenders) await Promise.all(Array.from({ length: 200 }, call));
  }
}

/** Handlers that really wait, against the floor under bare p-timeout. */
async function measureWaiting(handler, expected, { entry, width = 1, ...pace }) {
  const callgate = await bench.load(entry);
  const { default: pTimeout } = await import('p-timeout');
  const router = bench.defaultRouter(callgate, { handler });
  const bare = work.floor(handler, (promise) => pTimeout(promise, { milliseconds: work.deadline }));
  const check = gives((result) => result.data, expected);
  const contenders = [
    { name: 'bare', call: () => bare(work.objectCall()), check, width },
    { name: 'callgate', call: () => router.call(work.objectCall()), check, width },
  ];
  await heat(contenders);
  return compare(contenders, { ...pace, sliceMs: Math.max(30, pace.sliceMs * 4) });
}

const timerCase = (options) =>
  measureWaiting(
    async ({ a, b }) => {
      await sleep(1);
      return a + b;
    },
    5,
    options,
  );

async function readCase(options) {
  const folder = await mkdtemp(join(tmpdir(), 'callgate-bench-'));
  const file = join(folder, 'note.txt');
  const text = 'a line of a note\n'.repeat(100);
  await writeFile(file, text);
  try {
    assert.equal(await readFile(file, 'utf8'), text);
    return await measureWaiting(async () => (await readFile(file, 'utf8')).length, text.length, options);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const waitingCases = {
  timer: { what: 'handler waits for a 1 ms timer', measure: timerCase },
  timers: { what: 'the same, 64 at once', measure: (options) => timerCase({ ...options, width: 64 }) },
  read: { what: 'handler reads a file', measure: readCase },
  reads: { what: 'the same, 64 at once', measure: (options) => readCase({ ...options, width: 64 }) },
};

export const cases = {
  ...Object.fromEntries(
    Object.entries(chainCases).map(([key, spec]) => [key, (options) => measureChain(spec, options)]),
  ),
  ...Object.fromEntries(Object.entries(waitingCases).map(([key, spec]) => [key, spec.measure])),
};

export async function* rows(options) {
  const group = title;
  for (const [key, spec] of Object.entries(chainCases)) {
    const samples = await inChild(import.meta.url, key, options);
    yield ratioRow(samples, 'callgate', 'floor', { group, key, what: spec.what, against: 'floor', ...spec.goal });
    if (samples['same by hand'] !== undefined) {
      yield ratioRow(samples, 'callgate', 'same by hand', {
        group,
        key: `${key}.same`,
        what: spec.what,
        against: 'the same by hand',
      });
    }
  }
  for (const [key, { what }] of Object.entries(waitingCases)) {
    const samples = await inChild(import.meta.url, key, options);
    const against = 'floor with bare p-timeout';
    yield wallRow(samples, 'callgate', 'bare', {
      group,
      key: `${key}.wall`,
      what: `${what}: wall`,
      against,
      atMost: 1.1,
    });
    yield ratioRow(samples, 'callgate', 'bare', {
      group,
      key: `${key}.cpu`,
      what: `${what}: CPU`,
      against,
      atMost: 1.3,
    });
  }
}
