import { isThenable, toPromise } from '../basics/thenable.ts';
import { notAResult, toFailure } from '../failure.ts';
import { causeOf, isToolResult, type Meta, rememberCause, type ToolResult } from '../result.ts';
import type { Call, Maybe } from '../types.ts';

/** What the chain inside gives, as a result whatever happens: what it throws becomes the failure that it stands for. */
export function outcomeOf(ctx: Call, next: () => Maybe<ToolResult>): Maybe<ToolResult> {
  return judged(ctx, next, asItIs);
}

/** What `judge` makes of what the chain inside gives, which is a result whatever happens, as of {@link outcomeOf}. */
export function judged(
  ctx: Call,
  next: () => Maybe<ToolResult>,
  judge: (result: ToolResult) => Maybe<ToolResult>,
): Maybe<ToolResult> {
  let outcome: Maybe<ToolResult>;
  try {
    outcome = next();
  } catch (error) {
    return judge(toFailure(ctx, error));
  }
  if (!isThenable(outcome)) return judge(asResult(ctx, outcome));
  return toPromise(outcome).then(
    (result) => judge(asResult(ctx, result)),
    (error: unknown) => judge(toFailure(ctx, error)),
  );
}

function asItIs(result: ToolResult): ToolResult {
  return result;
}

function asResult(ctx: Call, result: ToolResult): ToolResult {
  return isToolResult(result) ? result : notAResult(ctx, result);
}

/** The same result with further notes. A failure keeps its private cause. */
export function noted<R extends ToolResult>(result: R, notes: Meta): R {
  const own = { ...result, meta: { ...result.meta, ...notes } };
  if (!own.ok) rememberCause(own, causeOf(result));
  return own;
}
