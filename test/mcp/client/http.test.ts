import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Server as OldServer } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { afterAll, describe, expect, test } from 'vitest';
import { createRegistry, createRouter } from '../../../src/index.ts';
import { type McpServerConnection, type McpToolsOptions, mcpTools } from '../../../src/mcp/index.ts';
import type { ToolResult } from '../../../src/result.ts';
import { fakeClock } from '../../../src/testing/fake-clock.ts';
import { listed } from './played-server.ts';

const ending: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

async function listen(handle: Handle): Promise<{ url: string; server: HttpServer }> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server };
}

async function connect(
  url: string,
  more: Partial<McpToolsOptions> = {},
  headers: Record<string, string> = {},
): Promise<{ connection: McpServerConnection; call: (name: string, args?: object) => Promise<ToolResult> }> {
  const registry = createRegistry();
  const connection = await mcpTools({ url, headers }, { name: 'web', registry, connectTimeout: 5_000, ...more });
  ending.push(() => connection.close());
  const router = createRouter({ registry, mode: 'trusted' });
  return { connection, call: (name, args = {}) => router.call({ name: `web.${name}`, arguments: args }) };
}

const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: String(value) }] });

/** A server of the newest revision, which says which headers it got. */
function modernHandler(): Handle {
  let headers: unknown = {};
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'modern', version: '1' }, { capabilities: { tools: {} } });
    const inputSchema = { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } };
    server.setRequestHandler('tools/list', () => ({
      tools: [listed('say'), listed('where', { inputSchema })] as never,
    }));
    server.setRequestHandler('tools/call', ({ params }) =>
      params.name === 'where' ? text(JSON.stringify(headers)) : { ...text('said'), structuredContent: { a: 1 } },
    );
    return server;
  });
  const serve = toNodeHandler(handler);
  return (request, response) => {
    headers = request.headers;
    return serve(request as never, response);
  };
}

/** A server of a revision with sessions, as plain JSON. */
function sessions(): { handle: Handle; forget(): void; ended: unknown[] } {
  let session = 0;
  const ended: unknown[] = [];
  const handle: Handle = async (request, response) => {
    if (request.method === 'DELETE') ended.push(request.headers['mcp-session-id']);
    if (request.method !== 'POST') return response.writeHead(405).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    if (method === 'server/discover') return answer(response, { id, error: { code: -32601, message: 'no' } });
    if (method === 'initialize') {
      response.setHeader('mcp-session-id', `s${++session}`);
      const { protocolVersion } = params;
      const serverInfo = { name: 'sessions', version: '1' };
      return answer(response, { id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    }
    if (request.headers['mcp-session-id'] !== `s${session}`) return response.writeHead(404).end('gone');
    if (method === 'tools/list') return answer(response, { id, result: { tools: [listed('say')] } });
    return answer(response, { id, result: text(`${request.headers['authorization']} ${session}`) });
  };
  return {
    handle,
    forget() {
      session += 100;
    },
    ended,
  };
}

function answer(response: ServerResponse, message: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

describe('a server that is reached over HTTP', () => {
  test('of the newest revision is understood, arguments in headers and all', async () => {
    const { url } = await listen(modernHandler());
    const { connection, call } = await connect(url);
    expect(connection).toMatchObject({ tools: ['web.say', 'web.where'], serverInfo: { name: 'modern' } });
    expect(await call('say')).toMatchObject({
      ok: true,
      data: { content: [{ type: 'text', text: 'said' }], structuredContent: { a: 1 } },
    });
    const { data } = await call('where', { city: 'Bonn' });
    expect(JSON.parse(data as string)).toMatchObject({ 'mcp-param-city': 'Bonn' });
  });

  test('can be demanded to be of one revision', async () => {
    const { url } = await listen(modernHandler());
    expect((await connect(url, { era: 'modern' })).connection.status).toBe('connected');
    const old = await listen(sessions().handle);
    await expect(connect(old.url, { era: 'modern' })).rejects.toThrow('2026-07-28');
  });

  test('gets the headers that the host gives, and is greeted again when it has forgotten the session', async () => {
    const server = sessions();
    const { url } = await listen(server.handle);
    const clock = fakeClock();
    const { call, connection } = await connect(url, { clock }, { Authorization: 'Bearer t' });
    expect(await call('say')).toMatchObject({ ok: true, data: 'Bearer t 1' });
    server.forget();
    expect(await call('say')).toMatchObject({ code: 'unavailable' });
    expect(connection.status).toBe('reconnecting');
    await clock.advance(500);
    while (connection.status !== 'connected') await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await call('say')).toMatchObject({ ok: true, data: 'Bearer t 102' });
    await connection.close();
    expect(server.ended.at(-1)).toBe('s102');
  });

  test('by the transport of before is understood as well', async () => {
    const transports = new Map<string, SSEServerTransport>();
    const { url } = await listen(async (request, response) => {
      const path = new URL(request.url ?? '', 'http://localhost');
      if (request.method === 'GET') {
        const transport = new SSEServerTransport('/messages', response);
        transports.set(transport.sessionId, transport);
        const server = new OldServer({ name: 'old', version: '1' }, { capabilities: { tools: {} } });
        server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [listed('say')] as never }));
        server.setRequestHandler(CallToolRequestSchema, () => text('old words'));
        return server.connect(transport);
      }
      const transport = transports.get(path.searchParams.get('sessionId') ?? '');
      return transport === undefined ? response.writeHead(404).end() : transport.handlePostMessage(request, response);
    });
    const { call, connection } = await connect(url);
    expect(connection.serverInfo?.name).toBe('old');
    expect(await call('say')).toMatchObject({ ok: true, data: 'old words' });
  });

  test.each([401, 403, 500])('that answers with %i cannot be imported', async (status) => {
    const { url } = await listen((_, response) => response.writeHead(status).end('{}'));
    await expect(connect(url)).rejects.toThrow();
  });

  test('that refuses calls, or is not there any more, says so', async () => {
    const server = sessions();
    let status = 0;
    const { url, server: http } = await listen((request, response) =>
      status === 0 ? server.handle(request, response) : response.writeHead(status).end('secret page'),
    );
    const { call } = await connect(url);
    status = 401;
    expect(await call('say')).toMatchObject({ code: 'unavailable', retryable: false, effect: 'none' });
    status = 503;
    const busy = await call('say');
    expect(busy).toMatchObject({ code: 'unavailable', retryable: true, effect: 'unknown' });
    expect(busy.error).not.toContain('secret page');
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    // The first may still go out on a connection that is gone; after that nobody listens.
    expect(await call('say')).toMatchObject({ code: 'unavailable' });
    expect(await call('say')).toMatchObject({ code: 'unavailable', effect: 'none' });
  });

  test('is given up where its answers have no end, as a whole or as an event', async () => {
    const server = sessions();
    let endless: string | undefined;
    const { url } = await listen((request, response) => {
      if (endless === undefined || request.method !== 'POST') return server.handle(request, response);
      response.writeHead(200, { 'content-type': endless });
      const piece = `data: ${'x'.repeat(10_000)}\n`;
      const timer = setInterval(() => response.write(piece), 1);
      response.on('close', () => clearInterval(timer));
    });
    const { call } = await connect(url, { maxMessageBytes: 100_000, restart: false });
    for (endless of ['application/json', 'text/event-stream']) {
      expect([endless, (await call('say')).ok]).toEqual([endless, false]);
    }
  });

  test.each([
    ['no answer', () => ''],
    ['something else', (id: unknown) => `data: {"jsonrpc":"2.0","id":${id},"result":[]}\n\n`],
    ['no JSON', () => 'data: {\n\n'],
    ['another answer', () => 'data: {"jsonrpc":"2.0","id":"other","result":{}}\n\n'],
  ])('whose stream ends with %s leaves no call waiting', async (_, events) => {
    const server = sessions();
    let isOdd = false;
    const { url } = await listen(async (request, response) => {
      if (!isOdd || request.method !== 'POST') return server.handle(request, response);
      let body = '';
      for await (const chunk of request) body += chunk;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events(JSON.parse(body).id));
    });
    const { call } = await connect(url);
    isOdd = true;
    expect(await call('say')).toMatchObject({
      code: 'unavailable',
      effect: 'unknown',
      error: expect.stringContaining('sent no answer that can be read'),
    });
    isOdd = false;
    expect(await call('say')).toMatchObject({ ok: true });
  });

  test('is sent no more while too much waits for its answer', async () => {
    const server = sessions();
    const open: ServerResponse[] = [];
    let isStuck = false;
    const { url } = await listen((request, response) =>
      isStuck && request.method === 'POST' ? void open.push(response) : server.handle(request, response),
    );
    const { call } = await connect(url, { maxQueuedBytes: 40_000 });
    isStuck = true;
    const calls = Array.from({ length: 6 }, () => call('say', { value: 'x'.repeat(5_000) }));
    // The first two fill it up.
    expect(await Promise.all(calls.slice(2))).toMatchObject(
      Array(4).fill({ code: 'unavailable', effect: 'none', retryable: true }),
    );
    await expect.poll(() => open.length).toBe(2);
    for (const response of open) response.writeHead(503).end();
    expect(await Promise.all(calls)).toMatchObject(Array(6).fill({ code: 'unavailable' }));
    isStuck = false;
    expect(await call('say')).toMatchObject({ ok: true });
  });

  describe('may not send us elsewhere', () => {
    const secret = { Authorization: 'Bearer t', 'X-Api-Key': 'k' };
    const statuses = [301, 302, 303, 307, 308];

    /** Another origin, which counts who comes. */
    async function other(): Promise<{ url: string; reached: () => number }> {
      let reached = 0;
      const { url } = await listen((_, response) => {
        reached++;
        response.end('{}');
      });
      return { url, reached: () => reached };
    }

    test.each(statuses)('when it is greeted (%i)', async (status) => {
      const { url: away, reached } = await other();
      const location = `${away.replace('//', '//user:pass@')}?token=abc`;
      const { url } = await listen((_, response) => response.writeHead(status, { location }).end());
      await expect(connect(url, {}, secret)).rejects.toThrow(`sends requests on to ${away} (HTTP ${status})`);
      await expect(connect(url, {}, secret)).rejects.not.toThrow(/abc|pass/);
      expect(reached()).toBe(0);
    });

    test.each(statuses)('when it is called (%i)', async (status) => {
      const { url: away, reached } = await other();
      const server = sessions();
      let moved = false;
      const { url } = await listen((request, response) =>
        moved ? response.writeHead(status, { location: away }).end() : server.handle(request, response),
      );
      const { call } = await connect(url, {}, secret);
      moved = true;
      const answer = await call('say');
      expect(answer).toMatchObject({ code: 'unavailable', retryable: false, effect: 'unknown' });
      expect(answer.error).toContain(`sends requests on to ${away} (HTTP ${status})`);
      expect(reached()).toBe(0);
    });

    test('not by the transport of before either, nor by the address that it gives', async () => {
      const { url: away, reached } = await other();
      for (const asked of ['redirect', 'endpoint']) {
        const { url } = await listen((request, response) => {
          if (request.method !== 'GET') return response.writeHead(405).end();
          if (asked === 'redirect') return response.writeHead(302, { location: away }).end();
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`event: endpoint\ndata: ${away}\n\n`);
        });
        await expect(connect(url, {}, secret)).rejects.toThrow();
      }
      expect(reached()).toBe(0);
    });

    test.each([
      [307, true],
      [308, true],
      [301, false],
      [302, false],
      [303, false],
    ])('but within its own origin, where what was sent goes along (%i)', async (status, follows) => {
      const server = sessions();
      const { url } = await listen((request, response) =>
        request.url === '/mcp'
          ? response.writeHead(status, { location: '/there?a=1' }).end()
          : server.handle(request, response),
      );
      const connecting = connect(url, {}, secret);
      if (!follows) return await expect(connecting).rejects.toThrow(/\/there in a way that drops what they say/);
      expect(await (await connecting).call('say')).toMatchObject({ ok: true, data: 'Bearer t 1' });
    });

    test('and not round and round', async () => {
      const { url } = await listen((_, response) => response.writeHead(307, { location: '/mcp' }).end());
      await expect(connect(url)).rejects.toThrow('more than 5 times');
    });
  });
});
