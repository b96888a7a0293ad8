/** Why a worker is there no more. */
export interface Gone {
  /** `crashed`: it ended by itself. `rules`: it broke the rules of its channel. `stopped`: it was ended from here. */
  readonly reason: 'crashed' | 'out-of-memory' | 'rules' | 'stopped';
  /** For whoever reads the answer, such as `exit code 1`. */
  readonly how: string;
  /** Private: what it said last. */
  readonly cause?: unknown;
}

/** What a worker's channel tells. */
export interface TransportEvents {
  /** A message came, as memory of its own. */
  message(bytes: Uint8Array): void;
  /** Something came that is no message. */
  broken(how: string): void;
  /** The thread or process has ended. Told once, and last. */
  gone(gone: Gone): void;
}

/** A thread or process with a channel of bytes to it. */
export interface Transport {
  /** `flushed` is called when the message is held here no more. */
  send(bytes: Uint8Array, flushed?: () => void): void;
  /** Keeps the router's process alive while a call is under way. */
  hold(): void;
  release(): void;
  /** Ends it whatever it does; `gone` follows. */
  kill(): void;
}

/** How threads and processes are started. */
export interface TransportOptions {
  /** Of the JavaScript heap, in bytes. */
  readonly memory: number;
  /** The longest message from the worker, in bytes. */
  readonly messageBytes: number;
  readonly env: Readonly<Record<string, string>>;
  readonly execArgv: readonly string[];
  /** Of processes: what starts them. */
  readonly launcher: readonly string[];
  readonly output: 'ignore' | 'stderr';
}

export type StartTransport = (events: TransportEvents) => Transport;

/** The program of a worker, beside this file: compiled as this file is, or not. */
export function entryOf(name: string): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./worker/${name}.${extension}`, import.meta.url);
}
