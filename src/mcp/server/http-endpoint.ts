import type * as Sdk from '@modelcontextprotocol/server';
import type { Router } from '../../router.ts';
import { makeServer } from './factory.ts';
import type { HttpSessions } from './http-sessions.ts';
import { holdsMoreThan } from './json-size.ts';
import type { Settings } from './options.ts';
import { headerMismatch } from './param-headers.ts';
import { Session } from './session.ts';
import type { Traffic } from './traffic.ts';

interface EndpointOptions<State> {
  readonly sdk: typeof Sdk;
  readonly router: Router<State>;
  readonly settings: Settings & { readonly maxBodyBytes: number; readonly maxBodyValues: number };
  readonly traffic: Traffic;
  readonly sessions: HttpSessions;
}

/** An endpoint for requests that have been let in. */
export interface Endpoint {
  fetch(request: Request, options?: Sdk.McpHandlerRequestOptions): Promise<Response>;
  /** Tells those who listen. */
  toolsChanged(): void;
  /** Ends the questions that wait for somebody: their answers would come by requests, and none are taken any more. */
  silence(): void;
  /** Aborts what is under way, and ends all sessions. */
  close(): Promise<void>;
}

/** The error of revision 2026-07-28 for headers that contradict the body. */
const headerMismatchCode = -32_020;

/** The last revision in which clients may send several messages at once. */
const withBatches = '2025-03-26';

/** Serves both eras: who says so in each request is served without a session, all others with one. */
export function makeEndpoint<State>(options: EndpointOptions<State>): Endpoint {
  const { sdk, router, settings, traffic, sessions } = options;
  const limits = { maxRequestBodySize: settings.maxBodyBytes };
  // Where the protocol has no sessions, all calls of a principal are of one run: else nothing would limit them.
  const ofPrincipal = new Map<string, Session>();
  const sessionOf = (principal: string): Session => {
    let session = ofPrincipal.get(principal);
    if (session === undefined) {
      session = new Session(principal === '' ? undefined : principal);
      ofPrincipal.set(principal, session);
    }
    return session;
  };
  const modern = sdk.createMcpHandler(
    ({ authInfo }) => {
      const session = sessionOf(authInfo?.clientId ?? '');
      const common = { sdk, router, settings, traffic, session };
      return makeServer({ ...common, era: 'modern', follows: false, outlives: true });
    },
    { ...limits, legacy: 'reject', onerror: settings.onError },
  );

  /** Whether a call's headers say what its arguments say; the SDK looks at that for its high-level server only. */
  const contradiction = async (headers: Headers, message: unknown): Promise<Response | undefined> => {
    const { id, method, params } = message as { id?: unknown; method?: unknown; params?: unknown };
    if (method !== 'tools/call') return undefined;
    const { name, arguments: args } = (params ?? {}) as { name?: unknown; arguments?: unknown };
    const tools = await router.schemas('mcp').catch(() => []);
    const tool = tools.find((one) => one.name === name);
    const mismatch = tool && headerMismatch(tool.inputSchema, args, headers);
    if (mismatch === undefined) return undefined;
    const { header, problem } = mismatch;
    const error = {
      code: headerMismatchCode,
      message: `Bad Request: ${problem}.`,
      data: { mismatch: { header, body: problem } },
    };
    return Response.json({ jsonrpc: '2.0', error, id: requestIdOf({ id, method }) ?? null }, { status: 400 });
  };

  const openSession = async (request: Request, body: unknown, principal: string | undefined): Promise<Response> => {
    const release = sessions.reserve(principal);
    if (release === undefined) return failed(503, -32_000, 'There are too many sessions.', { 'retry-after': '30' });
    try {
      return await openReserved(request, body, principal, release);
    } finally {
      release();
    }
  };

  const openReserved = async (
    request: Request,
    body: unknown,
    principal: string | undefined,
    release: () => void,
  ): Promise<Response> => {
    const requests = new Set<string | number>();
    const session = new Session(principal);
    const transport: Sdk.WebStandardStreamableHTTPServerTransport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => process.getBuiltinModule('node:crypto').randomUUID(),
      onsessioninitialized: (id) => {
        release();
        sessions.add(id, { principal, session, server, transport, requests });
      },
      onsessionclosed: (id) => {
        if (id !== undefined) sessions.forget(id);
      },
      ...limits,
    });
    const server = makeServer({ sdk, router, settings, traffic, session, requests, era: 'legacy', follows: true });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (transport.sessionId === undefined) await server.close();
    return response;
  };

  const serveSession = async (request: Request, body: unknown, principal: string | undefined): Promise<Response> => {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (sdk.isInitializeRequest(body)) return openSession(request, body, principal);
      return failed(400, -32_000, 'A session is needed: send initialize first, then its Mcp-Session-Id.');
    }
    const session = sessions.get(id, principal);
    if (session === undefined) return failed(404, -32_001, 'There is no such session.');
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    if (Array.isArray(body) && session.server.getNegotiatedProtocolVersion() !== withBatches) return noBatches();
    const ids = messages.map(requestIdOf).filter((one) => one !== undefined);
    // The SDK would send both answers to whoever asked last.
    const isTaken = ids.some((one, index) => session.requests.has(one) || ids.indexOf(one) !== index);
    if (isTaken) return failed(400, -32_600, 'A request with this id is under way.');
    return session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
  };

  return {
    async fetch(request, { authInfo } = {}) {
      const principal = authInfo?.clientId || undefined;
      let body: unknown;
      if (request.method === 'POST') {
        const text = await request.text();
        if (holdsMoreThan(settings.maxBodyValues, text))
          return failed(413, -32_600, `The body holds more than ${settings.maxBodyValues} values.`);
        try {
          body = JSON.parse(text);
        } catch {
          return failed(400, -32_700, 'The body is no JSON.');
        }
        if (typeof body !== 'object' || body === null) return failed(400, -32_600, 'The body is no JSON-RPC message.');
        if (Array.isArray(body) && request.headers.get('mcp-session-id') === null) return noBatches();
      }
      if (await sdk.isLegacyRequest(request, body, limits)) return serveSession(request, body, principal);
      const contradicted = await contradiction(request.headers, body);
      if (contradicted !== undefined) return contradicted;
      return modern.fetch(request, { ...(authInfo !== undefined && { authInfo }), parsedBody: body });
    },
    toolsChanged: () => modern.notify.toolsChanged(),
    silence() {
      for (const session of ofPrincipal.values()) session.silence();
      sessions.silence();
    },
    async close() {
      const reason = new Error('The server was stopped.');
      for (const session of ofPrincipal.values()) session.abort(reason);
      await Promise.all([modern.close(), sessions.endAll()]);
    },
  };
}

function requestIdOf(message: unknown): string | number | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { id, method } = message as { id?: unknown; method?: unknown };
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : undefined;
}

function noBatches(): Response {
  return failed(400, -32_600, 'Several messages at once are not part of this protocol revision.');
}

function failed(status: number, code: number, message: string, headers: { [name: string]: string } = {}): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}
