import type { Clock } from './clock.ts';
import { CallContext } from './context.ts';
import { ToolError } from './errors.ts';
import type { ToolResult } from './result.ts';
import type { Held } from './under-way.ts';
import { unwatchSignal, type Withdrawable, watchSignal } from './withdrawal.ts';

/** For what a call is held. */
export interface HoldOptions {
  readonly signal: AbortSignal | undefined;
  /** In milliseconds, or `Infinity`. */
  readonly deadline: number;
  readonly clock: Clock;
  /** Those that are held, for whoever wants to withdraw them all. */
  readonly held: Set<Held>;
  /** Makes the answer of a call that is withdrawn. */
  end(reason: unknown): ToolResult;
}

/**
 * Settles on the caller's signal, on the deadline and when the router is closed, whatever the stages do: with the chain's
 * answer if it comes within the turn that is left to it, and otherwise with what `end` makes of the reason.
 */
export function hold(ctx: CallContext, answer: Promise<ToolResult>, options: HoldOptions): Promise<ToolResult> {
  const { signal, deadline, clock, held, end } = options;
  return new Promise((resolve) => {
    const withdrawable: Withdrawable = {
      place: -1,
      withdraw: (reason) => {
        ctx.abort(reason);
        // The chain goes first, so that its stages see the end too; what hangs does not get a second turn.
        setImmediate(() => {
          if (!ctx.settled) resolve(end(reason));
        });
      },
    };
    const timer =
      deadline === Number.POSITIVE_INFINITY
        ? undefined
        : clock.setTimeout(() => withdrawable.withdraw(overdue(ctx, deadline)), deadline);
    held.add(withdrawable);
    if (signal?.aborted) withdrawable.withdraw(signal.reason);
    else if (signal !== undefined) watchSignal(signal, withdrawable);
    ctx.onSettled(() => {
      if (timer !== undefined) clock.clearTimeout(timer);
      held.delete(withdrawable);
      if (signal !== undefined) unwatchSignal(signal, withdrawable);
    });
    void answer.then(resolve);
  });
}

function overdue(ctx: CallContext, deadline: number): ToolError {
  const limit = `${Math.ceil(deadline)} ms`;
  const happened = CallContext.hasStarted(ctx)
    ? 'It may have taken effect all the same: check before you try again.'
    : 'It had not been started.';
  return new ToolError(`The call did not finish within its overall deadline of ${limit}. ${happened}`, {
    code: 'timeout',
  });
}
