import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as bench from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import { compare } from '../lib/measure.mjs';
import { wallRow } from '../lib/rows.mjs';
import { median } from '../lib/statistics.mjs';

/** What a thread or process of its own costs a call, and how soon one that does not stop is gone. */
export const title = 'isolation';

const handlers = new URL('../lib/isolated-handlers.mjs', import.meta.url);
const args = { a: 1, b: 2 };

async function routerFor(entry, kinds) {
  const { createRouter, defineTool, moduleHandler } = await bench.load(entry);
  const tool = (kind, name, timeout) =>
    defineTool({
      name: `${name}_${kind}`,
      description: 'for the bench',
      parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
      permission: 'read',
      isolate: kind,
      timeout,
      handler: moduleHandler(handlers, name),
    });
  const tools = kinds.flatMap((kind) => [tool(kind, 'add', 30_000), tool(kind, 'loop', 500)]);
  return createRouter({ tools, mode: 'trusted', isolation: { reuse: true } });
}

function sum(result) {
  if ((result.data ?? result) !== 3) throw new Error(JSON.stringify(result));
}

/** A warm call, beside tinypool and a forked process that do no more than call the function. */
async function call({ entry, ...pace }) {
  const router = await routerFor(entry, ['thread', 'process']);
  const contenders = ['thread', 'process'].map((kind) => ({
    name: kind,
    call: () => router.call({ id: 'c1', name: `add_${kind}`, arguments: args }),
    check: sum,
  }));
  const { Tinypool } = await import('tinypool');
  const pool = new Tinypool({ filename: handlers.href, name: 'add', minThreads: 1, maxThreads: 1 });
  contenders.push({ name: 'tinypool', call: () => pool.run(args), check: sum });
  const child = fork(fileURLToPath(handlers), ['forked'], { serialization: 'advanced' });
  let answered;
  child.on('message', (message) => answered(message));
  const ask = () =>
    new Promise((resolve) => {
      answered = resolve;
      child.send(args);
    });
  contenders.push({ name: 'fork', call: ask, check: sum });
  const samples = await compare(contenders, { ...pace, sliceMs: pace.sliceMs * 3 });
  child.kill();
  await once(child, 'exit');
  await pool.destroy();
  await router.close();
  return samples;
}

/** An endless loop: from its deadline to the caller's answer, and to the end of its thread or process. In ms. */
async function stop({ entry, rounds, kind }) {
  const router = await routerFor(entry, [kind]);
  const times = { answered: [], gone: [] };
  for (let round = 0; round < Math.min(rounds, 11); round++) {
    await router.call({ name: `add_${kind}`, arguments: args });
    const late = new Promise((resolve) => {
      const off = router.on('late', () => {
        off();
        resolve(performance.now());
      });
    });
    const due = performance.now() + 500;
    await router.call({ name: `loop_${kind}`, arguments: args });
    times.answered.push(performance.now() - due);
    times.gone.push((await late) - due);
  }
  await router.close();
  return times;
}

export const cases = { call, stop };

export async function* rows(options) {
  const group = title;
  const samples = await inChild(import.meta.url, 'call', options);
  const wall = (name) => median(samples[name].wall) / 1000;
  for (const [kind, against, name] of [
    ['thread', 'tinypool by hand', 'tinypool'],
    ['process', 'a forked process by hand', 'fork'],
  ]) {
    const what = `a call in a warm ${kind}, whole chain: wall`;
    yield wallRow(samples, kind, name, { group, key: `${kind}-ratio`, what, against });
    yield { group, key: kind, what, value: wall(kind), unit: 'us' };
  }
  for (const kind of ['thread', 'process']) {
    const { answered, gone } = await inChild(import.meta.url, 'stop', { ...options, kind });
    const worst = (times) => Math.max(...times);
    const row = (key, what, times, atMost) => ({ group, key, what, value: worst(times), unit: 'ms', atMost });
    yield row(`${kind}-answered`, `an endless loop in a ${kind}: deadline to answer, worst`, answered, 100);
    yield row(`${kind}-gone`, `an endless loop in a ${kind}: deadline to its end, worst`, gone, 1_000);
  }
}
