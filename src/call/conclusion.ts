import { ignore } from '../basics/thenable.ts';
import { notAResult, toFailure } from '../failure.ts';
import { causeOf, isToolResult, readOnce, rememberCause, type ToolResult } from '../result.ts';
import type { FinishFunction } from '../traits.ts';
import { CallContext } from './context.ts';

/**
 * What a call is answered with, from whatever came out of the chain or stopped it: the outermost finishing stages have
 * their say, and then it is a result, an honest one, under the call's own id and name. Never throws.
 */
export function conclude(
  finishes: readonly FinishFunction[],
  ctx: CallContext,
  outcome: unknown,
  threw: boolean,
): ToolResult {
  let result: unknown = outcome;
  let failed = threw;
  for (let at = 0; at < finishes.length; at++) {
    try {
      result = (finishes[at] as FinishFunction)(ctx, result, failed);
      failed = false;
    } catch (error) {
      result = error;
      failed = true;
    }
  }
  try {
    if (failed) return CallContext.stamp(ctx, toFailure(ctx, result));
    // Of a stage that stands outside of all that finish; these make results of their own.
    const given = finishes.length === 0 ? readOnce(result) : result;
    return CallContext.stamp(ctx, honest(ctx, given));
  } catch (error) {
    const text = 'The result could not be read. This is a fault of a stage.';
    return CallContext.prototype.fail.call(ctx, 'internal', text, { cause: error });
  }
}

function honest(ctx: CallContext, result: unknown): ToolResult {
  if (!isToolResult(result)) {
    ignore(result);
    return notAResult(ctx, result);
  }
  // Whatever a stage says: while the handler works, nobody knows how the call ends.
  if (!ctx.running) return result;
  if (result.ok) {
    if (!ctx.awaited) return result;
    return ctx.fail('internal', 'A stage answered before the tool had finished. The tool may have taken effect.');
  }
  return result.effect === 'none' ? rememberCause({ ...result, effect: 'unknown' }, causeOf(result)) : result;
}
