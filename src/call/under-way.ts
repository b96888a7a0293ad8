import { CallContext } from './context.ts';
import type { PendingAnswer } from './pending-answer.ts';

/**
 * The calls of a router that have not ended: those whose answer, or whose handler, is still to come. A call that settles
 * within its turn of the event loop mostly never stands here; the others know their place, so that leaving is as cheap as
 * coming.
 */
export class UnderWay {
  readonly #answers: PendingAnswer[] = [];
  // Calls that were answered while their handlers go on. Held weakly: one whose handler never ends would otherwise stay for
  // ever; and what nothing refers to any more, nothing can end.
  readonly #lingering = new Set<WeakRef<CallContext>>();
  readonly #refs = new WeakMap<CallContext, WeakRef<CallContext>>();
  readonly #collected = new FinalizationRegistry<WeakRef<CallContext>>((ref) => this.#forget(ref));
  #emptied: (() => void)[] = [];

  add(answer: PendingAnswer): void {
    CallContext.placeAt(answer.ctx, this.#answers.length);
    this.#answers.push(answer);
  }

  /** Of a call that has been answered: its handler goes on. */
  linger(ctx: CallContext): void {
    if (!this.#refs.has(ctx)) {
      const ref = new WeakRef(ctx);
      this.#refs.set(ctx, ref);
      this.#lingering.add(ref);
      this.#collected.register(ctx, ref);
    }
    this.leave(ctx);
  }

  /** The handler of a call that has been answered has ended. */
  remove(ctx: CallContext): void {
    const ref = this.#refs.get(ctx);
    if (ref !== undefined) this.#forget(ref);
  }

  #forget(ref: WeakRef<CallContext>): void {
    if (this.#lingering.delete(ref)) this.#tellIfEmpty();
  }

  /** The call has been answered, and its handler has ended. */
  leave(ctx: CallContext): void {
    const place = CallContext.placeOf(ctx);
    if (place < 0) return;
    const last = this.#answers.pop() as PendingAnswer;
    if (last.ctx !== ctx) {
      this.#answers[place] = last;
      CallContext.placeAt(last.ctx, place);
    }
    CallContext.placeAt(ctx, -1);
    this.#tellIfEmpty();
  }

  #tellIfEmpty(): void {
    if (this.#emptied.length === 0 || this.#answers.length > 0 || this.#lingering.size > 0) return;
    for (const emptied of this.#emptied.splice(0)) emptied();
  }

  /** Settles when none is left. */
  empty(): Promise<void> {
    return new Promise((resolve) => {
      this.#emptied.push(resolve);
      this.#tellIfEmpty();
    });
  }

  /** Every call is answered within a turn of the event loop; a handler may go on. */
  abort(reason: unknown): void {
    const answers = [...this.#answers];
    for (const { ctx } of answers) ctx.abort(reason);
    for (const ref of [...this.#lingering]) ref.deref()?.abort(reason);
    // The chain goes first, as when a caller withdraws its call.
    setImmediate(() => {
      for (const answer of answers) answer.settle(reason, true);
    });
  }
}
