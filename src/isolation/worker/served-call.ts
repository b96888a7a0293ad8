import { drain, isGenerator } from '../../call/generator.ts';
import { ToolError } from '../../errors.ts';
import { toJsonSafe } from '../../output/json-safe.ts';
import { leastBytes } from '../least-bytes.ts';
import {
  type FromWorker,
  longestProgress,
  operationWindow,
  progressWindow,
  type ToWorker,
  written,
} from '../protocol.ts';
import { heardError, tellError, withoutData } from '../told-error.ts';
import { deepest, mostValues, weigh } from '../weigh.ts';
import { contextOf } from './lent.ts';

const progressBounds = { maxValues: longestProgress, maxCharacters: longestProgress };

export type Handler = (args: unknown, context: unknown) => unknown;

type Begin = Extract<ToWorker, { type: 'call' }>;
type Heard = Exclude<ToWorker, { type: 'load' | 'call' }>;

interface Asked {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** One call as it is served: what its handler is given, and what goes to and fro meanwhile. */
export class ServedCall {
  readonly number: number;
  readonly #begin: Begin;
  readonly #send: (message: Uint8Array) => void;
  readonly #asked = new Map<number, Asked>();
  readonly #waiting: (() => void)[] = [];
  #controller: AbortController | undefined;
  #abort: { readonly reason: unknown } | undefined;
  #over = false;
  #asks = 0;
  #unheard = 0;
  /** What is to be told next when nothing may be told now: only the newest counts. */
  #newest: { readonly data: unknown } | undefined;
  #makeRoom: (() => void) | undefined;

  constructor(begin: Begin, send: (message: Uint8Array) => void) {
    this.number = begin.call;
    this.#begin = begin;
    this.#send = send;
  }

  get aborted(): boolean {
    return this.#abort !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abort !== undefined) this.#controller.abort(this.#abort.reason);
    }
    return this.#controller.signal;
  }

  async run(handler: Handler): Promise<void> {
    const { args, context } = this.#begin;
    let message: Uint8Array;
    try {
      const made = handler(args, contextOf(context, this));
      const data = await (isGenerator(made) ? drain(this.#drained(), made) : made);
      message = this.#answer(data);
    } catch (error) {
      message = this.#failure(error);
    }
    this.#over = true;
    this.#flushProgress();
    this.#send(message);
    for (const { reject } of this.#asked.values()) reject(over());
    this.#asked.clear();
    this.#waiting.shift()?.();
  }

  /** Tells how far the call has come. What cannot be told at once is told later, unless something newer comes. */
  progress(data: unknown): void {
    if (this.#over) return;
    if (this.#unheard < progressWindow) this.#tell(data);
    else this.#newest = { data };
  }

  /** Has an operation of a capability done where the router is. */
  ask(operation: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const begin = (): void => this.#ask(operation, args, signal, { resolve, reject });
      if (this.#asked.size < operationWindow) begin();
      else this.#waiting.push(begin);
    });
  }

  hear(message: Heard): void {
    switch (message.type) {
      case 'abort':
        if (this.#abort !== undefined) return;
        this.#abort = { reason: asReason(heardError(message.reason)) };
        this.#makeRoom?.();
        this.#controller?.abort(this.#abort.reason);
        break;
      case 'heard':
        this.#unheard -= message.count;
        this.#flushProgress();
        this.#makeRoom?.();
        break;
      case 'answer':
        this.#answered(message.id)?.resolve(message.value);
        break;
      case 'refusal':
        this.#answered(message.id)?.reject(heardError(message.error));
        break;
    }
  }

  #ask(operation: string, args: readonly unknown[], signal: AbortSignal | undefined, asked: Asked): void {
    const { call } = this.#begin;
    const id = ++this.#asks;
    let message: Uint8Array;
    try {
      if (this.#over) throw over();
      message = this.#checked({ type: 'ask', call, id, operation, args }, operation);
    } catch (error) {
      asked.reject(error);
      this.#waiting.shift()?.();
      return;
    }
    const withdraw = (): void => this.#send(written({ type: 'withdraw', call, id }));
    const settling =
      <T>(settle: (value: T) => void) =>
      (value: T): void => {
        signal?.removeEventListener('abort', withdraw);
        settle(value);
      };
    this.#asked.set(id, { resolve: settling(asked.resolve), reject: settling(asked.reject) });
    this.#send(message);
    if (signal?.aborted) withdraw();
    signal?.addEventListener('abort', withdraw, { once: true });
  }

  #answered(id: number): Asked | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    this.#waiting.shift()?.();
    return asked;
  }

  /** A generator waits until what it yields may be told, so that nothing of it is left out. */
  #drained(): Parameters<typeof drain>[0] {
    const call = this;
    return {
      get aborted() {
        return call.aborted;
      },
      get signal() {
        return call.signal;
      },
      progress: (data) => {
        if (this.#unheard < progressWindow) return this.#tell(data);
        return new Promise<void>((resolve) => {
          this.#makeRoom = () => {
            this.#makeRoom = undefined;
            if (!this.aborted) this.#tell(data);
            resolve();
          };
        });
      },
    };
  }

  #flushProgress(): void {
    if (this.#newest === undefined || this.#unheard >= progressWindow) return;
    const { data } = this.#newest;
    this.#newest = undefined;
    this.#tell(data);
  }

  #tell(data: unknown): void {
    const { call } = this.#begin;
    let message: Uint8Array;
    try {
      if (weigh(data) === undefined || leastBytes(data, longestProgress) > longestProgress) return;
      message = written({ type: 'progress', call, data });
    } catch {
      message = written({ type: 'progress', call, data: toJsonSafe(data, progressBounds) });
    }
    if (message.byteLength > longestProgress) return;
    this.#unheard++;
    this.#send(message);
  }

  #answer(data: unknown): Uint8Array {
    return this.#checked({ type: 'done', call: this.#begin.call, data }, 'What the handler returned');
  }

  #failure(thrown: unknown): Uint8Array {
    const { call, context } = this.#begin;
    const told = tellError(thrown);
    const message = written({ type: 'failed', call, error: told });
    if (message.byteLength <= context.messageBytes) return message;
    const error = tooLarge('What the handler threw', `${message.byteLength} bytes`, context.messageBytes);
    return written({ type: 'failed', call, error: withoutData(told) ?? tellError(error) });
  }

  /** The message in bytes. Whether there are too many is found out before, as far as can be: writing them takes memory. */
  #checked(message: FromWorker, what: string): Uint8Array {
    const { messageBytes } = this.#begin.context;
    let least: number;
    let bytes: Uint8Array | undefined;
    try {
      if (weigh(message) === undefined) throw tooMany(what);
      least = leastBytes(message, messageBytes);
      if (least <= messageBytes) bytes = written(message);
    } catch (error) {
      if (error instanceof ToolError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new ToolError(`${what} cannot travel between threads or processes: ${why} Only plain data can.`);
    }
    if (bytes === undefined) throw tooLarge(what, `at least ${least} bytes`, messageBytes);
    if (bytes.byteLength > messageBytes) throw tooLarge(what, `${bytes.byteLength} bytes`, messageBytes);
    return bytes;
  }
}

function tooLarge(what: string, size: string, limit: number): ToolError {
  return new ToolError(`${what} is too large: ${size}, of which ${limit} may travel between threads or processes.`, {
    details: { reason: 'message-bytes', limit },
  });
}

function tooMany(what: string): ToolError {
  return new ToolError(
    `${what} is too large: ${mostValues} values may travel between threads or processes, and ${deepest} levels of them.`,
    { details: { reason: 'message-values', limit: mostValues } },
  );
}

function over(): ToolError {
  return new ToolError('The call is over, and with it what it was lent.', { code: 'aborted' });
}

/** Handlers look at what a platform gives: an error with the name AbortError or TimeoutError. */
function asReason(reason: unknown): unknown {
  if (reason instanceof ToolError || !(reason instanceof Error)) return reason;
  return /^(?:Abort|Timeout)Error$/.test(reason.name) ? new DOMException(reason.message, reason.name) : reason;
}
