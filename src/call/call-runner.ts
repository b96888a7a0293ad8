import { checkMilliseconds } from '../basics/milliseconds.ts';
import { ignore, isThenable, toPromise } from '../basics/thenable.ts';
import { type Compiled, type CompileOptions, compile } from '../chain/compiled.ts';
import { cleanerOf, closersOf, offersOf } from '../chain/stage-properties.ts';
import type { Clock } from '../clock.ts';
import { ToolError } from '../errors.ts';
import { toFailure } from '../failure.ts';
import { callChannel, stageChannel, traceCall, tracedStage } from '../observing/diagnostics.ts';
import { copied, frozenCopy, type Observers } from '../observing/observers.ts';
import type { RouterPipeline } from '../pipeline.ts';
import type { Registry } from '../registry.ts';
import { causeOf, type Failure, type ToolResult } from '../result.ts';
import { type CallOptions, checkCallOptions, mergedRun } from '../router-options.ts';
import type { Run, ToolCall } from '../types.ts';
import { checkNoOtherArguments, nameless, textOf } from './call-shape.ts';
import { conclude } from './conclusion.ts';
import { CallContext } from './context.ts';
import { hold } from './hold.ts';
import type { Host } from './host.ts';
import { nest, parentOf } from './nesting.ts';
import { type LastWord, PendingAnswer } from './pending-answer.ts';
import { type CloseOptions, Shutdown } from './shutdown.ts';
import { UnderWay } from './under-way.ts';

/** A compiled pipeline, and how a call that went this way ends. */
interface Way extends Compiled {
  readonly end: LastWord;
}

/** What all calls of a router have in common. */
export interface Surroundings<State> {
  readonly registry: Registry;
  readonly pipeline: RouterPipeline<State>;
  readonly observers: Observers;
  readonly clock: Clock;
  readonly state: State;
  /** For calls that set none of their own, in milliseconds, or `Infinity`. */
  readonly deadline: number;
  readonly strict: boolean;
}

/** Takes a call from its beginning through the chain to its one end; and all of them to theirs, when the router closes. */
export class CallRunner<State> {
  readonly #registry: Registry;
  readonly #pipeline: RouterPipeline<State>;
  readonly #clock: Clock;
  readonly #state: State;
  readonly #deadline: number;
  readonly #strict: boolean;
  readonly #observers: Observers;
  readonly #host: Host;
  readonly #plain: Way;
  readonly #seen: (Way | undefined)[] = [];
  readonly #underWay: UnderWay = new UnderWay();
  readonly #begun = new WeakMap<CallContext, number>();
  readonly #progress = new WeakMap<CallContext, (data: unknown) => void>();
  #shutdown: Shutdown | undefined;
  #count = 0;

  constructor({ registry, pipeline, observers, clock, state, deadline, strict }: Surroundings<State>) {
    this.#registry = registry;
    this.#pipeline = pipeline;
    this.#clock = clock;
    this.#state = state;
    this.#deadline = deadline;
    this.#strict = strict;
    this.#observers = observers;
    this.#plain = this.#compile({ strict });
    this.#host = {
      observers,
      clean: cleanerOf(pipeline),
      offers: offersOf(pipeline),
      restart: (ctx) => this.#way().restart(ctx),
      progress: (ctx, data) => this.#progressed(ctx, data),
      clock,
      late: (ctx, settledAt) => {
        if (!ctx.running) this.#underWay.remove(ctx);
        if (!observers.heard('late')) return;
        observers.emit('late', { call: observers.call(ctx), lateMs: clock.now() - settledAt });
      },
    };
  }

  /** Whether the router takes no more calls. */
  get isClosed(): boolean {
    return this.#shutdown !== undefined;
  }

  /** Routes one call to its one result. Never rejects. */
  run(call: ToolCall, options: CallOptions<State> | undefined, run: Run): Promise<ToolResult> {
    let ctx: CallContext;
    let signal: AbortSignal | undefined;
    let deadline = this.#deadline;
    try {
      if (options !== undefined) {
        checkCallOptions(options);
        signal = options.signal;
        if (options.deadline !== undefined) deadline = checkMilliseconds(options.deadline, 'The deadline of a call');
      }
      ctx = this.#begin(call, options, run);
    } catch (error) {
      return Promise.resolve(this.#unreadable(call, error, run));
    }
    return callChannel.hasSubscribers ? this.#traced(ctx, signal, deadline) : this.#route(ctx, signal, deadline);
  }

  /** What a closed router says to a call. */
  refuse(run: Run): Failure {
    return this.#unreadable({}, new ToolError(closedText, { code: 'unavailable', retryable: false }), run);
  }

  /** Ends all calls; see `Router.close`. */
  close(options: CloseOptions): Promise<void> {
    const shutdown = this.#shutdown ?? new Shutdown(this.#clock);
    const closed = shutdown.run(options, this.#underWay, () => closersOf(this.#pipeline));
    this.#shutdown = shutdown;
    return closed;
  }

  #route(ctx: CallContext, signal: AbortSignal | undefined, deadline: number): Promise<ToolResult> {
    const way = this.#way();
    if (this.#shutdown !== undefined && !this.#isStillTaken(ctx, this.#shutdown)) {
      return Promise.resolve(way.end(ctx, ctx.fail('unavailable', closedText, { retryable: false }), false));
    }
    if (signal?.aborted) {
      ctx.abort(signal.reason);
      return Promise.resolve(way.end(ctx, signal.reason, true));
    }
    try {
      const outcome = way.chain(ctx);
      // Also within the try: what a stage answers may throw as soon as it is looked at.
      if (isThenable(outcome)) return this.#await(way, ctx, toPromise(outcome), signal, deadline);
      return Promise.resolve(way.end(ctx, outcome, false));
    } catch (error) {
      return Promise.resolve(way.end(ctx, error, true));
    }
  }

  // By itself, as below.
  #traced(ctx: CallContext, signal: AbortSignal | undefined, deadline: number): Promise<ToolResult> {
    return traceCall(ctx, () => this.#route(ctx, signal, deadline));
  }

  #way(): Way {
    const heard = this.#observers.heard('stage');
    const traced = stageChannel.hasSubscribers;
    if (!heard && !traced) return this.#plain;
    const which = Number(heard) + 2 * Number(traced);
    this.#seen[which] ??= this.#compile({
      strict: this.#strict,
      watcher: heard ? this.#observers.watcher : undefined,
      around: traced ? tracedStage : undefined,
    });
    return this.#seen[which];
  }

  #compile(options: CompileOptions): Way {
    const compiled = compile(this.#pipeline.entries, options);
    const { finishes } = compiled;
    // The end of a call, reached once: by the chain, or by whoever would not wait for it. One function for all calls, as
    // one for each costs as much as a stage.
    const end: LastWord = (ctx, outcome, threw) => {
      const answer = conclude(finishes, ctx, outcome, threw);
      if (ctx.settled) return answer;
      ctx.settle();
      if (ctx.running) this.#underWay.linger(ctx);
      else this.#underWay.leave(ctx);
      if (this.#observers.active) this.#tellEnd(ctx, answer);
      return answer;
    };
    return { ...compiled, end };
  }

  #tellEnd(ctx: CallContext, answer: ToolResult): void {
    const observers = this.#observers;
    if (!observers.heard('end')) return;
    const endedAt = performance.now();
    const durationMs = endedAt - (this.#begun.get(ctx) ?? endedAt);
    observers.emit('end', {
      call: observers.call(ctx),
      result: frozenCopy(answer),
      cause: causeOf(answer),
      durationMs,
    });
  }

  // By itself, so that a call that never waits does not pay for what only these closures need.
  #await(
    way: Way,
    ctx: CallContext,
    outcome: Promise<ToolResult>,
    signal: AbortSignal | undefined,
    deadline: number,
  ): Promise<ToolResult> {
    let answer = PendingAnswer.of(ctx, outcome);
    if (!answer?.conclude(way.end)) {
      answer = PendingAnswer.following(ctx, outcome);
      answer.conclude(way.end);
    }
    answer.listed(this.#underWay);
    const isHeld = signal !== undefined || deadline !== Number.POSITIVE_INFINITY;
    if (isHeld) hold(ctx, answer, signal, deadline, this.#clock);
    return answer.promise;
  }

  /** Whether a closed router takes this call: as one that belongs to a call under way, until those are aborted. */
  #isStillTaken(ctx: CallContext, shutdown: Shutdown): boolean {
    const parent = parentOf(ctx);
    if (parent === undefined || shutdown.aborting || CallContext.hostOf(parent) !== this.#host) return false;
    return parent.running || !parent.settled;
  }

  #begin(call: ToolCall, options: CallOptions<State> | undefined, own: Run): CallContext {
    const { id, name } = call;
    if (name === undefined || name === null) throw nameless();
    if (call.arguments === undefined) checkNoOtherArguments(call);
    let run = own;
    let state = this.#state;
    if (options !== undefined) {
      if (options.run !== undefined) run = mergedRun(run, options.run);
      if ('state' in options) state = options.state as State;
    }
    const complete = {
      id: typeof id === 'string' && id !== '' ? id : this.#newId(id),
      name: typeof name === 'string' ? name : String(name),
      arguments: call.arguments,
    };
    const ctx = new CallContext(this.#host, complete, this.#registry, run, state);
    if (options?.signal !== undefined) nest(ctx, options.signal);
    if (options?.onProgress !== undefined) this.#progress.set(ctx, options.onProgress);
    if (this.#observers.active) this.#tellBegin(ctx);
    return ctx;
  }

  #tellBegin(ctx: CallContext): void {
    const observers = this.#observers;
    if (observers.heard('end')) this.#begun.set(ctx, performance.now());
    if (observers.heard('start')) observers.emit('start', { call: observers.call(ctx), run: ctx.run });
  }

  #newId(id: unknown): string {
    return typeof id === 'number' ? String(id) : `call_${++this.#count}`;
  }

  #progressed(ctx: CallContext, data: unknown): void {
    const sink = this.#progress.get(ctx.root);
    if (sink === undefined && !this.#observers.heard('progress')) return;
    const { clean } = this.#host;
    const copy = clean === undefined || data === undefined ? copied(data) : clean(data);
    if (this.#observers.heard('progress')) {
      this.#observers.emit('progress', { call: this.#observers.call(ctx), data: frozenCopy(copy) });
    }
    try {
      ignore(sink?.(copy));
    } catch {
      // Whoever listens to progress must not be able to stop it.
    }
  }

  /** For what cannot even be read as a call, or has options that cannot be used. */
  #unreadable(call: unknown, error: unknown, run: Run): Failure {
    const id = textOf(call, 'id');
    const known = { id: id === '' ? this.#newId(undefined) : id, name: textOf(call, 'name'), arguments: undefined };
    const ctx = new CallContext(this.#host, known, this.#registry, run, this.#state);
    if (error instanceof ToolError) return toFailure(ctx, error);
    return ctx.fail('invalid_arguments', 'A tool call must be an object { id, name, arguments }.', { cause: error });
  }
}

const closedText = 'This router has been closed and takes no more calls.';
