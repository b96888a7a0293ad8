import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { LineWriter } from '../line-writer.ts';
import { Lines } from '../lines.ts';
import { answerInstead, isMessage, refusalOf } from '../messages.ts';
import type { Traffic } from './traffic.ts';

export interface StdioWireOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly maxMessageBytes: number;
  /** Nothing more is read while more than this waits for the client to read it. */
  readonly maxQueuedBytes: number;
  /** Counts the requests that have been read and not been answered. */
  readonly unanswered: Traffic;
  /** Told directly: the package would tell it once for the connection and once for the server on it. */
  readonly onError: (error: Error) => void;
  /** The connection is closed when this has settled after the end of the input. */
  readonly beforeEnd: () => Promise<void>;
}

/**
 * The serving end of a connection over two streams, one JSON-RPC message a line. Unlike the package's own transport it
 * lets calls be answered after the end of the input, writes all answers of one turn in one go, and reads nothing more from
 * a client that does not read.
 */
export class StdioWire implements Transport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioWireOptions;
  readonly #lines: Lines;
  readonly #writer: LineWriter;
  readonly #open = new Set<unknown>();
  #ending = false;
  #closed = false;
  #held = false;

  constructor(options: StdioWireOptions) {
    this.#options = options;
    this.#lines = new Lines(options.maxMessageBytes, (line) => this.#received(line));
    this.#writer = new LineWriter(options.output);
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    output.on('error', this.#onOutputError);
    input.on('error', this.#onInputError);
    input.on('end', this.#onEnd);
    input.on('close', this.#onEnd);
    if (input.readableEnded || input.destroyed) this.#onEnd();
    else input.on('data', this.#onData);
  }

  /** Settles when the stream has taken the message. */
  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The connection was closed.'));
    const written = this.#write(message);
    if ('method' in message) return written;
    const end = (): void => this.#end(message.id);
    written.then(end, end);
    return written;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#writer.flush();
    this.#closed = true;
    const { input } = this.#options;
    input.off('data', this.#onData);
    input.off('end', this.#onEnd);
    input.off('close', this.#onEnd);
    input.pause();
    // Late errors of streams that are gone still come, and nobody else may be listening: those listeners stay.
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer | string): void => {
    if (this.#lines.add(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) return;
    const most = this.#options.maxMessageBytes;
    this.#options.onError(new Error(`A message exceeds the maximum size of ${most} bytes.`));
    void this.close();
  };

  #write(message: JSONRPCMessage): Promise<void> {
    const written = this.#writer.write(message);
    if (this.#writer.waiting > this.#options.maxQueuedBytes) this.#hold();
    return written;
  }

  /** Who does not read is not listened to either: else what we have to say would grow without end. */
  #hold(): void {
    if (this.#held) return;
    this.#held = true;
    const { input, output } = this.#options;
    input.pause();
    output.once('drain', () => {
      this.#held = false;
      if (!this.#closed) input.resume();
    });
  }

  readonly #onInputError = (error: Error): void => {
    if (this.#closed) return;
    this.#options.onError(error);
    this.#onEnd();
  };

  readonly #onOutputError = (error: Error): void => {
    if (this.#closed) return;
    this.#options.onError(error);
    void this.close();
  };

  readonly #onEnd = (): void => {
    if (this.#ending || this.#closed) return;
    this.#ending = true;
    // What was read last has yet to be looked at.
    setImmediate(() => {
      void this.#options.beforeEnd().then(() => this.close());
    });
  };

  #received(line: string): void {
    if (this.#closed || line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#options.onError(new Error('A line that is no JSON was passed over.'));
      return;
    }
    if (!isMessage(message)) {
      this.#options.onError(new Error('A line that is no message of JSON-RPC 2.0 was passed over.'));
      this.#pass(message);
      return;
    }
    const { id, method, params } = message as { id?: unknown; method?: unknown; params?: { requestId?: unknown } };
    if (method === 'notifications/cancelled') this.#end(params?.requestId);
    // A subscription is answered when the connection ends.
    else if (id !== undefined && method !== undefined && method !== 'subscriptions/listen' && !this.#open.has(id)) {
      this.#open.add(id);
      this.#options.unanswered.begin();
    }
    this.onmessage?.(message as JSONRPCMessage);
  }

  /** Nobody is left waiting for what is passed over. */
  #pass(message: unknown): void {
    const refusal = refusalOf(message);
    if (refusal !== undefined) this.#write(refusal).catch(() => {});
    const instead = answerInstead(message);
    if (instead !== undefined) this.onmessage?.(instead);
  }

  #end(id: unknown): void {
    if (this.#open.delete(id)) this.#options.unanswered.end();
  }
}
