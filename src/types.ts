import type { ScopedFs } from './capabilities/fs/types.ts';
import type { ScopedFetch } from './capabilities/net/types.ts';
import type { ScopedExec } from './capabilities/process/types.ts';
import type { ErrorCode, FailureOptions } from './errors.ts';
import type { Tell } from './observing/stage-events.ts';
import type { Registry } from './registry.ts';
import type { Failure, Success, ToolResult } from './result.ts';
import type { PermissionLevel, Tool } from './tool.ts';

/** What a model emits: an intent. `arguments` is an object, or JSON text as most providers send it. */
export interface ToolCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments?: unknown;
}

/** A value, or a promise of one. A chain that is synchronous throughout makes no promise. */
export type Maybe<T> = T | Promise<T>;

/** Whose call this is, and within which run of an agent. */
export interface Run {
  readonly id: string;
  /** The user or agent on whose behalf tools run. */
  readonly principal?: string;
  /** The permission mode in force, such as `ask`. */
  readonly mode: string;
  /** The names this run may use; absent means all. */
  readonly tools?: readonly string[];
}

/** What a call would do in the world, as far as the guards found out; permission judges it. */
export type Effect =
  | { readonly kind: 'fs.read' | 'fs.write'; readonly path: string }
  | { readonly kind: 'net'; readonly host: string; readonly port: number }
  | { readonly kind: 'exec'; readonly argv: readonly string[] };

/** What the outermost stage sees: one object a call, on which stages assign what they add. */
export interface Call<State = unknown> {
  readonly call: Required<ToolCall>;
  readonly registry: Registry;
  readonly run: Run;
  /** The user's own, typed by the router, as in Koa. */
  readonly state: State;
  /** Aborted when the call is withdrawn or its deadline passes. Made on first read; most calls never read it. */
  readonly signal: AbortSignal;
  /** Whether the call has been aborted: what `signal.aborted` would say, without making the signal. */
  readonly aborted: boolean;
  /** Makes this call's successful answer. */
  ok<T>(data: T): Success<T>;
  /** Makes this call's failed answer: a value and not an exception, without a stack. `error` is for the model. */
  fail(code: ErrorCode, error: string, more?: FailureOptions): Failure;
  /** Aborts `signal`, made or not, with this reason. */
  abort(reason: unknown): void;
  /** Calls `listener` when the call is aborted (at once if it is already), without the cost of making `signal`. */
  onAbort(listener: (reason: unknown) => void): void;
  /**
   * Runs the call again with edited arguments: everything inside `normalize`, with the same call id, so that the edit
   * passes validation and all guards. At most 3 times a call; then it fails with `internal`.
   */
  restart(args: unknown): Maybe<ToolResult>;
  /** Tells observers and streams that the call is getting on. */
  progress(data: unknown): void;
  /**
   * Tells observers what a stage did: `ctx.tell?.('note', { name: 'cache', data: 'hit' })`. Absent while nobody listens,
   * so that `?.` then spares even making what would be told.
   */
  readonly tell?: Tell | undefined;
  /** Data as it may be shown before the call ends: cleaned as results are, where a stage of the pipeline does that. */
  clean(data: unknown): unknown;
  /** Runs `cleanup` when the call, or this attempt of it, has settled, however it did. */
  onSettled(cleanup: () => void): void;
  /**
   * Runs `cleanup` when the call, or this attempt of it, has settled and no handler that it started is at work any more:
   * later than `onSettled` where a handler goes on after its deadline, and never where it does so for ever.
   */
  onEnded(cleanup: () => void): void;
  /** To be called just before the handler starts: from here on a failure's `effect` is `unknown`. */
  began(): void;
  /** To be called when the handler has ended. An answer of `ok: true` while a handler still runs is refused. */
  ended(): void;
}

/** After `lookup`. */
export interface Found<State = unknown> extends Call<State> {
  readonly tool: Tool;
}

/** After `validate`; the guards add `effects` and the capabilities. */
export interface Ready<State = unknown> extends Found<State> {
  readonly args: unknown;
  readonly effects?: readonly Effect[];
  readonly fs?: ScopedFs;
  readonly fetch?: ScopedFetch;
  readonly exec?: ScopedExec;
  /** What a guard found out that this call needs, in place of its tool's level: `read` for a command that only reads. */
  readonly level?: PermissionLevel;
  /** Why somebody must be asked whatever mode and rules say, unless they deny. Set by a guard. */
  readonly mustAsk?: string;
}

/** Hands on to the rest of the chain, with what this stage adds, under names that are text. To be called once. */
export type Next<Adds = unknown> = unknown extends Adds ? () => Maybe<ToolResult> : (adds: Adds) => Maybe<ToolResult>;

/**
 * One layer of the chain, as in Koa; but the result travels by return value, so most stages end in `return next()`.
 * `In` is what the stage needs of the context, `Adds` what it hands on to the stages after it.
 *
 * @example
 * const clock: Stage = async (ctx, next) => {
 *   const begun = performance.now();
 *   const result = await next();
 *   console.log(ctx.call.name, performance.now() - begun);
 *   return result;
 * };
 */
export type Stage<In = Call, Adds = unknown> = (ctx: In, next: Next<Adds>) => Maybe<ToolResult>;
