import { createRouter, defaultPipeline, defineTool, ToolError } from 'callgate';
import { cache, circuitBreaker, dedupe, fallback, rateLimit, retry } from 'callgate/middleware';
import { fakeClock } from 'callgate/testing';
import { checked, line } from './support.mjs';

const codes = ['unavailable', 'timeout', 'rate_limited', 'conflict', 'tool_error', 'denied', 'invalid_output'];

/** The stages for tools that fail, by a clock of our own: what each makes of hundreds of failures, and when. */
export default async function* run(random) {
  await warm();
  for (let number = 0; number < 120; number++) {
    const clock = fakeClock();
    const router = createRouter({
      tools: toolsFor(random, clock),
      mode: 'trusted',
      pipeline: pipelineFor(random, clock),
    });
    const told = [];
    router.on('late', () => told.push('late'));
    const calls = Array.from({ length: 1 + random.below(8) }, (_, at) => ({
      id: `s${number}_${at}`,
      name: random.pick(['look', 'put']),
      arguments: { key: random.pick(['a', 'b', 'c']) },
    }));
    const answers = [];
    for (const call of calls) {
      const answer = router.call(call, { run: { id: 'run_1' } });
      if (random.chance(0.5)) await clock.advance(random.pick([0, 10, 500, 40_000]));
      answers.push(answer);
    }
    await clock.advance(700_000);
    const results = await Promise.all(answers);
    yield line(router.pipeline.names.join(' '), [
      results.map((result, at) => checked(result, calls[at])),
      told,
      clock.pending().length,
      clock.now(),
    ]);
    await router.close();
  }
}

/** Loads what a first call loads, which takes real time: a fake clock does not wait for that. */
async function warm() {
  const router = createRouter({ tools: toolsFor({ pick: () => undefined }, fakeClock()), mode: 'trusted' });
  await router.call({ name: 'look', arguments: { key: 'a' } });
}

function toolsFor(random, clock) {
  const parameters = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] };
  let count = 0;
  const handler = async ({ key }) => {
    const call = ++count;
    const takes = random.pick([0, 0, 5, 300]);
    if (takes) await new Promise((go) => clock.setTimeout(go, takes));
    const code = random.pick([undefined, undefined, ...codes]);
    if (code === 'invalid_output') throw new Error(`call ${call} broke`);
    if (code !== undefined)
      throw new ToolError(`call ${call} was ${code}`, {
        code,
        ...random.pick([{}, {}, { details: { retry_after_ms: 700 } }]),
      });
    return { call, key };
  };
  return [
    defineTool({
      name: 'look',
      description: 'Looks.',
      parameters,
      permission: 'read',
      annotations: { readOnly: true },
      handler,
    }),
    defineTool({
      name: 'put',
      description: 'Puts.',
      parameters,
      permission: 'write',
      annotations: { idempotent: random.pick([true, false]) },
      handler,
    }),
  ];
}

function pipelineFor(random, clock) {
  const stages = {
    fallback: () => fallback({ data: ({ code }) => `instead of ${code}`, clock }),
    cache: () => cache({ ttl: 1_000, clock }),
    dedupe: () => dedupe({ window: 5_000, clock }),
    rateLimit: () => rateLimit({ perSecond: 2, burst: 2, maxWait: random.pick([0, 600]), clock }),
    circuitBreaker: () => circuitBreaker({ failures: 2, openFor: 1_000, clock }),
    retry: () => retry({ attempts: 3, clock, random: () => 0.5 }),
  };
  let chain = defaultPipeline();
  for (const [name, make] of Object.entries(stages)) {
    if (random.chance(0.4)) chain = chain.before('timeout', name, make());
  }
  return chain;
}
