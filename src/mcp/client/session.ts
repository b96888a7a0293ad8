import type { Client } from '@modelcontextprotocol/client';
import { cleanText } from './clean-text.ts';
import type { ListedTool } from './list-tools.ts';
import { type Opened, type OpenOptions, openAddress, openProgram } from './open.ts';
import { anything, type Sender, type SendOptions } from './sender.ts';
import type { ConnectedClient, McpAddress, McpCommand, McpServerConnection } from './types.ts';

/** What a session tells. */
export interface SessionEvents {
  onToolsChanged(): void;
  /** The server has ended, or the connection to it. */
  onClosed(): void;
  onLog(level: string, data: unknown, logger?: string): void;
}

/** One life of a server. */
export interface Session {
  readonly client: Sender;
  readonly serverInfo: McpServerConnection['serverInfo'];
  /** Whether it is over, by itself. */
  readonly ended: boolean;
  call(listed: ListedTool, args: unknown, options: SendOptions): Promise<unknown>;
  stderr(): string;
  close(): Promise<void>;
}

/** What a program or an address needs beside what a session tells. */
export type SessionOptions = Pick<
  OpenOptions,
  'connectTimeout' | 'maxMessageBytes' | 'maxQueuedBytes' | 'roots' | 'signal'
>;

/** How a session is made with a source, and remembers which revisions the server speaks. */
export function sessionMaker(
  source: McpCommand | McpAddress,
  era: OpenOptions['era'],
): (events: SessionEvents, options: SessionOptions) => Promise<Session> {
  let known = era;
  return async (events, options) => {
    let ended = false;
    const all: OpenOptions = {
      ...options,
      era: known,
      onToolsChanged: () => events.onToolsChanged(),
      onClosed() {
        ended = true;
        events.onClosed();
      },
      onError: (error) => events.onLog('debug', error.message),
      onStderr: (text) => events.onLog('stderr', text),
    };
    const opened = 'url' in source ? await openAddress(source, all) : await openProgram(source, all);
    if (opened.legacy) known = 'legacy';
    hearLogs(opened.client, events);
    return {
      client: opened.client,
      serverInfo: infoOf(opened.client.getServerVersion()),
      get ended() {
        return ended;
      },
      call: (listed, args, how) => send(opened, 'url' in source, listed, args, how),
      stderr: () => opened.stderr(),
      close: () => opened.close(),
    };
  };
}

/** A session with a client that the program has connected, and goes on owning. */
export function borrowedSession(client: ConnectedClient, events: SessionEvents): Session {
  let ended = false;
  const before = client.onclose;
  client.onclose = () => {
    ended = true;
    before?.();
    events.onClosed();
  };
  const changed = 'notifications/tools/list_changed';
  client.setNotificationHandler(changed, () => events.onToolsChanged());
  return {
    client,
    serverInfo: infoOf(client.getServerVersion()),
    get ended() {
      return ended;
    },
    call: (listed, args, options) => request(client, listed, args, options),
    stderr: () => '',
    async close() {
      client.removeNotificationHandler(changed);
      client.onclose = before;
    },
  };
}

function send(
  { client, legacy }: Opened,
  isRemote: boolean,
  listed: ListedTool,
  args: unknown,
  options: SendOptions,
): Promise<unknown> {
  const { name, inputSchema } = listed;
  // Arguments that also go into headers, so that what lies in between can see them: only the package can do that.
  if (!legacy && isRemote && JSON.stringify(inputSchema).includes('"x-mcp-header"')) {
    const toolDefinition = { name, inputSchema } as unknown as Awaited<
      ReturnType<Client['listTools']>
    >['tools'][number];
    return client.callTool({ name, arguments: args as { [name: string]: unknown } }, { ...options, toolDefinition });
  }
  return request(client, listed, args, options);
}

function request(client: Sender, { name }: ListedTool, args: unknown, options: SendOptions): Promise<unknown> {
  return client.request({ method: 'tools/call', params: { name, arguments: args } }, anything, options);
}

function hearLogs(client: Client, events: SessionEvents): void {
  client.setNotificationHandler('notifications/message', ({ params }) => {
    events.onLog(params.level, params.data, params.logger);
  });
}

function infoOf(info: { name: string; version: string } | undefined): McpServerConnection['serverInfo'] {
  return (
    info && Object.freeze({ name: cleanText(String(info.name), 200), version: cleanText(String(info.version), 200) })
  );
}
