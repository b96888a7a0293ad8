import { describe, expect, it } from 'vitest';
import { newTrace, type Trace, traceCalls } from '../../src/cli/trace.ts';
import { createRouter, defineTool, type Router } from '../../src/index.ts';

const nothing = { type: 'object', properties: {} } as const;
const text = (trace: Trace): string => trace.visits.map(({ stage, outcome }) => `${stage} ${outcome}`).join(', ');

function routerWith(approve = () => true): Router {
  let router: Router;
  const tools = [
    defineTool({ name: 'quick', description: '', parameters: nothing, permission: 'read', handler: () => 1 }),
    defineTool({
      name: 'slow',
      description: '',
      parameters: nothing,
      permission: 'read',
      handler: () => new Promise((resolve) => setImmediate(resolve, 2)),
    }),
    defineTool({
      name: 'outer',
      description: '',
      parameters: nothing,
      permission: 'read',
      handler: async () => (await router.call({ name: 'nowhere' })).error,
    }),
    defineTool({
      name: 'hang',
      description: '',
      parameters: nothing,
      permission: 'read',
      timeout: 20,
      handler: () => new Promise(() => {}),
    }),
    defineTool({
      name: 'write',
      description: '',
      parameters: { type: 'object', properties: { n: { type: 'integer' } } },
      permission: 'write',
      handler: ({ n }) => n,
    }),
  ];
  router = createRouter({ tools, approve });
  return router;
}

async function traced(router: Router, call: { id?: string; name: string; arguments?: unknown }): Promise<string> {
  const tracer = traceCalls(router);
  const trace = newTrace();
  await tracer.follow(trace, () => router.call(call));
  tracer.stop();
  return text(trace);
}

const allPassed =
  'normalize passed, lookup passed, validate passed, pathGuard passed, commandGuard passed, urlGuard passed, permission passed, locks passed, concurrency passed, timeout passed, execute answered';

describe('traceCalls', () => {
  it('writes down the way of a call', async () => {
    expect(await traced(routerWith(), { name: 'quick' })).toBe(allPassed);
    expect(await traced(routerWith(), { name: 'none' })).toBe('normalize passed, lookup answered');
  });

  it('tells calls apart that run side by side under one id', async () => {
    const router = routerWith();
    const tracer = traceCalls(router);
    const traces = ['slow', 'nowhere', 'slow', 'quick'].map((name) => ({ name, trace: newTrace() }));
    await Promise.all(traces.map(({ name, trace }) => tracer.follow(trace, () => router.call({ id: 'same', name }))));
    expect(traces.map(({ trace }) => text(trace))).toEqual([
      allPassed,
      'normalize passed, lookup answered',
      allPassed,
      allPassed,
    ]);
  });

  it('leaves out the calls that a tool makes itself', async () => {
    expect(await traced(routerWith(), { id: 'o', name: 'outer' })).toBe(allPassed);
  });

  it('shows the stage in which a call was cut off', async () => {
    expect(await traced(routerWith(), { name: 'hang' })).toBe(allPassed.replace('execute answered', 'execute open'));
  });

  it('shows that a call began anew with edited arguments', async () => {
    const router = routerWith((() => ({ decision: 'allow', arguments: { n: 7 } })) as never);
    const way = await traced(router, { name: 'write', arguments: { n: 1 } });
    expect(way).toContain('permission restarted, lookup passed');
    expect(way).toMatch(/execute answered$/);
  });

  it('hears nothing any more once it has stopped', async () => {
    const router = routerWith();
    const tracer = traceCalls(router);
    tracer.stop();
    const trace = newTrace();
    await tracer.follow(trace, () => router.call({ name: 'quick' }));
    expect(trace.visits).toEqual([]);
  });
});
