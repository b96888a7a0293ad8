import { createHook } from 'node:async_hooks';
import { promiseHooks } from 'node:v8';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const calls = 500;

/** Promises made by one call: all that V8 makes, also those behind an `await`. The awaiting outside is not counted. */
export async function promisesOf(call) {
  const already = Promise.resolve();
  return (await promisesSeen(call)) - (await promisesSeen(() => already));
}

async function promisesSeen(call) {
  let made = 0;
  const stop = promiseHooks.onInit(() => {
    made++;
  });
  try {
    for (let i = 0; i < calls; i++) await call();
  } finally {
    stop();
  }
  return Math.round(made / calls);
}

const mostTurns = 1000;

/** Microtask turns until the call has settled; a call that is still pending after 1,000 gives Infinity. */
export async function turnsOf(call) {
  let done = false;
  const mark = () => {
    done = true;
  };
  call().then(mark, mark);
  for (let turns = 0; turns < mostTurns; turns++) {
    if (done) return turns;
    await null;
  }
  return Number.POSITIVE_INFINITY;
}

/** Timers and immediates that `calls` calls make, those of the event loop's turn after them included. */
export async function timersOf(call) {
  let timers = 0;
  let immediates = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'Timeout') timers++;
      if (type === 'Immediate') immediates++;
    },
  }).enable();
  try {
    for (let i = 0; i < calls; i++) await call();
    await turn();
  } finally {
    hook.disable();
  }
  // One immediate is this function's own.
  return { timers: timers / calls, immediatesInOneTurn: immediates - 1 };
}

/** AbortSignals that `calls` calls make: reads of a controller's signal, `AbortSignal.timeout` and `AbortSignal.any`. */
export async function signalsOf(call) {
  let made = 0;
  const signal = Object.getOwnPropertyDescriptor(AbortController.prototype, 'signal');
  const { timeout, any } = AbortSignal;
  Object.defineProperty(AbortController.prototype, 'signal', {
    ...signal,
    get() {
      made++;
      return signal.get.call(this);
    },
  });
  AbortSignal.timeout = (...args) => {
    made++;
    return timeout.apply(AbortSignal, args);
  };
  AbortSignal.any = (...args) => {
    made++;
    return any.apply(AbortSignal, args);
  };
  try {
    for (let i = 0; i < calls; i++) await call();
    await turn();
  } finally {
    Object.defineProperty(AbortController.prototype, 'signal', signal);
    AbortSignal.timeout = timeout;
    AbortSignal.any = any;
  }
  return made / calls;
}

/** Flags under which `bytesOf` measures: a new space in which nothing is collected on the way. */
export const flagsForBytes = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];

const warmUpCalls = 40_000;

/** Bytes allocated by one warm call. Without a collection in between, the heap grows by what was allocated. */
export async function bytesOf(call) {
  for (let i = 0; i < warmUpCalls; i++) await call();
  const grown = [];
  for (let round = 0; round < 15; round++) {
    await turn();
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 2000; i++) await call();
    grown.push((process.memoryUsage().heapUsed - before) / 2000);
  }
  grown.sort((a, b) => a - b);
  return Math.round(grown[grown.length >> 1]);
}
