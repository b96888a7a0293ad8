import {
  type Clock,
  type CloseOptions,
  createRouter,
  defaultPipeline,
  defineTool,
  pipeline,
  systemClock,
} from 'callgate';
import { concurrency, execute, locks, lookup, normalize, timeout, validate } from 'callgate/middleware';
import { expectTypeOf, test } from 'vitest';

const tool = defineTool({
  name: 'touch',
  description: '',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  locks: (args) => {
    expectTypeOf(args).toEqualTypeOf<{ path: string }>();
    return [{ key: args.path, mode: 'write' }];
  },
  handler: () => 1,
});

test('what a tool locks is typed by its arguments', () => {
  // @ts-expect-error there is no such mode
  defineTool({ ...tool, name: 'other', locks: () => [{ key: 'a', mode: 'append' }] });
  // @ts-expect-error a lock has a key
  defineTool({ ...tool, name: 'other', locks: () => [{ mode: 'read' }] });
});

test('limits, turns, a clock, and how a router is closed', () => {
  const router = createRouter({
    tools: [tool],
    limits: { total: 10, perTool: { touch: 1 }, perKey: { key: (ctx) => ctx.run.principal, limit: 2 }, queue: 100 },
    locks: { wait: 1_000, queue: 100, afterAnswer: 1_000 },
    clock: systemClock,
  });
  expectTypeOf<Parameters<typeof router.close>>().toEqualTypeOf<[options?: CloseOptions | undefined]>();
  expectTypeOf(router.close()).toEqualTypeOf<Promise<void>>();
  expectTypeOf(router).toExtend<AsyncDisposable>();
  createRouter({ tools: [tool], pipeline: defaultPipeline(), clock: systemClock });
  // @ts-expect-error limits belong to the default pipeline's stages
  createRouter({ tools: [tool], pipeline: defaultPipeline(), limits: { total: 1 } });
  // @ts-expect-error the clock is one for all
  defaultPipeline({ limits: { total: 1, clock: systemClock } });
  expectTypeOf(systemClock).toEqualTypeOf<Clock>();
});

test('the stages need what validate adds', () => {
  pipeline()
    .use('normalize', normalize())
    .use('lookup', lookup())
    .use('validate', validate())
    .use('locks', locks())
    .use('concurrency', concurrency({ total: 1 }))
    .use('timeout', timeout({ clock: systemClock }))
    .use('execute', execute());
  // @ts-expect-error before lookup there is no tool
  pipeline().use('locks', locks());
  defaultPipeline().without('locks').without('concurrency');
});
