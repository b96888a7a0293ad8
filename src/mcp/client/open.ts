import type { Client, ClientOptions, Transport } from '@modelcontextprotocol/client';
import { answerRoots } from './answers.ts';
import { careful } from './careful-transport.ts';
import { limitedFetch } from './limited-fetch.ts';
import { clientPackage, stdioPackage } from './load.ts';
import { ownOrigin } from './own-origin.ts';
import { StdioTransport } from './stdio-transport.ts';
import { within } from './timers.ts';
import type { McpAddress, McpCommand } from './types.ts';
import { limitedSending } from './unread.ts';

/** How a connection is made. Times in milliseconds. */
export interface OpenOptions {
  readonly connectTimeout: number;
  readonly maxMessageBytes: number;
  readonly maxQueuedBytes: number;
  readonly era: 'auto' | 'legacy' | 'modern';
  readonly roots: readonly string[] | undefined;
  /** Withdraws the attempt. */
  readonly signal: AbortSignal;
  readonly onToolsChanged: () => void;
  readonly onClosed: () => void;
  readonly onError: (error: Error) => void;
  readonly onStderr: (text: string) => void;
}

/** A connection that has been made. */
export interface Opened {
  readonly client: Client;
  /** Whether it speaks a revision up to 2025-11-25; then the next one need not be asked first. */
  readonly legacy: boolean;
  stderr(): string;
  close(): Promise<void>;
}

interface Way {
  readonly transport: Transport;
  readonly stderr?: () => string;
  readonly unref?: () => void;
  /** Tells the server that its session is over. */
  readonly farewell?: () => Promise<void>;
}

const newest = '2026-07-28';
/** How long a program may take to say that it does not know the newest revision, in milliseconds. */
const longestProbe = 5_000;
/** How long a server may take to hear that its session is over, in milliseconds. */
const longestFarewell = 1_000;

/**
 * Starts a program and greets it, or greets a server at an address. Rejects with an Error when that takes too long or
 * fails; nothing is left running then.
 */
export async function openProgram(source: McpCommand, options: OpenOptions): Promise<Opened> {
  const make = () => programWay(source, options);
  if (options.era !== 'auto') return greet(await make(), options);
  let died = false;
  try {
    return await greet(await make(), options, () => {
      died = true;
    });
  } catch (error) {
    // Some programs end when they are asked anything before the greeting that they know.
    if (!died) throw error;
    return greet(await make(), { ...options, era: 'legacy' });
  }
}

/** As {@link openProgram}, over HTTP: the transport of today, and where the server does not know it, the one before. */
export async function openAddress(source: McpAddress, options: OpenOptions): Promise<Opened> {
  const { StreamableHTTPClientTransport, SSEClientTransport } = await clientPackage();
  const url = new URL(source.url);
  const how = {
    requestInit: { headers: { ...source.headers } },
    fetch: limitedSending(options.maxQueuedBytes, ownOrigin(url, limitedFetch(options.maxMessageBytes))),
  };
  try {
    const transport = new StreamableHTTPClientTransport(url, how);
    return await greet({ transport, farewell: () => transport.terminateSession() }, options);
  } catch (error) {
    if (options.era === 'modern' || ![400, 404, 405].includes(statusOf(error))) throw error;
    const before = { transport: new SSEClientTransport(url, how) };
    return greet(before, { ...options, era: 'legacy' }).catch(() => {
      throw error;
    });
  }
}

/** The status of a failed HTTP request; 0 for any other error. */
export function statusOf(error: unknown): number {
  const { data } = error as { data?: { status?: unknown } };
  return typeof data?.status === 'number' ? data.status : 0;
}

async function programWay(source: McpCommand, options: OpenOptions): Promise<Way> {
  const { getDefaultEnvironment, StdioClientTransport } = await stdioPackage();
  const { command, args = [], env, cwd } = source;
  const launch = {
    command,
    args: [...args],
    env: { ...getDefaultEnvironment(), ...env },
    ...(cwd !== undefined && { cwd }),
  };
  if (process.platform === 'win32') {
    // There programs such as npx are scripts that only the package knows how to start.
    return { transport: new StdioClientTransport({ ...launch, stderr: 'ignore' }) };
  }
  const transport = new StdioTransport(launch, options, options.onStderr);
  return { transport, stderr: () => transport.stderr, unref: () => transport.unref() };
}

async function greet(way: Way, options: OpenOptions, onDeath?: () => void): Promise<Opened> {
  const { Client: NewClient } = await clientPackage();
  const { transport } = way;
  const client = new NewClient({ name: 'callgate', version: '1' }, settingsOf(options));
  if (options.roots !== undefined) answerRoots(client, options.roots);
  client.onerror = options.onError;
  careful(transport, options.onError, way.farewell !== undefined);
  let over = false;
  // Set before it connects, since a server may end while it is being greeted.
  transport.onclose = () => {
    if (!over) onDeath?.();
  };
  let timer: NodeJS.Timeout | undefined;
  const { signal } = options;
  let withdrawn: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    withdrawn = () => reject(signal.reason);
    if (signal.aborted) withdrawn();
    signal.addEventListener('abort', withdrawn, { once: true });
    timer = setTimeout(() => {
      reject(new Error(`The server was not ready within ${options.connectTimeout} ms.`));
    }, options.connectTimeout);
  });
  try {
    const connecting = client.connect(transport, { timeout: options.connectTimeout });
    connecting.catch(() => {});
    await Promise.race([connecting, late]);
  } catch (error) {
    over = true;
    await transport.close().catch(() => {});
    // Only now it has said all that it had to say.
    throw withStderr(error, way.stderr?.().trim());
  } finally {
    clearTimeout(timer);
    if (withdrawn !== undefined) signal.removeEventListener('abort', withdrawn);
  }
  over = true;
  client.onclose = options.onClosed;
  way.unref?.();
  return {
    client,
    legacy: client.getProtocolEra() === 'legacy',
    stderr: () => way.stderr?.() ?? '',
    async close() {
      delete client.onclose;
      if (way.farewell !== undefined) await within(way.farewell(), longestFarewell);
      await client.close().catch(() => {});
      await transport.close().catch(() => {});
    },
  };
}

function settingsOf({ era, roots, connectTimeout, onToolsChanged }: OpenOptions): ClientOptions {
  const probe = { timeoutMs: Math.min(longestProbe, connectTimeout / 2) };
  const mode = era === 'modern' ? { pin: newest } : era;
  return {
    capabilities: roots === undefined ? {} : { roots: {} },
    versionNegotiation: { mode, probe },
    // How often it may say so is the connection's matter, which asks for the list by itself.
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
  };
}

function withStderr(error: unknown, said: string | undefined): unknown {
  if (!said || !(error instanceof Error)) return error;
  const text = `${error.message.replace(/\.$/, '')}. It wrote to its standard error: ${said.slice(-2_000)}`;
  return Object.assign(new Error(text, { cause: error }), { data: (error as { data?: unknown }).data, stderr: said });
}
