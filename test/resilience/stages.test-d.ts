import { expectTypeOf, test } from 'vitest';
import { type CacheStage, cache } from '../../middleware/cache.ts';
import { circuitBreaker } from '../../middleware/circuit-breaker.ts';
import { dedupe } from '../../middleware/dedupe.ts';
import { fallback } from '../../middleware/fallback.ts';
import { forTools } from '../../middleware/for-tools.ts';
import { rateLimit } from '../../middleware/rate-limit.ts';
import { retry } from '../../middleware/retry.ts';
import { when } from '../../middleware/when.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { createRouter, type Router } from '../../src/router.ts';
import type { Found, Ready, Stage } from '../../src/types.ts';

test('what each stage needs', () => {
  expectTypeOf(retry()).toEqualTypeOf<Stage<Found>>();
  expectTypeOf(circuitBreaker()).toEqualTypeOf<Stage<Found>>();
  expectTypeOf(rateLimit({ perSecond: 1 })).toEqualTypeOf<Stage<Found>>();
  expectTypeOf(rateLimit({ perSecond: 1, key: (ctx: Ready) => String(ctx.args) })).toEqualTypeOf<Stage<Ready>>();
  expectTypeOf(cache()).toEqualTypeOf<CacheStage>();
  expectTypeOf(dedupe()).toEqualTypeOf<Stage<Ready>>();
  expectTypeOf(fallback({ data: () => [] })).toEqualTypeOf<Stage<Ready>>();
  expectTypeOf(cache().size).toEqualTypeOf<number>();
});

test('a stage before what it needs does not compile', () => {
  const standard = defaultPipeline();
  standard.before('timeout', 'retry', retry()).before('timeout', 'cache', cache());
  // @ts-expect-error there are no arguments yet
  standard.before('validate', 'cache', cache());
  // @ts-expect-error there is no tool yet
  standard.before('lookup', 'retry', retry());
  // @ts-expect-error a key by the arguments needs arguments
  standard.after('lookup', 'rateLimit', rateLimit({ perSecond: 1, key: (ctx: Ready) => String(ctx.args) }));
  standard.after('lookup', 'rateLimit', rateLimit({ perSecond: 1 }));
});

test('they stand in when and forTools', () => {
  defaultPipeline()
    .before(
      'timeout',
      'one',
      when((ctx) => ctx.run.mode === 'ask', retry()),
    )
    .before('timeout', 'two', forTools('search_*', rateLimit({ perMinute: 10 })))
    .before('timeout', 'three', forTools('search_*', cache()));
});

test('options that do not exist or do not fit', () => {
  // @ts-expect-error attempts
  retry({ retries: 3 });
  // @ts-expect-error milliseconds
  cache({ ttl: '1m' });
  // @ts-expect-error codes are a closed set
  circuitBreaker({ codes: ['broken'] });
  // @ts-expect-error a list
  fallback({ codes: 'timeout', data: () => 1 });
});

test('a fallback takes any router, also one with a state', () => {
  const pipeline = defaultPipeline<{ tenant: string }>().before(
    'timeout',
    'fallback',
    fallback({ tool: 'wiki', router: () => router }),
  );
  const router: Router<{ tenant: string }> = createRouter({ tools: [], pipeline, state: { tenant: 'a' } });
});
