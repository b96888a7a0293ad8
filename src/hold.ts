import { CallContext } from './context.ts';
import { ToolError } from './errors.ts';
import type { ToolResult } from './result.ts';
import { unwatchSignal, type Withdrawable, watchSignal } from './withdrawal.ts';

/**
 * Settles on the caller's signal and on the deadline, whatever the stages do: with the chain's answer if it comes within
 * the turn that is left to it, and otherwise with what `end` makes of the reason.
 */
export function hold(
  ctx: CallContext,
  answer: Promise<ToolResult>,
  signal: AbortSignal | undefined,
  deadline: number,
  end: (reason: unknown) => ToolResult,
): Promise<ToolResult> {
  return new Promise((resolve) => {
    const held: Withdrawable = {
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
        : setTimeout(() => held.withdraw(overdue(ctx, deadline)), deadline);
    if (signal?.aborted) held.withdraw(signal.reason);
    else if (signal !== undefined) watchSignal(signal, held);
    ctx.onSettled(() => {
      clearTimeout(timer);
      if (signal !== undefined) unwatchSignal(signal, held);
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
