import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { createRouter, defineTool } from 'callgate';
import { elicitApproval, type McpHttpOptions, serveMcpHttp } from 'callgate/mcp';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { makeEndpoint } from '../../../src/mcp/server/http-endpoint.ts';
import { HttpSessions } from '../../../src/mcp/server/http-sessions.ts';
import { httpSettings } from '../../../src/mcp/server/options.ts';
import { serverPackage } from '../../../src/mcp/server/packages.ts';
import { Traffic } from '../../../src/mcp/server/traffic.ts';

const token = 'a-token-that-nobody-guesses';
const otherToken = 'another-token-nobody-guesses';

const principals: (string | undefined)[] = [];
const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  permission: 'read',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  handler: ({ text }) => text,
});
const router = createRouter({ tools: [echo] });
router.on('start', ({ run }) => principals.push(run.principal));

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: { readonly [name: string]: string | undefined };
  readonly body?: string | object;
}

/** One request as it stands, with any headers; a header given as `undefined` is left out. */
function send(url: string, { method = 'POST', path, headers = {}, body = initialize }: Sent = {}): Promise<Answer> {
  const { hostname, port, pathname } = new URL(url);
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    host: `${hostname}:${port}`,
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path: path ?? pathname, method, setHost: false, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    for (const [name, value] of Object.entries(all)) if (value !== undefined) sent.setHeader(name, value);
    const carries = method === 'POST' || method === 'PUT';
    sent.end(carries ? (typeof body === 'string' ? body : JSON.stringify(body)) : undefined);
  });
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function call(id: number | string, text = 'hello', name = 'echo'): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { text } } };
}

async function sessionOf(url: string, headers: Sent['headers'] = {}): Promise<string> {
  const answer = await send(url, { headers });
  expect(answer.status).toBe(200);
  return answer.headers['mcp-session-id'] as string;
}

describe('who is let in', () => {
  const loopback: McpHttpOptions = {};
  const guarded: McpHttpOptions = { token };
  const named: McpHttpOptions = { token, allowedHosts: ['tools.example'], allowedOrigins: ['https://app.example'] };
  const withToken = { authorization: `Bearer ${token}` };
  const rows: readonly (readonly [string, McpHttpOptions, Sent, number])[] = [
    ['the loopback address', loopback, {}, 200],
    ['localhost', loopback, { headers: { host: 'localhost:80' } }, 200],
    ['LOCALHOST', loopback, { headers: { host: 'LOCALHOST' } }, 200],
    ['[::1]', loopback, { headers: { host: '[::1]:3000' } }, 200],
    ['a name that was rebound', loopback, { headers: { host: 'evil.example' } }, 403],
    ['a name that begins like ours', loopback, { headers: { host: 'localhost.evil.example' } }, 403],
    ['a name that ends like ours', loopback, { headers: { host: 'evil-localhost' } }, 403],
    ['a name before an at sign', loopback, { headers: { host: 'localhost@evil.example' } }, 403],
    ['a name with a path', loopback, { headers: { host: 'localhost/evil.example' } }, 403],
    ['a port that there is none of', loopback, { headers: { host: 'localhost:99999' } }, 403],
    ['a name with a trailing dot', loopback, { headers: { host: 'localhost.' } }, 403],
    ['an address written otherwise', loopback, { headers: { host: '0x7f.1' } }, 403],
    [
      'another name by X-Forwarded-Host',
      loopback,
      { headers: { host: 'evil.example', 'x-forwarded-host': 'localhost' } },
      403,
    ],
    ['no Host', loopback, { headers: { host: undefined } }, 400],
    ['an empty Host', loopback, { headers: { host: '' } }, 403],
    ['a page of this machine', loopback, { headers: { origin: 'http://localhost:5173' } }, 200],
    ['a page from elsewhere', loopback, { headers: { origin: 'https://evil.example' } }, 403],
    ['a page from a name like ours', loopback, { headers: { origin: 'http://localhost.evil.example' } }, 403],
    ['a page without an origin', loopback, { headers: { origin: 'null' } }, 403],
    ['a page from a file', loopback, { headers: { origin: 'file://localhost' } }, 403],
    ['an Origin that is none', loopback, { headers: { origin: 'localhost' } }, 403],
    ['a preflight', loopback, { method: 'OPTIONS', headers: { origin: 'http://localhost:5173' } }, 405],
    ['the token', guarded, { headers: withToken }, 200],
    ['the token, scheme in other case', guarded, { headers: { authorization: `bearer ${token}` } }, 200],
    ['no token', guarded, {}, 401],
    ['a wrong token', guarded, { headers: { authorization: `Bearer ${token}x` } }, 401],
    ['part of the token', guarded, { headers: { authorization: `Bearer ${token.slice(0, -1)}` } }, 401],
    ['an empty token', guarded, { headers: { authorization: 'Bearer ' } }, 401],
    ['another scheme', guarded, { headers: { authorization: `Basic ${token}` } }, 401],
    ['the token as a parameter', guarded, { path: `/mcp?access_token=${token}` }, 401],
    ['the token for a rebound name', guarded, { headers: { ...withToken, host: 'evil.example' } }, 403],
    ['a name that is allowed', named, { headers: { ...withToken, host: 'tools.example' } }, 200],
    ['a loopback name that is not in the list', named, { headers: { ...withToken, host: 'localhost' } }, 403],
    [
      'an Origin that is allowed',
      named,
      { headers: { ...withToken, host: 'tools.example', origin: 'https://app.example' } },
      200,
    ],
    [
      'an Origin by another scheme',
      named,
      { headers: { ...withToken, host: 'tools.example', origin: 'http://app.example' } },
      403,
    ],
    [
      'an Origin by another port',
      named,
      { headers: { ...withToken, host: 'tools.example', origin: 'https://app.example:444' } },
      403,
    ],
    ['another path', loopback, { path: '/' }, 404],
    ['a path below', loopback, { path: '/mcp/x' }, 404],
    ['a path that climbs', loopback, { path: '/x/../mcp' }, 404],
    ['a whole URL as the path', loopback, { path: 'http://evil.example/mcp' }, 404],
    ['another method', loopback, { method: 'PUT' }, 405],
    ['a form', loopback, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    ['text, which needs no preflight', loopback, { headers: { 'content-type': 'text/plain' } }, 415],
    ['JSON within another type', loopback, { headers: { 'content-type': 'text/plain; application/json' } }, 415],
    ['no type', loopback, { headers: { 'content-type': undefined } }, 415],
    ['a packed body', loopback, { headers: { 'content-encoding': 'gzip' } }, 415],
    ['JSON with a charset', loopback, { headers: { 'content-type': 'application/json; charset=utf-8' } }, 200],
    ['a client that takes no streams', loopback, { headers: { accept: 'application/json' } }, 406],
    ['no JSON', loopback, { body: '{"jsonrpc": "2.0",' }, 400],
    ['an empty body', loopback, { body: '' }, 400],
    ['a number', loopback, { body: '1' }, 400],
    ['no message', loopback, { body: {} }, 400],
    ['several messages at once', loopback, { body: [initialize, call(2)] }, 400],
    ['a call without a session', loopback, { body: call(1) }, 400],
    ['a session that does not exist', loopback, { body: call(1), headers: { 'mcp-session-id': 'x' } }, 404],
    [
      'the stream of a session that does not exist',
      loopback,
      { method: 'GET', headers: { 'mcp-session-id': 'x' } },
      404,
    ],
    ['a stream without a session', loopback, { method: 'GET' }, 400],
    [
      'the end of a session that does not exist',
      loopback,
      { method: 'DELETE', headers: { 'mcp-session-id': 'x' } },
      404,
    ],
    ['a body that is too long', { maxBodyBytes: 100 }, {}, 413],
    ['a body that is longer than it says', { maxBodyBytes: 100 }, { headers: { 'transfer-encoding': 'chunked' } }, 413],
  ];

  test.each(rows)('%s', async (_what, options, sent, status) => {
    await using serving = await serveMcpHttp(router, options);
    const answer = await send(serving.url, sent);
    expect(answer.status).toBe(status);
    // Nothing is ever said to a page of another origin.
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="callgate"/);
    if (status >= 400 && answer.text !== '') {
      expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
      expect(answer.text).not.toContain(process.cwd());
      expect(answer.text).not.toMatch(/node_modules|at .*\.ts/);
    }
  });

  test.each([
    ['another address without a token', { host: '192.0.2.1' }],
    ['all addresses without a token', { host: '0.0.0.0' }],
    ['all addresses without names', { host: '0.0.0.0', token }],
    ['all addresses of the sixth version without names', { host: '::', token }],
    ['an empty address', { host: '' }],
    ['a short token', { token: 'short' }],
    ['a token with a space', { token: 'a token with spaces in it' }],
    ['no tokens', { token: {} }],
    ['one token for two', { token: { alice: token, bob: token } }],
    ['a principal without a name', { token: { '': token } }],
    ['a host with a port', { allowedHosts: ['localhost:3000'] }],
    ['a host with a star', { allowedHosts: ['*'] }],
    ['an origin with a path', { allowedOrigins: ['https://app.example/'] }],
    ['any origin', { allowedOrigins: ['*'] }],
    ['a path that is none', { path: 'mcp' }],
    ['an option that does not exist', { tokens: token } as object],
    ['a session limit that does not exist', { sessions: { most: 1 } } as object],
    ['no sessions', { sessions: { max: 0 } }],
    ['no values in a body', { maxBodyValues: 0 }],
  ])('refuses to be served with %s', async (_what, options) => {
    await expect(serveMcpHttp(router, options as McpHttpOptions)).rejects.toThrow(TypeError);
  });

  test('says where the address is taken', async () => {
    await using serving = await serveMcpHttp(router);
    await expect(serveMcpHttp(router, { port: Number(new URL(serving.url).port) })).rejects.toThrow('EADDRINUSE');
  });
});

describe('sessions', () => {
  test('belong to the principal of the token; to others they do not exist', async () => {
    await using serving = await serveMcpHttp(router, { token: { alice: token, bob: otherToken } });
    const alice = { authorization: `Bearer ${token}` };
    const id = await sessionOf(serving.url, alice);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    principals.length = 0;
    const own = await send(serving.url, { headers: { ...alice, 'mcp-session-id': id }, body: call(2) });
    expect(own.text).toContain('hello');
    expect(principals).toEqual(['alice']);
    const bob = { authorization: `Bearer ${otherToken}`, 'mcp-session-id': id };
    for (const method of ['POST', 'GET', 'DELETE']) {
      expect((await send(serving.url, { method, headers: bob, body: call(3) })).status).toBe(404);
    }
    expect(principals).toEqual(['alice']);
  });

  test('end when the client says so', async () => {
    await using serving = await serveMcpHttp(router);
    const headers = { 'mcp-session-id': await sessionOf(serving.url) };
    expect((await send(serving.url, { method: 'DELETE', headers })).status).toBe(200);
    expect((await send(serving.url, { headers, body: call(2) })).status).toBe(404);
  });

  test('end when nobody has used them for long', async () => {
    let now = 0;
    const timers = new Set<{ at: number; callback: () => void }>();
    const clock = {
      now: () => now,
      setTimeout: (callback: () => void, milliseconds: number) => {
        const timer = { at: now + milliseconds, callback };
        timers.add(timer);
        return timer;
      },
      clearTimeout: (timer: unknown) => {
        timers.delete(timer as { at: number; callback: () => void });
      },
    };
    const pass = (milliseconds: number): void => {
      now += milliseconds;
      for (const timer of [...timers]) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.callback();
      }
    };
    await using serving = await serveMcpHttp(router, { sessions: { idle: 1_000 }, clock });
    const headers = { 'mcp-session-id': await sessionOf(serving.url) };
    pass(900);
    expect((await send(serving.url, { headers, body: call(2) })).status).toBe(200);
    // The connection's end, from which on it is unused, is noticed a little later than the answer.
    await expect.poll(() => timers.size).toBe(1);
    pass(900);
    expect((await send(serving.url, { headers, body: call(3) })).status).toBe(200);
    await expect.poll(() => timers.size).toBe(1);
    pass(1_000);
    expect((await send(serving.url, { headers, body: call(4) })).status).toBe(404);
    expect(timers.size).toBe(0);
  });

  test('there are only so many: the longest unused one gives way, and where all are in use a new one is refused', async () => {
    await using serving = await serveMcpHttp(router, { sessions: { max: 2 } });
    const first = await sessionOf(serving.url);
    const second = await sessionOf(serving.url);
    expect((await send(serving.url, { headers: { 'mcp-session-id': first }, body: call(2) })).status).toBe(200);
    const third = await sessionOf(serving.url);
    expect((await send(serving.url, { headers: { 'mcp-session-id': second }, body: call(2) })).status).toBe(404);
    const streams = [first, third].map((id) => openStream(serving.url, id));
    await Promise.all(streams.map(({ opened }) => opened));
    const refused = await send(serving.url);
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('30');
    for (const { close } of streams) close();
  });

  test('there are only so many also when all of them are opened at the same time', async () => {
    const settings = httpSettings({});
    const sessions = new HttpSessions({ max: 3, idle: Number.POSITIVE_INFINITY, clock: systemClock });
    const endpoint = makeEndpoint({ sdk: await serverPackage(), router, settings, traffic: new Traffic(), sessions });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const open = (message: object): Promise<Response> =>
      endpoint.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(message) }));
    const opened = await Promise.all(Array.from({ length: 12 }, () => open(initialize)));
    const ids = opened.flatMap((answer) => answer.headers.get('mcp-session-id') ?? []);
    expect(ids.filter((id) => sessions.get(id, undefined) !== undefined)).toHaveLength(3);
    expect(opened.filter(({ status }) => status === 503)).toHaveLength(9);
    // Places that nothing came of are free again, and who is idle gives way.
    for (let times = 0; times < 6; times++) await open({ ...initialize, params: { protocolVersion: 1 } });
    expect((await open(initialize)).status).toBe(200);
    await endpoint.close();
  });

  test('of one principal take no places away from another who has fewer', async () => {
    const limits = { token: { alice: token, bob: otherToken }, sessions: { max: 4 } };
    await using serving = await serveMcpHttp(router, limits);
    const alice = { authorization: `Bearer ${token}` };
    const bob = { authorization: `Bearer ${otherToken}` };
    const isAlive = async (id: string, headers: Sent['headers']): Promise<boolean> =>
      (await send(serving.url, { headers: { ...headers, 'mcp-session-id': id }, body: call(2) })).status === 200;
    const own = await sessionOf(serving.url, bob);
    const all: string[] = [];
    for (let times = 0; times < 6; times++) all.push(await sessionOf(serving.url, alice));
    expect(await isAlive(own, bob)).toBe(true);
    expect(await Promise.all(all.map((id) => isAlive(id, alice)))).toEqual([false, false, false, true, true, true]);
    // Also where all of hers are in use.
    const streams = all.slice(3).map((id) => {
      const headers = { ...alice, accept: 'text/event-stream', 'mcp-session-id': id };
      const stream = request(serving.url, { method: 'GET', headers, agent: false }).on('error', () => {});
      const begun = new Promise((resolve) => stream.on('response', resolve));
      stream.end();
      return { stream, begun };
    });
    await Promise.all(streams.map(({ begun }) => begun));
    const second = await sessionOf(serving.url, bob);
    expect(await isAlive(second, bob)).toBe(true);
    expect((await send(serving.url, { headers: alice })).status).toBe(503);
    for (const { stream } of streams) stream.destroy();
  });

  test('do not take a request id twice at a time', async () => {
    let release: () => void = () => {};
    const waits = defineTool({
      name: 'waits',
      description: 'Waits.',
      permission: 'read',
      parameters: { type: 'object' },
      handler: () =>
        new Promise((resolve) => {
          release = () => resolve('waited');
        }),
    });
    const own = createRouter({ tools: [echo, waits] });
    const started = new Promise<void>((resolve) => own.on('start', () => resolve()));
    await using serving = await serveMcpHttp(own);
    const headers = { 'mcp-session-id': await sessionOf(serving.url) };
    const first = send(serving.url, { headers, body: call(7, '', 'waits') });
    await started;
    const second = await send(serving.url, { headers, body: call(7) });
    expect(second.status).toBe(400);
    expect(second.text).toContain('under way');
    release();
    expect((await first).text).toContain('waited');
    expect((await send(serving.url, { headers, body: call(7) })).text).toContain('hello');
  });

  test('of 2025-03-26 take several messages at once, as that revision demands', async () => {
    await using serving = await serveMcpHttp(router);
    const opened = await send(serving.url, {
      body: { ...initialize, params: { ...initialize.params, protocolVersion: '2025-03-26' } },
    });
    const headers = { 'mcp-session-id': opened.headers['mcp-session-id'] as string };
    const both = await send(serving.url, { headers, body: [call(2, 'one'), call(3, 'two')] });
    expect(both.text).toMatch(/one[\s\S]*two|two[\s\S]*one/);
    expect((await send(serving.url, { headers, body: [call(4), call(4)] })).status).toBe(400);
    const current = { 'mcp-session-id': await sessionOf(serving.url) };
    expect((await send(serving.url, { headers: current, body: [call(2)] })).status).toBe(400);
  });
});

describe('clients that do not behave', () => {
  test('one that sends its request too slowly is cut off', async () => {
    await using serving = await serveMcpHttp(router, { requestTimeout: 200 });
    const { hostname, port } = new URL(serving.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
    );
    const text = await new Promise<string>((resolve) => {
      let all = '';
      socket.setEncoding('utf8').on('data', (chunk) => {
        all += chunk;
      });
      socket.on('close', () => resolve(all));
      socket.on('error', () => resolve(all));
    });
    expect(text === '' || text.startsWith('HTTP/1.1 4')).toBe(true);
  });

  test('one that sends nothing and closes nothing is cut off, and holds no place any more', async () => {
    await using serving = await serveMcpHttp(router, { requestTimeout: 100, maxConnections: 1 });
    const { hostname, port } = new URL(serving.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    await new Promise((resolve) =>
      socket
        .on('error', () => {})
        .on('end', resolve)
        .resume(),
    );
    expect((await send(serving.url)).status).toBe(200);
    socket.destroy();
  });

  test('one that wants its connection closed is told that it is, also by a stream', async () => {
    await using serving = await serveMcpHttp(router);
    const { headers } = await send(serving.url, { headers: { connection: 'close' } });
    expect([headers['content-type'], headers.connection]).toEqual(['text/event-stream', 'close']);
  });

  test('one that sends more values than can be looked at is refused before they are', async () => {
    await using serving = await serveMcpHttp(router);
    const headers = { 'mcp-session-id': await sessionOf(serving.url) };
    const many = Object.fromEntries(Array.from({ length: 70_000 }, (_, at) => [`k${at}`, 0]));
    const answer = await send(serving.url, { headers, body: { ...call(1), params: { name: 'echo', _meta: many } } });
    expect(answer.status).toBe(413);
    const text = ',['.repeat(50_000);
    expect((await send(serving.url, { headers, body: call(2, text) })).text).toContain(text);
  });

  test('how many values that are is up to the program', async () => {
    const counts: number[] = [];
    const count = defineTool({
      name: 'count',
      description: 'Counts.',
      permission: 'read',
      parameters: { type: 'object', properties: { all: { type: 'array' } }, required: ['all'] },
      handler: ({ all }) => counts.push(all.length),
    });
    const wide = createRouter({ tools: [count], validate: { limits: { maxNodes: 100_000 } } });
    const body = (length: number) => ({
      ...call(1),
      params: { name: 'count', arguments: { all: Array.from({ length }, () => 0) } },
    });
    await using large = await serveMcpHttp(wide, { maxBodyValues: 100_000 });
    const headers = { 'mcp-session-id': await sessionOf(large.url) };
    expect((await send(large.url, { headers, body: body(80_000) })).status).toBe(200);
    expect(counts).toEqual([80_000]);
    await using small = await serveMcpHttp(wide, { maxBodyValues: 100 });
    const refused = await send(small.url, {
      headers: { 'mcp-session-id': await sessionOf(small.url) },
      body: body(200),
    });
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining('more than 100 values')]);
    expect(counts).toHaveLength(1);
  });

  test('one that speaks no HTTP gets an answer in HTTP, and the server lives on', async () => {
    await using serving = await serveMcpHttp(router);
    const { hostname, port } = new URL(serving.url);
    for (const nonsense of ['\x16\x03\x01\x02\x00', 'GET / HTTP/9.9\r\n\r\n', 'x'.repeat(100_000)]) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {}).resume();
      socket.end(nonsense);
      await new Promise((resolve) => socket.on('close', resolve));
    }
    expect((await send(serving.url)).status).toBe(200);
  });

  test.each([
    ['deep arguments', { text: 'x', deep: nested(2_000) }],
    [
      'a prototype as an argument',
      JSON.parse('{"text":"x","__proto__":{"polluted":true},"constructor":{"prototype":1}}'),
    ],
  ])('%s do no harm', async (_what, args) => {
    await using serving = await serveMcpHttp(router);
    const headers = { 'mcp-session-id': await sessionOf(serving.url) };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: args } };
    const answer = await send(serving.url, { headers, body });
    expect(answer.status).toBe(200);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((await send(serving.url, { headers, body: call(2) })).text).toContain('hello');
  });

  test.each(['__proto__', 'constructor', 'toString', '../echo', ''])('a tool named %j does not exist', async (name) => {
    await using serving = await serveMcpHttp(router);
    const headers = { 'mcp-session-id': await sessionOf(serving.url) };
    const answer = await send(serving.url, { headers, body: call(1, '', name) });
    expect(answer.text).toContain('-32602');
  });
});

describe('answers to questions, where the protocol has no sessions', () => {
  const write = defineTool({
    name: 'write',
    description: 'Writes.',
    permission: 'write',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    handler: ({ text }) => `wrote ${text}`,
  });
  const modern = (params: object): object => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      },
    },
  });
  const headersFor = (bearer: string): { [name: string]: string } => ({
    authorization: `Bearer ${bearer}`,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'write',
  });
  const yes = { action: 'accept', content: { decision: 'allow once' } };

  async function asked(url: string): Promise<{ key: string; requestState: string }> {
    const answer = await send(url, {
      headers: headersFor(token),
      body: modern({ name: 'write', arguments: { text: 'this' } }),
    });
    const { result } = JSON.parse(answer.text);
    expect(result.resultType).toBe('input_required');
    return { key: Object.keys(result.inputRequests)[0]!, requestState: result.requestState };
  }

  const again = (key: string, requestState: string | undefined, text = 'this', answer: unknown = yes): object =>
    modern({
      name: 'write',
      arguments: { text },
      inputResponses: { [key]: answer },
      ...(requestState !== undefined && { requestState }),
    });

  test.each([
    ['the same call', token, (key: string, state: string) => again(key, state), 'wrote this'],
    ['other arguments', token, (key: string, state: string) => again(key, state, 'that'), '-32602'],
    ['another principal', otherToken, (key: string, state: string) => again(key, state), '-32602'],
    ['a changed state', token, (key: string, state: string) => again(key, `${state}x`), '-32602'],
    ['no state: an answer to no question', token, (key: string) => again(key, undefined), 'input_required'],
    ['another question', token, (_key: string, state: string) => again('question_9', state), 'could not be approved'],
    [
      'nonsense',
      token,
      (key: string, state: string) => again(key, state, 'this', { action: 'accept', content: { decision: true } }),
      'declined',
    ],
    [
      'an answer that is none',
      token,
      (key: string, state: string) => again(key, state, 'this', 'allow once'),
      'could not be approved',
    ],
  ])('%s', async (_what, bearer, body, expected) => {
    const own = createRouter({ tools: [write], approve: elicitApproval() });
    await using serving = await serveMcpHttp(own, { token: { alice: token, bob: otherToken } });
    const { key, requestState } = await asked(serving.url);
    const answer = await send(serving.url, { headers: headersFor(bearer), body: body(key, requestState) });
    expect(answer.text).toContain(expected);
    if (expected !== 'wrote this') expect(answer.text).not.toContain('wrote');
  });

  test('arguments that are too deep are refused like any others, and stand in the place of none that were asked about', async () => {
    const own = createRouter({ tools: [write], approve: elicitApproval() });
    await using serving = await serveMcpHttp(own, { token });
    const deep = { text: 'this', deep: nested(2_000) };
    const sent = { headers: headersFor(token), body: modern({ name: 'write', arguments: deep }) };
    expect((await send(serving.url, sent)).text).toContain('nested more than 64 levels');
    const { requestState } = await asked(serving.url);
    const body = modern({ name: 'write', arguments: deep, requestState });
    expect((await send(serving.url, { ...sent, body })).text).toContain('-32602');
  });

  test('an answer counts once', async () => {
    const own = createRouter({ tools: [write], approve: elicitApproval() });
    await using serving = await serveMcpHttp(own, { token });
    const { key, requestState } = await asked(serving.url);
    const sent = { headers: headersFor(token), body: again(key, requestState) };
    expect((await send(serving.url, sent)).text).toContain('wrote this');
    expect((await send(serving.url, sent)).text).toContain('-32602');
  });

  test('a question that nobody answers in time is a denial, and leaves nothing behind', async () => {
    const own = createRouter({ tools: [write], approve: elicitApproval({ timeout: 20 }) });
    const ended = new Promise<string>((resolve) =>
      own.on('end', ({ result }) => resolve(result.ok ? '' : result.code)),
    );
    await using serving = await serveMcpHttp(own, { token });
    const { key, requestState } = await asked(serving.url);
    expect(await ended).toBe('denied');
    const late = await send(serving.url, { headers: headersFor(token), body: again(key, requestState) });
    expect(late.text).toContain('-32602');
  });
});

describe('stopping', () => {
  const slow = (settled: () => void, ready: () => void): ReturnType<typeof defineTool> =>
    defineTool({
      name: 'slow',
      description: 'Takes its time.',
      permission: 'read',
      parameters: { type: 'object', properties: {} },
      handler: (_args, { signal }) =>
        new Promise((resolve) => {
          const timer = setTimeout(() => resolve('finished'), 60);
          signal.addEventListener('abort', () => {
            clearTimeout(timer);
            settled();
            resolve('aborted');
          });
          ready();
        }),
    }) as never;

  test('waits for calls under way, takes no new ones, and closes every connection', async () => {
    let ready: () => void = () => {};
    const isReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const serving = await serveMcpHttp(createRouter({ tools: [slow(() => {}, ready)] }));
    const headers = { 'mcp-session-id': await sessionOf(serving.url) };
    const stream = openStream(serving.url, headers['mcp-session-id']);
    await stream.opened;
    const answer = send(serving.url, { headers, body: call(1, '', 'slow') });
    await isReady;
    const closing = serving.close();
    expect((await answer).text).toContain('finished');
    await closing;
    await serving.closed;
    await stream.closed;
    await expect(send(serving.url)).rejects.toThrow('ECONNREFUSED');
  });

  test('aborts what takes longer than it may', async () => {
    let ready: () => void = () => {};
    let settled: () => void = () => {};
    const isReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const isAborted = new Promise<void>((resolve) => {
      settled = resolve;
    });
    const serving = await serveMcpHttp(createRouter({ tools: [slow(settled, ready)] }));
    const headers = { 'mcp-session-id': await sessionOf(serving.url) };
    const answer = send(serving.url, { headers, body: call(1, '', 'slow') }).catch(() => undefined);
    await isReady;
    await serving.close({ drain: 0 });
    await isAborted;
    await answer;
  });
});

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

/** The stream on which a session gets notifications. */
function openStream(url: string, id: string): { opened: Promise<void>; closed: Promise<void>; close(): void } {
  let open: () => void = () => {};
  let end: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const headers = { accept: 'text/event-stream', 'mcp-session-id': id };
  const sent = request(url, { headers, agent: false }, (response) => {
    expect(response.statusCode).toBe(200);
    response.resume().on('close', () => end());
    open();
  });
  sent.on('error', () => end());
  sent.end();
  return { opened, closed, close: () => sent.destroy() };
}
