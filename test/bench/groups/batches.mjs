import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as bench from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import { compare, gives } from '../lib/measure.mjs';
import { ratioRow, wallRow } from '../lib/rows.mjs';
import * as work from '../lib/work.mjs';

/** Many calls at once: what turns and limits cost a call, and how near a batch with locks comes to the best schedule. */
export const title = 'batches';

const data = gives((result) => result.data, 5);

const overheads = {
  locks: { what: 'a call that holds one key', tool: { locks: () => [{ key: 'k', mode: 'read' }] } },
  path: {
    what: 'a call that holds a file six folders deep',
    tool: { locks: () => [{ key: '/a/b/c/d/e/f.txt', mode: 'read' }] },
  },
  total: { what: 'a call under limits, in all and by tool', options: { limits: { total: 1000, perTool: 1000 } } },
  key: {
    what: 'a call under a limit by key',
    options: { limits: { perKey: { key: (ctx) => ctx.run.id, limit: 1000 } } },
  },
};

async function overhead({ tool, options }, { entry, ...pace }) {
  const callgate = await bench.load(entry);
  const plain = bench.defaultRouter(callgate);
  const limited = bench.defaultRouter(callgate, tool, options);
  return compare(
    [
      { name: 'plain', call: () => plain.call(work.objectCall()), check: data },
      { name: 'limited', call: () => limited.call(work.objectCall()), check: data },
    ],
    pace,
  );
}

const many = 10_000;
const keys = 100;
/** Long enough that the machine, and not the timers' own millisecond, decides. */
const handlerMs = 10;

/** Four of ten only read, in another order for every key. */
const isRead = (at) => (at + Math.floor(at / keys) * 3) % 10 < 4;
const keyOf = (at) => `k${(at * 31) % keys}`;

/** By hand: for every key one write after the other, and all the reads between two of them together. */
function bestSchedule() {
  const groups = new Map();
  for (let at = 0; at < many; at++) {
    const ofKey = groups.get(keyOf(at)) ?? [];
    const last = ofKey.at(-1);
    if (isRead(at) && last?.isRead) last.count++;
    else ofKey.push({ isRead: isRead(at), count: 1 });
    groups.set(keyOf(at), ofKey);
  }
  return [...groups.values()];
}

async function runByHand(schedule) {
  await Promise.all(
    schedule.map(async (groups) => {
      for (const { count } of groups) await Promise.all(Array.from({ length: count }, () => sleep(handlerMs)));
    }),
  );
}

async function tenThousand({ entry, processes }) {
  const callgate = await bench.load(entry);
  const parameters = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] };
  const tools = ['read', 'write'].map((mode) =>
    callgate.defineTool({
      name: mode,
      description: 'Waits.',
      parameters,
      permission: 'read',
      locks: ({ key }) => [{ key, mode }],
      handler: () => sleep(handlerMs),
    }),
  );
  const router = callgate.createRouter({ tools });
  const calls = Array.from({ length: many }, (_, at) => ({
    name: isRead(at) ? 'read' : 'write',
    arguments: { key: keyOf(at) },
  }));
  const schedule = bestSchedule();
  const contenders = {
    byHand: () => runByHand(schedule),
    batch: async () => assert.ok((await router.callAll(calls)).every(({ ok }) => ok)),
  };
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, { cpu: [], wall: [] }]));
  for (let round = -1; round < processes; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const cpu = process.cpuUsage();
      const wall = performance.now();
      await run();
      const spent = process.cpuUsage(cpu);
      // The first round is for the compiler.
      if (round < 0) continue;
      samples[name].wall.push(performance.now() - wall);
      samples[name].cpu.push((spent.user + spent.system) / 1000);
    }
  }
  return samples;
}

export const cases = {
  ...Object.fromEntries(Object.entries(overheads).map(([key, spec]) => [key, (options) => overhead(spec, options)])),
  tenThousand,
};

export async function* rows(options) {
  const group = title;
  for (const [key, { what }] of Object.entries(overheads)) {
    const samples = await inChild(import.meta.url, key, options);
    yield ratioRow(samples, 'limited', 'plain', { group, key, what, against: 'the same call without' });
  }
  const samples = await inChild(import.meta.url, 'tenThousand', options);
  yield wallRow(samples, 'batch', 'byHand', {
    group,
    key: 'tenThousand',
    what: '10,000 calls of 10 ms in one batch, 100 keys with locks: wall',
    against: 'the best schedule, by hand',
    atMost: 1.5,
  });
}
