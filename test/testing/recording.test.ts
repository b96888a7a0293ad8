import { createRouter, defaultPipeline, defineTool, ToolError } from 'callgate';
import type { Approve } from 'callgate/policy';
import {
  expectFailure,
  expectOk,
  fakeClock,
  readRun,
  recordedApprover,
  recordRun,
  replayRun,
  replayTools,
  stubTool,
} from 'callgate/testing';
import { describe, expect, test } from 'vitest';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
    required: ['a'],
  },
  permission: 'read',
  handler: ({ a, b }) => {
    if (a < 0) throw new ToolError('Too small.', { details: { least: 0 } });
    return { sum: a + b };
  },
});

const keep = defineTool({
  name: 'keep',
  description: 'Keeps a text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  permission: 'write',
  handler: ({ text }) => `kept ${text}`,
});

const tools = [add, keep];
const calls = [
  { id: 'same', name: 'add', arguments: '{ "a": 1, "b": 2 }' },
  { id: 'same', name: 'add', arguments: { a: 1 } },
  { id: 'low', name: 'add', arguments: { a: -1 } },
  { id: 'wrong', name: 'add', arguments: { a: 'one' } },
  { id: 'none', name: 'nothing' },
];

async function recorded(router = createRouter({ tools }), made: readonly object[] = calls): Promise<string> {
  let text = '';
  const stop = recordRun(router, (line) => {
    text += line;
  });
  await router.callAll(made as typeof calls);
  stop();
  await router.call({ name: 'add', arguments: { a: 9 } });
  return text;
}

describe('recordRun', () => {
  test('writes a line for each call and result, told apart where they share an id', async () => {
    const recording = readRun(await recorded());
    expect(recording.calls.map(({ serial, id, result }) => [serial, id, result?.ok])).toEqual([
      [1, 'same', true],
      [2, 'same', true],
      [3, 'low', false],
      [4, 'wrong', false],
      [5, 'none', false],
    ]);
    expect(recording.calls[0]).toMatchObject({ arguments: '{ "a": 1, "b": 2 }', result: { data: { sum: 3 } } });
    expect(recording.calls[1]).toMatchObject({ arguments: { a: 1 }, result: { data: { sum: 2 } } });
    expect(recording.calls[0]?.decisions).toMatchObject([{ decision: 'allow', rule: 'mode ask', asked: false }]);
    expect(recording.calls[3]?.decisions).toEqual([]);
  });

  test('holds no secret that a result may not show, wherever it stands', async () => {
    const secret = 'correct-horse-battery';
    const approve: Approve = () => ({ decision: 'deny', reason: `not with ${secret}` });
    const router = createRouter({ tools, secrets: [secret], approve });
    const text = await recorded(router, [
      { id: 'a', name: 'keep', arguments: { text: `the key is ${secret}` } },
      { id: 'b', name: 'keep', arguments: `{"text":"${secret}"}` },
      { id: 'c', name: 'none', arguments: { text: secret } },
    ]);
    expect(text).not.toContain(secret);
    expect(readRun(text).calls).toHaveLength(3);
  });

  test('takes its times from a clock', async () => {
    const clock = fakeClock(50);
    const router = createRouter({ tools });
    const lines: string[] = [];
    recordRun(router, { write: (line) => lines.push(line) }, { clock });
    await clock.advance(250);
    await router.call(calls[0] as never);
    expect(readRun(lines.join('')).calls[0]?.startedAt).toBe(250);
  });

  test('is not disturbed by a sink that throws, rejects, or is slow', async () => {
    const router = createRouter({ tools });
    let at = 0;
    const sinks = [
      () => true,
      () => {
        throw new Error('full');
      },
      () => Promise.reject(new Error('full')),
      () => new Promise(() => {}),
    ];
    const stop = recordRun(router, () => sinks[at++ % 4]?.());
    const results = await router.callAll(calls);
    stop();
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false, false, false]);
    expect(at).toBeGreaterThan(10);
    const broken = () => {
      throw new Error('full');
    };
    expect(() => recordRun(router, broken)).toThrow('full');
  });

  test('leaves calls open that had not been answered, and leaves out those that had begun before', async () => {
    const open = stubTool('open', () => new Promise(() => {}));
    const router = createRouter({ tools: [open] });
    const left = new AbortController();
    const before = router.call({ id: 'before', name: 'open' }, { signal: left.signal });
    const lines: string[] = [];
    const stop = recordRun(router, (line) => lines.push(line));
    const during = router.call({ id: 'during', name: 'open' }, { signal: left.signal });
    const [line] = lines.splice(0, 1);
    left.abort();
    await before;
    stop();
    await during;
    const recording = readRun([line, ...lines].join(''));
    expect(recording.calls.map(({ id }) => id)).toEqual(['during']);
  });
});

describe('readRun', () => {
  test('leaves out a last line that was cut off', async () => {
    const text = await recorded();
    const whole = readRun(text);
    const cut = readRun(text.slice(0, -20));
    expect(cut.calls).toHaveLength(whole.calls.length);
    expect(cut.calls.filter(({ result }) => result === undefined)).toHaveLength(1);
  });

  test.each([
    ['', 'The recording is empty'],
    ['nonsense', 'line 1 is no JSON'],
    ['{"type":"call"}', 'line 1 should say { "type": "run" }'],
    ['{"type":"run","version":2}', 'line 1 is of version 2'],
    ['{"type":"run","version":1}\nno\n{}', 'line 2 is no JSON'],
    ['{"type":"run","version":1}\n[]', 'line 2 has no type that is known'],
    ['{"type":"run","version":1}\n{"type":"result","serial":3}', 'line 2 is about call 3, which no line before begins'],
    ['{"type":"run","version":1}\n{"type":"call","serial":1}\n{"type":"result","serial":1}', 'line 3 has no result'],
    [
      '{"type":"run","version":1}\n{"type":"call","serial":1}\n{"type":"call","serial":1}',
      'line 3 begins call 1 once more',
    ],
  ])('refuses %j', (text, message) => {
    expect(() => readRun(text)).toThrow(message);
  });
});

describe('replayRun', () => {
  test('passes where every call gives the same again', async () => {
    const recording = readRun(await recorded());
    const results = await replayRun(recording, createRouter({ tools }));
    expect(results).toHaveLength(calls.length);
    await replayRun(recording, createRouter({ tools }), { together: true });
  });

  test('shows where a call gives something else', async () => {
    const recording = readRun(await recorded());
    const other = stubTool(add, ({ a, b }) => ({ sum: a === 1 && b === 2 ? 4 : a + b, by: 'stub' }));
    const router = createRouter({ tools: [other, keep] });
    const error = await replayRun(recording, router).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.name).toBe('AssertionError');
    expect(error?.message.split('\n').slice(0, 7)).toEqual([
      'The run did not go as it was recorded:',
      '  call 1, add (same):',
      '    /data/sum: expected 3, got 4',
      '    /data/by: expected nothing, got "stub"',
      '  call 2, add (same):',
      '    /data/by: expected nothing, got "stub"',
      '  call 3, add (low):',
    ]);
    expect(error?.message).toContain('/ok: expected false, got true');
  });

  test('ignores what is to be ignored', async () => {
    const recording = readRun(await recorded(undefined, calls.slice(0, 2)));
    const dated = stubTool(add, ({ a, b }) => ({ sum: a + b, at: Math.random() }));
    const router = createRouter({ tools: [dated] });
    await expect(replayRun(recording, router)).rejects.toThrow('/data/at');
    await replayRun(recording, router, { ignore: ['/data/at'] });
    await expect(replayRun(recording, router, { ignored: [] } as never)).rejects.toThrow('no option "ignored"');
  });

  test('is answered by an approver as it was, edits, refusals and rules included', async () => {
    const answers = [
      true,
      { decision: 'allow', arguments: { text: 'edited' } },
      { decision: 'deny', reason: 'no' },
      false,
      undefined,
      { decision: 'allow', always: { scope: 'run' } },
    ] as const;
    let asked = 0;
    const router = createRouter({ tools, approve: () => answers[asked++] });
    const made = answers.map((_, at) => ({ id: `k${at}`, name: 'keep', arguments: { text: `text ${at}` } }));
    let text = '';
    recordRun(router, (line) => {
      text += line;
    });
    for (const call of made) await router.call(call);
    const recording = readRun(text);
    expect(recording.calls.map(({ result }) => (result?.ok ? result.data : result?.code))).toEqual([
      'kept text 0',
      'kept edited',
      'denied',
      'denied',
      'approval_required',
      'kept text 5',
    ]);
    const again = createRouter({ tools, approve: recordedApprover(recording) });
    // What waits for a decision has a digest of its own, and a time.
    await replayRun(recording, again, { ignore: ['/details/pending'] });
  });
});

describe('replayTools', () => {
  test('answers as recorded, once each, without the real tools', async () => {
    const recording = readRun(await recorded());
    const { tools: stubs, unused } = replayTools(recording);
    const router = createRouter({ tools: stubs });
    expectOk(await router.call({ name: 'add', arguments: { b: 2, a: 1 } }), { sum: 3 });
    expect(
      expectFailure(await router.call({ name: 'add', arguments: { a: -1 } }), 'tool_error', 'Too small.').details,
    ).toEqual({
      least: 0,
    });
    expect(unused().map(({ serial }) => serial)).toEqual([2]);
    const failure = expectFailure(await router.call({ name: 'add', arguments: { a: 1, b: 2 } }), 'tool_error');
    expect(failure.error).toContain('No call of add with these arguments was recorded.');
    expect(failure.error).toContain('differs at /b: expected nothing, got 2');
    expectOk(await router.call({ name: 'add', arguments: '{"a":1}' }), { sum: 2 });
    expect(unused()).toEqual([]);
    expectFailure(await router.call({ name: 'add', arguments: '{"a":1}' }), 'tool_error', 'None is left');
  });

  test('keeps what the real tools declare, so that the pipeline does its part again', async () => {
    const recording = readRun(await recorded());
    const router = createRouter({ tools: replayTools(recording, tools).tools });
    await replayRun(recording, router);
    expectFailure(await router.call({ name: 'keep', arguments: { text: 'x' } }), 'approval_required');
  });

  test('serves what a repaired call ran with', async () => {
    const repaired = defaultPipeline().before('validate', 'mine', (ctx, next) => {
      const { id, name } = ctx.call;
      return (next as (adds: object) => ReturnType<typeof next>)({ call: { id, name, arguments: { a: 5 } } });
    });
    const recording = readRun(await recorded(createRouter({ tools, pipeline: repaired }), calls.slice(0, 1)));
    expect(recording.calls[0]?.ran).toEqual({ a: 5 });
    const router = createRouter({ tools: replayTools(recording).tools });
    expectOk(await router.call({ name: 'add', arguments: { a: 5 } }), { sum: 6 });
  });
});
