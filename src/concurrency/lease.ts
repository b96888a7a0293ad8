import type { CallContext } from '../call/context.ts';
import type { Clock } from '../clock.ts';
import type { Call } from '../types.ts';

/**
 * What calls hold for as long as their handlers are at work. A handler that goes on after its call was answered, since it
 * ignores its signal, keeps what it holds until it ends, but no longer than `longest` milliseconds after the answer.
 */
export class Leases {
  readonly #clock: Clock;
  readonly #longest: number;
  readonly #timers = new Set<unknown>();
  #waiters = 0;

  constructor(clock: Clock, longest: number) {
    this.#clock = clock;
    this.#longest = longest;
  }

  /** Has `giveBack` called once, when the handlers of this call, or of this attempt, have ended or had their time. */
  begin(ctx: Call, giveBack: () => void): void {
    ctx.onSettled(() => {
      // Nearly always the handler has ended by then.
      if ((ctx as CallContext).running) this.#outlast(ctx, giveBack);
      else giveBack();
    });
  }

  #outlast(ctx: Call, giveBack: () => void): void {
    let timer: unknown;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#timers.delete(timer);
      if (timer !== undefined) this.#clock.clearTimeout(timer);
      giveBack();
    };
    ctx.onEnded(end);
    if (this.#longest === Number.POSITIVE_INFINITY) return;
    timer = this.#clock.setTimeout(end, this.#longest);
    this.#timers.add(timer);
    if (this.#waiters === 0) unref(timer);
  }

  /** Somebody waits for what is held: the process must not end before they have their turn. */
  await(): void {
    if (this.#waiters++ === 0) for (const timer of this.#timers) ref(timer);
  }

  /** They wait no more. */
  awaited(): void {
    if (--this.#waiters === 0) for (const timer of this.#timers) unref(timer);
  }
}

// A clock of a test's own may give timers that have neither.
function ref(timer: unknown): void {
  (timer as Partial<NodeJS.Timeout>).ref?.();
}

function unref(timer: unknown): void {
  (timer as Partial<NodeJS.Timeout>).unref?.();
}
