import type { Server as HttpServer, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type * as McpNode from '@modelcontextprotocol/node';
import { checkClock, systemClock } from '../../clock.ts';
import type { Router } from '../../router.ts';
import { afterChanges, warmed } from './factory.ts';
import { makeEndpoint } from './http-endpoint.ts';
import { isLoopback, makeAdmit, type Refusal } from './http-guards.ts';
import { HttpSessions } from './http-sessions.ts';
import { httpSettings, type McpHttpOptions, type McpServing } from './options.ts';
import { nodePackage, serverPackage } from './packages.ts';
import { Traffic } from './traffic.ts';

/**
 * Serves a router's tools over Streamable HTTP to clients of both eras of the protocol: with sessions up to 2025-11-25,
 * without from 2026-07-28 on. Listens on the loopback address unless told otherwise, and elsewhere only with a token.
 *
 * Refuses requests by Host and Origin (403), without the token (401), for other paths (404), methods (405) and types of
 * body (415), and bodies that are too long (413) or no JSON (400). Throws a TypeError for options that would open it to
 * more than was meant; rejects where the address is taken, and where `@modelcontextprotocol/server` or
 * `@modelcontextprotocol/node` is not installed.
 *
 * @example
 * const serving = await serveMcpHttp(router, { port: 3000, token });
 * console.error(`Listening at ${serving.url}`);
 */
export async function serveMcpHttp<State>(
  router: Router<State>,
  options: McpHttpOptions = {},
): Promise<McpServing & { readonly url: string }> {
  const settings = httpSettings(options);
  const { host = '127.0.0.1', port = 0, path = '/mcp', clock = systemClock } = options;
  checkClock(clock, 'serveMcpHttp({ clock })');
  if (!/^\/[\w./~-]*$/.test(path)) throw new TypeError(`serveMcpHttp({ path }) must be a plain path; it is ${path}.`);
  const admit = makeAdmit(host, options);
  const [sdk, node] = await Promise.all([serverPackage(), nodePackage(), warmed(router)]);
  const { createServer } = process.getBuiltinModule('node:http');
  const traffic = new Traffic();
  const sessions = new HttpSessions({ max: settings.maxSessions, idle: settings.idle, clock });
  const endpoint = makeEndpoint({ sdk, router, settings, traffic, sessions });
  const serve = node.toNodeHandler(endpoint, {
    maxRequestBodySize: settings.maxBodyBytes,
    onerror: settings.onError,
  });

  const server = createServer(
    {
      requestTimeout: finite(settings.requestTimeout),
      headersTimeout: finite(settings.requestTimeout),
      connectionsCheckingInterval: Math.min(5_000, Math.ceil(settings.requestTimeout / 2)),
    },
    (request, response) => {
      const refused = refusalOf(request);
      if (refused !== undefined) return refuse(response, refused);
      const { 'mcp-session-id': id } = request.headers;
      if (typeof id === 'string') response.once('close', sessions.use(id));
      // A connection that is done with must not keep a server from stopping.
      if (traffic.closing) response.setHeader('connection', 'close');
      flushStreams(response);
      serve(request as unknown as McpNode.NodeIncomingMessageLike, response).catch(settings.onError);
    },
  );
  server.maxConnections = settings.maxConnections;
  server.on('clientError', (_error, socket: Socket) => {
    // In the midst of an answer, more would be taken for a part of it.
    if (socket.writable && socket.bytesWritten === 0)
      socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
    // Ended alone, the connection would stay for as long as the other side likes.
    socket.destroySoon();
  });

  const refusalOf = (request: IncomingMessage & { auth?: unknown }): Refusal | undefined => {
    if (pathOf(request.url) !== path) return { status: 404, message: 'There is nothing at this path.' };
    const admitted = admit(request);
    if ('status' in admitted) return admitted;
    const { method = '', headers } = request;
    if (!methods.includes(method)) {
      return { status: 405, message: 'Method not allowed.', headers: { allow: methods.join(', ') } };
    }
    if (traffic.closing) return { status: 503, message: 'The server is stopping.', headers: { 'retry-after': '5' } };
    const isPlain = sdk.isJsonContentType(headers['content-type'] ?? null) && headers['content-encoding'] === undefined;
    if (method === 'POST' && !isPlain) return { status: 415, message: 'The body must be plain application/json.' };
    // Handlers get to know on whose behalf, and never the token.
    request.auth = { token: '', clientId: admitted.principal ?? '', scopes: [] };
    return undefined;
  };

  await listening(server, port, host);
  const address = server.address() as AddressInfo;
  if (isLoopback(host) && !isLoopback(address.address)) {
    server.close();
    throw new Error(`${host} is not a loopback address on this machine.`);
  }
  const unfollow = afterChanges(router, () => endpoint.toolsChanged());
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  let stopping: Promise<void> | undefined;
  const stop = async (drain: number): Promise<void> => {
    traffic.stop();
    unfollow();
    server.close();
    endpoint.silence();
    await traffic.drained(drain);
    await endpoint.close();
    // What was answered last may still be on its way out.
    const late = setTimeout(() => server.closeAllConnections(), 250);
    const idle = setInterval(() => server.closeIdleConnections(), 10);
    await closed;
    clearTimeout(late);
    clearInterval(idle);
  };
  const close = (drain = 5_000): Promise<void> => {
    stopping ??= stop(drain);
    return stopping;
  };
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${host === 'localhost' ? host : shown}:${address.port}${path}`,
    close: ({ drain } = {}) => close(drain),
    closed,
    [Symbol.asyncDispose]: () => close(),
  };
}

const methods = ['GET', 'POST', 'DELETE'];

/**
 * Node.js keeps a head back until the body begins, and a stream for notifications may have none for long. Whether the connection
 * is kept Node.js knows: the SDK says so of every stream, also to a client that wants it closed.
 */
function flushStreams(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (status: number, headers?: OutgoingHttpHeaders) => unknown;
  response.writeHead = (status: number, headers?: unknown) => {
    const { connection, ...named } = (headers ?? {}) as OutgoingHttpHeaders;
    writeHead(status, connection === 'keep-alive' ? named : (headers as OutgoingHttpHeaders | undefined));
    if (named['content-type'] === 'text/event-stream') response.flushHeaders();
    return response;
  };
}

/** Before anything is read of a body that is not wanted: the connection ends with the answer. */
function refuse(response: ServerResponse, { status, message, headers = {} }: Refusal): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
  response.writeHead(status, { ...headers, 'content-type': 'application/json', connection: 'close' }).end(body);
}

function pathOf(url = ''): string {
  return url.split('?', 1)[0] as string;
}

/** Node's own word for no limit is 0. */
function finite(milliseconds: number): number {
  return Number.isFinite(milliseconds) ? milliseconds : 0;
}

function listening(server: HttpServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
