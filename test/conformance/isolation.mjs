import { createRouter, defineTool, moduleHandler } from 'callgate';
import { checked, line } from './support.mjs';

const source = `data:text/javascript,
  export const add = ({ a, b }) => a + b;
  export const odd = () => ({ when: new Date(0), map: new Map([['a', 1n]]), bytes: new Uint8Array(2), list: [undefined, NaN] });
  export const fails = () => { throw Object.assign(new Error('it broke'), { code: 'E_BROKEN', cause: new TypeError('inside') }); };
  export const text = () => { throw 'a text'; };
  export const steps = async function* () { yield 1; yield 2; return 'done'; };
  export const loop = (_, { progress }) => { progress(1); for (;;); };
  export const explode = (_, { progress }) => { progress(1); return /^(a+)+$/.test('a'.repeat(60) + '!'); };
  export const hang = (_, { progress }) => { progress(1); return new Promise(() => {}); };
  export const exits = () => process.exit(3);
  export const uncaught = () => { setTimeout(() => { throw new Error('later'); }); return new Promise(() => {}); };
  export const func = () => () => 1;
  export const hoards = () => { const all = []; for (;;) all.push(new Array(1000).fill(all.length)); };
  export const value = 7;
`.replaceAll('\n', ' ');

/** Handlers in a thread and in a process of their own: what comes back, and what is left of those that never end or crash. */
export default async function* run() {
  const names = [
    'add',
    'odd',
    'fails',
    'text',
    'steps',
    'loop',
    'explode',
    'hang',
    'exits',
    'uncaught',
    'func',
    'hoards',
    'value',
    'absent',
  ];
  const tools = ['thread', 'process'].flatMap((isolate) =>
    names.map((name) =>
      defineTool({
        name: `${name}_in_${isolate}`,
        description: 'Runs elsewhere.',
        parameters: { type: 'object' },
        permission: 'read',
        timeout: 60_000,
        isolate,
        handler: moduleHandler(source, name),
      }),
    ),
  );
  const router = createRouter({ tools, isolation: { threads: 2, processes: 2, memory: 33_554_432, grace: 20 } });
  for (const { name } of tools) {
    // A thread that takes more memory than it may can end the whole process: V8 does not always see it in time.
    if (name === 'hoards_in_thread') continue;
    const call = { id: name, name, arguments: { a: 1, b: 2 } };
    const stop = new AbortController();
    // What never ends is stopped once it has begun, so that nothing depends on how long a start takes here.
    const onProgress = () => /^(?:loop|explode|hang)_/.test(name) && stop.abort('enough');
    const result = await router.call(call, { signal: stop.signal, onProgress, run: { id: 'run_1' } });
    const { code, effect } = checked(result, call);
    // What a process says when it runs out of memory, and whether that still gets here, is its own affair.
    yield line(name, name.startsWith('hoards_') ? [code, effect] : result);
  }
  await router.close();
}
