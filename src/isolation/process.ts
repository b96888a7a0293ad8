import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { FrameReader, headerFor } from './frames.ts';
import { entryOf, type Gone, type StartTransport, type TransportEvents, type TransportOptions } from './transport.ts';

const prlimit = '/usr/bin/prlimit';
/** What a process of Node.js needs beside its heap, in bytes: its code, its threads, and buffers. */
const besideHeap = 256 * 1_048_576;
/** How much of what a process writes to its standard error is kept, in bytes. */
const keptOutput = 16_384;
/** How long to wait for it after the process has ended, in milliseconds. */
const lastWordsWait = 200;

/** Gives what starts processes: each leads a group of its own, and has a pipe of ours instead of Node's channel. */
export function processStarter(options: TransportOptions): StartTransport {
  return (events) => new ChildTransport(options, events);
}

/**
 * Node's own channel between processes is not for code that is not trusted: a line that is no JSON, or a message that looks
 * like one of Node's, throws where nobody can catch it, and nothing bounds a message. So messages go through a pipe.
 */
class ChildTransport {
  readonly #child: ChildProcess;
  readonly #messages: Socket;
  readonly #lifeline: Socket;
  readonly #reader: FrameReader;
  readonly #events: TransportEvents;
  /** What it wrote to its standard error last; words are made of it only when it has ended. */
  readonly #lastWords: Uint8Array[] = [];
  #wordBytes = 0;
  #over = false;

  constructor(options: TransportOptions, events: TransportEvents) {
    this.#events = events;
    const [file, args] = commandOf(options);
    const output = options.output === 'stderr' ? process.stderr.fd : 'ignore';
    const child = spawn(file, args, {
      env: { ...options.env },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', output, options.output === 'stderr' ? process.stderr.fd : 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#messages = child.stdio[3] as Socket;
    this.#lifeline = child.stdio[4] as Socket;
    this.#reader = new FrameReader(
      options.messageBytes,
      (bytes) => events.message(bytes),
      (length) => events.broken(`it announced a message of ${length} bytes, and ${options.messageBytes} are the most`),
    );
    child.on('error', (error) => this.#ended({ reason: 'crashed', how: 'it could not be started', cause: error }));
    child.on('exit', (code, signal) => this.#exited(code, signal));
    child.stderr?.on('data', (chunk: Uint8Array) => {
      this.#lastWords.push(chunk);
      this.#wordBytes += chunk.byteLength;
      for (let [first] = this.#lastWords; first !== undefined; [first] = this.#lastWords) {
        if (this.#wordBytes - first.byteLength < keptOutput) break;
        this.#wordBytes -= first.byteLength;
        this.#lastWords.shift();
      }
    });
    // A process that could not be started has no pipes.
    this.#messages?.on('data', (chunk: Uint8Array) => this.#reader.push(chunk));
    this.#messages?.on('error', () => this.kill());
    this.#messages?.on('close', () => this.kill());
    // Its guardian holds the other end, and says nothing.
    this.#lifeline?.on('data', () => events.broken('it wrote where nothing is to be written'));
    this.#lifeline?.on('error', () => this.kill());
    this.#lifeline?.on('close', () => this.kill());
    if (child.pid !== undefined) remember(child.pid);
  }

  send(bytes: Uint8Array, flushed?: () => void): void {
    if (this.#over || this.#messages === undefined || !this.#messages.writable) return;
    this.#messages.cork();
    this.#messages.write(headerFor(bytes));
    this.#messages.write(bytes, flushed && (() => flushed()));
    this.#messages.uncork();
  }

  hold(): void {
    this.#child.ref();
    this.#messages?.ref();
  }

  release(): void {
    this.#child.unref();
    for (const stream of [this.#messages, this.#lifeline, this.#child.stderr as Socket | null]) stream?.unref();
  }

  kill(): void {
    this.#reader.end();
    if (!this.#over) endGroup(this.#child);
  }

  /** What it wrote last may still be on its way; but whoever left its group may hold the pipe open. */
  #exited(code: number | null, signal: string | null): void {
    // Its children are still there when it ended by itself, in the group that has its number.
    endGroup(this.#child);
    const tell = (): void => {
      clearTimeout(timer);
      this.#ended(this.#ending(code, signal));
    };
    const timer = setTimeout(tell, lastWordsWait);
    const { stderr } = this.#child;
    if (stderr === null || stderr.closed) tell();
    else stderr.once('close', tell);
  }

  #ended(gone: Gone): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#child.pid !== undefined) forget(this.#child.pid);
    this.#reader.end();
    for (const stream of [this.#messages, this.#lifeline, this.#child.stderr]) stream?.destroy();
    this.#events.gone(gone);
  }

  #ending(code: number | null, signal: string | null): Gone {
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    const words = Buffer.concat(this.#lastWords).subarray(-keptOutput).toString();
    const cause = words === '' ? {} : { cause: new Error(words) };
    // V8 says so before it gives up.
    const isMemory = /out of memory|memory limit/i.test(words);
    return isMemory
      ? { reason: 'out-of-memory', how: 'it used more memory than it may', ...cause }
      : { reason: 'crashed', how, ...cause };
  }
}

function commandOf({ memory, execArgv, launcher }: TransportOptions): [string, string[]] {
  const entry = fileURLToPath(entryOf('process-entry'));
  const heap = `--max-old-space-size=${Math.ceil(memory / 1_048_576)}`;
  const bounded = process.platform === 'linux' && existsSync(prlimit) ? [prlimit, ...limitsFor(memory), '--'] : [];
  const [file = process.execPath, ...args] = [...launcher, ...bounded, process.execPath, heap, ...execArgv, entry];
  return [file, args];
}

/** On Linux, everything that a process may write to counts as data, buffers as well as the heap. */
function limitsFor(memory: number): string[] {
  reserved ??= reservedForCode();
  // Once for itself, and once for a thread of its own, such as that of a loader.
  return ['--core=0', `--data=${Math.ceil(memory) + besideHeap + 2 * reserved}`];
}

let reserved: number | undefined;

/**
 * What this release of Node.js sets aside for the code of one thread, in bytes: later ones do it in a way that counts as data,
 * though nearly all of it stays untouched, and would not start within the limit alone.
 */
function reservedForCode(): number {
  if (!existsSync('/proc/self/maps')) return 0;
  let bytes = 0;
  const maps = readFileSync('/proc/self/maps', 'latin1');
  for (const [, from = '', to = ''] of maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rwxp 0+ 00:00 /gm)) {
    bytes += Number.parseInt(to, 16) - Number.parseInt(from, 16);
  }
  return bytes;
}

const alive = new Set<number>();
let listening = false;

/** When this process ends, every group ends. If it is killed, their guardians see to that. */
function remember(pid: number): void {
  alive.add(pid);
  if (listening) return;
  listening = true;
  process.on('exit', () => {
    for (const one of alive) endByNumber(one);
  });
}

function forget(pid: number): void {
  alive.delete(pid);
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    // Windows has no groups; this ends the tree as far as it is known.
    if (child.exitCode === null) spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
    child.kill('SIGKILL');
  } else {
    endByNumber(child.pid);
  }
}

function endByNumber(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
