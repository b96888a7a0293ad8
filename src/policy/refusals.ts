import type { StageEvents } from '../observing/stage-events.ts';
import type { Failure } from '../result.ts';
import type { Ready } from '../types.ts';
import type { Modes } from './modes.ts';
import type { Ruling } from './verdict.ts';

/** What observers hear of a decision that nobody had to be asked about. */
export function unasked({ decision, rule = 'policy', reason, cause }: Ruling): StageEvents['decision'] {
  return { decision, rule, reason, asked: false, edited: false, cause };
}

/** The answer to a call that a rule, a policy or the mode denies. */
export function denied(ctx: Ready, { reason, rule, cause }: Partial<Ruling>): Failure {
  ctx.tell?.('decision', unasked({ decision: 'deny', rule: rule ?? 'policy', ...(reason && { reason }), cause }));
  const text = `Denied: ${reason ?? 'a rule forbids this call'}. Do not repeat the call; take another way, or tell the user what you need.`;
  return ctx.fail('denied', text, { details: { reason: 'policy', rule: rule ?? 'policy' }, cause });
}

/** The answer to a call that somebody changed while it was being judged. */
export function changed(ctx: Ready): Failure {
  return denied(ctx, { reason: 'its arguments changed while it was being judged' });
}

/** The answer to a call of a run whose mode nobody knows. */
export function unknownMode(ctx: Ready, modes: Modes): Failure {
  const text = `Denied: this run has the mode "${ctx.run.mode}", which does not exist. The modes are ${modes.names.join(', ')}.`;
  ctx.tell?.('decision', unasked({ decision: 'deny', rule: `mode ${ctx.run.mode}`, reason: text }));
  return ctx.fail('denied', text, { details: { reason: 'unknown_mode' } });
}

/** The answer to an approved call of a tool from elsewhere where the approval could not be kept. */
export function notNoted(ctx: Ready, cause: unknown): Failure {
  const text = `That ${ctx.tool.name} was approved could not be noted, so it did not run.`;
  ctx.tell?.('decision', unasked({ decision: 'deny', rule: 'identities', reason: text, cause }));
  return ctx.fail('denied', text, { details: { reason: 'store_failed' }, cause });
}
