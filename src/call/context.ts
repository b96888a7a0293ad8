import type { ScopedFs } from '../capabilities/fs/types.ts';
import type { ScopedFetch } from '../capabilities/net/types.ts';
import type { ScopedExec } from '../capabilities/process/types.ts';
import { systemClock } from '../clock.ts';
import { type ErrorCode, type FailureOptions, isErrorCode, isRetryable, ToolError } from '../errors.ts';
import type { Tell } from '../observing/stage-events.ts';
import type { Registry } from '../registry.ts';
import { causeOf, type Failure, noMeta, rememberCause, type Success, type ToolResult } from '../result.ts';
import type { PermissionLevel, Tool } from '../tool.ts';
import type { Call, Effect, Maybe, Run, ToolCall } from '../types.ts';
import type { Host } from './host.ts';
import { joined, type Listeners, tell } from './listeners.ts';
import { ownSignal } from './nesting.ts';
import type { PendingAnswer } from './pending-answer.ts';
import { restarted } from './restart.ts';
import { withdrawn } from './withdrawal.ts';

const tooLate = 'The call had ended before the tool was started.';

/**
 * One tool call on its way through the chain. Stages know it as `Call`, `Found` or `Ready`; whatever they add is
 * assigned onto it. What is private to it here is what no stage may set: whether it has been aborted, started, settled.
 */
export class CallContext implements Call {
  readonly registry: Registry;
  readonly run: Run;
  readonly state: unknown;
  // Present from the start, so that every context keeps one hidden class when stages assign them.
  tool: Tool | undefined = undefined;
  args: unknown = undefined;
  effects: readonly Effect[] | undefined = undefined;
  fs: ScopedFs | undefined = undefined;
  fetch: ScopedFetch | undefined = undefined;
  exec: ScopedExec | undefined = undefined;
  level: PermissionLevel | undefined = undefined;
  mustAsk: string | undefined = undefined;

  readonly #host: Host;
  #call: Required<ToolCall>;
  // Beside the call, which stages see and could change: nobody answers under another id.
  readonly #id: string;
  readonly #name: string;
  readonly #parent: CallContext | undefined;
  #controller: AbortController | undefined = undefined;
  #abort: { readonly reason: unknown } | undefined = undefined;
  #started = false;
  #running = 0;
  /** Of those at work, the ones on which the answer still depends. */
  #awaited = 0;
  #givenUp = false;
  /** When it settled, by the router's clock, which only matters if a handler was left at work. */
  #settledAt: number | undefined = undefined;
  /** Its place in the router's list of calls that have not ended, or -1. */
  #place = -1;
  #answer: PendingAnswer | undefined = undefined;
  #cleanups: Listeners = undefined;
  #listeners: Listeners = undefined;

  // Static, so that no name is taken from what stages may add.

  /** The answer to a stage that goes on after the call, or this attempt of it, has ended. */
  static afterEnd(ctx: CallContext): Failure {
    return ctx.fail('aborted', tooLate);
  }

  /** Whether a handler was started, in this attempt or in an earlier one. */
  static hasStarted(ctx: CallContext): boolean {
    if (ctx.#started || ctx.#parent === undefined) return ctx.#started;
    return CallContext.hasStarted(ctx.#parent);
  }

  /** Where the call stands in the one list that it may stand in; -1 for none. */
  static placeOf(ctx: CallContext): number {
    return ctx.#place;
  }

  static placeAt(ctx: CallContext, place: number): void {
    ctx.#place = place;
  }

  /** The newest answer that is, or was, still to come. */
  static answerOf(ctx: CallContext): PendingAnswer | undefined {
    return ctx.#answer;
  }

  static expect(ctx: CallContext, answer: PendingAnswer): void {
    ctx.#answer = answer;
  }

  /** The router whose call it is, as it shows itself to contexts. */
  static hostOf(ctx: CallContext): Host {
    return ctx.#host;
  }

  /** An attempt has failed: whatever it left at work, another one may succeed without it. */
  static giveUp(fork: CallContext): void {
    if (fork.#givenUp) return;
    const left = fork.#awaited;
    for (let ctx = fork; !ctx.#givenUp && ctx.#parent !== undefined; ctx = ctx.#parent) ctx.#parent.#awaited -= left;
    fork.#givenUp = true;
  }

  /** An answer that was stored, shared or made up elsewhere never carries another call's id. */
  static stamp(ctx: CallContext, result: ToolResult): ToolResult {
    const { call_id, tool_name, meta } = result;
    if (call_id === ctx.#id && tool_name === ctx.#name && meta !== undefined) return result;
    const own = { ...result, call_id: ctx.#id, tool_name: ctx.#name, meta: meta ?? noMeta };
    return own.ok ? own : rememberCause(own, causeOf(result));
  }

  constructor(
    host: Host,
    call: Required<ToolCall>,
    registry: Registry,
    run: Run,
    state: unknown,
    parent?: CallContext,
  ) {
    this.#host = host;
    this.#call = call;
    this.#id = call.id;
    this.#name = call.name;
    this.registry = registry;
    this.run = run;
    this.state = state;
    this.#parent = parent;
  }

  get call(): Required<ToolCall> {
    return this.#call;
  }

  // A stage may hand on another call, as one that repairs arguments does. Whose answer this will be does not change.
  set call({ arguments: args }: Required<ToolCall>) {
    this.#call = { id: this.#id, name: this.#name, arguments: args };
  }

  get signal(): AbortSignal {
    // Reading `controller.signal` costs more than the rest of the chain, so it happens when somebody wants it.
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      ownSignal(this.#controller.signal, this);
      if (this.#abort !== undefined) this.#controller.abort(this.#abort.reason);
    }
    return this.#controller.signal;
  }

  /** The context of the call itself, of which this may be a fork. */
  get root(): CallContext {
    return this.#parent?.root ?? this;
  }

  /** Whether `signal` is aborted, without making one. */
  get aborted(): boolean {
    return this.#abort !== undefined;
  }

  get settled(): boolean {
    return this.#settledAt !== undefined;
  }

  /** Whether a handler that this call started is still at work. */
  get running(): boolean {
    return this.#running > 0;
  }

  /** The same, but for the handlers of attempts that were given up: on these the answer does not depend. */
  get awaited(): boolean {
    return this.#awaited > 0;
  }

  ok<T>(data: T): Success<T> {
    return { ok: true, tool_name: this.#name, data, error: null, call_id: this.#id, meta: noMeta };
  }

  fail(code: ErrorCode, error: string, more?: FailureOptions): Failure {
    const known = isErrorCode(code) ? code : 'internal';
    const failure: Failure = {
      ok: false,
      tool_name: this.#name,
      data: null,
      error,
      call_id: this.#id,
      meta: noMeta,
      code: known,
      retryable: more?.retryable ?? isRetryable(known),
      effect: more?.effect ?? (CallContext.hasStarted(this) ? 'unknown' : 'none'),
    };
    if (more?.details !== undefined) (failure as { details?: unknown }).details = more.details;
    return more?.cause === undefined ? failure : rememberCause(failure, more.cause);
  }

  // As on the platform, an abort without a reason has one.
  abort(reason: unknown = withdrawn()): void {
    if (this.#abort !== undefined) return;
    this.#abort = { reason };
    const listeners = this.#listeners;
    this.#listeners = undefined;
    this.#controller?.abort(reason);
    tell(listeners, reason);
  }

  onAbort(listener: (reason: unknown) => void): void {
    if (this.#abort !== undefined) tell(listener, this.#abort.reason);
    else this.#listeners = joined(this.#listeners, listener);
  }

  restart(args: unknown): Maybe<ToolResult> {
    return this.aborted || this.settled ? CallContext.afterEnd(this) : restarted(this, args, this.#host);
  }

  progress(data: unknown): void {
    if (!this.settled) this.#host.progress(this, data);
  }

  get tell(): Tell | undefined {
    const tell = this.#host.observers?.tell;
    if (tell === undefined) return undefined;
    return (event, data) => {
      if (!this.settled) tell(this, event, data);
    };
  }

  clean(data: unknown): unknown {
    return this.#host.clean === undefined ? data : this.#host.clean(data);
  }

  onSettled(cleanup: () => void): void {
    if (this.settled) tell(cleanup, undefined);
    else this.#cleanups = joined(this.#cleanups, cleanup);
  }

  onEnded(cleanup: () => void): void {
    this.onSettled(() => {
      if (this.running) endings.set(this, joined(endings.get(this), cleanup));
      else cleanup();
    });
  }

  began(): void {
    // Nothing may start once the answer has been given: an approval or a retry that comes too late must not act.
    if (this.aborted || this.settled) throw new ToolError(tooLate, { code: 'aborted' });
    this.#parent?.began();
    this.#started = true;
    this.#running++;
    this.#awaited++;
  }

  ended(): void {
    this.#end(true);
  }

  /** Ends the call, or this attempt of it: nothing that it was lent works from here on. */
  settle(): void {
    if (this.settled) return;
    this.#settledAt = this.running ? (this.#host.clock ?? systemClock).now() : -1;
    if (this.#cleanups !== undefined) this.#cleanUp();
  }

  /** A context of its own for another attempt: what earlier stages added, but own signal and own capabilities. */
  fork(): CallContext {
    const fork = new CallContext(this.#host, this.#call, this.registry, this.run, this.state, this);
    Object.assign(fork, this);
    this.onAbort((reason) => fork.abort(reason));
    // An attempt that hangs ends with its call: what it was lent is taken back, and it is heard no more.
    this.onSettled(() => fork.settle());
    return fork;
  }

  #end(isAwaited: boolean): void {
    // Said once too often, it must not make up for a handler that is still at work.
    if (this.#running === 0) return;
    this.#running--;
    if (isAwaited) this.#awaited--;
    // None begins once the call has settled, so this one was at work then.
    const isLate = this.settled;
    if (isLate && this.#running === 0) this.#endedAtLast();
    if (this.#parent !== undefined) this.#parent.#end(isAwaited && !this.#givenUp);
    else if (isLate) this.#host.late(this, this.#settledAt as number);
  }

  #endedAtLast(): void {
    const cleanups = endings.get(this);
    endings.delete(this);
    tell(cleanups, undefined);
  }

  #cleanUp(): void {
    const cleanups = this.#cleanups;
    this.#cleanups = undefined;
    tell(cleanups, undefined);
  }
}

// Whatever a stage adds, it must not take the place of what the context does: with these, assigning it throws.
Object.defineProperty(CallContext.prototype, '__proto__', { value: CallContext.prototype });
Object.freeze(CallContext.prototype);

// Beside the context: few calls are answered before their handler has ended.
const endings = new WeakMap<CallContext, Listeners>();
