import type { Clock } from '../clock.ts';
import { ToolError } from '../errors.ts';
import { CallContext } from './context.ts';
import type { PendingAnswer } from './pending-answer.ts';
import { unwatchSignal, type Withdrawable, watchSignal } from './withdrawal.ts';

/**
 * Has a call answered on its caller's signal and at its overall deadline (in milliseconds, or `Infinity`), whatever the
 * stages do: with the chain's answer if it comes within the turn that is left to it, and otherwise with the reason.
 */
export function hold(
  ctx: CallContext,
  answer: PendingAnswer,
  signal: AbortSignal | undefined,
  deadline: number,
  clock: Clock,
): void {
  const withdrawable: Withdrawable = {
    place: -1,
    withdraw: (reason) => {
      ctx.abort(reason);
      // The chain goes first, so that its stages see the end too; what hangs does not get a second turn.
      setImmediate(() => answer.settle(reason, true));
    },
  };
  const timer =
    deadline === Number.POSITIVE_INFINITY
      ? undefined
      : clock.setTimeout(() => withdrawable.withdraw(overdue(ctx, deadline)), deadline);
  if (signal?.aborted) withdrawable.withdraw(signal.reason);
  else if (signal !== undefined) watchSignal(signal, withdrawable);
  ctx.onSettled(() => {
    if (timer !== undefined) clock.clearTimeout(timer);
    if (signal !== undefined) unwatchSignal(signal, withdrawable);
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
