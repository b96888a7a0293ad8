import type { Readable, Writable } from 'node:stream';
import { checkMilliseconds } from '../../basics/milliseconds.ts';
import { checkOptions } from '../../basics/options.ts';
import type { Clock } from '../../clock.ts';

/** What every way of serving a router over the Model Context Protocol can be given. */
export interface McpServeOptions {
  /** The server's name, as clients show it. Default `callgate`. */
  readonly name?: string;
  /** The server's version. Default `0.0.0`. */
  readonly version?: string;
  /** How to use these tools, for the client's model. */
  readonly instructions?: string;
  /**
   * How calls that need approval are answered: `elicit` asks the person at the client, where the client declares that it
   * can and the router was made with `approve: elicitApproval()`; `deny` never does. Default `elicit`.
   */
  readonly approvals?: 'elicit' | 'deny';
  /** How many calls of one session may run at the same time; more are answered with `rate_limited`. Default 128. */
  readonly maxInFlight?: number;
  /** How many tools a page of `tools/list` holds. Default 500. */
  readonly pageSize?: number;
  /**
   * Whether handlers may send messages for the client's log (see {@link mcpClient}); else clients are not told that they
   * could get any. Default true.
   */
  readonly logging?: boolean;
  /** Gets what went wrong outside of any call, such as a message that is no JSON. Default: nobody. */
  readonly onError?: (error: Error) => void;
}

/** Options of {@link serveMcpStdio}. */
export interface McpStdioOptions extends McpServeOptions {
  /** Where requests come from. Default `process.stdin`. */
  readonly input?: Readable;
  /**
   * Where answers go. Default `process.stdout`; whatever else the program writes there is then sent to standard error
   * for as long as it serves.
   */
  readonly output?: Writable;
  /** The longest message, in bytes; a longer one ends the connection. Default 10 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * How much may wait for the client to read it, in bytes; while more does, nothing is read from the client. Default
   * 16 MiB.
   */
  readonly maxQueuedBytes?: number;
  /** How long calls may go on after the input has ended, in milliseconds. Default 30,000. */
  readonly drain?: number;
}

/** Options of {@link serveMcpHttp}. */
export interface McpHttpOptions extends McpServeOptions {
  /** The address to listen on. Any but a loopback address needs a `token`. Default `127.0.0.1`. */
  readonly host?: string;
  /** The port; 0 takes one that is free. Default 0. */
  readonly port?: number;
  /** The path of the endpoint. Default `/mcp`. */
  readonly path?: string;
  /**
   * The bearer token that every request must carry, at least 16 characters; or several, by the principal on whose behalf
   * their calls are made. Default: none.
   */
  readonly token?: string | { readonly [principal: string]: string };
  /**
   * The names a request's `Host` may have, without ports. Default: `localhost`, `127.0.0.1`, `[::1]` and the address
   * listened on. Must be given to listen on all addresses.
   */
  readonly allowedHosts?: readonly string[];
  /** The values a request's `Origin` may have, such as `https://app.example`. Default: those of loopback names. */
  readonly allowedOrigins?: readonly string[];
  /** The longest body, in bytes. Default 4 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * The most values a body may hold, counted by its commas and brackets before it is parsed. More of them keep the process
   * busy for longer; what arguments may hold is up to `validate({ limits })`, which is 50,000 values unless told otherwise.
   * Default 60,000.
   */
  readonly maxBodyValues?: number;
  /** How long a request may take to arrive whole, in milliseconds. Default 30,000. */
  readonly requestTimeout?: number;
  /** How many connections may be open. Default 512. */
  readonly maxConnections?: number;
  /** Limits on the sessions of clients that speak a protocol with sessions (up to 2025-11-25). */
  readonly sessions?: {
    /** How many there may be; beyond, the longest unused one ends, or a new one is refused. Default 64. */
    readonly max?: number;
    /** After how long without a request one ends, in milliseconds. Default 1,800,000 (30 minutes). */
    readonly idle?: number;
  };
  /** Where idle sessions take the time from. */
  readonly clock?: Clock;
}

/** A router that is being served. */
export interface McpServing {
  /**
   * Stops: takes no new calls, waits up to `drain` milliseconds (default 5,000; 0 for none) for those under way, aborts
   * the rest and closes every connection. Never rejects; a second call waits for the first.
   */
  close(options?: { readonly drain?: number }): Promise<void>;
  /** Settles when it has ended, for whatever reason: `close`, the end of the input, a client that went away. */
  readonly closed: Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const common = ['name', 'version', 'instructions', 'approvals', 'maxInFlight', 'pageSize', 'logging', 'onError'];
const ofStdio = [...common, 'input', 'output', 'maxMessageBytes', 'maxQueuedBytes', 'drain'];
const ofHttp = [
  ...common,
  ...['host', 'port', 'path', 'token', 'allowedHosts', 'allowedOrigins', 'maxBodyBytes', 'maxBodyValues'],
  ...['requestTimeout', 'maxConnections', 'sessions', 'clock'],
];

/** Options with their defaults. */
export type Settings = Required<Omit<McpServeOptions, 'instructions'>> & Pick<McpServeOptions, 'instructions'>;

/** Throws a TypeError for options that do not exist or cannot be used. */
export function settingsOf(owner: string, options: McpServeOptions, known: readonly string[] = common): Settings {
  checkOptions(owner, options, known, ['token']);
  const { name = 'callgate', version = '0.0.0', instructions, logging = true, onError = ignoreError } = options;
  const { approvals = 'elicit' } = options;
  if (approvals !== 'elicit' && approvals !== 'deny') {
    throw new TypeError(`${owner}({ approvals }) must be 'elicit' or 'deny'; it is ${String(approvals)}.`);
  }
  if (typeof logging !== 'boolean') {
    throw new TypeError(`${owner}({ logging }) must be true or false; it is ${String(logging)}.`);
  }
  return {
    name,
    version,
    ...(instructions !== undefined && { instructions }),
    approvals,
    maxInFlight: checkCount(options.maxInFlight ?? 128, `${owner}({ maxInFlight })`),
    pageSize: checkCount(options.pageSize ?? 500, `${owner}({ pageSize })`),
    logging,
    onError,
  };
}

/** As {@link settingsOf}, for standard input and output. */
export function stdioSettings(
  options: McpStdioOptions,
): Settings & { maxMessageBytes: number; maxQueuedBytes: number; drain: number } {
  return {
    ...settingsOf('serveMcpStdio', options, ofStdio),
    maxQueuedBytes: checkCount(options.maxQueuedBytes ?? 16 * 1024 * 1024, 'serveMcpStdio({ maxQueuedBytes })'),
    maxMessageBytes: checkCount(options.maxMessageBytes ?? 10 * 1024 * 1024, 'serveMcpStdio({ maxMessageBytes })'),
    drain: checkMilliseconds(options.drain ?? 30_000, 'serveMcpStdio({ drain })'),
  };
}

/** As {@link settingsOf}, for HTTP; what concerns addresses and tokens is checked by the guards. */
export function httpSettings(options: McpHttpOptions): Settings & {
  maxBodyBytes: number;
  maxBodyValues: number;
  requestTimeout: number;
  maxConnections: number;
  maxSessions: number;
  idle: number;
} {
  const settings = settingsOf('serveMcpHttp', options, ofHttp);
  const { sessions = {} } = options;
  checkOptions('serveMcpHttp({ sessions })', sessions, ['max', 'idle']);
  return {
    ...settings,
    maxBodyBytes: checkCount(options.maxBodyBytes ?? 4 * 1024 * 1024, 'serveMcpHttp({ maxBodyBytes })'),
    maxBodyValues: checkCount(options.maxBodyValues ?? 60_000, 'serveMcpHttp({ maxBodyValues })'),
    requestTimeout: checkMilliseconds(options.requestTimeout ?? 30_000, 'serveMcpHttp({ requestTimeout })'),
    maxConnections: checkCount(options.maxConnections ?? 512, 'serveMcpHttp({ maxConnections })'),
    maxSessions: checkCount(sessions.max ?? 64, 'serveMcpHttp({ sessions: { max } })'),
    idle: checkMilliseconds(sessions.idle ?? 1_800_000, 'serveMcpHttp({ sessions: { idle } })'),
  };
}

function checkCount(value: unknown, what: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1) {
    throw new TypeError(`${what} must be a whole number of at least 1; it is ${String(value)}.`);
  }
  return value as number;
}

function ignoreError(): void {}
