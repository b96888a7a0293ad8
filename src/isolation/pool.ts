import type { Clock } from '../clock.ts';
import { IsolatedWorker } from './isolated-worker.ts';
import { LoadFailures } from './load-failures.ts';
import type { IsolatedCall, Outcome } from './session.ts';
import type { StartTransport } from './transport.ts';

export interface PoolOptions {
  /** Threads or processes at a time, those that wait for work included. */
  readonly size: number;
  /** Calls that may wait for one. */
  readonly queue: number;
  /** How long one is kept without work, in milliseconds. */
  readonly idle: number;
  /** How long a call that was told to stop may take to do so, in milliseconds. */
  readonly grace: number;
  /** Whether one serves further calls of the same module. */
  readonly reuse: boolean;
  readonly clock: Clock;
}

export type PoolOutcome =
  | Outcome
  /** Too many wait already. */
  | { readonly kind: 'full' }
  /** Withdrawn while it waited. */
  | { readonly kind: 'withdrawn' }
  /** Its module failed to load again and again; it is tried again in so many milliseconds. */
  | { readonly kind: 'resting'; readonly failures: number; readonly rest: number };

/** How long to wait for threads and processes that were killed, in milliseconds. */
const longestClose = 5_000;

interface Waiting {
  readonly module: string;
  readonly serve: (worker: IsolatedWorker | undefined) => void;
}

/**
 * Threads or processes that calls take turns in, in the order in which they came. One serves a single module, so that no tool
 * finds what another one left behind.
 */
export class WorkerPool {
  readonly #start: StartTransport;
  readonly #options: PoolOptions;
  readonly #loadFailures: LoadFailures;
  readonly #all = new Set<IsolatedWorker>();
  /** With their timers, the longest idle first. */
  readonly #idle = new Map<IsolatedWorker, unknown>();
  readonly #queue = new Set<Waiting>();
  readonly #closing: (() => void)[] = [];

  constructor(start: StartTransport, options: PoolOptions) {
    this.#start = start;
    this.#options = options;
    this.#loadFailures = new LoadFailures(options.clock);
  }

  async run(call: IsolatedCall): Promise<PoolOutcome> {
    const { module } = call.handler;
    const rest = this.#loadFailures.restOf(module);
    if (rest !== undefined) return { kind: 'resting', ...rest };
    let worker = this.#take(module);
    if (worker === undefined) {
      if (this.#queue.size >= this.#options.queue) return { kind: 'full' };
      worker = await this.#turn(module, call);
      if (worker === undefined) return { kind: 'withdrawn' };
    }
    const outcome = await worker.run(call);
    const loaded = outcome.kind !== 'unloadable' && !(outcome.kind === 'gone' && !outcome.loaded);
    this.#loadFailures.note(module, loaded);
    this.#leave(worker);
    return outcome;
  }

  /** Ends all threads or processes; calls in them end with `gone`, and those that wait are withdrawn. */
  async close(): Promise<void> {
    const waiting = [...this.#queue];
    this.#queue.clear();
    for (const { serve } of waiting) serve(undefined);
    for (const worker of this.#all) worker.kill({ reason: 'stopped', how: 'the router was closed' });
    if (this.#all.size > 0) await this.#emptied();
  }

  #emptied(): Promise<void> {
    return new Promise((resolve) => {
      // What the system does not end by then is waited for no longer.
      const timer = setTimeout(resolve, longestClose);
      this.#closing.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #take(module: string): IsolatedWorker | undefined {
    // Whoever waits already comes first.
    if (this.#queue.size > 0) return undefined;
    for (const worker of this.#idle.keys()) {
      if (worker.module === module) return this.#woken(worker);
    }
    if (this.#all.size < this.#options.size) return this.#started(module);
    // One that waits for work of another module makes room; the call waits until it has gone.
    const [longest] = this.#idle.keys();
    if (longest !== undefined) this.#woken(longest).kill();
    return undefined;
  }

  #woken(worker: IsolatedWorker): IsolatedWorker {
    this.#options.clock.clearTimeout(this.#idle.get(worker));
    this.#idle.delete(worker);
    return worker;
  }

  #started(module: string): IsolatedWorker {
    const worker: IsolatedWorker = new IsolatedWorker(module, this.#start, this.#options, () => this.#ended(worker));
    this.#all.add(worker);
    return worker;
  }

  #turn(module: string, call: IsolatedCall): Promise<IsolatedWorker | undefined> {
    return new Promise((serve) => {
      const waiting: Waiting = { module, serve };
      this.#queue.add(waiting);
      call.onAbort(() => {
        if (this.#queue.delete(waiting)) serve(undefined);
      });
    });
  }

  #leave(worker: IsolatedWorker): void {
    if (!worker.usable) return;
    const [next] = this.#queue;
    if (!this.#options.reuse || (next !== undefined && next.module !== worker.module)) {
      // One of another module takes its place as soon as it has gone.
      worker.kill();
    } else if (next === undefined) {
      this.#rest(worker);
    } else {
      this.#queue.delete(next);
      next.serve(worker);
    }
  }

  #rest(worker: IsolatedWorker): void {
    const { clock, idle } = this.#options;
    if (idle === Number.POSITIVE_INFINITY) {
      this.#idle.set(worker, undefined);
      return;
    }
    const timer = clock.setTimeout(() => {
      this.#idle.delete(worker);
      worker.kill();
    }, idle);
    (timer as { unref?: () => void } | undefined)?.unref?.();
    this.#idle.set(worker, timer);
  }

  /** It is there no more, so that another one may be. */
  #ended(worker: IsolatedWorker): void {
    this.#all.delete(worker);
    if (this.#idle.has(worker)) this.#woken(worker);
    const [next] = this.#queue;
    if (next !== undefined && this.#all.size < this.#options.size) {
      this.#queue.delete(next);
      next.serve(this.#started(next.module));
    }
    if (this.#all.size === 0) for (const closed of this.#closing.splice(0)) closed();
  }
}
