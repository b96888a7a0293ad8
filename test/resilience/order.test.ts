import { describe, expect, test } from 'vitest';
import { budget } from '../../middleware/budget.ts';
import { cache } from '../../middleware/cache.ts';
import { circuitBreaker } from '../../middleware/circuit-breaker.ts';
import { dedupe } from '../../middleware/dedupe.ts';
import { fallback } from '../../middleware/fallback.ts';
import { forTools } from '../../middleware/for-tools.ts';
import { loopGuard } from '../../middleware/loop-guard.ts';
import { allowAll } from '../../middleware/permission.ts';
import { rateLimit } from '../../middleware/rate-limit.ts';
import { repair } from '../../middleware/repair.ts';
import { retry } from '../../middleware/retry.ts';
import { when } from '../../middleware/when.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { type AnyStage, guard, step, withTraits } from '../../src/traits.ts';

// These tests are JavaScript users, whom no type holds back.
// biome-ignore lint/suspicious/noExplicitAny: as above
const standard = (): any => defaultPipeline({ roots: ['.'] });

const storing: [string, () => AnyStage][] = [
  ['cache', () => cache()],
  ['dedupe', () => dedupe()],
  ['a stage of your own that stores', () => withTraits<AnyStage>((_, next) => next(), { stores: true })],
];
const repeating: [string, () => AnyStage][] = [
  ['retry', () => retry()],
  ['fallback', () => fallback({ data: () => 1 })],
];
const wrapped: [string, (stage: AnyStage) => AnyStage][] = [
  ['alone', (stage) => stage],
  ['in when', (stage) => when(() => true, stage)],
  ['in forTools', (stage) => forTools('*', stage)],
  ['in both', (stage) => when(() => true, forTools('*', stage))],
];
const guards = ['pathGuard', 'commandGuard', 'urlGuard', 'permission'];

describe.each(wrapped)('%s', (_, wrap) => {
  test.each(storing)('%s stands behind every guard', (_name, make) => {
    for (const place of guards) {
      expect(() => standard().before(place, 'mine', wrap(make()))).toThrow(/"mine" answers from what it stored/);
    }
    expect(() => standard().before('timeout', 'mine', wrap(make()))).not.toThrow();
    expect(() => standard().after('timeout', 'mine', wrap(make()))).not.toThrow();
  });

  test.each(repeating)('%s stands behind every guard', (_name, make) => {
    for (const place of guards) {
      expect(() => standard().before(place, 'mine', wrap(make()))).toThrow(/"mine" repeats what stands after it/);
    }
    expect(() => standard().before('timeout', 'mine', wrap(make()))).not.toThrow();
  });

  test.each(storing)('%s stands behind guards that are put in later, by whatever verb', (_name, make) => {
    const cached = standard().before('timeout', 'mine', wrap(make()));
    expect(() => cached.after('mine', 'budget', budget({ calls: 1 }))).toThrow('answers from what it stored');
    expect(() => cached.before('execute', 'loopGuard', loopGuard())).toThrow('answers from what it stored');
    expect(() => cached.replace('timeout', guard(step(() => undefined)))).toThrow('answers from what it stored');
    expect(() => cached.before('mine', 'budget', budget({ calls: 1 }))).not.toThrow();
    expect(() => cached.replace('permission', allowAll())).not.toThrow();
  });
});

test('what stores stands behind what rewrites, also where there is no guard', async () => {
  const { pipeline } = await import('../../src/pipeline.ts');
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const bare = pipeline() as any;
  const rewrites = step(() => ({ args: {} }), { rewrites: true, adds: ['tool', 'args'] });
  const adds = step(() => ({ tool: {}, args: {} }), { adds: ['tool', 'args'] });
  expect(() => bare.use('adds', adds).use('cache', cache()).use('rewrites', rewrites)).toThrow(
    '"cache" stores answers by the arguments it sees, so it must stand after "rewrites"',
  );
  expect(() => bare.use('adds', adds).use('rewrites', rewrites).use('cache', cache())).not.toThrow();
});

test('none of them stands before it knows the tool and the arguments', () => {
  for (const [, make] of [...storing.slice(0, 2), ...repeating.slice(1)]) {
    expect(() => standard().before('validate', 'mine', make())).toThrow('needs "args"');
  }
  for (const stage of [retry(), circuitBreaker(), rateLimit({ perSecond: 1 })]) {
    expect(() => standard().before('lookup', 'mine', stage)).toThrow('needs "tool"');
  }
});

test('what only refuses may stand where you want, also outside permission', () => {
  for (const stage of [circuitBreaker(), rateLimit({ perSecond: 1 })]) {
    expect(() => standard().after('lookup', 'mine', stage)).not.toThrow();
    expect(() => standard().after('timeout', 'mine', stage)).not.toThrow();
  }
  expect(() =>
    standard()
      .before('validate', 'repair', repair())
      .after('lookup', 'rate', rateLimit({ perSecond: 1 })),
  ).not.toThrow();
});

test('all of them together, in the order that the documentation gives', () => {
  const all = standard()
    .before('timeout', 'dedupe', dedupe())
    .before('timeout', 'fallback', fallback({ data: () => 1 }))
    .before('timeout', 'cache', cache())
    .before('timeout', 'retry', retry())
    .before('timeout', 'circuitBreaker', circuitBreaker())
    .before('timeout', 'rateLimit', rateLimit({ perSecond: 1 }));
  expect(all.names.slice(-8)).toEqual([
    'dedupe',
    'fallback',
    'cache',
    'retry',
    'circuitBreaker',
    'rateLimit',
    'timeout',
    'execute',
  ]);
  const traits = Object.fromEntries(all.describe().map(({ name, traits }: never) => [name, traits]));
  expect(traits).toMatchObject({ dedupe: ['stores'], cache: ['stores'], retry: ['repeats'], fallback: ['repeats'] });
});
