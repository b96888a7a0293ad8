import { checkOptions } from '../basics/options.ts';
import type { ErrorCode } from '../errors.ts';
import { type Failure, noMeta, rememberCause, type ToolResult } from '../result.ts';
import type { Run, ToolCall } from '../types.ts';
import type { PendingApproval } from './approval.ts';
import { remember } from './grants.ts';
import { bytesOf, faultOf, type SignedDecision } from './signed.ts';
import { snapshot } from './snapshot.ts';
import type { ApprovalStore } from './store.ts';

/** What can run a call again: a router. */
export interface Resumable<State = unknown> {
  call(call: ToolCall, options?: { readonly run?: Partial<Run>; readonly state?: State }): Promise<ToolResult>;
  /** The run that its calls belong to unless they say otherwise. */
  readonly run?: Run;
}

export interface ResumeOptions<State = unknown> {
  /** Where the pending approval was kept, and where it is used up. */
  readonly store: ApprovalStore;
  /** The key the decision was signed with. */
  readonly key: string | Uint8Array;
  /** What stages and handlers find as `ctx.state`: it is not kept with the pending approval. Default: the router's. */
  readonly state?: State;
}

const optionNames = ['store', 'key', 'state'] satisfies (keyof ResumeOptions)[];

const faults = {
  bad_signature: 'The decision about this call is not signed by whoever may decide.',
  other_call: 'The decision was made about another call.',
  expired: 'The decision about this call came too late.',
  unknown: 'No approval is pending for this call.',
  used: 'The decision about this call has been used already.',
  store_failed: 'The decision about this call could not be looked up.',
  declined: 'The user declined this call.',
} as const;

/**
 * Carries out a decision that came later, maybe in another process: gives the final result of the call that was pending.
 * The call passes the whole chain again, and must still be the one that was decided on, under the same rules and with
 * the same tool. A decision is used once, whether the call then succeeds or not. Never rejects.
 *
 * Fails with `denied`; `details.reason` says why. With `internal` for an option that does not exist, and for a key that is
 * missing or too short. And with whatever the call fails with.
 *
 * @example
 * const signed = signDecision(pending, 'allow', key);            // where the person is
 * const result = await resume(router, signed, { store, key });   // where the tools are
 */
export async function resume<State>(
  router: Resumable<State>,
  signed: SignedDecision,
  options: ResumeOptions<NoInfer<State>>,
): Promise<ToolResult> {
  try {
    checkOptions('resume', options, optionNames);
    bytesOf(options.key);
  } catch (error) {
    return misused(error as TypeError);
  }
  let pending: PendingApproval | undefined;
  let isFirst: boolean;
  try {
    // A copy: what is checked is what is carried out.
    signed = snapshot(signed);
    pending = await options.store.load(signed.id);
    if (pending === undefined) return refused(undefined, 'unknown');
    const fault = faultOf(signed, pending, options.key);
    if (fault !== undefined) return refused(pending, fault);
    // Whoever decided saw a call on nobody's behalf.
    if (pending.run.principal === undefined && router.run?.principal !== undefined)
      return refused(pending, 'other_call');
    isFirst = (await options.store.use(pending.id)) === true;
  } catch (cause) {
    return rememberCause(refused(pending, 'store_failed'), cause);
  }
  if (!isFirst) return refused(pending, 'used');
  // Anything but a plain allowance is a denial, also what a future version may call otherwise.
  if (signed.decision !== 'allow') return refused(pending, 'declined', signed.reason);
  const { state } = options;
  return router.call(approved(pending, signed), { run: runOf(pending), ...('state' in options && { state }) });
}

/** The call with the decision attached to its very arguments. */
function approved(pending: PendingApproval, signed: SignedDecision): ToolCall {
  const isEdit = signed.arguments !== undefined;
  const args = snapshot(isEdit ? signed.arguments : pending.arguments);
  if (typeof args === 'object' && args !== null) {
    const { callId, identity, always } = pending;
    const { always: scope } = signed;
    const kinds = new Set(pending.effects.map((effect) => effect.kind));
    remember(args, {
      callId,
      identity,
      ...(isEdit ? { arguments: snapshot(args), kinds } : { digest: pending.digest }),
      ...(!isEdit && always !== undefined && scope !== undefined && { always: { rule: always.rule, scope } }),
    });
  }
  return { id: pending.callId, name: pending.tool, arguments: args };
}

/** The same run; but the mode is the one in force now. */
function runOf({ run: { id, principal, tools } }: PendingApproval): Partial<Run> {
  return { id, ...(principal !== undefined && { principal }), ...(tools !== undefined && { tools }) };
}

function refused(pending: PendingApproval | undefined, reason: keyof typeof faults, said = ''): Failure {
  const what = reason === 'declined' && said !== '' ? `The user declined this call: ${said}` : faults[reason];
  return { ...failure(/[.!?]$/.test(what) ? what : `${what}.`, 'denied', pending), details: { reason } };
}

/** As of a call with options that cannot be used. */
function misused(error: TypeError): Failure {
  return rememberCause(failure(error.message, 'internal'), error);
}

function failure(what: string, code: ErrorCode, pending?: PendingApproval): Failure {
  return {
    ok: false,
    tool_name: pending?.tool ?? '',
    data: null,
    error: `${what} Nothing was done.`,
    call_id: pending?.callId ?? '',
    meta: noMeta,
    code,
    retryable: false,
    effect: 'none',
  };
}
