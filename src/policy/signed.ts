import { canonicalJson } from '../basics/canonical-json.ts';
import { checkOptions } from '../basics/options.ts';
import type { AlwaysScope } from './always.ts';
import type { PendingApproval } from './approval.ts';
import { sha256 } from './digest.ts';
import { snapshot } from './snapshot.ts';

/** Somebody's decision about one pending approval, as plain data that cannot be changed or used for another. */
export interface SignedDecision {
  readonly version: 1;
  /** Of the pending approval. */
  readonly id: string;
  /** SHA-256 over all of the pending approval, as it was shown. */
  readonly shown: string;
  readonly decision: 'allow' | 'deny';
  readonly reason?: string;
  /** Edited arguments; they pass validation and all guards again. */
  readonly arguments?: unknown;
  /** Keeps the rule that was shown, for this long. Not together with edited arguments. */
  readonly always?: AlwaysScope;
  /** Who decided, for the records. */
  readonly by?: string;
  /** When the decision ends, in ISO 8601. */
  readonly expires: string;
  /** HMAC-SHA256 over everything above, in hexadecimal. */
  readonly signature: string;
}

export interface DecisionOptions {
  readonly reason?: string;
  readonly arguments?: unknown;
  readonly always?: AlwaysScope;
  readonly by?: string;
  /** How long the decision holds, in milliseconds. Default 3,600,000: an hour. */
  readonly validFor?: number;
}

/** At least this many bytes; shorter keys can be guessed. */
const shortestKey = 32;

/**
 * Signs a decision, in whichever process the person answers. `key` is shared with the process that resumes the call, and
 * with nobody else: 32 bytes or more. Show and sign what the store gives: in a result, secrets have been taken out.
 *
 * Throws a TypeError for a decision, an option, a time or a key that cannot be used.
 */
export function signDecision(
  pending: PendingApproval,
  decision: 'allow' | 'deny',
  key: string | Uint8Array,
  options: DecisionOptions = {},
): SignedDecision {
  if (decision !== 'allow' && decision !== 'deny') throw new TypeError('A decision is allow or deny.');
  checkOptions('signDecision', options, ['reason', 'arguments', 'always', 'by', 'validFor']);
  const { reason, by, always, validFor = 3_600_000 } = options;
  if (!(validFor > 0) || !Number.isFinite(validFor)) {
    throw new TypeError(
      `signDecision({ validFor }) must be a number of milliseconds above 0; it is ${String(validFor)}.`,
    );
  }
  if (always !== undefined && (decision === 'deny' || options.arguments !== undefined)) {
    throw new TypeError('always goes with an allowance of the call as it was shown.');
  }
  if (always !== undefined && !pending.always?.scopes.includes(always)) {
    throw new TypeError(`No rule was offered that could be kept for "${always}".`);
  }
  const unsigned = snapshot({
    version: 1 as const,
    id: pending.id,
    shown: digestOf(pending),
    decision,
    ...(reason !== undefined && { reason }),
    ...(options.arguments !== undefined && { arguments: options.arguments }),
    ...(always !== undefined && { always }),
    ...(by !== undefined && { by }),
    expires: new Date(Date.now() + validFor).toISOString(),
  });
  return Object.freeze({ ...unsigned, signature: signatureOf(unsigned, key) });
}

/** Why a decision does not count; `undefined` when it does. */
export function faultOf(
  signed: SignedDecision,
  pending: PendingApproval,
  key: string | Uint8Array,
): 'bad_signature' | 'other_call' | 'expired' | undefined {
  const { signature, ...unsigned } = signed;
  if (!isSame(signature, signatureOf(unsigned, key))) return 'bad_signature';
  if (unsigned.version !== 1 || unsigned.id !== pending.id || unsigned.shown !== digestOf(pending)) return 'other_call';
  return Date.parse(unsigned.expires) > Date.now() ? undefined : 'expired';
}

function digestOf(pending: PendingApproval): string {
  // By way of JSON, so that it is the same for a pending approval that was stored.
  return sha256(canonicalJson(JSON.parse(JSON.stringify(pending))));
}

/** The bytes of a key. Throws a TypeError for one that is missing or can be guessed. */
export function bytesOf(key: string | Uint8Array): Uint8Array {
  const bytes = typeof key === 'string' ? Buffer.from(key, 'utf8') : key;
  if (bytes instanceof Uint8Array && bytes.byteLength >= shortestKey) return bytes;
  throw new TypeError(`The key for decisions must have at least ${shortestKey} bytes.`);
}

function signatureOf(unsigned: object, key: string | Uint8Array): string {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  return createHmac('sha256', bytesOf(key))
    .update(`callgate-decision\n${canonicalJson(unsigned)}`, 'utf8')
    .digest('hex');
}

function isSame(given: unknown, expected: string): boolean {
  if (typeof given !== 'string' || given.length !== expected.length) return false;
  return process.getBuiltinModule('node:crypto').timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
