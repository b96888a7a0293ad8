import { isThenable, toPromise } from '../src/basics/thenable.ts';
import { type AddsNothing, standingFor, traitsWhenSkippable } from '../src/chain/conditional.ts';
import type { ToolResult } from '../src/result.ts';
import { type AnyStage, makesStages, withTraits } from '../src/traits.ts';
import type { Call, Maybe, Next, Stage } from '../src/types.ts';

/**
 * Runs a stage only for the calls that fulfil a condition; the others go past it. A condition that throws fails the call.
 *
 * Refused when built, with a TypeError: a stage that adds something to the context, since later stages need it for every
 * call, and a guard, since one that can be skipped guards nothing.
 *
 * Fails with whatever the stage inside fails with.
 *
 * @example
 * defaultPipeline().before('normalize', 'logger', when((ctx) => ctx.run.mode !== 'trusted', logger(console)))
 */
export function when<S extends AnyStage, In extends Call = Call>(
  predicate: (ctx: In) => Maybe<boolean>,
  stage: S & AddsNothing<S>,
): Stage<In & Parameters<S>[0]> {
  if (typeof predicate !== 'function') throw new TypeError('when() takes a function and a stage.');
  const traits = traitsWhenSkippable('when', stage);

  function when(ctx: In & Parameters<S>[0], next: Next): Maybe<ToolResult> {
    const verdict = predicate(ctx);
    // A promise is no verdict: taken for one, it would always be true.
    if (isThenable(verdict)) return toPromise(verdict).then((settled) => (settled ? stage(ctx, next) : next()));
    return verdict ? stage(ctx, next) : next();
  }
  Object.defineProperty(when, 'name', { value: `when(${stage.name || 'stage'})` });
  return standingFor(withTraits(when as Stage<In & Parameters<S>[0]>, traits), stage);
}
makesStages(when);
