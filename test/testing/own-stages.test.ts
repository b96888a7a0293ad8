import { defaultPipeline } from 'callgate';
import {
  audit,
  budget,
  cache,
  circuitBreaker,
  dedupe,
  fallback,
  logger,
  loopGuard,
  rateLimit,
  repair,
  retry,
} from 'callgate/middleware';
import { checkPipeline, faults } from 'callgate/testing';
import { describe, expect, test } from 'vitest';

const runs = process.env['CALLGATE_FULL'] === '1' ? 300 : 25;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Every stage that is in no pipeline by default, where its documentation puts it. */
const shelf = {
  audit: () =>
    defaultPipeline().before(
      'normalize',
      'audit',
      audit(() => {}),
    ),
  logger: () => defaultPipeline().before('normalize', 'logger', logger(silent)),
  repair: () => defaultPipeline().before('validate', 'repair', repair()),
  loopGuard: () => defaultPipeline().after('permission', 'loopGuard', loopGuard()),
  budget: () => defaultPipeline().after('permission', 'budget', budget({ calls: 3 })),
  retry: () => defaultPipeline().before('timeout', 'retry', retry({ delay: 1, maxDelay: 2, safe: () => true })),
  cache: () => defaultPipeline().before('timeout', 'cache', cache()),
  dedupe: () => defaultPipeline().before('timeout', 'dedupe', dedupe()),
  fallback: () =>
    defaultPipeline().before('timeout', 'fallback', fallback({ data: () => 'instead', safe: () => true })),
  rateLimit: () =>
    defaultPipeline().before('timeout', 'rateLimit', rateLimit({ perSecond: 200, burst: 2, maxWait: 3 })),
  circuitBreaker: () =>
    defaultPipeline().before('timeout', 'breaker', circuitBreaker({ failures: 1, openFor: 2, codes: ['tool_error'] })),
  limits: () => defaultPipeline({ limits: { total: 2, queue: 1, wait: 3, afterAnswer: 2 } }),
  locks: () => defaultPipeline({ locks: { queue: 2, wait: 3, afterAnswer: 2 } }),
};

describe('one result a call, with every stage of ours', () => {
  test.each(Object.entries(shelf))('%s', async (_, make) => {
    const report = await checkPipeline<unknown>(make as never, { runs, mode: 'trusted', patience: 2_000 });
    expect(report.calls).toBeGreaterThan(runs);
  });

  test('all of them at once, with latency and denials between them', async () => {
    const rates = { latency: 0.1, denial: 0.05 };
    const all = () =>
      defaultPipeline({ limits: { total: 3, queue: 3, wait: 3, afterAnswer: 2 }, locks: { wait: 3, afterAnswer: 2 } })
        .before(
          'normalize',
          'audit',
          audit(() => {}),
        )
        .before('validate', 'repair', repair())
        .after('permission', 'budget', budget({ calls: 5 }))
        .before('locks', 'cache', cache())
        .before('locks', 'dedupe', dedupe())
        .before('locks', 'fallback', fallback({ data: () => 'instead', safe: () => true }))
        .before('timeout', 'retry', retry({ delay: 1, maxDelay: 2, safe: () => true }))
        .before('timeout', 'rateLimit', rateLimit({ perSecond: 200, burst: 2, maxWait: 3 }))
        .before('timeout', 'breaker', circuitBreaker({ failures: 2, openFor: 2, codes: ['tool_error'] }))
        .before('timeout', 'faults', faults({ rates, latency: 3 }));
    await checkPipeline<unknown>(all as never, { runs: 3 * runs, mode: 'trusted', patience: 2_000 });
  });
});
