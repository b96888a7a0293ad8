import { ToolError } from '../../errors.ts';
import { drain, isGenerator } from '../../generator.ts';
import { toJsonSafe } from '../../output/json-safe.ts';
import {
  type FromWorker,
  longestProgress,
  operationWindow,
  progressWindow,
  type ToWorker,
  written,
} from '../protocol.ts';
import { heardError, tellError } from '../told-error.ts';
import { contextOf } from './lent.ts';

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
    const { args, context, call } = this.#begin;
    let message: Uint8Array;
    try {
      const made = handler(args, contextOf(context, this));
      const data = await (isGenerator(made) ? drain(this.#drained(), made) : made);
      message = this.#answer(data);
    } catch (error) {
      message = written({ type: 'failed', call, error: tellError(error) });
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
      message = written({ type: 'progress', call, data });
    } catch {
      message = written({ type: 'progress', call, data: toJsonSafe(data) });
    }
    if (message.byteLength > longestProgress) return;
    this.#unheard++;
    this.#send(message);
  }

  #answer(data: unknown): Uint8Array {
    return this.#checked({ type: 'done', call: this.#begin.call, data }, 'What the handler returned');
  }

  #checked(message: FromWorker, what: string): Uint8Array {
    const { messageBytes } = this.#begin.context;
    let bytes: Uint8Array;
    try {
      bytes = written(message);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ToolError(`${what} cannot travel between threads or processes: ${why} Only plain data can.`);
    }
    if (bytes.byteLength <= messageBytes) return bytes;
    throw new ToolError(
      `${what} is too large: ${bytes.byteLength} bytes, of which ${messageBytes} may travel between threads or processes.`,
      { details: { reason: 'message-bytes', limit: messageBytes } },
    );
  }
}

function over(): ToolError {
  return new ToolError('The call is over, and with it what it was lent.', { code: 'aborted' });
}

/** Handlers look at what a platform gives: an error with the name AbortError or TimeoutError. */
function asReason(reason: unknown): unknown {
  if (reason instanceof ToolError || !(reason instanceof Error)) return reason;
  return /^(?:Abort|Timeout)Error$/.test(reason.name) ? new DOMException(reason.message, reason.name) : reason;
}
