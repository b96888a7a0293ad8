import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client as CurrentClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as CurrentStdio } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** The two lines of the official client. */
export const lines = ['1.x', '2.x'] as const;
export type Line = (typeof lines)[number];

const installed = (path: string): string =>
  fileURLToPath(new URL(`../../../node_modules/@modelcontextprotocol/${path}`, import.meta.url));

/** The official servers, as a configuration has them. */
export const officialServers = {
  filesystem: (root: string) => ({
    command: process.execPath,
    args: [installed('server-filesystem/dist/index.js'), root],
  }),
  everything: { command: process.execPath, args: [installed('server-everything/dist/index.js')] },
  memory: (file: string) => ({
    command: process.execPath,
    args: [installed('server-memory/dist/index.js')],
    env: { MEMORY_FILE_PATH: file },
  }),
  thinking: {
    command: process.execPath,
    args: [installed('server-sequential-thinking/dist/index.js')],
    env: { DISABLE_THOUGHT_LOGGING: 'true' },
  },
};

/** How a person at the client answers when asked. */
export type Answering = (message: string) => 'accept' | 'decline' | 'cancel';

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: unknown) => void;
}

/** A client of either line, as far as the tests need one. */
export interface Driver {
  list(): Promise<readonly { readonly name: string; readonly [member: string]: unknown }[]>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

type Transport = Parameters<CurrentClient['connect']>[0];

/** Connects a client of this line. With `answer` it declares elicitation. */
export async function connect(line: Line, transport: Transport, answer?: Answering): Promise<Driver> {
  const info = { name: 'test', version: '1.0.0' };
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
  const reply = (message: unknown) => {
    const action = answer?.(String(message)) ?? 'cancel';
    return action === 'accept' ? { action, content: { decision: 'allow once' } } : { action };
  };
  if (line === '1.x') {
    const client = new FirstClient(info, { capabilities });
    if (answer !== undefined) client.setRequestHandler(ElicitRequestSchema, ({ params }) => reply(params.message));
    await client.connect(transport as Parameters<FirstClient['connect']>[0]);
    return {
      list: async () => (await client.listTools()).tools,
      call: (name, args = {}, options) => client.callTool({ name, arguments: args }, undefined, options) as never,
      close: () => client.close(),
    };
  }
  const client = new CurrentClient(info, { capabilities });
  if (answer !== undefined) client.setRequestHandler('elicitation/create', ({ params }) => reply(params.message));
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, args = {}, options) => client.callTool({ name, arguments: args }, options) as never,
    close: () => client.close(),
  };
}

/** A transport of this line to a process of its own. */
export function overStdio(
  line: Line,
  parameters: { command: string; args: string[]; env?: Record<string, string>; cwd?: string },
): Transport & { readonly pid: number | null } {
  const Stdio = line === '1.x' ? FirstStdio : CurrentStdio;
  return new Stdio({ ...parameters, stderr: 'ignore' }) as never;
}

/** A transport over a pair of streams, one JSON message a line, for a server in the same process. */
export function overStreams(input: Readable, output: Writable): Transport {
  let rest = '';
  const transport: Transport = {
    async start() {
      input.setEncoding('utf8').on('data', (text: string) => {
        const parts = (rest + text).split('\n');
        rest = parts.pop() ?? '';
        for (const line of parts) if (line !== '') transport.onmessage?.(JSON.parse(line));
      });
      input.on('close', () => transport.onclose?.());
    },
    async send(message) {
      output.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      output.end();
      transport.onclose?.();
    },
  };
  return transport;
}
