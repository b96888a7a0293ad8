import { ignore } from '../basics/thenable.ts';
import type { ToolResult } from '../result.ts';
import type { Maybe } from '../types.ts';
import type { CallContext } from './context.ts';
import type { Host } from './host.ts';

const most = 3;
// Beside the calls, of which few are ever restarted.
const counts = new WeakMap<CallContext, number>();

/** Sends a call through the chain again, with other arguments: nothing that the built-in stages added stays. */
export function restarted(ctx: CallContext, args: unknown, host: Host): Maybe<ToolResult> {
  const { root } = ctx;
  const count = (counts.get(root) ?? 0) + 1;
  counts.set(root, count);
  if (count > most) {
    return ctx.fail('internal', `The arguments were edited more than ${most} times; the call was given up.`);
  }
  ctx.call = { ...ctx.call, arguments: args };
  ctx.tool = undefined;
  ctx.args = undefined;
  ctx.effects = undefined;
  ctx.fs = undefined;
  ctx.fetch = undefined;
  ctx.exec = undefined;
  ctx.level = undefined;
  ctx.mustAsk = undefined;
  const answer = host.restart(ctx);
  // A stage may forget it, as it may forget its next().
  ignore(answer);
  return answer;
}
