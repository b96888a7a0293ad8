import { runAll, type StreamEvent, streamAll } from './batch.ts';
import { checkCapabilities } from './capabilities/declared.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Compiled, type CompileOptions, compile } from './compiled.ts';
import { conclude } from './conclusion.ts';
import { CallContext, type Host } from './context.ts';
import { defaultPipeline } from './default-pipeline.ts';
import type { ArgumentsFor, DataOf } from './define-tool.ts';
import { callChannel, stageChannel, traceCall, tracedStage } from './diagnostics.ts';
import { ToolError } from './errors.ts';
import { toFailure } from './failure.ts';
import { hold } from './hold.ts';
import { checkMilliseconds } from './milliseconds.ts';
import { nest, parentOf } from './nesting.ts';
import { copied, frozenCopy, type Listener, Observers, type RouterEvent } from './observers.ts';
import { rememberOffers } from './offered-names.ts';
import { OfferCache, type OfferOptions } from './offers.ts';
import { checkOptions } from './options.ts';
import { checkComplete } from './order.ts';
import { type LastWord, PendingAnswer } from './pending-answer.ts';
import type { RouterPipeline, StageDescription } from './pipeline.ts';
import type { ResumeOptions } from './policy/resume.ts';
import type { SignedDecision } from './policy/signed.ts';
import type { Offer, ProviderName, ToolReport, ToolSchemas } from './providers/index.ts';
import { createRegistry, Registry } from './registry.ts';
import { causeOf, type Failure, type ToolResult } from './result.ts';
import {
  type BatchOptions,
  type CallOptions,
  callOptions,
  checkCallOptions,
  checkRouterOptions,
  checkSignal,
  mergedRun,
  pipelineOptions,
  type RouterOptions,
} from './router-options.ts';
import { type CloseOptions, Shutdown } from './shutdown.ts';
import { checkMode, cleanerOf, closersOf, offersOf } from './stage-properties.ts';
import { ignore, isThenable, toPromise } from './thenable.ts';
import type { Tool } from './tool.ts';
import type { FinishFunction } from './traits.ts';
import type { Run, ToolCall } from './types.ts';
import { UnderWay } from './under-way.ts';

/** A compiled pipeline, and how a call that went this way ends. */
interface Way extends Compiled {
  readonly end: LastWord;
}

/**
 * Routes tool calls through a pipeline. It owns the end of every call: `call` never rejects and always answers, it
 * answers to the caller's signal and to the deadline even when a stage hangs, it stamps the answer with the call's own
 * id and name, and it takes back whatever the call was lent.
 */
export class Router<State = unknown> {
  readonly registry: Registry;
  readonly pipeline: RouterPipeline<State>;
  readonly #observers = new Observers();
  readonly #host: Host;
  readonly #plain: Way;
  readonly #strict: boolean;
  readonly #state: State;
  readonly #deadline: number;
  readonly #clock: Clock;
  readonly #underWay: UnderWay = new UnderWay();
  readonly #begun = new WeakMap<CallContext, number>();
  readonly #progress = new WeakMap<CallContext, (data: unknown) => void>();
  readonly #offers: OfferCache;
  readonly #clean: ((data: unknown) => unknown) | undefined;
  readonly #seen: (Way | undefined)[] = [];
  #run: Run;
  #shutdown: Shutdown | undefined;
  #count = 0;

  constructor(options: RouterOptions<State>) {
    checkRouterOptions(options);
    const { tools, registry, pipeline } = options;
    this.registry = registry ?? createRegistry(tools);
    if (!(this.registry instanceof Registry)) throw new TypeError('The registry must come from createRegistry().');
    this.pipeline = pipeline ?? (defaultPipeline(pipelineOptions(options)) as RouterPipeline<State>);
    this.#strict = options.strict ?? false;
    this.#plain = this.#compile({ strict: this.#strict });
    this.#state = options.state as State;
    this.#deadline = checkMilliseconds(options.deadline ?? Number.POSITIVE_INFINITY, 'createRouter({ deadline })');
    this.#clock = options.clock ?? systemClock;
    this.#run = Object.freeze({
      id: `run_${process.getBuiltinModule('node:crypto').randomUUID()}`,
      mode: options.mode ?? 'ask',
      ...(options.principal !== undefined && { principal: options.principal }),
      ...(options.allowed !== undefined && { tools: Object.freeze([...options.allowed]) }),
    });
    this.#clean = cleanerOf(this.pipeline);
    this.#host = {
      observers: this.#observers,
      clean: this.#clean,
      restart: (ctx) => this.#compiled().restart(ctx),
      progress: (ctx, data) => this.#progressed(ctx, data),
      clock: this.#clock,
      late: (ctx, settledAt) => {
        if (!ctx.running) this.#underWay.remove(ctx);
        if (!this.#observers.heard('late')) return;
        this.#observers.emit('late', { call: this.#observers.call(ctx), lateMs: this.#clock.now() - settledAt });
      },
    };
    const offers = offersOf(this.pipeline);
    rememberOffers(this.#host, offers);
    this.#offers = new OfferCache(this.registry, offers);
    for (const tool of this.registry.list()) checkCapabilities(tool, this.pipeline);
    checkComplete(this.pipeline.entries);
    checkMode(this.pipeline, this.#run.mode);
  }

  /** The run that calls belong to unless they say otherwise. */
  get run(): Run {
    return this.#run;
  }

  /** The permission mode of the calls that begin from now on. */
  get mode(): string {
    return this.#run.mode;
  }

  set mode(mode: string) {
    checkMode(this.pipeline, mode);
    const { mode: before } = this.#run;
    this.#run = Object.freeze({ ...this.#run, mode });
    if (mode !== before) this.#observers.emit('mode', { mode, before });
  }

  /** Routes one call to its one result. Never rejects. */
  call(call: ToolCall, options?: CallOptions<State>): Promise<ToolResult> {
    let ctx: CallContext;
    let signal: AbortSignal | undefined;
    let deadline = this.#deadline;
    try {
      if (options !== undefined) {
        checkCallOptions(options);
        signal = options.signal;
        if (options.deadline !== undefined) deadline = checkMilliseconds(options.deadline, 'The deadline of a call');
      }
      ctx = this.#begin(call, options);
    } catch (error) {
      return Promise.resolve(this.#unreadable(call, error));
    }
    return callChannel.hasSubscribers ? this.#traced(ctx, signal, deadline) : this.#route(ctx, signal, deadline);
  }

  /**
   * As `call`, for a tool at hand: `args` and the data of the result are typed by what it declares. The call passes the
   * whole chain, by the tool's name; a tool that is registered under that name in its place answers instead.
   *
   * @example
   * const result = await router.invoke(weather, { city: 'Bonn' });
   * if (result.ok) result.data.celsius;      // a number, by the tool's output schema
   */
  invoke<T extends Tool>(tool: T, args: ArgumentsFor<T>, options?: CallOptions<State>): Promise<ToolResult<DataOf<T>>> {
    return this.call({ name: tool?.name, arguments: args }, options) as Promise<ToolResult<DataOf<T>>>;
  }

  /** Routes calls side by side. Exactly one result a call, in the order of the calls; a deadline is one for them all. */
  callAll(calls: Iterable<ToolCall>, options?: BatchOptions<State>): Promise<ToolResult[]> {
    return runAll([...calls], this.#batch(options));
  }

  /** As `callAll`, but yields results as they come, and progress between them. Leaving the loop aborts the rest. */
  stream(calls: Iterable<ToolCall>, options?: BatchOptions<State>): AsyncIterableIterator<StreamEvent> {
    return streamAll([...calls], this.#batch(options));
  }

  /**
   * Carries out a decision about a call that had to wait for one: gives that call's final result. It passes the whole
   * chain again, and must still be the call that was decided on. A decision is used once. Never rejects.
   *
   * @example
   * const signed = signDecision(pending, 'allow', key);              // where the person is
   * const result = await router.resume(signed, { store, key });      // where the tools are
   */
  async resume(signed: SignedDecision, options: ResumeOptions): Promise<ToolResult> {
    if (this.#shutdown !== undefined) {
      // Before the decision is looked at, which can be used once only.
      return this.#unreadable({}, new ToolError(closedText, { code: 'unavailable', retryable: false }));
    }
    const { resume } = await import('./policy/resume.ts');
    return resume(this, signed, options);
  }

  /** Listens to what happens; returns the function that stops listening. Listeners can neither block nor change a call. */
  on<E extends RouterEvent>(event: E, listener: Listener<E>): () => void {
    return this.#observers.on(event, listener);
  }

  /**
   * The tools in a provider's format, for the model, with what reading its calls needs. What the mode denies outright
   * is not offered. Kept until the tools change.
   *
   * @example
   * const offer = await router.offer('anthropic');
   * const response = await client.messages.create({ model, max_tokens, messages, tools: offer.tools });
   * const calls = anthropic.readCalls(response, offer);
   */
  offer<Name extends ProviderName>(provider: Name, options: OfferOptions = {}): Promise<Offer<ToolSchemas<Name>>> {
    return this.#offers.get(provider, options.mode ?? this.mode, this.#run.tools, options);
  }

  /** The value of a request's `tools`: see `offer`. */
  async schemas<Name extends ProviderName>(provider: Name, options?: OfferOptions): Promise<ToolSchemas<Name>> {
    return (await this.offer(provider, options)).tools;
  }

  /** Tool by tool: under which name a provider sees it, and what the provider's dialect of JSON Schema lost. */
  async report(provider: ProviderName, options?: OfferOptions): Promise<readonly ToolReport[]> {
    return (await this.offer(provider, options)).report;
  }

  /** What runs, in which order, and what each stage is. */
  describe(): readonly StageDescription[] {
    return this.pipeline.describe();
  }

  /**
   * Closes the router: calls from now on are answered with `unavailable` at once; those under way may go on for `drain`
   * milliseconds (default 10,000), and are aborted then. Settles when their handlers have ended, or those that ignore their
   * signal have had `grace` milliseconds more (default 1,000), and all that the stages own (workers, connections) has been
   * given up. Called again, also while it waits, it takes the shorter of the times: `close({ drain: 0 })` aborts at once.
   *
   * A handler under way may still call the router, if it passes its own signal on. Rejects with an AggregateError when a
   * stage could not give up what it owns; the router is closed all the same.
   *
   * @example
   * process.once('SIGTERM', () => router.close({ drain: 30_000 }));
   * await using router = createRouter({ tools });        // closes at the end of the block
   */
  close(options: CloseOptions = {}): Promise<void> {
    const shutdown = this.#shutdown ?? new Shutdown(this.#clock);
    const closed = shutdown.run(options, this.#underWay, () => closersOf(this.pipeline));
    this.#shutdown = shutdown;
    return closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #batch(options: BatchOptions<State> = {}): Parameters<typeof runAll>[1] {
    checkOptions('callAll', options, callOptions);
    const { concurrency = Number.POSITIVE_INFINITY, deadline = this.#deadline, ...rest } = options;
    checkSignal(rest.signal);
    const limit = checkMilliseconds(deadline, 'The deadline of a batch');
    if (!(typeof concurrency === 'number' && concurrency >= 1)) {
      throw new TypeError(`concurrency must be at least 1; it is ${String(concurrency)}.`);
    }
    return {
      concurrency,
      clock: this.#clock,
      deadline: limit,
      signal: rest.signal,
      call: (call, more) => this.call(call, { ...rest, ...more }),
    };
  }

  #route(ctx: CallContext, signal: AbortSignal | undefined, deadline: number): Promise<ToolResult> {
    const compiled = this.#compiled();
    if (this.#shutdown !== undefined && !this.#isStillTaken(ctx, this.#shutdown)) {
      return Promise.resolve(compiled.end(ctx, ctx.fail('unavailable', closedText, { retryable: false }), false));
    }
    if (signal?.aborted) {
      ctx.abort(signal.reason);
      return Promise.resolve(compiled.end(ctx, signal.reason, true));
    }
    try {
      const outcome = compiled.chain(ctx);
      // Also within the try: what a stage answers may throw as soon as it is looked at.
      if (isThenable(outcome)) return this.#await(compiled, ctx, toPromise(outcome), signal, deadline);
      return Promise.resolve(compiled.end(ctx, outcome, false));
    } catch (error) {
      return Promise.resolve(compiled.end(ctx, error, true));
    }
  }

  // By itself, as below.
  #traced(ctx: CallContext, signal: AbortSignal | undefined, deadline: number): Promise<ToolResult> {
    return traceCall(ctx, () => this.#route(ctx, signal, deadline));
  }

  #compiled(): Way {
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
    const compiled = compile(this.pipeline.entries, options);
    const { finishes } = compiled;
    // One for all calls, as a closure for each costs as much as a stage.
    return { ...compiled, end: (ctx, outcome, threw) => this.#end(finishes, ctx, outcome, threw) };
  }

  // By itself, so that a call that never waits does not pay for what only these closures need.
  #await(
    compiled: Way,
    ctx: CallContext,
    outcome: Promise<ToolResult>,
    signal: AbortSignal | undefined,
    deadline: number,
  ): Promise<ToolResult> {
    let answer = PendingAnswer.of(ctx, outcome);
    if (!answer?.conclude(compiled.end)) {
      answer = PendingAnswer.following(ctx, outcome);
      answer.conclude(compiled.end);
    }
    answer.listed(this.#underWay);
    if (signal !== undefined || deadline !== Number.POSITIVE_INFINITY) hold(ctx, answer, signal, deadline, this.#clock);
    return answer.promise;
  }

  /** Whether a closed router takes this call: as one that belongs to a call under way, until those are aborted. */
  #isStillTaken(ctx: CallContext, shutdown: Shutdown): boolean {
    const parent = parentOf(ctx);
    if (parent === undefined || shutdown.aborting || CallContext.hostOf(parent) !== this.#host) return false;
    return parent.running || !parent.settled;
  }

  #begin(call: ToolCall, options: CallOptions<State> | undefined): CallContext {
    const { id, name } = call;
    if (name === undefined || name === null) throw new ToolError(noName, { code: 'invalid_arguments' });
    let run = this.#run;
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
    const ctx = new CallContext(this.#host, complete, this.registry, run, state);
    if (options?.signal !== undefined) nest(ctx, options.signal);
    if (options?.onProgress !== undefined) this.#progress.set(ctx, options.onProgress);
    if (this.#observers.heard('end')) this.#begun.set(ctx, performance.now());
    if (this.#observers.heard('start')) this.#observers.emit('start', { call: this.#observers.call(ctx), run });
    return ctx;
  }

  #newId(id: unknown): string {
    return typeof id === 'number' ? String(id) : `call_${++this.#count}`;
  }

  /** The end of a call, reached once: by the chain, or by whoever would not wait for it. */
  #end(finishes: readonly FinishFunction[], ctx: CallContext, outcome: unknown, threw: boolean): ToolResult {
    const answer = conclude(finishes, ctx, outcome, threw);
    if (ctx.settled) return answer;
    ctx.settle();
    if (ctx.running) this.#underWay.linger(ctx);
    else this.#underWay.leave(ctx);
    if (this.#observers.heard('end')) {
      const endedAt = performance.now();
      const durationMs = endedAt - (this.#begun.get(ctx) ?? endedAt);
      const cause = causeOf(answer);
      this.#observers.emit('end', { call: this.#observers.call(ctx), result: frozenCopy(answer), cause, durationMs });
    }
    return answer;
  }

  #progressed(ctx: CallContext, data: unknown): void {
    const sink = this.#progress.get(ctx.root);
    if (sink === undefined && !this.#observers.heard('progress')) return;
    const copy = this.#clean === undefined || data === undefined ? copied(data) : this.#clean(data);
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
  #unreadable(call: unknown, error: unknown): Failure {
    const id = textOf(call, 'id');
    const known = { id: id === '' ? this.#newId(undefined) : id, name: textOf(call, 'name'), arguments: undefined };
    const ctx = new CallContext(this.#host, known, this.registry, this.#run, this.#state);
    if (error instanceof ToolError) return toFailure(ctx, error);
    return ctx.fail('invalid_arguments', 'A tool call must be an object { id, name, arguments }.', { cause: error });
  }
}

/**
 * Makes a router. Throws a TypeError for options that do not exist or contradict each other, and for a tool that
 * declares a capability (paths, urls, commands) which no stage of the pipeline provides.
 *
 * @example
 * const router = createRouter({ tools: [searchNotes], roots: ['./workspace'] });
 * const result = await router.call({ id: 'c1', name: 'search_notes', arguments: '{"keyword":"rag"}' });
 */
export function createRouter<State = unknown>(options: RouterOptions<State>): Router<State> {
  return new Router(options);
}

const closedText = 'This router has been closed and takes no more calls.';

const noName =
  'A tool call is an object { id, name, arguments }, and this one has no name. ' +
  "Calls in a provider's response are read with its format from callgate/providers.";

/** The id or name of something that may be no call at all; empty when it has none. */
function textOf(call: unknown, member: 'id' | 'name'): string {
  try {
    const value = (call as Partial<ToolCall> | null | undefined)?.[member] as unknown;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  } catch {
    return '';
  }
}
