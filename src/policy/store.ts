import type { Maybe } from '../types.ts';
import type { PendingApproval } from './approval.ts';

/**
 * Keeps pending approvals until somebody decides, and sees to it that each is used once, whoever asks: two calls, two
 * processes, or the same process after a restart.
 */
export interface ApprovalStore {
  /** Keeps a pending approval. */
  save(pending: PendingApproval): Maybe<void>;
  /** Gives a pending approval back; `undefined` when there is none of that id. */
  load(id: string): Maybe<PendingApproval | undefined>;
  /** Uses it up: `true` for the first who asks, `false` for everybody after. */
  use(id: string): Maybe<boolean>;
}

/** Of more pending approvals than this, the oldest are forgotten: nobody can decide about them any more. */
const mostPending = 10_000;

/** A store that lasts as long as the process, for the 10,000 approvals that came last. */
export function memoryStore(): ApprovalStore {
  const pending = new Map<string, PendingApproval>();
  const used = new Set<string>();
  return Object.freeze({
    save(approval: PendingApproval): void {
      if (pending.has(approval.id)) throw new TypeError('A pending approval of this id is kept already.');
      pending.set(approval.id, approval);
      const [oldest] = pending.keys();
      if (pending.size <= mostPending || oldest === undefined) return;
      pending.delete(oldest);
      used.delete(oldest);
    },
    load: (id: string) => pending.get(id),
    use(id: string): boolean {
      if (!pending.has(id) || used.has(id)) return false;
      used.add(id);
      return true;
    },
  });
}
