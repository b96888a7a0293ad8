import { canonicalJson } from '../basics/canonical-json.ts';
import { isPlainObject } from '../basics/plain-object.ts';
import type { Tool } from '../tool.ts';
import type { Effect } from '../types.ts';
import type { AlwaysScope } from './always.ts';
import type { Rule } from './rule.ts';

/** A decision that was made before the call came by: an approver's own edit, or an answer that came later. */
export interface Grant {
  readonly callId: string;
  /** Of the tool and the rules it was made for; as in a `PendingApproval`. */
  readonly identity: string;
  /** The very tool it was made for, for an edit. */
  readonly registered?: Tool;
  /** The arguments as the approver wrote them, for an edit. */
  readonly arguments?: unknown;
  /** The kinds of effect that the approver saw, for an edit. */
  readonly kinds?: ReadonlySet<Effect['kind']>;
  /** The digest of exactly the call that was approved, for an answer that came later. */
  readonly digest?: string;
  /** The rule to keep, as it was shown, for an answer that came later. */
  readonly always?: { readonly rule: Rule; readonly scope: AlwaysScope };
}

// Keyed by the very arguments object that the approval put into the chain: no other call can present it.
const grants = new WeakMap<object, Grant>();

/** Remembers a decision for the one call that carries exactly this arguments object. */
export function remember(args: object, grant: Grant): void {
  grants.set(args, Object.freeze(grant));
}

/** Takes the decision for these arguments, if there is one: it is used once. */
export function take(args: unknown): Grant | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const grant = grants.get(args);
  grants.delete(args);
  return grant;
}

/** What a call is now, to be held against a grant. */
export interface Present {
  readonly callId: string;
  readonly identity: string;
  readonly registered: Tool;
  readonly digest: string;
  readonly arguments: unknown;
  readonly effects: readonly Effect[];
}

/**
 * Whether the call is what was decided on. An edit covers what the approver wrote and what the schema added to it, as
 * long as it does nothing of another kind; where the guards read it differently (another path), it does not.
 */
export function covers(grant: Grant, present: Present): boolean {
  if (grant.callId !== present.callId || grant.identity !== present.identity) return false;
  if (grant.digest !== undefined) return grant.digest === present.digest;
  if (grant.registered !== undefined && grant.registered !== present.registered) return false;
  if (!present.effects.every((effect) => grant.kinds?.has(effect.kind))) return false;
  return isFilledFrom(present.arguments, grant.arguments);
}

/** Whether `filled` is `written` with nothing changed or left out; properties may have been added. */
function isFilledFrom(filled: unknown, written: unknown): boolean {
  if (typeof filled !== 'object' || filled === null || typeof written !== 'object' || written === null) {
    return canonicalJson(filled) === canonicalJson(written);
  }
  if (Array.isArray(filled) && Array.isArray(written)) {
    return filled.length === written.length && filled.every((item, at) => isFilledFrom(item, written[at]));
  }
  if (Array.isArray(filled) || Array.isArray(written) || !isPlainObject(filled) || !isPlainObject(written)) {
    return canonicalJson(filled) === canonicalJson(written);
  }
  return Object.keys(written).every((key) => Object.hasOwn(filled, key) && isFilledFrom(filled[key], written[key]));
}
