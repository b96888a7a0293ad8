import type { PermissionLevel, ToolAnnotations } from '../tool.ts';
import type { Effect, Maybe, Run } from '../types.ts';

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
  /** When it was asked, in ISO 8601. */
  readonly created: string;
}

/** What an approver is shown. */
export type ApprovalRequest = PendingApproval;

/**
 * What an approver answers. `true` is `'allow'`; everything that is not an allowance in one of these forms is a denial.
 * `arguments` replaces the arguments: they pass validation and all guards again before anything runs.
 */
export type ApprovalAnswer =
  | boolean
  | 'allow'
  | 'deny'
  | { readonly decision: 'allow'; readonly reason?: string; readonly arguments?: unknown }
  | { readonly decision: 'deny'; readonly reason?: string };

/** Asks somebody. `signal` is aborted when the call is withdrawn, so that a prompt can go away. */
export type Approve = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => Maybe<ApprovalAnswer | undefined>;

/** An answer, read. */
export type Answer =
  | { readonly allowed: true; readonly edited?: { readonly arguments: unknown } }
  | { readonly allowed: false; readonly reason?: string };

/** Reads an approver's answer. Fails closed: an answer that cannot be understood is a denial. */
export function readAnswer(answer: unknown): Answer {
  if (answer === true || answer === 'allow') return { allowed: true };
  if (typeof answer !== 'object' || answer === null) return { allowed: false };
  const { decision, reason } = answer as { decision?: unknown; reason?: unknown };
  if (decision !== 'allow') return { allowed: false, ...(typeof reason === 'string' && { reason }) };
  if (!Object.hasOwn(answer, 'arguments')) return { allowed: true };
  const { arguments: edited } = answer as { arguments?: unknown };
  return edited === undefined ? { allowed: true } : { allowed: true, edited: { arguments: edited } };
}
