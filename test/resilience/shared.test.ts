import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { cache } from '../../middleware/cache.ts';
import { circuitBreaker } from '../../middleware/circuit-breaker.ts';
import { dedupe } from '../../middleware/dedupe.ts';
import { fallback } from '../../middleware/fallback.ts';
import { forTools } from '../../middleware/for-tools.ts';
import { rateLimit } from '../../middleware/rate-limit.ts';
import { retry } from '../../middleware/retry.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import { ToolError } from '../../src/errors.ts';
import { isToolResult } from '../../src/result.ts';
import { createRouter, type Router } from '../../src/router.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import type { Tool } from '../../src/tool.ts';
import { warmUp } from './support.ts';

beforeAll(warmUp);

interface State {
  readonly who: string;
}

/** What a call is to come to: by its arguments, so that equal calls may differ in nothing else. */
const behaviours = ['value', 'value', 'late', 'down', 'flaky', 'throws', 'hangs'] as const;

const call = fc.record({
  who: fc.constantFrom('ann', 'bob', '__proto__'),
  run: fc.constantFrom('r1', 'r2'),
  name: fc.constantFrom('look', 'write'),
  does: fc.constantFrom(...behaviours),
  key: fc.integer({ min: 0, max: 1 }),
  abortAfter: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
});

test('no answer crosses principals, every call has one, and nothing is left behind, under all stages at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 24 }),
      fc.integer({ min: 0, max: 3 }),
      async (calls, gap) => {
        const clock = fakeClock();
        const written = new Map<string, number>();
        let calmAfter = 3;
        const tool = (name: string, permission: string): Tool<never> =>
          defineTool({
            name,
            description: name,
            parameters: { type: 'object', properties: { does: { type: 'string' }, key: { type: 'number' } } },
            permission,
            timeout: 8,
            handler: async ({ does, key }, { state, call: made }) => {
              const { who } = state as State;
              if (name === 'write') {
                const what = JSON.stringify([who, made.id.split(' ')[1], does, key]);
                written.set(what, (written.get(what) ?? 0) + 1);
              }
              if (does === 'late') await new Promise((resolve) => setImmediate(resolve));
              if (does === 'down' || (does === 'flaky' && calmAfter-- > 0)) {
                throw new ToolError('down', { code: 'unavailable' });
              }
              if (does === 'throws') throw new Error('broken');
              if (does === 'hangs') return new Promise(() => {});
              return { name, who, does, key, list: [] };
            },
          }) as Tool<never>;
        const pipeline = defaultPipeline<State>()
          .before('timeout', 'dedupe', dedupe({ clock, window: 1_000_000, resets: () => false }))
          .before('timeout', 'fallback', forTools('look', fallback({ tool: 'spare', router: () => router })))
          .before('timeout', 'cache', cache({ clock }))
          .before('timeout', 'retry', retry({ clock, delay: 5 }))
          .before('timeout', 'circuitBreaker', circuitBreaker({ clock, openFor: 50 }))
          .before('timeout', 'rateLimit', rateLimit({ perSecond: 1_000, maxWait: 5, clock }));
        const router: Router<State> = createRouter<State>({
          tools: [tool('look', 'read'), tool('write', 'write'), tool('spare', 'read')] as unknown as Tool[],
          mode: 'trusted',
          pipeline,
          state: { who: 'nobody' },
        });
        let settled = 0;
        const pending = calls.map(async ({ who, run, name, does, key, abortAfter }, at) => {
          for (let turn = 0; turn < at * gap; turn++) await new Promise((resolve) => setImmediate(resolve));
          const controller = new AbortController();
          const made = router.call(
            { id: `${at} ${run}`, name, arguments: { does, key } },
            { run: { id: run, principal: who }, state: { who }, signal: controller.signal },
          );
          if (abortAfter !== undefined) {
            for (let turn = 0; turn < abortAfter; turn++) await new Promise((resolve) => setImmediate(resolve));
            controller.abort();
          }
          const result = await made;
          settled++;
          return result;
        });
        while (settled < calls.length) await clock.advance(20);
        const results = await Promise.all(pending);
        for (const [at, result] of results.entries()) {
          const { who, run, name, does, key } = calls[at] as (typeof calls)[number];
          expect(isToolResult(result)).toBe(true);
          expect([result.call_id, result.tool_name]).toEqual([`${at} ${run}`, name]);
          if (!result.ok) continue;
          const { list, ...data } = result.data as { list: unknown[]; name: string };
          expect({ ...data, name: 'either' }).toEqual({ name: 'either', who, does, key });
          expect([name, 'spare']).toContain(data.name);
          // Nobody's answer is anybody else's object.
          expect(list).toEqual([]);
          list.push(at);
        }
        // A write that succeeded, or of which nobody knows, was made once.
        for (const [what, times] of written) {
          const [, , does] = JSON.parse(what) as string[];
          if (does === 'value' || does === 'late') expect({ what, times }).toEqual({ what, times: 1 });
        }
        expect(clock.pending()).toEqual([]);
      },
    ),
    { numRuns: process.env['CALLGATE_FULL'] === '1' ? 120 : 40 },
  );
}, 120_000);
