import { CallContext } from './context.ts';
import type { ToolResult } from './result.ts';
import { interrupt } from './settleable.ts';

/**
 * The calls of a router that have not ended: those whose answer, or whose handler, is still to come. A call that settles at
 * once never stands here; the others know their place, so that leaving is as cheap as coming.
 */
export class UnderWay {
  readonly #calls: CallContext[] = [];
  #emptied: (() => void)[] = [];

  /** With the promise of its answer, if it has not been answered. */
  add(ctx: CallContext, answer?: Promise<ToolResult>): void {
    if (CallContext.placeOf(ctx) >= 0) return;
    CallContext.placeAt(ctx, this.#calls.length, answer);
    this.#calls.push(ctx);
  }

  has(ctx: CallContext): boolean {
    return this.#calls[CallContext.placeOf(ctx)] === ctx;
  }

  remove(ctx: CallContext): void {
    const place = CallContext.placeOf(ctx);
    if (place < 0) return;
    const last = this.#calls.pop() as CallContext;
    if (last !== ctx) {
      this.#calls[place] = last;
      CallContext.placeAt(last, place, CallContext.answerOf(last));
    }
    CallContext.placeAt(ctx, -1);
    if (this.#calls.length > 0) return;
    if (this.#emptied.length > 0) for (const emptied of this.#emptied.splice(0)) emptied();
  }

  /** Settles when none is left. */
  empty(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#calls.length === 0) resolve();
      else this.#emptied.push(resolve);
    });
  }

  /** Every call is answered within a turn of the event loop; a handler may go on. */
  abort(reason: unknown): void {
    const calls = [...this.#calls];
    const answers = calls.map(CallContext.answerOf);
    for (const ctx of calls) ctx.abort(reason);
    // The chain goes first, as when a caller withdraws its call.
    setImmediate(() => {
      for (const answer of answers) if (answer !== undefined) interrupt(answer, reason);
    });
  }
}
