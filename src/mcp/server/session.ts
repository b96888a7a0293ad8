import type { Run } from '../../types.ts';
import type { Ongoing } from './ongoing.ts';

/**
 * Those calls that belong together: of one connection, of one session over HTTP, or, where the protocol has no sessions,
 * of one principal. Each has a run of its own, so that budgets and "always for this run" hold for it and nobody else.
 */
export class Session {
  readonly run: Partial<Run> & { readonly id: string };
  readonly #ongoing = new Set<Ongoing>();
  /** Calls that wait for their client to come back with an answer, by the secret that it was given. */
  readonly #waiting = new Map<string, Ongoing>();
  #silent = false;

  constructor(principal?: string) {
    const id = `mcp_${process.getBuiltinModule('node:crypto').randomUUID()}`;
    this.run = Object.freeze({ id, ...(principal !== undefined && { principal }) });
  }

  /** How many calls run. Those that wait for their client to come back hold nothing but their place here. */
  get size(): number {
    return this.#ongoing.size - this.#waiting.size;
  }

  /** Nobody is there any more who could answer a question. */
  get silent(): boolean {
    return this.#silent;
  }

  add(ongoing: Ongoing): void {
    this.#ongoing.add(ongoing);
  }

  remove(ongoing: Ongoing): void {
    this.#ongoing.delete(ongoing);
    if (ongoing.ticket !== undefined) this.#waiting.delete(ongoing.ticket);
  }

  /**
   * Lets a call wait for its client; gives the secret by which it comes back. Where too many wait, the oldest goes on
   * unanswered.
   */
  wait(ongoing: Ongoing, most: number): string {
    if (this.#waiting.size >= most) {
      const [oldest] = this.#waiting.keys();
      if (oldest !== undefined) this.take(oldest)?.unanswered();
    }
    const ticket = process.getBuiltinModule('node:crypto').randomUUID();
    ongoing.ticket = ticket;
    this.#waiting.set(ticket, ongoing);
    return ticket;
  }

  /** The call that waits under this secret, which is used up. */
  take(ticket: string): Ongoing | undefined {
    const ongoing = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    return ongoing;
  }

  /** Ends all questions: whoever would answer is gone. The calls themselves go on, unapproved. */
  silence(): void {
    this.#silent = true;
    for (const ongoing of this.#ongoing) ongoing.unanswered();
  }

  /** Aborts every call. */
  abort(reason: unknown): void {
    for (const ongoing of this.#ongoing) ongoing.abort(reason);
  }
}
