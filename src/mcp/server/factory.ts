import type * as Sdk from '@modelcontextprotocol/server';
import type { Router } from '../../router.ts';
import { answerCall } from './call.ts';
import { listTools } from './list.ts';
import type { ClientFacts } from './ongoing.ts';
import { type McpServeOptions, type Settings, settingsOf } from './options.ts';
import { serverPackage } from './packages.ts';
import { Session } from './session.ts';
import { Traffic } from './traffic.ts';

/** Makes the SDK's server for one connection. Fits `serveStdio` and `createMcpHandler` of the SDK as it is. */
export type McpServerFactory = (context?: McpConnection) => Promise<Sdk.Server>;

/** What the SDK tells of the connection that a server is for. */
export interface McpConnection {
  /** `legacy` (default) for the protocol with a handshake, up to 2025-11-25; `modern` for 2026-07-28. */
  readonly era?: 'legacy' | 'modern';
}

/**
 * Gives a factory of servers of `@modelcontextprotocol/server` that offer a router's tools, for those who bring their own
 * transport. One server serves one connection, with a run of its own. `serveMcpStdio` and `serveMcpHttp` do all of it.
 *
 * @example
 * const server = await mcpServer(router)();
 * await server.connect(transport);
 */
export function mcpServer<State>(router: Router<State>, options: McpServeOptions = {}): McpServerFactory {
  const settings = settingsOf('mcpServer', options);
  const traffic = new Traffic();
  return async ({ era = 'legacy' } = {}) => {
    const [sdk] = await Promise.all([serverPackage(), warmed(router)]);
    return makeServer({ sdk, router, settings, traffic, session: new Session(), era, follows: true });
  };
}

export interface MakeOptions<State> {
  readonly sdk: typeof Sdk;
  readonly router: Router<State>;
  readonly settings: Settings;
  readonly traffic: Traffic;
  readonly session: Session;
  readonly era: 'legacy' | 'modern';
  /** Tells the client by itself when the tools change. */
  readonly follows: boolean;
  readonly requests?: Set<string | number>;
  /** The session goes on when this connection ends. Default false. */
  readonly outlives?: boolean;
}

/** The SDK's server over a router: definitions go as they are, and nothing is validated twice. */
export function makeServer<State>(options: MakeOptions<State>): Sdk.Server {
  const { sdk, router, settings, session, traffic, era, follows, requests = new Set(), outlives } = options;
  const { name, version, instructions, pageSize } = settings;
  const server = new sdk.Server(
    { name, version },
    {
      capabilities: { tools: { listChanged: true }, ...(settings.logging && { logging: {} }) },
      ...(instructions !== undefined && { instructions }),
      // The default one builds an engine for every server, and what clients answer is checked where it is used.
      jsonSchemaValidator: { getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'unused' }) },
    },
  );
  server.onerror = settings.onError;
  const facts = (exchange: Sdk.ServerContext): ClientFacts => {
    const envelope = exchange.mcpReq.envelope as { readonly [key: string]: unknown } | undefined;
    if (era === 'legacy') return { client: server.getClientVersion(), capabilities: server.getClientCapabilities() };
    return {
      client: envelope?.[sdk.CLIENT_INFO_META_KEY] as ClientFacts['client'],
      capabilities: envelope?.[sdk.CLIENT_CAPABILITIES_META_KEY] as ClientFacts['capabilities'],
    };
  };
  const project = (result: Sdk.CallToolResult): Sdk.CallToolResult => server.projectCallToolResult(result, undefined);
  const host = { sdk, router, settings, session, traffic, requests, facts, project, rounds: era === 'modern' };
  server.setRequestHandler('tools/list', (request) => listTools(sdk, router, pageSize, request.params?.cursor));
  server.setRequestHandler('tools/call', (request, exchange) => answerCall(host, request.params, exchange));
  const unfollow = follows ? followTools(router, server) : undefined;
  server.onclose = () => {
    unfollow?.();
    if (outlives !== true) session.abort(new Error('The connection was closed.'));
  };
  return server;
}

/** Tells the client when tools come and go: once for those that change in one go. */
function followTools<State>(router: Router<State>, server: Sdk.Server): () => void {
  return afterChanges(router, () => {
    if (server.transport !== undefined) server.sendToolListChanged().catch(() => {});
  });
}

/** Loads what every call needs, so that those of a first burst do not pile up behind it. */
export async function warmed<State>(router: Router<State>): Promise<void> {
  // What is wrong with the tools is told to whoever lists or calls them.
  await router.offer('mcp').catch(() => {});
}

/**
 * Calls `listener` once after each burst of changes to what a router offers, until the function returned is called: tools
 * that come and go, and a mode in which others are offered.
 */
export function afterChanges<State>(router: Router<State>, listener: () => void): () => void {
  let soon: NodeJS.Immediate | undefined;
  let isOver = false;
  let toolsChanged = false;
  let modeBefore: string | undefined;
  const tell = async (): Promise<void> => {
    const [isTold, from] = [toolsChanged, modeBefore];
    soon = undefined;
    toolsChanged = false;
    modeBefore = undefined;
    if (isTold || (from !== undefined && (await offersOthers(router, from)))) if (!isOver) listener();
  };
  const unfollow = [
    router.registry.onChange(() => {
      toolsChanged = true;
      soon ??= setImmediate(tell);
    }),
    router.on('mode', ({ before }) => {
      modeBefore ??= before;
      soon ??= setImmediate(tell);
    }),
  ];
  return () => {
    isOver = true;
    for (const stop of unfollow) stop();
    clearImmediate(soon);
  };
}

/** Whether what is offered now is not what was offered in another mode. Never rejects. */
async function offersOthers<State>(router: Router<State>, before: string): Promise<boolean> {
  if (before === router.mode) return false;
  try {
    const [old, now] = await Promise.all([router.schemas('mcp', { mode: before }), router.schemas('mcp')]);
    return old.length !== now.length || old.some(({ name }, at) => name !== now[at]?.name);
  } catch {
    // What is wrong is told to whoever lists them.
    return true;
  }
}
