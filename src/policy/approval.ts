import type { PermissionLevel, ToolAnnotations } from '../tool.ts';
import type { Effect, Maybe, Run } from '../types.ts';
import type { AlwaysScope } from './always.ts';
import type { Rule } from './rule.ts';

/**
 * A call that waits for somebody's decision, as plain, deep-frozen data: what an approver is shown, and what can be
 * stored and sent where no approver is at hand.
 */
export interface PendingApproval {
  readonly version: 1;
  /** Unique to this asking. */
  readonly id: string;
  /** Of exactly this call: tool, schema, canonical arguments, effects, working directory and rules. */
  readonly digest: string;
  /** Of the tool, the rules and the working directory alone. */
  readonly identity: string;
  readonly callId: string;
  readonly run: Run;
  readonly tool: string;
  readonly description: string;
  readonly level?: PermissionLevel;
  readonly source?: string;
  readonly tags?: readonly string[];
  readonly annotations?: ToolAnnotations;
  /** After validation and defaults, with canonical paths: what will run. */
  readonly arguments: unknown;
  /** What the guards found that the call would do. */
  readonly effects: readonly Effect[];
  /** Why it is asked. */
  readonly reason: string;
  /** The rule or mode that asks. */
  readonly rule: string;
  /** What the tool itself shows of the call, such as a diff. */
  readonly preview?: string;
  /** The tool's preview failed, and `preview` says so. */
  readonly previewFailed?: true;
  /**
   * The rule that `always` would keep, whole, and for how long it can be kept. Absent where none would do, such as for
   * command lines that cannot be read, and for calls that a rule asks about.
   */
  readonly always?: { readonly rule: Rule; readonly scopes: readonly AlwaysScope[] };
  /** When it was asked, in ISO 8601. */
  readonly created: string;
}

/** What an approver is shown. */
export type ApprovalRequest = PendingApproval;

/**
 * What an approver answers. `true` is `'allow'`; everything that is not an allowance in one of these forms is a denial,
 * and `undefined` is no answer: the call fails as if nobody had been there.
 *
 * `arguments` replaces the arguments: they pass validation and all guards again before anything runs. `always` keeps the
 * rule that the request offered, for the run or the project; not together with `arguments`.
 */
export type ApprovalAnswer =
  | boolean
  | 'allow'
  | 'deny'
  | { readonly decision: 'allow'; readonly reason?: string; readonly arguments?: unknown; readonly always?: undefined }
  | {
      readonly decision: 'allow';
      readonly reason?: string;
      readonly always: { readonly scope: AlwaysScope };
      readonly arguments?: undefined;
    }
  | { readonly decision: 'deny'; readonly reason?: string };

/** Asks somebody. `signal` is aborted when the call is withdrawn, so that a prompt can go away. */
export type Approve = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => Maybe<ApprovalAnswer | undefined>;

/** An answer, read. */
export type Answer =
  | { readonly allowed: true; readonly edited?: { readonly arguments: unknown }; readonly always?: AlwaysScope }
  | { readonly allowed: false; readonly reason?: string }
  | { readonly allowed: undefined };

/**
 * Reads an approver's answer. Fails closed: an answer that cannot be understood is a denial. Throws a TypeError for an
 * allowance with an `always` that cannot be carried out.
 */
export function readAnswer(answer: unknown): Answer {
  if (answer === undefined) return { allowed: undefined };
  if (answer === true || answer === 'allow') return { allowed: true };
  if (typeof answer !== 'object' || answer === null) return { allowed: false };
  const { decision, reason } = answer as { decision?: unknown; reason?: unknown };
  if (decision !== 'allow') return { allowed: false, ...(typeof reason === 'string' && { reason }) };
  const { arguments: edited, always } = ownMembers(answer);
  if (always === undefined)
    return edited === undefined ? { allowed: true } : { allowed: true, edited: { arguments: edited } };
  const scope: unknown = typeof always === 'object' && always !== null ? ownMembers(always)['scope'] : undefined;
  if (scope !== 'run' && scope !== 'project') throw new TypeError('always needs a scope: run or project.');
  if (edited !== undefined)
    throw new TypeError('always is for the call as it was shown, and not for edited arguments.');
  return { allowed: true, always: scope };
}

/** A copy, each member read once, without what the object inherits. */
function ownMembers(value: object): Readonly<Record<string, unknown>> {
  return { __proto__: null, ...value };
}
