import type { Clock } from '../clock.ts';
import { ToolError } from '../errors.ts';
import type { HandlerModule } from './module-handler.ts';
import {
  type FromWorker,
  type LentContext,
  operationWindow,
  progressWindow,
  type ToWorker,
  valuesPerCall,
  written,
} from './protocol.ts';
import { heardError, tellError } from './told-error.ts';
import type { Gone } from './transport.ts';

/** A call that is to run in a worker. */
export interface IsolatedCall {
  readonly handler: HandlerModule;
  readonly aborted: boolean;
  /** Just before the handler starts; throws when the call is over. */
  begin(): void;
  message(): { readonly args: unknown; readonly context: LentContext };
  progress(data: unknown): void;
  /** Does an operation of a capability. What it is given comes from code that is not trusted. */
  perform(operation: string, args: readonly unknown[], signal: AbortSignal): Promise<unknown>;
  onAbort(listener: (reason: unknown) => void): void;
}

/** How a call in a worker ended. */
export type Outcome =
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'thrown'; readonly error: unknown }
  | { readonly kind: 'unloadable'; readonly error: unknown }
  | { readonly kind: 'gone'; readonly gone: Gone; readonly loaded: boolean };

/** The worker as one of its calls sees it. */
export interface Line {
  send(message: Uint8Array, flushed?: () => void): void;
  /** Ends the worker: it broke the rules, or did not stop. */
  kill(gone: Gone): void;
}

/** Progress beyond the first so many messages of a call is heard by and by. */
const promptProgress = 1_000;
/** The least time between two windows of progress from then on, in milliseconds. */
const progressPause = 50;

/** One call in a worker: from loading its module to its outcome, which settles once. */
export class Session {
  readonly number: number;
  readonly #call: IsolatedCall;
  readonly #line: Line;
  readonly #clock: Clock;
  readonly #grace: number;
  readonly #settle: (outcome: Outcome) => void;
  readonly #operations = new Map<number, AbortController>();
  #state: 'loading' | 'running' | 'over' = 'loading';
  #values = 0;
  #unflushed = 0;
  #progressed = 0;
  #unheard = 0;
  #hearing: unknown;
  #lastChance: unknown;

  constructor(
    number: number,
    call: IsolatedCall,
    line: Line,
    timing: { readonly clock: Clock; readonly grace: number },
    settle: (outcome: Outcome) => void,
  ) {
    this.number = number;
    this.#call = call;
    this.#line = line;
    this.#clock = timing.clock;
    this.#grace = timing.grace;
    this.#settle = settle;
  }

  get handler(): string {
    return this.#call.handler.name;
  }

  get over(): boolean {
    return this.#state === 'over';
  }

  start(loaded: boolean): void {
    if (loaded) this.#begin();
    else this.#send({ type: 'load', ...this.#call.handler });
    this.#call.onAbort((reason) => this.#abort(reason));
  }

  /** Hears a message of the worker, with the number of values in it; whether it belongs here. */
  hear(message: FromWorker, values: number): boolean {
    if (this.over) return false;
    this.#values += values;
    if (this.#values > valuesPerCall) {
      this.#line.kill({ reason: 'rules', how: 'it sent more data than a call may' });
      return true;
    }
    if (message.type === 'loaded' || message.type === 'unloadable') {
      if (this.#state !== 'loading') return false;
      if (message.type === 'loaded') this.#begin();
      else this.#end({ kind: 'unloadable', error: heardError(message.error) });
      return true;
    }
    if (this.#state !== 'running' || message.call !== this.number) return false;
    switch (message.type) {
      case 'progress':
        this.#progress(message.data);
        break;
      case 'ask':
        this.#ask(message.id, message.operation, message.args);
        break;
      case 'withdraw':
        this.#operations.get(message.id)?.abort();
        break;
      case 'done':
        this.#end({ kind: 'data', data: message.data });
        break;
      case 'failed':
        this.#end({ kind: 'thrown', error: heardError(message.error) });
        break;
    }
    return true;
  }

  gone(gone: Gone): void {
    if (!this.over) this.#end({ kind: 'gone', gone, loaded: this.#state === 'running' });
  }

  #begin(): void {
    try {
      const { args, context } = this.#call.message();
      const { name } = this.#call.handler;
      const message = writtenCall({ type: 'call', call: this.number, name, args, context });
      this.#call.begin();
      this.#state = 'running';
      this.#line.send(message);
    } catch (error) {
      this.#end({ kind: 'thrown', error });
    }
  }

  #abort(reason: unknown): void {
    if (this.over) return;
    if (this.#state === 'running') this.#send({ type: 'abort', call: this.number, reason: tellError(reason) });
    if (this.#grace === Number.POSITIVE_INFINITY) return;
    this.#lastChance = this.#clock.setTimeout(() => {
      this.#line.kill({ reason: 'stopped', how: 'it did not stop when it was told to' });
    }, this.#grace);
  }

  #progress(data: unknown): void {
    if (++this.#unheard > progressWindow) {
      this.#line.kill({ reason: 'rules', how: 'it told more progress than it may at a time' });
      return;
    }
    this.#progressed++;
    this.#call.progress(data);
    if (this.#hearing !== undefined) return;
    const hear = (): void => {
      this.#hearing = undefined;
      if (this.over) return;
      const count = this.#unheard;
      this.#unheard = 0;
      this.#send({ type: 'heard', call: this.number, count });
    };
    this.#hearing =
      this.#progressed > promptProgress ? this.#clock.setTimeout(hear, progressPause) : setImmediate(hear);
  }

  #ask(id: number, operation: string, args: readonly unknown[]): void {
    // An answer counts until it has left, so that a worker which reads none cannot fill the memory here with them; it may
    // have left, and the next question be there, before that is known.
    if (++this.#unflushed > 2 * operationWindow || this.#operations.has(id)) {
      this.#line.kill({ reason: 'rules', how: 'it asked for more at a time than it may' });
      return;
    }
    const controller = new AbortController();
    this.#operations.set(id, controller);
    const flushed = (): void => {
      this.#unflushed--;
    };
    const answer = (message: ToWorker): void => {
      this.#operations.delete(id);
      if (this.over) return;
      try {
        this.#send(message, flushed);
      } catch (error) {
        this.#send({ type: 'refusal', call: this.number, id, error: tellError(error) }, flushed);
      }
    };
    this.#call.perform(operation, args, controller.signal).then(
      (value) => answer({ type: 'answer', call: this.number, id, value }),
      (error: unknown) => answer({ type: 'refusal', call: this.number, id, error: tellError(error) }),
    );
  }

  #send(message: ToWorker, flushed?: () => void): void {
    this.#line.send(written(message), flushed);
  }

  #end(outcome: Outcome): void {
    if (this.over) return;
    this.#state = 'over';
    if (this.#lastChance !== undefined) this.#clock.clearTimeout(this.#lastChance);
    if (this.#hearing !== undefined) this.#dropHearing();
    // What it still has under way is nobody's any more.
    for (const controller of this.#operations.values()) controller.abort();
    this.#operations.clear();
    this.#settle(outcome);
  }

  #dropHearing(): void {
    if (this.#progressed > promptProgress) this.#clock.clearTimeout(this.#hearing);
    else clearImmediate(this.#hearing as NodeJS.Immediate);
  }
}

function writtenCall(message: ToWorker): Uint8Array {
  try {
    return written(message);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolError(
      `The arguments cannot travel to the thread or process that runs the tool: ${why} Only plain data can.`,
      { code: 'internal', cause: error },
    );
  }
}
