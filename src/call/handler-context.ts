import { canonicalJson } from '../basics/canonical-json.ts';
import type { ScopedFs } from '../capabilities/fs/types.ts';
import type { ScopedFetch } from '../capabilities/net/types.ts';
import type { ScopedExec } from '../capabilities/process/types.ts';
import { sha256 } from '../policy/digest.ts';
import type { ToolContext } from '../tool.ts';
import type { Ready, ToolCall } from '../types.ts';

/**
 * What a handler is given: an object of its own, so that a tool cannot reach the chain (`restart`, `ok`, the registry)
 * through its context.
 */
export class HandlerContext implements ToolContext {
  readonly #ctx: Ready;

  constructor(ctx: Ready) {
    this.#ctx = ctx;
  }

  /**
   * What `signal` would tell, for those who only listen for its abort: making a real one costs more than the rest of the
   * chain. For contexts that are none of these, their signal.
   */
  static listener(context: ToolContext): AbortListener {
    return #ctx in context ? new LightSignal((context as HandlerContext).#ctx) : context.signal;
  }

  get signal(): AbortSignal {
    return this.#ctx.signal;
  }

  get state(): unknown {
    return this.#ctx.state;
  }

  get call(): Required<ToolCall> {
    return Object.freeze(this.#ctx.call);
  }

  // The interface promises `fs` to tools that declare paths; execute refuses to run those without it.
  get fs(): ScopedFs {
    return this.#ctx.fs as ScopedFs;
  }

  // Likewise for tools that declare URLs.
  get fetch(): ScopedFetch {
    return this.#ctx.fetch as ScopedFetch;
  }

  get exec(): ScopedExec {
    return this.#ctx.exec as ScopedExec;
  }

  get idempotencyKey(): string {
    const { run, tool, args } = this.#ctx;
    const { id, principal } = run;
    // Runs of two principals may have one id, and a service would take the second's call for the first's.
    return sha256(canonicalJson([id, tool.name, args, ...(principal === undefined ? [] : [principal])]));
  }

  // Bound when it is read, as handlers take their context apart: `(args, { progress }) => ...`.
  get progress(): (data: unknown) => void {
    const ctx = this.#ctx;
    return (data) => ctx.progress(data);
  }
}

/** The part of an AbortSignal that is needed to hear of its abort. */
export type AbortListener = Pick<AbortSignal, 'aborted' | 'reason' | 'addEventListener' | 'removeEventListener'>;

/** Only for `abort`, and for listeners that are functions. */
class LightSignal {
  readonly #ctx: Ready;
  readonly #listeners = new Set<unknown>();
  #listens = false;

  constructor(ctx: Ready) {
    this.#ctx = ctx;
  }

  get aborted(): boolean {
    return this.#ctx.aborted;
  }

  get reason(): unknown {
    return this.#ctx.signal.reason;
  }

  addEventListener(_type: string, listener: unknown): void {
    this.#listeners.add(listener);
    if (this.#listens) return;
    this.#listens = true;
    this.#ctx.onAbort(() => {
      for (const each of this.#listeners) if (typeof each === 'function') each();
    });
  }

  removeEventListener(_type: string, listener: unknown): void {
    this.#listeners.delete(listener);
  }
}
