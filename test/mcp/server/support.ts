import { PassThrough } from 'node:stream';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport as OldMemory } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport, type Transport } from '@modelcontextprotocol/server';
import type { Router } from 'callgate';
import { type McpHttpOptions, type McpServing, mcpServer, serveMcpHttp, serveMcpStdio } from 'callgate/mcp';

/** A line of the official clients, and how it greets. */
export const lines = ['client 2.x, 2026-07-28', 'client 2.x, 2025-11-25', 'sdk 1.x'] as const;
export const transports = ['memory', 'stdio', 'http'] as const;
export type Line = (typeof lines)[number];
export type Transported = (typeof transports)[number];

/** What a test asks of a client, whichever it is. */
export interface TestClient {
  list(cursor?: string): Promise<{ tools: { name: string; [member: string]: unknown }[]; nextCursor?: string }>;
  call(
    name: string,
    args?: { [name: string]: unknown },
    options?: { signal?: AbortSignal; onprogress?: (progress: unknown) => void },
  ): Promise<{ content: { type: string; text?: string }[]; structuredContent?: unknown; isError?: boolean }>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Answers forms; without it the client does not declare that it can. */
  readonly elicit?: (params: { message: string; [name: string]: unknown }) => unknown;
  readonly onToolsChanged?: () => void;
  readonly http?: McpHttpOptions;
  readonly serve?: {
    readonly maxInFlight?: number;
    readonly approvals?: 'elicit' | 'deny';
    readonly pageSize?: number;
  };
}

/** Serves the router over a transport, and connects a client. */
export async function connected(
  router: Router,
  line: Line,
  over: Transported,
  options: ConnectOptions = {},
): Promise<TestClient & { serving: McpServing | undefined; [Symbol.asyncDispose](): Promise<void> }> {
  const { transport, serving } = await served(router, line, over, options);
  const client =
    line === 'sdk 1.x' ? await oldClient(transport, options) : await modernClient(transport, line, options);
  const close = async (): Promise<void> => {
    await client.close().catch(() => {});
    await serving?.close({ drain: 0 });
  };
  return { ...client, close, serving, [Symbol.asyncDispose]: close };
}

async function served(
  router: Router,
  line: Line,
  over: Transported,
  { http, serve = {} }: ConnectOptions,
): Promise<{ transport: unknown; serving?: McpServing }> {
  if (over === 'http') {
    const serving = await serveMcpHttp(router, { ...serve, ...http });
    const url = new URL(serving.url);
    return { serving, transport: line === 'sdk 1.x' ? new OldHttp(url) : new ModernHttp(url) };
  }
  if (over === 'stdio') {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = await serveMcpStdio(router, { ...serve, input, output });
    return { serving, transport: streamTransport(output, input) };
  }
  const [near, far] = line === 'sdk 1.x' ? OldMemory.createLinkedPair() : InMemoryTransport.createLinkedPair();
  if (line === 'client 2.x, 2026-07-28') {
    // The era is found out by what serves a connection; in memory that is the entry for standard input and output.
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    const factory = mcpServer(router, serve);
    const handle = serveStdio((context) => factory(context), { transport: near as Transport });
    const serving = { close: () => handle.close() } as unknown as McpServing;
    return { transport: far, serving };
  }
  const server = await mcpServer(router, serve)();
  await server.connect(near as Transport);
  return { transport: far };
}

async function modernClient(transport: unknown, line: Line, options: ConnectOptions): Promise<TestClient> {
  const { elicit, onToolsChanged } = options;
  const mode: VersionNegotiationOptions['mode'] = line === 'client 2.x, 2026-07-28' ? { pin: '2026-07-28' } : 'legacy';
  const client = new ModernClient(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: elicit === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode },
      ...(onToolsChanged !== undefined && {
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
      }),
    },
  );
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => (await elicit(params as never)) as never);
  }
  await client.connect(transport as Transport);
  return {
    list: async (cursor) => (await client.listTools(cursor === undefined ? undefined : { cursor })) as never,
    call: async (name, args = {}, more) => (await client.callTool({ name, arguments: args }, more as never)) as never,
    close: () => client.close(),
  };
}

async function oldClient(transport: unknown, { elicit, onToolsChanged }: ConnectOptions): Promise<TestClient> {
  const client = new OldClient(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: elicit === undefined ? {} : { elicitation: {} },
      ...(onToolsChanged !== undefined && {
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
      }),
    },
  );
  if (elicit !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => (await elicit(params as never)) as never);
  }
  await client.connect(transport as never);
  return {
    list: async (cursor) => (await client.listTools(cursor === undefined ? undefined : { cursor })) as never,
    call: async (name, args = {}, more) =>
      (await client.callTool({ name, arguments: args }, undefined, more as never)) as never,
    close: () => client.close(),
  };
}

/** The client's end of two streams, a message a line. */
function streamTransport(input: PassThrough, output: PassThrough): unknown {
  let rest = '';
  const transport = {
    onmessage: undefined as ((message: unknown) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    onerror: undefined as ((error: Error) => void) | undefined,
    async start() {
      input.setEncoding('utf8').on('data', (chunk: string) => {
        const parts = (rest + chunk).split('\n');
        rest = parts.pop() ?? '';
        for (const line of parts) transport.onmessage?.(JSON.parse(line));
      });
    },
    async send(message: unknown) {
      output.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      output.end();
      transport.onclose?.();
    },
  };
  return transport;
}
