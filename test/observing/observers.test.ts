import { createRouter, defaultPipeline, defineTool, pipeline, step, ToolError } from 'callgate';
import { execute, lookup, normalize, type permission, validate } from 'callgate/middleware';
import { describe, expect, test } from 'vitest';
import type { RouterEvents } from '../../src/observing/observers.ts';
import type { Approve } from '../../src/policy/approval.ts';

const say = defineTool({
  name: 'say',
  description: 'Says a text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  permission: 'write',
  handler: ({ text }) => text,
});

const call = { id: 'c1', name: 'say', arguments: { text: 'hello' } };

async function decisionsOf(options: Parameters<typeof permission>[0], mode = 'ask', times = 1) {
  const router = createRouter({ tools: [say], mode, ...options });
  const heard: RouterEvents['decision'][] = [];
  router.on('decision', (event) => heard.push(event));
  for (let made = 0; made < times; made++) await router.call(call);
  return heard.map(({ call: { id }, ...decision }) => ({ id, ...decision }));
}

describe('decision', () => {
  const table: [what: string, options: Parameters<typeof permission>[0], mode: string, heard: object][] = [
    ['a mode allows', {}, 'auto', { decision: 'allow', rule: 'mode auto', asked: false, edited: false }],
    ['a mode denies', {}, 'plan', { decision: 'deny', rule: 'mode plan', asked: false }],
    [
      'a rule denies',
      { rules: [{ name: 'quiet', decision: 'deny', tool: 'say', reason: 'it is late' }] },
      'auto',
      { decision: 'deny', rule: 'quiet', reason: 'it is late', asked: false },
    ],
    [
      'a rule allows',
      { rules: [{ name: 'loud', decision: 'allow', tool: 'say' }] },
      'ask',
      { decision: 'allow', rule: 'loud', asked: false },
    ],
    ['nobody is there', {}, 'ask', { decision: 'ask', rule: 'mode ask', asked: false }],
    [
      'somebody allows',
      { approve: () => true },
      'ask',
      { decision: 'allow', rule: 'mode ask', asked: true, edited: false },
    ],
    [
      'somebody declines',
      { approve: () => ({ decision: 'deny', reason: 'not now' }) },
      'ask',
      { decision: 'deny', rule: 'mode ask', asked: true, reason: 'not now' },
    ],
    [
      'somebody declines without a word',
      { approve: () => false },
      'ask',
      { decision: 'deny', rule: 'mode ask', asked: true, reason: undefined },
    ],
    ['somebody does not say', { approve: () => undefined }, 'ask', { decision: 'ask', asked: true }],
    [
      'somebody has a rule kept',
      { approve: () => ({ decision: 'allow', always: { scope: 'run' } }) },
      'ask',
      { decision: 'allow', asked: true, remembered: 'run' },
    ],
  ];

  test.each(table)('%s', async (_, options, mode, heard) => {
    const decisions = await decisionsOf(options, mode);
    expect(decisions).toHaveLength(1);
    expect(decisions[0]).toMatchObject({ id: 'c1', ...heard });
  });

  test('an edit is told before the edited call is decided on', async () => {
    const approve: Approve = () => ({ decision: 'allow', arguments: { text: 'HELLO' } });
    expect(await decisionsOf({ approve })).toMatchObject([
      { decision: 'allow', asked: true, edited: true },
      { decision: 'allow', asked: false, edited: false, rule: 'approval given before' },
    ]);
  });

  test('a kept rule is told by its name the next time', async () => {
    const approve: Approve = () => ({ decision: 'allow', always: { scope: 'run' } });
    expect((await decisionsOf({ approve }, 'ask', 2))[1]).toMatchObject({ rule: 'always say', asked: false });
  });

  test('what an approver threw is told to observers only', async () => {
    const cause = new Error('no terminal');
    const [decision] = await decisionsOf({ approve: () => Promise.reject(cause) });
    expect(decision).toMatchObject({ decision: 'deny', asked: true });
    expect(decision?.cause).toBe(cause);
  });

  test('a call that is withdrawn while somebody is asked was left open', async () => {
    const left = new AbortController();
    const router = createRouter({
      tools: [say],
      approve: () => {
        left.abort();
        return new Promise(() => {});
      },
    });
    const heard: string[] = [];
    router.on('decision', ({ decision, asked }) => heard.push(`${decision} ${asked}`));
    expect(await router.call(call, { signal: left.signal })).toMatchObject({ code: 'aborted' });
    expect(heard).toEqual(['ask true']);
  });
});

describe('what stages of yours tell', () => {
  const told: unknown[] = [];
  const telling = (data: () => unknown, event = 'note') =>
    defaultPipeline({}).before('lookup', 'telling', (ctx, next) => {
      ctx.tell?.(event as 'note', { name: 'mine', data: data() });
      told.push(ctx.tell);
      return next();
    });

  test('reaches those who listen for it, as a frozen copy', async () => {
    const inner = { hits: [1] };
    const router = createRouter({ tools: [say], mode: 'auto', pipeline: telling(() => inner) });
    const heard: RouterEvents['note'][] = [];
    router.on('note', (event) => {
      (event.data as typeof inner).hits.push(2);
    });
    router.on('note', (event) => heard.push(event));
    expect(await router.call(call)).toMatchObject({ ok: true });
    expect(heard).toMatchObject([{ call: { id: 'c1', name: 'say' }, name: 'mine', data: { hits: [1] } }]);
    inner.hits.push(3);
    expect(heard[0]?.data).toEqual({ hits: [1] });
  });

  test('is not even made while nobody listens for anything that stages tell', async () => {
    let made = 0;
    const router = createRouter({ tools: [say], mode: 'auto', pipeline: telling(() => made++) });
    told.length = 0;
    router.on('end', () => {});
    await router.call(call);
    expect([made, told]).toEqual([0, [undefined]]);
    const off = router.on('retry', () => {});
    await router.call(call);
    expect(made).toBe(1);
    off();
    await router.call(call);
    expect(made).toBe(1);
  });

  test('cannot pass for what the router tells, nor change by being heard what a call gives', async () => {
    const hostile = {
      get data(): never {
        throw new Error('read me not');
      },
    };
    const forging = defaultPipeline({}).before('lookup', 'forging', (ctx, next) => {
      ctx.tell?.('end' as never, { result: { ok: true } } as never);
      ctx.tell?.('nothing' as never, {} as never);
      ctx.tell?.('note', { name: 'forged', call: { id: 'another' } } as never);
      ctx.tell?.('note', hostile as never);
      ctx.tell?.('note', null as never);
      ctx.tell?.('note', { name: 'uncloneable', data: () => {} });
      return next();
    });
    const router = createRouter({ tools: [say], mode: 'auto', pipeline: forging });
    const ends: unknown[] = [];
    const notes: RouterEvents['note'][] = [];
    router.on('end', ({ result }) => ends.push(result));
    router.on('note', (event) => notes.push(event));
    const result = await router.call(call);
    expect(ends).toEqual([result]);
    expect(notes.map(({ call: { id } }) => id)).toEqual(['c1', 'c1', 'c1', 'c1']);
  });

  test('is heard no more once the call has ended', async () => {
    let late: (() => void) | undefined;
    const lingering = defaultPipeline({}).before('lookup', 'lingering', (ctx, next) => {
      late = () => ctx.tell?.('note', { name: 'late' });
      return next();
    });
    const router = createRouter({ tools: [say], mode: 'auto', pipeline: lingering });
    let heard = 0;
    router.on('note', () => heard++);
    await router.call(call);
    late?.();
    expect(heard).toBe(0);
  });

  test('a stage cannot put another tell in its place', async () => {
    const faking = pipeline()
      .use('normalize', normalize())
      .use('lookup', lookup())
      .use('validate', validate())
      .use(
        'faking',
        step(() => ({ tell: () => {} })),
      )
      .use('execute', execute());
    const router = createRouter({ tools: [say], pipeline: faking });
    expect(await router.call(call)).toMatchObject({ ok: false, code: 'internal' });
  });
});

describe('observers of bad manners', () => {
  test('change nothing, not even for each other, whichever event it is', async () => {
    const noisy = defineTool({
      name: 'noisy',
      description: 'Says how far it has come.',
      parameters: { type: 'object', properties: { list: { type: 'array', items: { type: 'number' } } } },
      permission: 'read',
      async *handler({ list = [] }) {
        yield { list };
        if (list.length > 2) throw new ToolError('Too long.', { details: { list } });
        return { list };
      },
    });
    const events = ['start', 'stage', 'retry', 'decision', 'note', 'progress', 'end', 'late', 'mode'] as const;
    const run = async (hostile: boolean) => {
      const router = createRouter({ tools: [noisy], mode: 'auto' });
      const seen: unknown[] = [];
      if (hostile) {
        for (const event of events) {
          router.on(event, (heard) => {
            spoil(heard, 0);
            throw new Error('bad manners');
          });
          router.on(event, async (heard) => {
            await null;
            spoil(heard, 0);
            throw new Error('bad manners, later');
          });
        }
      }
      router.on('end', ({ call: { arguments: args }, result }) => seen.push(structuredClone({ args, result })));
      router.on('progress', ({ data }) => seen.push(structuredClone(data)));
      const shown: unknown[] = [];
      const results = [];
      for (const list of [[1], [1, 2, 3]]) {
        const options = { onProgress: (data: unknown) => void shown.push(structuredClone(data)) };
        results.push(await router.call({ id: 'n', name: 'noisy', arguments: { list } }, options));
      }
      return { seen, shown, results };
    };
    expect(await run(true)).toEqual(await run(false));
  });
});

test('another mode is told where it is another, also when the listener throws', () => {
  const router = createRouter({ tools: [] });
  const told: unknown[] = [];
  const off = router.on('mode', (change) => {
    told.push(change);
    throw new Error('bad manners');
  });
  for (const mode of ['ask', 'plan', 'plan', 'auto']) router.mode = mode;
  expect(() => {
    router.mode = 'none';
  }).toThrow(TypeError);
  off();
  router.mode = 'ask';
  expect(told).toEqual([
    { mode: 'plan', before: 'ask' },
    { mode: 'auto', before: 'plan' },
  ]);
});

test('a result that cannot be copied is answered all the same, and not shown', async () => {
  let deep: object = {};
  for (let depth = 0; depth < 20_000; depth++) deep = { deep };
  const data = [deep, () => {}, new Proxy({}, { ownKeys: () => ['a', 'a'] })];
  let at = 0;
  const bare = pipeline()
    .use('lookup', lookup())
    .use('validate', validate())
    .use('answer', (ctx) => ctx.ok(data[at++]));
  const router = createRouter({ tools: [say], pipeline: bare });
  const shown: unknown[] = [];
  router.on('end', ({ result }) => shown.push(result));
  for (const expected of data) expect((await router.call(call)).data).toBe(expected);
  expect(shown).toHaveLength(3);
});

/** Changes whatever can be changed. */
function spoil(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > 6) return;
  for (const key of Reflect.ownKeys(value)) {
    spoil(Reflect.get(value, key), depth + 1);
    Reflect.set(value, key, 'spoiled');
    Reflect.deleteProperty(value, key);
  }
  Reflect.set(value, 'more', 'spoiled');
  if (Array.isArray(value) && !Object.isFrozen(value)) value.push('spoiled');
}
