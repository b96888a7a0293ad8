import { createRouter, defaultPipeline, defineTool, type Ready, type Stage } from 'callgate';
import { cache, circuitBreaker, concurrency, dedupe, fallback, loopGuard, rateLimit, retry } from 'callgate/middleware';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nextTurn } from './support.ts';

/** What a function that has to answer at once gives when its author made it asynchronous, and it fails. */
const late = (async () => {
  throw new Error('asynchronous');
}) as () => never;

const stages: readonly (readonly [string, Stage<Ready>, ok: boolean])[] = [
  ['cache({ ttl })', cache({ ttl: late }), true],
  ['cache({ tools })', cache({ tools: late }), true],
  ['cache({ vary })', cache({ vary: late, tools: () => true }), false],
  ['cache({ invalidates })', cache({ invalidates: late, tools: () => false }), true],
  ['dedupe({ tools })', dedupe({ tools: late }), true],
  ['dedupe({ resets })', dedupe({ resets: late }), true],
  ['dedupe({ vary })', dedupe({ vary: late, tools: () => true }), false],
  ['rateLimit({ key })', rateLimit({ perSecond: 5, key: late }), false],
  ['circuitBreaker({ key })', circuitBreaker({ key: late }), false],
  ['circuitBreaker({ onChange })', circuitBreaker({ onChange: late, failures: 1 }), true],
  ['concurrency({ perKey })', concurrency({ perKey: { key: late, limit: 1 } }), false],
  ['retry({ safe })', retry({ safe: late, attempts: 2, delay: 1 }), true],
  ['fallback({ safe })', fallback({ safe: late, data: () => 1 }), true],
  ['loopGuard({ exempt })', loopGuard({ exempt: late }), true],
];

describe('a function that has to answer at once and gives a promise, which rejects', () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeAll(() => void process.on('unhandledRejection', note));
  afterAll(() => void process.off('unhandledRejection', note));

  async function routed(stage: Stage<Ready> | undefined, more: object): Promise<unknown> {
    const tool = defineTool({
      name: 'one',
      description: 'Gives one.',
      parameters: { type: 'object' },
      ...more,
    } as never);
    const pipeline = stage === undefined ? defaultPipeline() : defaultPipeline().before('timeout', 'stage', stage);
    const router = createRouter({ tools: [tool as never], pipeline, mode: 'trusted' });
    const result = await router.call({ name: 'one' });
    await nextTurn();
    await nextTurn();
    return result;
  }

  test.each(stages)('%s: the call is answered, and the process goes on', async (_, stage, ok) => {
    const result = await routed(stage, { permission: 'write', handler: () => 1 });
    expect(result).toMatchObject(ok ? { ok, data: 1 } : { ok, code: 'internal', effect: 'none' });
    expect(unhandled).toEqual([]);
  });

  test('the locks of a tool: it is not started, and the process goes on', async () => {
    const result = await routed(undefined, { permission: 'write', handler: () => 1, locks: late });
    expect(result).toMatchObject({ ok: false, code: 'internal', effect: 'none' });
    expect(unhandled).toEqual([]);
  });

  test('a tool is not exempt from the guard against loops because of a promise', async () => {
    const exempt = (async () => true) as unknown as () => boolean;
    const pipeline = defaultPipeline().before('permission', 'loopGuard', loopGuard({ exempt, repeats: 1 }));
    const tool = defineTool({
      name: 'one',
      description: 'Gives one.',
      parameters: { type: 'object' },
      permission: 'read',
      handler: () => 1,
    });
    const router = createRouter({ tools: [tool], pipeline, mode: 'trusted' });
    expect(await router.call({ name: 'one' })).toMatchObject({ ok: true });
    expect(await router.call({ name: 'one' })).toMatchObject({ code: 'denied' });
  });
});
