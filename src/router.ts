import { checkMilliseconds } from './basics/milliseconds.ts';
import { checkOptions } from './basics/options.ts';
import { runAll, type StreamEvent, streamAll } from './batch.ts';
import { CallRunner } from './call/call-runner.ts';
import type { CloseOptions } from './call/shutdown.ts';
import { checkCapabilities } from './capabilities/declared.ts';
import { checkComplete } from './chain/order.ts';
import { checkMode, offersOf } from './chain/stage-properties.ts';
import { type Clock, systemClock } from './clock.ts';
import { defaultPipeline } from './default-pipeline.ts';
import type { ArgumentsFor, DataOf } from './define-tool.ts';
import { type Listener, Observers, type RouterEvent } from './observing/observers.ts';
import { OfferCache, type OfferOptions } from './offers.ts';
import type { RouterPipeline, StageDescription } from './pipeline.ts';
import type { ResumeOptions } from './policy/resume.ts';
import type { SignedDecision } from './policy/signed.ts';
import type { Offer, ProviderName, ToolReport, ToolSchemas } from './providers/index.ts';
import { createRegistry, Registry } from './registry.ts';
import type { ToolResult } from './result.ts';
import {
  type BatchOptions,
  type CallOptions,
  callOptions,
  checkRouterOptions,
  checkSignal,
  pipelineOptions,
  type RouterOptions,
} from './router-options.ts';
import type { Tool } from './tool.ts';
import type { Run, ToolCall } from './types.ts';

/**
 * Routes tool calls through a pipeline. It owns the end of every call: `call` never rejects and always answers, it
 * answers to the caller's signal and to the deadline even when a stage hangs, it stamps the answer with the call's own
 * id and name, and it takes back whatever the call was lent.
 */
export class Router<State = unknown> {
  readonly registry: Registry;
  readonly pipeline: RouterPipeline<State>;
  readonly #calls: CallRunner<State>;
  readonly #observers = new Observers();
  readonly #deadline: number;
  readonly #clock: Clock;
  readonly #offers: OfferCache;
  #run: Run;

  constructor(options: RouterOptions<State>) {
    checkRouterOptions(options);
    const { tools, registry, pipeline } = options;
    this.registry = registry ?? createRegistry(tools);
    if (!(this.registry instanceof Registry)) throw new TypeError('The registry must come from createRegistry().');
    this.pipeline = pipeline ?? (defaultPipeline(pipelineOptions(options)) as RouterPipeline<State>);
    this.#deadline = checkMilliseconds(options.deadline ?? Number.POSITIVE_INFINITY, 'createRouter({ deadline })');
    this.#clock = options.clock ?? systemClock;
    this.#run = Object.freeze({
      id: `run_${process.getBuiltinModule('node:crypto').randomUUID()}`,
      mode: options.mode ?? 'ask',
      ...(options.principal !== undefined && { principal: options.principal }),
      ...(options.allowed !== undefined && { tools: Object.freeze([...options.allowed]) }),
    });
    this.#calls = new CallRunner({
      registry: this.registry,
      pipeline: this.pipeline,
      observers: this.#observers,
      clock: this.#clock,
      state: options.state as State,
      deadline: this.#deadline,
      strict: options.strict ?? false,
    });
    this.#offers = new OfferCache(this.registry, offersOf(this.pipeline));
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
    return this.#calls.run(call, options, this.#run);
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
  async resume(signed: SignedDecision, options: ResumeOptions<State>): Promise<ToolResult> {
    // Before the decision is looked at, which can be used once only.
    if (this.#calls.isClosed) return this.#calls.refuse(this.#run);
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
   * stage could not give up what it owns; the router is closed all the same. Rejects with a TypeError for options that
   * cannot be, and then nothing is closed.
   *
   * @example
   * process.once('SIGTERM', () => router.close({ drain: 30_000 }));
   * await using router = createRouter({ tools });        // closes at the end of the block
   */
  async close(options: CloseOptions = {}): Promise<void> {
    await this.#calls.close(options);
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
