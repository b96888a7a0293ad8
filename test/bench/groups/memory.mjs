import { setTimeout as sleep } from 'node:timers/promises';
import * as bench from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import * as work from '../lib/work.mjs';

/** What a call holds while its handler waits, the handler's own frame included. */
export const title = 'memory';

const inFlight = 20_000;
const turn = () => new Promise((resolve) => setImmediate(resolve));

function heap() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

async function measure(start) {
  const warm = [];
  for (let i = 0; i < 2000; i++) warm.push(start());
  // Long enough for the first deadlines to be armed and for what that loads.
  await sleep(100);
  release();
  await Promise.all(warm);
  await turn();
  const pending = new Array(inFlight);
  const before = heap();
  for (let i = 0; i < inFlight; i++) pending[i] = start();
  // Microtasks only: the event loop does not turn, so no deadline is armed yet.
  for (let i = 0; i < 50; i++) await null;
  const waiting = (heap() - before) / inFlight;
  await sleep(20);
  const armed = (heap() - before) / inFlight;
  release();
  await Promise.all(pending);
  return { waiting: Math.round(waiting), armed: Math.round(armed) };
}

let gate;
let release;
function close() {
  gate = new Promise((resolve) => {
    release = () => {
      resolve();
      close();
    };
  });
}
close();

const slow = async ({ a, b }) => {
  await gate;
  return a + b;
};

export const cases = {
  floor: () => {
    const byHand = work.floor(slow);
    return measure(() => byHand(work.objectCall()));
  },
  callgate: async ({ entry }) => {
    const router = bench.defaultRouter(await bench.load(entry), { handler: slow });
    return measure(() => router.call(work.objectCall()));
  },
};

export async function* rows(options) {
  const group = title;
  const floor = await inChild(import.meta.url, 'floor', options, ['--expose-gc']);
  const callgate = await inChild(import.meta.url, 'callgate', options, ['--expose-gc']);
  const unit = 'bytes';
  yield { group, key: 'floor', what: 'floor: a call in flight, no deadline', value: floor.waiting, unit };
  yield { group, key: 'waiting', what: 'a call in flight', value: callgate.waiting, unit, atMost: 2000 };
  yield { group, key: 'armed', what: 'a call in flight, deadline armed', value: callgate.armed, unit, atMost: 4000 };
}
