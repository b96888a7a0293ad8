import { checkMilliseconds } from '../src/basics/milliseconds.ts';
import { checkOptions } from '../src/basics/options.ts';
import { withoutStack } from '../src/basics/stackless.ts';
import { isThenable, toPromise } from '../src/basics/thenable.ts';
import { type DeadlineRules, Deadlines } from '../src/call/deadline.ts';
import { type Clock, checkClock, systemClock } from '../src/clock.ts';
import { toFailure } from '../src/failure.ts';
import type { Failure, ToolResult } from '../src/result.ts';
import { makesStages, withTraits } from '../src/traits.ts';
import type { Found, Maybe, Next, Stage } from '../src/types.ts';

export interface TimeoutOptions {
  /** For tools that set no timeout of their own, in milliseconds; `Infinity` for no limit. Default 30,000. */
  readonly default?: number;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/**
 * Gives every tool a deadline, counted from here: waiting for a person further out does not count. When it passes, the
 * caller has an answer at once and the call's signal is aborted; what the handler gives later is dropped.
 *
 * JavaScript cannot be interrupted: a handler that never awaits anything also stops the clock.
 *
 * Fails with: `timeout`, `aborted`.
 *
 * @example
 * defaultPipeline().replace('timeout', timeout({ default: 10_000 }))
 */
export function timeout(options: TimeoutOptions = {}): Stage<Found> {
  checkOptions('timeout', options, ['default', 'clock']);
  const { clock = systemClock } = options;
  checkClock(clock, 'timeout({ clock })');
  const deadlines = new Deadlines(rulesBy(clock));
  const fallback = checkMilliseconds(options.default ?? 30_000, 'timeout({ default })');
  return withTraits(
    function timeout(ctx: Found, next: Next): Maybe<ToolResult> {
      const own = ctx.tool.timeout;
      const limit = own === undefined ? fallback : own;
      const begunAt = clock.now();
      const pending = next();
      if (!isThenable(pending)) return pending;
      return deadlines.set(ctx, toPromise(pending), begunAt, limit);
    },
    { needs: ['tool'], total: true },
  );
}
makesStages(timeout);

function rulesBy(clock: Clock): DeadlineRules<Found> {
  return {
    clock,
    expired(ctx, limit, answer) {
      if (!answer.settle(expired(ctx, limit), false)) return;
      // Only now, so that the answer is this stage's own and not the echo of the abort.
      ctx.abort(withoutStack(() => new DOMException(`The tool did not finish within ${limit} ms.`, 'TimeoutError')));
    },
    watch(ctx, settle) {
      ctx.onAbort((reason) => settle(toFailure(ctx, reason)));
    },
  };
}

function expired(ctx: Found, limit: number): Failure {
  const failure = ctx.fail('timeout', '', { details: { limit_ms: limit } });
  const happened =
    failure.effect === 'unknown'
      ? 'It was told to stop, but it may have taken effect: check before you try again.'
      : 'It had not been started.';
  return { ...failure, error: `"${ctx.tool.name}" did not finish within ${limit} ms. ${happened}` };
}
