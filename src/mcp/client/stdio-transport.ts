import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { LineWriter } from '../line-writer.ts';
import { Lines } from '../lines.ts';
import { endGroup, type Launch, type Program, startProgram } from './program.ts';
import { Tail } from './tail.ts';
import { within } from './timers.ts';
import { UnreadError } from './unread.ts';

/** How long a server may take to end by itself, and then after it was told to, in milliseconds. */
const grace = 1_000;
/** How long output is waited for once a server has ended, in milliseconds. */
const graceForOutput = 100;

/** How large things may be, in bytes. */
export interface StdioLimits {
  /** One message of the server. */
  readonly maxMessageBytes: number;
  /** What waits for the server to read it. */
  readonly maxQueuedBytes: number;
}

/**
 * A server's program, spoken to in lines of JSON. Unlike the client package's own transport it ends everything that the
 * program has started, bounds a message while it is read, and what waits to be read by the server, and keeps the end of
 * what is written to standard error.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #launch: Launch;
  readonly #mostQueued: number;
  readonly #lines: Lines;
  readonly #tail = new Tail(8_192);
  readonly #heard: ((text: string) => void) | undefined;
  #program: Program | undefined;
  #writer: LineWriter | undefined;
  #ended: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #notified = false;

  /** `heard` gets what is written to standard error. */
  constructor(launch: Launch, { maxMessageBytes, maxQueuedBytes }: StdioLimits, heard?: (text: string) => void) {
    this.#launch = launch;
    this.#mostQueued = maxQueuedBytes;
    this.#heard = heard;
    this.#lines = new Lines(maxMessageBytes, (line) => this.#received(line));
  }

  /** With `stderr`, what the client package knows a transport to a program by. */
  get pid(): number | null {
    return this.#program?.pid ?? null;
  }

  /** The end of what was written to standard error. */
  get stderr(): string {
    return this.#tail.toString();
  }

  start(): Promise<void> {
    const program = startProgram(this.#launch);
    this.#program = program;
    this.#writer = new LineWriter(program.stdin);
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        for (const stream of [program.stdin, program.stdout, program.stderr]) stream.destroy();
        resolve();
      };
      // A grandchild that has left the group may hold the output open for ever.
      program.once('exit', () => setTimeout(end, graceForOutput).unref());
      program.once('close', end);
      program.once('error', () => {
        if (program.pid === undefined) end();
      });
    });
    void this.#ended.then(() => {
      this.#program = undefined;
      this.onclose?.();
    });
    program.stdin.on('error', (error) => this.onerror?.(error));
    program.stdout.on('data', (chunk: Buffer) => {
      if (this.#lines.add(chunk)) return;
      this.#endForGood(new Error('The server sent a message that is longer than allowed.'));
    });
    // A server that can say nothing any more is none.
    program.stdout.once('end', () => {
      setTimeout(() => endGroup(program, 'SIGKILL'), grace).unref();
    });
    program.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#tail.add(text);
      this.#heard?.(text);
    });
    return new Promise((resolve, reject) => {
      program.once('error', reject);
      program.once('spawn', resolve);
    });
  }

  /** Rejects with an {@link UnreadError} where too much waits to be read by the server. */
  send(message: JSONRPCMessage): Promise<void> {
    const writer = this.#program?.stdin.writable ? this.#writer : undefined;
    if (writer === undefined) return Promise.reject(new Error('The server is not running.'));
    return writer.waiting > this.#mostQueued && this.#isTooMuch(message, writer.waiting)
      ? Promise.reject(new UnreadError(this.#mostQueued))
      : writer.write(message);
  }

  /**
   * Notifications, one for each request that is withdrawn, still go. Answers may take as much again; a server that even then
   * goes on asking, and reads none of them, is ended.
   */
  #isTooMuch(message: JSONRPCMessage, waiting: number): boolean {
    if ('method' in message) return 'id' in message;
    if (waiting <= 2 * this.#mostQueued) return false;
    this.#endForGood(new Error('The server asks again and again and does not read the answers.'));
    return true;
  }

  #endForGood(error: Error): void {
    const program = this.#program;
    if (program === undefined || program.stdout.isPaused()) return;
    program.stdout.pause();
    this.onerror?.(error);
    endGroup(program, 'SIGKILL');
  }

  /** Does not keep this process from ending: a server that nobody talks to ends with it. */
  unref(): void {
    const program = this.#program;
    if (program === undefined) return;
    program.unref();
    for (const stream of [program.stdin, program.stdout, program.stderr]) (stream as { unref?(): void }).unref?.();
  }

  /** Ends the input, and after a second the group, and after another one for good. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const program = this.#program;
    const ended = this.#ended;
    if (program === undefined || ended === undefined) return;
    program.ref();
    this.#writer?.flush();
    program.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await within(ended, grace)) return;
      endGroup(program, signal);
    }
    await ended;
  }

  #received(line: string): void {
    // Some servers print other things too; those are for whoever looks for the reason of a failure.
    if (!line.startsWith('{')) {
      if (line.trim() !== '') this.#tail.add(`${line.slice(0, 1_000)}\n`);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = JSON.parse(line) as JSONRPCMessage;
    } catch {
      this.onerror?.(new Error('The server sent a line that is not JSON.'));
      return;
    }
    this.#deliver(message);
  }

  readonly #turned = (): void => {
    this.#notified = false;
  };

  /**
   * An answer that came with notifications is handed on a turn after them: the package deals with an answer at once and
   * with notifications a moment later, and would drop the last progress of a call.
   */
  #deliver(message: JSONRPCMessage): void {
    if (!('id' in message)) {
      if (!this.#notified) setImmediate(this.#turned);
      this.#notified = true;
    } else if (this.#notified) {
      setImmediate(() => this.onmessage?.(message));
      return;
    }
    this.onmessage?.(message);
  }
}
