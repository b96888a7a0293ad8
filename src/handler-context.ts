import { canonicalJson } from './canonical-json.ts';
import type { ScopedFs } from './capabilities/fs/types.ts';
import type { ScopedFetch } from './capabilities/net/types.ts';
import type { ScopedExec } from './capabilities/process/types.ts';
import { sha256 } from './policy/digest.ts';
import type { ToolContext } from './tool.ts';
import type { Ready, ToolCall } from './types.ts';

/**
 * What a handler is given: an object of its own, so that a tool cannot reach the chain (`restart`, `ok`, the registry)
 * through its context.
 */
export class HandlerContext implements ToolContext {
  readonly #ctx: Ready;

  constructor(ctx: Ready) {
    this.#ctx = ctx;
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
    return sha256(canonicalJson([run.id, tool.name, args]));
  }

  // Bound when it is read, as handlers take their context apart: `(args, { progress }) => ...`.
  get progress(): (data: unknown) => void {
    const ctx = this.#ctx;
    return (data) => ctx.progress(data);
  }
}
