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

/** A store that lasts as long as the process. */
export function memoryStore(): ApprovalStore {
  const pending = new Map<string, PendingApproval>();
  const used = new Set<string>();
  return Object.freeze({
    save(approval: PendingApproval): void {
      pending.set(approval.id, approval);
    },
    load: (id: string) => pending.get(id),
    use(id: string): boolean {
      if (!pending.has(id) || used.has(id)) return false;
      used.add(id);
      return true;
    },
  });
}
