import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRouter, defaultPipeline, defineTool, type Router, type TracedCall, type TracedStage } from 'callgate';
import { afterEach, describe, expect, test } from 'vitest';

const calls = tracingChannel<string, TracedCall>('callgate:call');
const stages = tracingChannel<string, TracedStage>('callgate:stage');
const leave: (() => void)[] = [];

afterEach(() => {
  for (const left of leave.splice(0)) left();
});

function subscribe<T extends object>(channel: ReturnType<typeof tracingChannel<string, T>>, each: Each<T>): void {
  const names = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;
  const subscribers = Object.fromEntries(names.map((name) => [name, (event: T) => each(name, event)]));
  channel.subscribe(subscribers as unknown as TracingChannelSubscribers<T>);
  leave.push(() => channel.unsubscribe(subscribers as unknown as TracingChannelSubscribers<T>));
}

type Each<T> = (name: string, event: T) => void;

const double = defineTool({
  name: 'double',
  description: 'Twice a number.',
  parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  permission: 'read',
  handler: ({ n }) => (n < 0 ? Promise.reject(new Error('below zero')) : n === 0 ? 0 : Promise.resolve(2 * n)),
});

const router = createRouter({ tools: [double] });

describe('the tracing channel callgate:call', () => {
  test('tells a call from its start to its answer, one object a call', async () => {
    const heard: string[] = [];
    const events = new Set<TracedCall>();
    subscribe(calls, (name, event) => {
      heard.push(`${name} ${event.result?.ok}`);
      events.add(event);
    });
    const result = await router.call({ id: 'c1', name: 'double', arguments: '{"n":2}' });
    expect(heard).toEqual(['start undefined', 'end undefined', 'asyncStart true', 'asyncEnd true']);
    const [event] = events;
    expect(events.size).toBe(1);
    expect(event).toMatchObject({ call: { id: 'c1', name: 'double', arguments: '{"n":2}' }, run: router.run });
    expect(event?.result).toEqual(result);
    expect(event?.result).not.toBe(result);
  });

  test.each([
    [{ name: 'double', arguments: { n: -1 } }, 'tool_error', /^below zero$/],
    [{ name: 'double', arguments: {} }, 'invalid_arguments', /n/],
    [{ name: 'nothing' }, 'unknown_tool', /nothing/],
  ])('tells of a failure, with its private cause or in its own words: %j', async (call, code, message) => {
    const heard: string[] = [];
    let error: unknown;
    subscribe(calls, (name, event) => {
      heard.push(name);
      if (name === 'error') ({ error } = event);
    });
    expect(await router.call(call)).toMatchObject({ ok: false, code });
    expect(heard).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
  });

  test('tells of calls in a batch, withdrawn ones too, each by itself', async () => {
    const open = new Map<TracedCall, string[]>();
    subscribe(calls, (name, event) => open.set(event, [...(open.get(event) ?? []), name]));
    await router.callAll([
      { name: 'double', arguments: { n: 1 } },
      { name: 'double', arguments: { n: 0 } },
    ]);
    await router.call({ name: 'double', arguments: { n: 1 } }, { signal: AbortSignal.abort() });
    expect([...open.values()]).toEqual([
      ['start', 'end', 'asyncStart', 'asyncEnd'],
      ['start', 'end', 'asyncStart', 'asyncEnd'],
      ['start', 'end', 'error', 'asyncStart', 'asyncEnd'],
    ]);
  });

  test('hears of no call that begins after the last subscriber left', async () => {
    let heard = 0;
    subscribe(calls, () => heard++);
    leave.pop()?.();
    await router.call({ name: 'double', arguments: { n: 1 } });
    expect(heard).toBe(0);
  });
});

describe('the tracing channel callgate:stage', () => {
  test('has the stages inside each other, from before each to after it', async () => {
    const heard: string[] = [];
    subscribe(stages, (name, { stage }) => heard.push(`${name} ${stage}`));
    await router.call({ name: 'double', arguments: { n: 0 } });
    const names = router.pipeline.names;
    expect(heard).toEqual([
      ...names.map((name) => `start ${name}`),
      ...names.toReversed().map((name) => `end ${name}`),
    ]);
  });

  test('tells of a stage that waits, and of one that throws', async () => {
    const heard: string[] = [];
    subscribe(stages, (name, { stage, error, result }) => {
      if (stage === 'mine') heard.push(`${name} ${error instanceof Error ? error.message : result?.ok}`);
    });
    const waiting = createRouter({
      tools: [double],
      pipeline: defaultPipeline().before('lookup', 'mine', (_, next) => next()),
    });
    await waiting.call({ name: 'double', arguments: { n: 1 } });
    const throwing = createRouter({
      tools: [double],
      pipeline: defaultPipeline().before('lookup', 'mine', () => {
        throw new Error('broken');
      }),
    });
    await throwing.call({ name: 'double', arguments: { n: 1 } });
    const rejecting = createRouter({
      tools: [double],
      pipeline: defaultPipeline().before('lookup', 'mine', () => Promise.reject(new Error('broken'))),
    });
    await rejecting.call({ name: 'double', arguments: { n: 1 } });
    expect(heard).toEqual([
      ...['start undefined', 'end undefined', 'asyncStart true', 'asyncEnd true'],
      ...['start undefined', 'error broken', 'end broken'],
      ...['start undefined', 'end undefined', 'error broken', 'asyncStart broken', 'asyncEnd broken'],
    ]);
  });

  test('goes together with listeners of the router', async () => {
    const watched = createRouter({ tools: [double] });
    const heard: string[] = [];
    watched.on('stage', ({ stage, phase }) => heard.push(`${phase} ${stage}`));
    await watched.call({ name: 'double', arguments: { n: 1 } });
    const alone = heard.splice(0);
    let traced = 0;
    subscribe(stages, () => traced++);
    await watched.call({ name: 'double', arguments: { n: 1 } });
    expect(heard).toEqual(alone);
    expect(traced).toBeGreaterThan(alone.length);
  });
});

/** A tracer as people write one: spans under the span that is active where they begin. */
class Spans {
  readonly active = new AsyncLocalStorage<string>();
  readonly ended: string[] = [];

  constructor() {
    this.#trace(calls, ({ call }) => `execute_tool ${call.name} ${call.id}`);
    this.#trace(stages, ({ call, stage }) => `${stage} ${call.id}`);
  }

  #trace<T extends { error: unknown }>(
    channel: ReturnType<typeof tracingChannel<string, T & object>>,
    nameOf: (event: T) => string,
  ): void {
    const open = new WeakMap<object, string>();
    channel.start.bindStore(this.active, (event) => {
      const parent = this.active.getStore();
      const span = parent === undefined ? nameOf(event as T) : `${parent} > ${nameOf(event as T)}`;
      open.set(event as object, span);
      return span;
    });
    leave.push(() => channel.start.unbindStore(this.active));
    subscribe(channel, (name, event) => {
      if (name === 'asyncEnd') this.ended.push(open.get(event) as string);
    });
  }
}

describe('a tracer with contexts', () => {
  test('finds the active span in stages, handlers and nested calls, whatever runs beside it', async () => {
    const seen: string[] = [];
    const spans = new Spans();
    const inner: { router?: Router } = {};
    const outer = defineTool({
      name: 'outer',
      description: 'Calls another tool.',
      parameters: { type: 'object', properties: {} },
      permission: 'read',
      handler: async (_, { call }) => {
        await new Promise(setImmediate);
        seen.push(`${call.id}: ${spans.active.getStore()}`);
        await inner.router?.call({ id: `${call.id}/1`, name: 'double', arguments: { n: 1 } });
        return spans.active.getStore();
      },
    });
    const mine = createRouter({ tools: [outer, double] });
    inner.router = mine;
    await mine.callAll([
      { id: 'a', name: 'outer' },
      { id: 'b', name: 'outer' },
    ]);
    const path = (id: string): string => mine.pipeline.names.map((stage) => ` > ${stage} ${id}`).join('');
    expect(seen).toEqual([`a: execute_tool outer a${path('a')}`, `b: execute_tool outer b${path('b')}`]);
    for (const id of ['a', 'b']) {
      const call = `execute_tool outer ${id}`;
      expect(spans.ended).toContain(call);
      expect(spans.ended).toContain(`${call}${path(id)} > execute_tool double ${id}/1`);
    }
    expect(spans.active.getStore()).toBeUndefined();
  });
});

describe('subscribers of bad manners', () => {
  test('change neither what a call gives nor what others are told', async () => {
    const plain = await router.call({ id: 'c', name: 'double', arguments: { n: 4 } });
    const spoil = (_: string, event: object): void => {
      const { call, result } = event as { call: object; result?: object };
      for (const target of [call, result, event]) {
        if (target === undefined) continue;
        expect({ ...event }).toMatchObject({ call: { id: 'c', name: 'double' } });
        for (const key of ['id', 'name', 'arguments', 'data', 'ok', 'call', 'stage', 'error', 'run']) {
          Reflect.set(target, key, 'spoiled');
        }
      }
    };
    subscribe(calls, spoil);
    subscribe(stages, spoil);
    expect(await router.call({ id: 'c', name: 'double', arguments: { n: 4 } })).toEqual(plain);
  });

  test('throw as Node.js has it for every channel, and the call goes on', async () => {
    const script = `
      import { tracingChannel } from 'node:diagnostics_channel';
      import { createRouter, defineTool } from 'callgate';
      let uncaught = 0;
      process.on('uncaughtException', () => uncaught++);
      const broken = () => { throw new Error('broken'); };
      for (const name of ['callgate:call', 'callgate:stage']) {
        tracingChannel(name).subscribe({ start: broken, end: broken, asyncStart: broken, asyncEnd: broken, error: broken });
      }
      const tool = defineTool({ name: 'one', description: 'One.', parameters: { type: 'object' }, permission: 'read', handler: async () => 1 });
      const result = await createRouter({ tools: [tool] }).call({ name: 'one' });
      await new Promise(setImmediate);
      console.log(result.ok, result.data, uncaught > 0);
    `;
    const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
    const options = { cwd: examples, timeout: 60_000 };
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    expect(stdout.trim()).toBe('true 1 true');
  }, 60_000);
});
