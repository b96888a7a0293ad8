import http from 'node:http';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { Fetcher } from '../../../src/capabilities/net/fetcher.ts';
import type { FetchLimits } from '../../../src/capabilities/net/limits.ts';
import { GrantedFetch } from '../../../src/capabilities/net/scoped-fetch.ts';
import type { LentProxy, ProxyOptions } from '../../../src/capabilities/net/types.ts';
import { UrlPolicy, type UrlPolicyOptions } from '../../../src/capabilities/net/url-policy.ts';
import { failureOf, serve } from './server.ts';

interface Lent extends AsyncDisposable {
  readonly proxy: LentProxy;
  readonly access: GrantedFetch;
}

async function lend(
  url: string,
  policy: UrlPolicyOptions,
  limits: FetchLimits = {},
  options?: ProxyOptions,
): Promise<Lent> {
  const fetcher = new Fetcher(new UrlPolicy(policy), limits);
  const access = new GrantedFetch(fetcher, [fetcher.policy.check(url)]);
  return { proxy: await access.fetch.proxy(options), access, [Symbol.asyncDispose]: async () => access.revoke() };
}

const basic = ({ username, password }: LentProxy) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Asks a proxy for a URL as browsers do for plain HTTP. */
function through(proxy: LentProxy, url: string, headers: http.OutgoingHttpHeaders = {}): Promise<string> {
  const { port } = new URL(proxy.server);
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: url,
      headers: { host: 'x', 'proxy-authorization': basic(proxy), ...headers },
    };
    const request = http.get(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('close', () => resolve(`${response.statusCode} ${response.complete ? text : 'broken off'}`));
    });
    request.on('error', () => resolve('closed'));
  });
}

/** Opens a tunnel, says something, and gives all that comes back. */
function tunnel(proxy: LentProxy, target: string, say = '', authorization = basic(proxy)): Promise<string> {
  const { port } = new URL(proxy.server);
  return new Promise((resolve) => {
    let text = '';
    const socket = net.connect(Number(port), '127.0.0.1', () => {
      socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\nproxy-authorization: ${authorization}\r\n\r\n`);
    });
    socket.setEncoding('latin1').on('data', (chunk) => {
      if (text === '' && chunk.includes(' 200 ')) socket.write(say);
      text += chunk;
    });
    socket.on('error', () => {}).on('close', () => resolve(text));
  });
}

const listed = (port: number): UrlPolicyOptions => ({ privateAddresses: [`127.0.0.1:${port}`] });

describe('a lent proxy', () => {
  it('forwards what the rules allow, without what was meant for it', async () => {
    await using server = await serve((request, response) => response.end(`got ${request.url}`));
    await using lent = await lend(server.origin, listed(server.port));
    expect(await through(lent.proxy, `${server.origin}/a?b`, { 'x-own': '1' })).toBe('200 got /a?b');
    const headers = server.requests[0]?.headers;
    expect(headers).toMatchObject({ host: `127.0.0.1:${server.port}`, 'x-own': '1' });
    expect(headers).not.toHaveProperty('proxy-authorization');
  });

  it('makes tunnels to what the rules allow', async () => {
    await using server = await serve((_, response) => response.end('through'));
    await using lent = await lend(server.origin, listed(server.port));
    const said = await tunnel(
      lent.proxy,
      `127.0.0.1:${server.port}`,
      'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    );
    expect(said).toMatch(/^HTTP\/1.1 200 [\s\S]*through/);
  });

  it.each([
    ['a private address', 'http://10.0.0.1/', 'address'],
    ['loopback at another port', 'http://127.0.0.1:1/', 'port'],
    ['a local name', 'http://localhost/', 'special-name'],
    ['metadata', 'http://169.254.169.254/latest/', 'address'],
    ['a name that leads inside', 'http://inside.example/', 'address'],
    ['a denied host', 'http://evil.example/', 'rule'],
    ['another scheme', 'ftp://ok.example/', 'scheme'],
  ])('refuses %s, and says so', async (_, url, reason) => {
    await using server = await serve((_, response) => response.end());
    const policy = { ...listed(server.port), deny: ['evil.example'] };
    await using lent = await lend(server.origin, policy, { lookup: async () => ['10.0.0.1'] });
    expect(await through(lent.proxy, url)).toMatch(/^403/);
    const { host, protocol } = new URL(url);
    expect(lent.proxy.refused).toEqual([`${host} ${reason}`]);
    if (protocol === 'http:' && reason !== 'port') {
      expect(await tunnel(lent.proxy, `${host}:80`)).toMatch(/^HTTP\/1.1 403/);
    }
    expect(server.connections()).toBe(0);
  });

  it('serves nobody else', async () => {
    await using server = await serve((_, response) => response.end('secret'));
    await using lent = await lend(server.origin, listed(server.port));
    const wrong = 'Basic eDp5';
    expect(await through(lent.proxy, server.origin, { 'proxy-authorization': wrong })).toBe('407 ');
    expect(await tunnel(lent.proxy, `127.0.0.1:${server.port}`, '', wrong)).toMatch(/^HTTP\/1.1 407/);
    expect(server.connections()).toBe(0);
  });

  it('keeps to the hosts of the call where the guard follows no redirects elsewhere', async () => {
    await using server = await serve((_, response) => response.end('ok'));
    const policy = { privateAddresses: ['127.0.0.0/8'], ports: [server.port] };
    await using lent = await lend(server.origin, policy, { redirects: 'same-host' });
    expect(await through(lent.proxy, server.origin)).toBe('200 ok');
    expect(await through(lent.proxy, `http://127.0.0.2:${server.port}/`)).toMatch(/^403/);
  });

  it('takes no rules from the tool that it is lent to', async () => {
    await using server = await serve((_, response) => response.end('ok'));
    const own = { only: undefined, policy: { check: () => ({}), accepts: () => true }, line: undefined } as object;
    const policy = { privateAddresses: ['127.0.0.0/8'], ports: [server.port], deny: ['127.0.0.3'] };
    await using lent = await lend(server.origin, policy, { redirects: 'same-host' }, own);
    expect(await through(lent.proxy, server.origin)).toBe('200 ok');
    expect(await through(lent.proxy, `http://127.0.0.2:${server.port}/`)).toMatch(/^403/);
    expect(await through(lent.proxy, `http://127.0.0.3:${server.port}/`)).toMatch(/^403/);
  });

  it('cuts everything off when it has passed what it may', async () => {
    await using server = await serve((_, response) => response.end(Buffer.alloc(100_000)));
    await using lent = await lend(server.origin, listed(server.port), {}, { maxBytes: 10_000 });
    expect(await through(lent.proxy, server.origin)).toMatch(/broken off|closed/);
    expect(await through(lent.proxy, server.origin)).toBe('closed');
  });

  it('is closed with the call, tunnels included', async () => {
    await using server = await serve(() => {});
    await using lent = await lend(server.origin, listed(server.port));
    const open = tunnel(lent.proxy, `127.0.0.1:${server.port}`, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    lent.access.revoke();
    expect(await open).toMatch(/^HTTP\/1.1 200/);
    expect(await through(lent.proxy, server.origin)).toBe('closed');
    expect(await failureOf(lent.access.fetch.proxy())).toBe('url_denied revoked');
  });
});
