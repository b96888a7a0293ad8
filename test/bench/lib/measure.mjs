import assert from 'node:assert/strict';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * A loop of its own for every contender: a shared one would see them all at one call site, and V8 would inline none.
 * The turn of the event loop at the end belongs to the work, since a contender may have put something off until then.
 */
function loopOf(call) {
  return new Function(
    'call',
    'turn',
    'return async (n) => { for (let i = 0; i < n; i++) await call(); await turn(); }',
  )(call, turn);
}

/** The same, with `width` calls under way at a time. */
function wideLoopOf(call, width) {
  const worker = async (queue) => {
    while (queue.left-- > 0) await call();
  };
  return async (n) => {
    const queue = { left: n };
    await Promise.all(Array.from({ length: width }, () => worker(queue)));
    await turn();
  };
}

async function slice(loop, calls) {
  const cpu = process.cpuUsage();
  const wall = process.hrtime.bigint();
  await loop(calls);
  const spent = process.cpuUsage(cpu);
  return {
    cpu: ((spent.user + spent.system) * 1000) / calls,
    wall: Number(process.hrtime.bigint() - wall) / calls,
  };
}

function shuffled(items) {
  const copy = [...items];
  for (let last = copy.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [copy[last], copy[other]] = [copy[other], copy[last]];
  }
  return copy;
}

/**
 * Measures contenders against each other in one process: interleaved rounds in random order, one slice each a round.
 *
 * @param contenders `{ name, call, check(result), width? }`; `check` throws unless the contender does the work.
 * @param options `rounds`; `sliceMs`, the length of a slice in ms of wall time; `warmMs`, run by each before the first round.
 * @returns by name, `{ cpu, wall }`: nanoseconds a call, one figure a round. CPU is user and system time of the whole process.
 */
export async function compare(contenders, { rounds, sliceMs, warmMs }) {
  const runs = [];
  for (const { name, call, check, width } of contenders) {
    const result = await call();
    try {
      check(result);
    } catch (error) {
      throw new Error(`${name} does not do the work: ${error.message}`);
    }
    runs.push({ name, loop: width > 1 ? wideLoopOf(call, width) : loopOf(call), calls: 1, cpu: [], wall: [] });
  }
  // Warm up by turns, so that no contender is compiled for a world in which it is alone; and find the length of a slice.
  for (let part = 0; part < 4; part++) {
    for (const run of runs) {
      const until = performance.now() + warmMs / 4;
      while (performance.now() < until) {
        const { wall } = await slice(run.loop, run.calls);
        run.calls = Math.max(1, Math.round(Math.min((sliceMs * 1e6) / wall, run.calls * 8)));
      }
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const run of shuffled(runs)) {
      const spent = await slice(run.loop, run.calls);
      run.cpu.push(spent.cpu);
      run.wall.push(spent.wall);
    }
  }
  return Object.fromEntries(runs.map(({ name, cpu, wall }) => [name, { cpu, wall }]));
}

/** A check that passes when the part of the result that `pick` takes equals `expected`. */
export function gives(pick, expected) {
  return (result) => assert.deepEqual(pick(result), expected);
}
