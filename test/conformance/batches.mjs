import { createRouter, defineTool, ToolError } from 'callgate';
import { checked, line, turns } from './support.mjs';

/** Batches and streams: order, concurrency, progress, withdrawal, deadlines. Waiting is counted in turns of the event loop. */
export default async function* run(random) {
  const parameters = {
    type: 'object',
    properties: { turns: { type: 'integer', default: 0 }, key: { type: 'string', default: 'a' } },
    additionalProperties: false,
  };
  let under = 0;
  let most = 0;
  const counted = async (work) => {
    most = Math.max(most, ++under);
    try {
      return await work();
    } finally {
      under--;
    }
  };
  const tools = [
    defineTool({ name: 'now', description: 'x', parameters, handler: ({ key }) => key }),
    defineTool({
      name: 'wait',
      description: 'x',
      parameters,
      handler: ({ turns: count, key }) => counted(() => turns(count).then(() => key)),
    }),
    defineTool({
      name: 'steps',
      description: 'x',
      parameters,
      handler: async function* ({ turns: count, key }, ctx) {
        for (let at = 0; at < count; at++) {
          await turns(1);
          yield { at, key };
        }
        ctx.progress('last');
        return `${key} after ${count}`;
      },
    }),
    defineTool({
      name: 'fail',
      description: 'x',
      parameters,
      handler: async ({ turns: count, key }) => {
        await turns(count);
        throw new ToolError(`no ${key}`, { code: 'unavailable' });
      },
    }),
    defineTool({
      name: 'hang',
      description: 'x',
      parameters,
      handler: (_, { signal }) =>
        new Promise((_, refuse) => signal.addEventListener('abort', () => refuse(signal.reason))),
    }),
    defineTool({
      name: 'stuck',
      description: 'x',
      parameters,
      handler: async function* (_, { signal }) {
        yield 'begun';
        await new Promise((go) => signal.addEventListener('abort', go));
        yield 'too late';
      },
    }),
    defineTool({ name: 'deaf', description: 'x', parameters, handler: () => new Promise(() => {}) }),
    defineTool({ name: 'key', description: 'x', parameters, handler: (_, ctx) => ctx.idempotencyKey }),
  ];
  const router = createRouter({ tools, mode: 'trusted' });
  const batch = (number, names) =>
    Array.from({ length: 1 + random.below(12) }, (_, at) => ({
      id: random.chance(0.05) ? 'twice' : `b${number}_${at}`,
      name: random.pick(names),
      arguments: random.chance(0.1) ? '{"turns":' : { turns: random.below(6), key: random.word() },
    }));
  const run = { id: 'run_1' };

  for (let number = 0; number < 60; number++) {
    const calls = batch(number, ['now', 'wait', 'steps', 'fail', 'key', 'absent']);
    most = 0;
    const concurrency = random.pick([1, 2, 5, Number.POSITIVE_INFINITY]);
    const results = await router.callAll(calls, { concurrency, run });
    yield line('all', [results.map((result, at) => checked(result, calls[at])), most]);
  }
  for (let number = 0; number < 40; number++) {
    const calls = batch(number, ['now', 'wait', 'steps', 'fail']);
    const events = [];
    const leaveAfter = random.chance(0.2) ? random.below(6) : Number.POSITIVE_INFINITY;
    for await (const event of router.stream(calls, { concurrency: random.pick([1, 3, 20]), run })) {
      events.push(event);
      if (events.length > leaveAfter) break;
    }
    // In which turn a call goes on may depend on how long something took; what each call came to must not.
    if (leaveAfter === Number.POSITIVE_INFINITY)
      yield line(
        'stream',
        events.toSorted((one, other) => one.index - other.index),
      );
    await turns(10);
  }
  for (let number = 0; number < 40; number++) {
    const calls = batch(number, ['now', 'wait', 'hang', 'deaf', 'steps', 'stuck']);
    const stop = new AbortController();
    const reason = random.pick([
      undefined,
      'enough',
      new Error('enough'),
      new ToolError('Stopped.', { code: 'aborted' }),
      null,
      7,
      new DOMException('late', 'TimeoutError'),
    ]);
    const answers = router.callAll(calls, { signal: stop.signal, concurrency: random.pick([1, 3, 20]), run });
    if (random.chance(0.2)) stop.abort(reason);
    else turns(200).then(() => stop.abort(reason));
    yield line('aborted', await answers);
    await turns(10);
  }
  for (let number = 0; number < 10; number++) {
    const calls = batch(number, ['hang', 'deaf']).map((call) => ({ ...call, arguments: {} }));
    const results = await router.callAll(calls, { deadline: 20, run });
    // The text says how much of the batch's time was left for the call.
    yield line(
      'overdue',
      results.map(({ error: _, ...result }) => result),
    );
    yield line('too slow', await router.call(calls[0], { deadline: 5, run }));
  }
  const told = [];
  for (const event of ['start', 'stage', 'progress', 'end']) {
    router.on(event, ({ durationMs: _, cause, run: __, ...rest }) =>
      told.push([event, rest, String(cause?.message ?? cause)]),
    );
  }
  for (const call of batch(999, ['now', 'wait', 'steps', 'fail'])) await router.call(call, { run });
  yield line('observed', told);
}
