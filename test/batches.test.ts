import { createRouter, defineTool, type Router, type StreamEvent, type ToolCall } from 'callgate';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Lock } from '../src/tool.ts';
import { nextTurn } from './support.ts';

const common = { description: 'A tool of the test.', permission: 'read' } as const;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeAll(async () => {
  const tool = defineTool({ ...common, name: 'warm', parameters: { type: 'object' }, handler: () => 1 });
  await createRouter({ tools: [tool] }).call({ name: 'warm' });
});

/** Counters that lose updates unless their tools take turns: each reads, lets others run, and then writes. */
function counters() {
  const values = new Map<string, number>();
  const torn: string[] = [];
  const parameters = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] } as const;
  const increment = defineTool({
    ...common,
    name: 'increment',
    parameters,
    locks: ({ key }) => [{ key, mode: 'write' }],
    async handler({ key }): Promise<number> {
      const value = values.get(key) ?? 0;
      await turn();
      values.set(key, value + 1);
      return value + 1;
    },
  });
  const look = defineTool({
    ...common,
    name: 'look',
    parameters,
    locks: ({ key }) => [{ key, mode: 'read' }],
    async handler({ key }): Promise<number> {
      const value = values.get(key) ?? 0;
      await turn();
      if (values.get(key) !== undefined && values.get(key) !== value) torn.push(key);
      return value;
    },
  });
  return { tools: [increment, look], values, torn };
}

describe('10,000 calls in one batch over 100 keys', () => {
  const calls: ToolCall[] = Array.from({ length: 10_000 }, (_, at) => ({
    id: `c${at}`,
    // Four of ten only look, in another order for every key.
    name: (at + Math.floor(at / 100) * 3) % 10 < 4 ? 'look' : 'increment',
    arguments: { key: `k${(at * 31) % 100}` },
  }));
  const writes = calls.filter(({ name }) => name === 'increment');

  test.each([
    ['as they come', {}],
    ['under limits', { limits: { total: 64, perTool: { look: 20 } } }],
  ])('lose no update and read nothing half-done, %s', async (_, options) => {
    const { tools, values, torn } = counters();
    const results = await createRouter({ tools, ...options }).callAll(calls);
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(results.map(({ call_id }) => call_id)).toEqual(calls.map(({ id }) => id));
    expect([...values.values()].reduce((sum, value) => sum + value, 0)).toBe(writes.length);
    expect(torn).toEqual([]);
  });

  test('need no more rounds than the best schedule', async () => {
    const busy = new Set<(value: string) => void>();
    const { tools } = counters();
    const waiting = tools.map((tool) => ({
      ...tool,
      handler: () => new Promise<string>((resolve) => busy.add(resolve)),
    }));
    const all = createRouter({ tools: waiting }).callAll(calls);
    let rounds = 0;
    for (await nextTurn(); busy.size > 0; await nextTurn()) {
      rounds++;
      const now = [...busy];
      busy.clear();
      for (const end of now) end('done');
    }
    expect((await all).every(({ ok }) => ok)).toBe(true);
    expect(rounds).toBe(bestRounds(calls));
  });

  test('are each answered when the batch is aborted half-way', async () => {
    const { tools } = counters();
    const controller = new AbortController();
    const all = createRouter({ tools }).callAll(calls, { signal: controller.signal });
    for (let at = 0; at < 10; at++) await nextTurn();
    controller.abort();
    const results = await all;
    expect(results).toHaveLength(calls.length);
    const codes = new Set(results.map((result) => (result.ok ? 'ok' : result.code)));
    expect(codes).toEqual(new Set(['ok', 'aborted']));
  });
});

/** With calls that each take one round: for the busiest key, one round a write and one for all the reads between two. */
function bestRounds(calls: readonly ToolCall[]): number {
  const rounds = new Map<string, { count: number; last: string }>();
  for (const { name, arguments: args } of calls) {
    const { key } = args as { key: string };
    const before = rounds.get(key) ?? { count: 0, last: '' };
    const joins = name === 'look' && before.last === 'look';
    rounds.set(key, { count: before.count + (joins ? 0 : 1), last: name });
  }
  return Math.max(...Array.from(rounds.values(), ({ count }) => count));
}

describe('whatever the calls touch, and however many may run', () => {
  test('every call has its one result, in order, and nothing is held afterwards', async () => {
    const lock = fc.record({ key: fc.constantFrom('a', 'b', 'a/b'), mode: fc.constantFrom('read', 'write') });
    const wanted = fc.array(fc.array(lock, { maxLength: 3 }), { maxLength: 20 });
    const limit = fc.constantFrom(1, 2, 5, Number.POSITIVE_INFINITY);
    await fc.assert(
      fc.asyncProperty(wanted, limit, limit, fc.boolean(), async (list, total, perTool, aborts) => {
        const holders = new Map<string, { readers: number; writers: number }>();
        const tool = defineTool({
          ...common,
          name: 'touch',
          parameters: { type: 'object', properties: { locks: { type: 'array' } } },
          locks: ({ locks }) => locks as readonly Lock[],
          async handler({ locks }): Promise<string> {
            const own = new Map((locks as readonly Lock[]).map(({ key }) => [key, false]));
            for (const { key, mode } of locks as readonly Lock[]) if (mode === 'write') own.set(key, true);
            for (const [key, isWrite] of own) enter(holders, key, isWrite, 1);
            await turn();
            for (const [key, isWrite] of own) enter(holders, key, isWrite, -1);
            return 'done';
          },
        });
        const router = createRouter({ tools: [tool], limits: { total, perTool } });
        const calls = list.map((locks, at) => ({ id: `c${at}`, name: 'touch', arguments: { locks } }));
        const controller = new AbortController();
        const all = router.callAll(calls, { signal: controller.signal });
        if (aborts) {
          await turn();
          controller.abort();
        }
        const results = await all;
        expect(results.map(({ call_id }) => call_id)).toEqual(calls.map(({ id }) => id));
        if (!aborts) expect(results.every(({ ok }) => ok)).toBe(true);
        // All at once, and each after all others: whoever still held anything would be waited for.
        await turn();
        const everything = ['a', 'b'].map((key) => ({ key, mode: 'write' }));
        const last = await router.callAll([{ name: 'touch', arguments: { locks: everything } }], { deadline: 1_000 });
        expect(last).toMatchObject([{ ok: true }]);
      }),
      { numRuns: process.env['CALLGATE_FULL'] ? 500 : 50 },
    );
  });

  function enter(
    holders: Map<string, { readers: number; writers: number }>,
    key: string,
    isWrite: boolean,
    by: number,
  ): void {
    const held = holders.get(key) ?? { readers: 0, writers: 0 };
    held[isWrite ? 'writers' : 'readers'] += by;
    holders.set(key, held);
    expect(held.writers === 0 || (held.writers === 1 && held.readers === 0)).toBe(true);
  }
});

describe('progress', () => {
  async function eventsOf(router: Router, calls: ToolCall[]): Promise<unknown[]> {
    const events: unknown[] = [];
    for await (const event of router.stream(calls)) events.push(shown(event));
    return events;
  }

  const shown = (event: StreamEvent): unknown =>
    event.type === 'result' ? [event.index, 'result', event.result.data] : [event.index, event.call_id, event.data];

  test('of every call reaches the stream before its result, under its index and its id', async () => {
    const counting = defineTool({
      ...common,
      name: 'count',
      parameters: { type: 'object', properties: { to: { type: 'integer' } }, required: ['to'] },
      async *handler({ to }): AsyncGenerator<number, string> {
        for (let at = 1; at <= to; at++) {
          await turn();
          yield at;
        }
        return 'counted';
      },
    });
    const router = createRouter({ tools: [counting] });
    const events = await eventsOf(router, [
      { id: 'three', name: 'count', arguments: { to: 3 } },
      { id: 'one', name: 'count', arguments: { to: 1 } },
    ]);
    const of = (index: number): unknown[] => events.filter((event) => (event as unknown[])[0] === index);
    expect(of(0)).toEqual([
      [0, 'three', 1],
      [0, 'three', 2],
      [0, 'three', 3],
      [0, 'result', 'counted'],
    ]);
    expect(of(1)).toEqual([
      [1, 'one', 1],
      [1, 'result', 'counted'],
    ]);
    expect(events.findIndex((event) => (event as unknown[])[1] === 'result')).toBeLessThan(events.length - 1);
  });

  test('is cleaned as results are, and after the answer there is none', async () => {
    let late = (): void => {};
    const talking = defineTool({
      ...common,
      name: 'talk',
      parameters: { type: 'object' },
      handler(_, { progress }): string {
        progress({ key: 'sk-secret-value', size: 10n });
        late = () => progress('too late');
        return 'done';
      },
    });
    const router = createRouter({ tools: [talking], secrets: ['sk-secret-value'] });
    const heard: unknown[] = [];
    router.on('progress', ({ data }) => heard.push(data));
    const events = await eventsOf(router, [{ id: 'c', name: 'talk' }]);
    late();
    expect(events).toHaveLength(2);
    expect(JSON.stringify(events)).not.toContain('sk-secret-value');
    expect(heard).toHaveLength(1);
  });

  test('of a call that waits for its turn comes when it has it', async () => {
    const tool = defineTool({
      ...common,
      name: 'turns',
      parameters: { type: 'object' },
      locks: () => [{ key: 'k', mode: 'write' }],
      async *handler(_, { call }): AsyncGenerator<string> {
        yield `${call.id} begins`;
        await turn();
        yield `${call.id} ends`;
      },
    });
    const events = await eventsOf(createRouter({ tools: [tool] }), [
      { id: 'a', name: 'turns' },
      { id: 'b', name: 'turns' },
    ]);
    expect(events.map((event) => (event as unknown[])[2])).toEqual([
      'a begins',
      'a ends',
      'a ends',
      'b begins',
      'b ends',
      'b ends',
    ]);
  });
});
