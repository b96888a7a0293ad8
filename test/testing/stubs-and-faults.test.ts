import { createRouter, defaultPipeline, defineTool, ToolError } from 'callgate';
import { expectFailure, expectOk, expectOneEach, fakeClock, faults, stubTool, withFaults } from 'callgate/testing';
import { describe, expect, test } from 'vitest';

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', default: 1 } },
    required: ['city'],
  },
  output: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
  permission: 'read',
  timeout: 50,
  handler: () => Promise.reject(new Error('would ask the network')),
});

describe('stubTool', () => {
  test('gives one answer after the other, throws errors, and remembers copies of arguments', async () => {
    const stub = stubTool(weather, [{ celsius: 3 }, new ToolError('No connection.', { code: 'unavailable' })]);
    const router = createRouter({ tools: [stub] });
    const call = { id: 'c1', name: 'weather', arguments: { city: 'Bonn' } };
    expectOk(await router.call(call), { celsius: 3 });
    expectFailure(await router.call({ ...call, id: 'c2' }), 'unavailable', 'No connection');
    const third = expectFailure(await router.call(call), 'tool_error', /2 answers, and this is call 3/);
    expect(third.details).toEqual({ reason: 'no_answer_left' });
    expect(stub.calls.slice(0, 2)).toEqual([
      { args: { city: 'Bonn', days: 1 }, callId: 'c1' },
      { args: { city: 'Bonn', days: 1 }, callId: 'c2' },
    ]);
    stub.reset();
    expect(stub.calls).toEqual([]);
    expectOk(await router.call(call), { celsius: 3 });
  });

  test('is called through the real checks: arguments, permission and output', async () => {
    const stub = stubTool(weather, (({ city }: { city: string }) => ({ celsius: city })) as never);
    const router = createRouter({ tools: [stub] });
    expectFailure(await router.call({ name: 'weather', arguments: {} }), 'invalid_arguments', 'city');
    expectFailure(await router.call({ name: 'weather', arguments: { city: 'Bonn' } }), 'invalid_output');
    expect(stub.calls).toHaveLength(1);
  });

  test('keeps what the handler changes in its arguments apart', async () => {
    const stub = stubTool('push', (args) => (args as number[] & { list: number[] }).list.push(4));
    await createRouter({ tools: [stub] }).call({ name: 'push', arguments: { list: [1] } });
    expect(stub.calls[0]?.args).toEqual({ list: [1] });
  });

  test('stands in for a tool that runs elsewhere, here', () => {
    expect(stubTool({ ...weather, isolate: 'process' }, [])).not.toHaveProperty('isolate');
  });

  test('refuses what is no answer and no name', () => {
    expect(() => stubTool(weather, { celsius: 3 } as never)).toThrow('a list of answers');
    expect(() => stubTool('no name', [])).toThrow('no tool name');
  });
});

describe('expectations', () => {
  const router = createRouter({ tools: [stubTool('one', () => ({ a: [1, 2] })), stubTool('two', () => 2)] });
  const ok = () => router.call({ id: 'c1', name: 'one' });
  const failure = () => router.call({ id: 'c9', name: 'none' });

  test('expectOk says why a call failed, or where its data differs', async () => {
    expect(expectOk(await ok())).toEqual({ a: [1, 2] });
    const failed = await failure();
    expect(() => expectOk(failed)).toThrow(/^none \(c9\) failed with unknown_tool: /);
    const result = await ok();
    expect(() => expectOk(result, { a: [1, 3], b: null })).toThrow(
      'one (c1) gave other data:\n  /a/1: expected 3, got 2\n  /b: expected null, got nothing',
    );
    expect(() => expectOk(ok() as never)).toThrow('a promise, which has to be awaited');
  });

  test('expectFailure says what it was in place of it', async () => {
    const [result, failed] = [await ok(), await failure()];
    expect(expectFailure(failed, ['denied', 'unknown_tool'])).toBe(failed);
    expect(() => expectFailure(result, 'denied')).toThrow(
      'one (c1) succeeded with {"a":[1,2]}; expected was a failure with denied.',
    );
    expect(() => expectFailure(failed, 'denied')).toThrow(
      /failed with unknown_tool: .*\nExpected was a failure with denied\./,
    );
    expect(() => expectFailure(failed, 'unknown_tool', /weather/g)).toThrow('does not have /weather/g');
    expect(() => expectFailure(failed, 'denyed' as never)).toThrow(/there is no such code\..* Did you mean denied\?/);
  });

  test('expectOneEach finds what is missing, too much, or twice, in any order', async () => {
    const calls = [{ id: 'a', name: 'one' }, { name: 'two' }, { id: 'a', name: 'two' }];
    const results = await router.callAll(calls);
    expect(expectOneEach(calls, results.toReversed()).map(({ tool_name }) => tool_name)).toEqual(['one', 'two', 'two']);
    expect(() => expectOneEach(calls, results.slice(1))).toThrow(
      'There is no result for one (a). Results left over: two',
    );
    expect(() => expectOneEach(calls, [...results, results[0] as never])).toThrow('no call asked for: one (a)');
    expect(() => expectOneEach(calls.slice(0, 1), [{} as never])).toThrow('not the result of a call');
  });
});

describe('withFaults', () => {
  const stub = stubTool(weather, () => ({ celsius: 3 }));
  const call = { name: 'weather', arguments: { city: 'Bonn' } };

  test('goes wrong by plan', async () => {
    const plan = [undefined, 'denial', 'wrong_output', 'hang', 'late', undefined] as const;
    const router = createRouter({ tools: [withFaults(stub, { plan })] });
    const late = new Promise((resolve) => router.on('late', resolve));
    const codes = [];
    for (const _ of plan) {
      const result = await router.call(call);
      codes.push(result.ok ? 'ok' : result.code);
    }
    expect(codes).toEqual(['ok', 'denied', 'invalid_output', 'timeout', 'timeout', 'ok']);
    await late;
  });

  test('throws anything, and all of it becomes a result', async () => {
    const plan = Array.from({ length: 40 }, () => 'crash' as const);
    const router = createRouter({ tools: [withFaults(stub, { plan })] });
    const results = await router.callAll(plan.map(() => call));
    for (const result of results) expectFailure(result, ['tool_error', 'unavailable', 'aborted']);
    expect(new Set(results.map(({ error }) => error)).size).toBeGreaterThan(5);
  });

  test('waits on a clock of your own, and is quick to leave', async () => {
    const clock = fakeClock();
    const slow = withFaults(
      stubTool(weather, () => ({ celsius: 3 })),
      { rates: { latency: 1 }, latency: 40_000, clock },
    );
    const router = createRouter({ tools: [{ ...slow, timeout: Number.POSITIVE_INFINITY }] });
    let done = false;
    const pending = router.call(call).then((result) => {
      done = true;
      return result;
    });
    await clock.untilPending();
    await clock.advance(3_999);
    expect(done).toBe(false);
    await clock.advance(36_001);
    expectOk(await pending);
    const left = new AbortController();
    const withdrawn = router.call(call, { signal: left.signal });
    await clock.untilPending();
    left.abort();
    expectFailure(await withdrawn, 'aborted');
    expect(clock.pending()).toEqual([]);
  });

  test('is the same for the same seed', async () => {
    const run = async (seed: number) => {
      const router = createRouter({ tools: [withFaults(stub, { rates: { denial: 0.3, wrong_output: 0.3 }, seed })] });
      const results = await router.callAll(Array.from({ length: 50 }, () => call));
      return results.map((result) => (result.ok ? 'ok' : result.code)).join(' ');
    };
    expect(await run(7)).toBe(await run(7));
    expect(await run(7)).not.toBe(await run(8));
    const counted = (await run(7)).split(' ');
    for (const code of ['ok', 'denied', 'invalid_output']) {
      expect(counted.filter((each) => each === code).length).toBeGreaterThan(5);
    }
  });

  test.each([
    [{ rates: { broken_json: 0.1 } }, 'cannot do "broken_json"'],
    [{ plan: ['broken'] }, 'cannot do "broken"'],
    [{ rates: { chrash: 0.1 } }, 'Did you mean crash?'],
    [{ rates: { hang: 0.6, crash: 0.6 } }, 'together at most 1'],
    [{ rates: { hang: -0.1 } }, 'from 0'],
    [{ latency: 0 }, 'above 0'],
    [{ latency: Infinity }, 'needs a limit'],
    [{ clock: Date }, 'must be a clock'],
    [{ sed: 1 }, 'no option "sed"'],
  ])('refuses %j', (options, message) => {
    expect(() => withFaults(stub, options as never)).toThrow(message);
  });
});

describe('faults', () => {
  const stub = stubTool(weather, () => ({ celsius: 3 }));
  const call = { name: 'weather', arguments: { city: 'Bonn' } };

  test('goes wrong by plan', async () => {
    const plan = [undefined, 'denial', 'crash', 'wrong_output', 'broken_json', 'latency', 'hang'] as const;
    const shaky = defaultPipeline().before('validate', 'faults', faults({ plan, latency: 1 }));
    const router = createRouter({ tools: [stub], pipeline: shaky, deadline: 200 });
    const codes = [];
    for (const _ of plan) {
      const result = await router.call(call);
      codes.push(result.ok ? 'ok' : result.code);
    }
    expect(codes).toEqual(['ok', 'denied', 'internal', 'internal', 'invalid_json', 'ok', 'timeout']);
  });

  test('stands behind a guard as long as it does not rewrite arguments', () => {
    const behind = (fault: 'latency' | 'broken_json') => () =>
      defaultPipeline().after('permission', 'faults', faults({ rates: { [fault]: 0.5 } }));
    expect(behind('latency')).not.toThrow();
    expect(behind('broken_json')).toThrow('rewrites arguments');
  });
});
