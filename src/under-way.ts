import { CallContext } from './context.ts';

/** A call that can be given an answer whatever its stages do. */
export interface Held {
  withdraw(reason: unknown): void;
}

/**
 * The calls of a router that have not ended: those whose answer, or whose handler, is still to come. A call that settles at
 * once never stands here; the others know their place, so that leaving is as cheap as coming.
 */
export class UnderWay {
  /** Those that are held, for the router's end to withdraw. */
  readonly held: Set<Held> = new Set();
  readonly #calls: CallContext[] = [];
  #emptied: (() => void)[] = [];

  add(ctx: CallContext): void {
    if (CallContext.placeOf(ctx) >= 0) return;
    CallContext.placeAt(ctx, this.#calls.length);
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
      CallContext.placeAt(last, place);
    }
    CallContext.placeAt(ctx, -1);
    if (this.#calls.length > 0) return;
    for (const emptied of this.#emptied.splice(0)) emptied();
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
    for (const held of [...this.held]) held.withdraw(reason);
    for (const ctx of [...this.#calls]) ctx.abort(reason);
  }
}
