import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Fetcher } from '../../../src/capabilities/net/fetcher.ts';
import { GrantedFetch } from '../../../src/capabilities/net/scoped-fetch.ts';
import { UrlPolicy } from '../../../src/capabilities/net/url-policy.ts';
import { failureOf, fetchUnder, serve, serveRaw } from './server.ts';

/** Open for the server of a test, and for nothing else in this network. */
const openFor = (...ports: number[]) => ({ privateAddresses: ports.map((port) => `127.0.0.1:${port}`) });

describe('an answer', () => {
  it('comes with status, headers, type, place and text', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(404, { 'Content-Type': 'Text/Plain; charset=iso-8859-1', 'X-Two': ['a', 'b'] });
      response.end(Buffer.from('caf\xe9', 'latin1'));
    });
    const answer = await fetchUnder(openFor(server.port), `${server.origin}/a?b=c#d`);
    expect(answer).toMatchObject({ status: 404, type: 'text/plain', truncated: false });
    expect(answer.headers['x-two']).toBe('a, b');
    expect(answer.url).toBe(`${server.origin}/a?b=c#d`);
    expect(await answer.text()).toBe('caf\xe9');
    expect(Buffer.from(await answer.bytes()).toString('latin1')).toBe('caf\xe9');
    expect(server.requests[0]?.url).toBe('/a?b=c');
    expect(server.requests[0]?.headers).toMatchObject({ host: `127.0.0.1:${server.port}`, connection: 'close' });
  });

  it.each<[string, (text: string) => Buffer]>([
    ['gzip', zlib.gzipSync],
    ['br', zlib.brotliCompressSync],
    ['deflate', zlib.deflateSync],
  ])('is decoded from %s', async (encoding, encode) => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(encode('plain text'));
    });
    expect(await (await fetchUnder(openFor(server.port), server.origin)).text()).toBe('plain text');
  });

  it.each([
    ['a byte order mark', 'text/html; charset=iso-8859-1', [0xef, 0xbb, 0xbf, 0xc3, 0xa9], '\xe9'],
    ['UTF-16', 'text/plain', [0xff, 0xfe, 0xe9, 0], '\xe9'],
    ['no charset', 'text/plain', [0xc3, 0xa9], '\xe9'],
    ['a charset that does not exist', 'text/plain; charset=utf-7', [0x2b, 0x41], '+A'],
  ])('is decoded by %s', async (_, type, bytes, text) => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': type }).end(Buffer.from(bytes));
    });
    expect(await (await fetchUnder(openFor(server.port), server.origin)).text()).toBe(text);
  });

  it('to HEAD has no body, whatever its headers say', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '100' }).end();
    });
    const answer = await fetchUnder(openFor(server.port), server.origin, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
  });

  it('of a type that is not wanted is not read', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/problem+json' }).write('{');
    });
    const types = (...types: string[]) => failureOf(fetchUnder(openFor(server.port), server.origin, { types }));
    expect(await types('text/*', 'application/json')).toBe('tool_error content-type');
  });

  it('of one of the types that are wanted is read', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const types = ['text/*', 'application/json'];
    expect(await fetchUnder(openFor(server.port), server.origin, { types })).toMatchObject({ status: 200 });
  });
});

describe('a request', () => {
  it('carries its method, headers and body', async () => {
    let body = '';
    await using server = await serve((request, response) => {
      request.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => response.end());
    });
    const headers = { Authorization: 'Bearer x', ACCEPT: 'text/html' };
    await fetchUnder(openFor(server.port), server.origin, { method: 'POST', headers, body: 'h\xe9' });
    expect(server.requests[0]).toMatchObject({ method: 'POST' });
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer x',
      accept: 'text/html',
      'content-length': '3',
    });
    expect(body).toBe('h\xe9');
  });

  it.each([
    ['host', 'other.example'],
    ['Transfer-Encoding', 'chunked'],
    ['proxy-authorization', 'x'],
    ['x', 'a\r\nb: c'],
    ['x: y', 'z'],
  ])('cannot set the header %s', async (name, value) => {
    const send = fetchUnder({}, 'http://192.0.2.1.example/', { headers: { [name]: value } });
    expect(await failureOf(send)).toBe('tool_error header');
  });

  it('cannot use another method, nor lift the limit', async () => {
    const init = (init: object) => failureOf(fetchUnder({}, 'http://ok.example/', init));
    expect(await init({ method: 'CONNECT' })).toBe('tool_error method');
    expect(await init({ maxBytes: Number.NaN })).toBe('tool_error max-bytes');
    await using server = await serve((_, response) => response.end('0123456789'));
    const limits = { ...openFor(server.port), maxBytes: 9 };
    expect(await failureOf(fetchUnder(limits, server.origin, { maxBytes: 100 }))).toBe('tool_error too-large');
  });

  it('goes nowhere else by what the environment says of proxies', async () => {
    await using server = await serve((_, response) => response.end('direct'));
    const before = { ...process.env };
    Object.assign(process.env, { http_proxy: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' });
    try {
      expect(await (await fetchUnder(openFor(server.port), server.origin)).text()).toBe('direct');
    } finally {
      process.env = before;
    }
  });
});

describe('what a name leads to', () => {
  const names = { ports: [80, 443, 1], totalTimeout: 5000 };

  it.each([
    ['a private address', ['10.0.0.1']],
    ['a public address and a private one (U30)', ['93.184.216.34', '192.168.1.1']],
    ['a private address and a public one', ['::1', '93.184.216.34']],
    ['an address with a zone', ['fe80::1%eth0']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['what is no address', ['127.0.0.1.nip.example']],
    ['a link-local address', ['169.254.169.254']],
  ])('is refused if it is %s', async (_, addresses) => {
    const limits = { ...names, lookup: async () => addresses };
    expect(await failureOf(fetchUnder(limits, 'http://ok.example/'))).toBe('url_denied address');
  });

  it('is unavailable if it leads nowhere', async () => {
    expect(await failureOf(fetchUnder({ lookup: async () => [] }, 'http://ok.example/'))).toBe(
      'unavailable no-address',
    );
    const lookup = async () => {
      throw new Error('ENOTFOUND 10.0.0.53');
    };
    await expect(fetchUnder({ lookup }, 'http://ok.example/')).rejects.toMatchObject({
      message: expect.not.stringContaining('10.0'),
    });
  });

  it('U29 is asked for once a request: an answer that changes does not count', async () => {
    await using server = await serve((_, response) => response.end('reached'));
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const lookup = async () => answers[asked++] ?? [];
    const options = { ...openFor(server.port), allow: [`ok.example:${server.port}`], lookup };
    const url = `http://ok.example:${server.port}/`;
    expect(await (await fetchUnder(options, url)).text()).toBe('reached');
    expect(asked).toBe(1);
    expect(server.requests[0]?.headers.host).toBe(`ok.example:${server.port}`);
    // The next request asks again, and goes by what it is told then: no connection is kept that was checked for another.
    expect(await failureOf(fetchUnder(options, url))).toBe('url_denied address');
    expect(server.connections()).toBe(1);
  });

  it('U33 is judged again for the second request of one call', async () => {
    await using server = await serve((_, response) => response.end('reached'));
    const answers = [['127.0.0.1'], ['127.0.0.1'], ['127.0.0.2']];
    const lookup = async () => answers.shift() ?? [];
    const allow = [`ok.example:${server.port}`];
    const fetcher = new Fetcher(new UrlPolicy({ ...openFor(server.port), allow }), { lookup });
    const url = `http://ok.example:${server.port}/`;
    const { fetch } = new GrantedFetch(fetcher, [fetcher.policy.check(url)]);
    await fetch(url);
    await fetch(url);
    expect(await failureOf(fetch(url))).toBe('url_denied address');
    expect(server.connections()).toBe(2);
  });

  it('is tried address by address', async () => {
    await using server = await serve((_, response) => response.end('second'));
    const options = {
      allow: [`ok.example:${server.port}`],
      privateAddresses: ['127.0.0.0/8'],
      lookup: async () => ['127.0.0.9', '127.0.0.1'],
    };
    expect(await (await fetchUnder(options, `http://ok.example:${server.port}/`)).text()).toBe('second');
  });

  it('does not make a listed address of a URL good for names that lead there', async () => {
    const options = { allow: ['ok.example', '127.0.0.1'], lookup: async () => ['127.0.0.1'] };
    expect(await failureOf(fetchUnder(options, 'http://ok.example/'))).toBe('url_denied address');
  });
});

describe('a redirect', () => {
  const to = (location: string, status = 302) =>
    serve((request, response) => {
      if (request.url === '/end') response.end(`end ${request.method}`);
      else response.writeHead(status, { location }).end();
    });

  it('is followed to the same host', async () => {
    await using server = await to('/end');
    const answer = await fetchUnder(openFor(server.port), server.origin);
    expect(await answer.text()).toBe('end GET');
    expect(answer.url).toBe(`${server.origin}/end`);
  });

  it.each([
    ['a literal address (U31)', 'http://127.0.0.1:1/', 'url_denied port'],
    ['another literal address', 'http://127.0.0.2/', 'url_denied address'],
    ['cloud metadata', 'http://169.254.169.254/latest/', 'url_denied address'],
    ['an address in disguise', '//0x7f.1/', 'url_denied port'],
    ['a local name', 'http://localhost/', 'url_denied special-name'],
    ['a file', 'file:///etc/passwd', 'url_denied scheme'],
    ['data', 'data:text/plain,hi', 'url_denied scheme'],
    ['a URL with a user', 'http://a:b@ok.example/', 'url_denied userinfo'],
    ['a URL with backslashes', '\\\\ok.example\\', 'url_denied backslash'],
    ['no URL', 'http://[', 'url_denied syntax'],
  ])('to %s is refused', async (_, location, expected) => {
    await using server = await to(location);
    expect(await failureOf(fetchUnder(openFor(server.port), server.origin))).toBe(expected);
  });

  it('in a loop ends', async () => {
    await using server = await to('/again');
    expect(await failureOf(fetchUnder(openFor(server.port), server.origin))).toBe('url_denied redirects');
    expect(server.requests).toHaveLength(6);
  });

  it('without a place is an answer', async () => {
    await using server = await serve((_, response) => response.writeHead(302).end('here'));
    expect(await fetchUnder(openFor(server.port), server.origin)).toMatchObject({ status: 302 });
  });

  it('to another origin loses every header of the caller', async () => {
    await using second = await serve((_, response) => response.end());
    await using first = await to(`${second.origin}/end`);
    const headers = { authorization: 'secret', cookie: 'secret', 'x-api-key': 'secret' };
    await fetchUnder(openFor(first.port, second.port), first.origin, { headers });
    expect(first.requests[0]?.headers).toMatchObject(headers);
    expect(JSON.stringify(second.requests[0]?.rawHeaders)).not.toContain('secret');
  });

  it('to another origin takes no body along', async () => {
    await using second = await serve((_, response) => response.end());
    await using first = await to(`${second.origin}/end`, 307);
    const init = { method: 'POST', body: 'secret' } as const;
    expect(await failureOf(fetchUnder(openFor(first.port, second.port), first.origin, init))).toBe(
      'url_denied redirect-body',
    );
    expect(second.requests).toHaveLength(0);
  });

  it.each([
    [301, 'POST', 'end GET'],
    [303, 'PUT', 'end GET'],
    [307, 'POST', 'end POST'],
    [308, 'PUT', 'end PUT'],
  ] as const)('with %i turns %s as browsers do', async (status, method, expected) => {
    await using server = await to('/end', status);
    expect(await (await fetchUnder(openFor(server.port), server.origin, { method })).text()).toBe(expected);
  });

  it('can be kept to the host, or forbidden', async () => {
    await using server = await to('http://ok.example/other');
    await using near = await to('/end');
    const outcome = (redirects: 'same-host' | 'none', port: number, origin: string) =>
      failureOf(fetchUnder({ ...openFor(port), redirects }, origin));
    expect(await outcome('same-host', server.port, server.origin)).toBe('url_denied redirect-host');
    expect(await outcome('same-host', near.port, near.origin)).toBe('no failure');
    expect(await outcome('none', near.port, near.origin)).toBe('url_denied redirect-host');
  });
});

describe('a hostile server', () => {
  const limits = { headersTimeout: 60 };

  it.each<[string, () => Buffer, string]>([
    ['gzip', () => zlib.gzipSync(Buffer.alloc(50_000_000)), 'gzip'],
    [
      'brotli',
      () => zlib.brotliCompressSync(Buffer.alloc(50_000_000), { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
      'br',
    ],
  ])('cannot blow up a small answer by %s', async (_, bomb, encoding) => {
    const bytes = bomb();
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes);
    });
    const before = process.memoryUsage().arrayBuffers;
    const options = { ...openFor(server.port), maxBytes: 1_000_000 };
    expect(await failureOf(fetchUnder(options, server.origin))).toBe('tool_error too-large');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
    const cut = await fetchUnder(options, server.origin, { overflow: 'cut', maxBytes: 10 });
    expect(cut.truncated).toBe(true);
    expect(await cut.bytes()).toHaveLength(10);
  });

  it('cannot wrap one compression into another', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(zlib.gzipSync(zlib.gzipSync('x')));
    });
    expect(await failureOf(fetchUnder(openFor(server.port), server.origin))).toBe('tool_error encoding');
  });

  it('cannot send for ever', async () => {
    await using server = await serve((_, response) => {
      const more = (): void => {
        while (response.writable && response.write(Buffer.alloc(10_000)));
        response.once('drain', more);
      };
      more();
    });
    const options = { ...openFor(server.port), maxBytes: 100_000 };
    expect(await failureOf(fetchUnder(options, server.origin))).toBe('tool_error too-large');
  });

  it('cannot send for ever what decodes to nothing', async () => {
    // An empty gzip member, again and again.
    const empty = zlib.gzipSync('');
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const block = Buffer.concat(new Array(500).fill(empty));
      const more = (): void => {
        while (response.writable && response.write(block));
        response.once('drain', more);
      };
      more();
    });
    const options = { ...openFor(server.port), maxBytes: 100_000 };
    expect(await failureOf(fetchUnder(options, server.origin))).toBe('tool_error too-large');
  });

  it('cannot be slow with its headers', async () => {
    await using server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await failureOf(fetchUnder({ ...limits, ...openFor(server.port) }, server.origin))).toBe('timeout headers');
  });

  it('cannot send headers for ever', async () => {
    await using server = await serveRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1000)}\r\n`.repeat(100)}`);
    });
    expect(await failureOf(fetchUnder(openFor(server.port), server.origin))).toBe('unavailable no-answer');
  });

  it('cannot say wait for ever', async () => {
    await using server = await serveRaw((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await failureOf(fetchUnder({ ...limits, ...openFor(server.port) }, server.origin))).toBe('timeout headers');
  });

  it('cannot be slow with its body', async () => {
    await using server = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    });
    expect(await failureOf(fetchUnder({ totalTimeout: 150, ...openFor(server.port) }, server.origin))).toBe(
      'timeout total',
    );
  });

  it.each([
    ['hang up', ''],
    ['speak another language', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['break off', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    ['switch protocols', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nhello'],
    ['send broken gzip', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\nnot gzip'],
    ['smuggle', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ])('that would %s is unavailable', async (_, text) => {
    await using server = await serveRaw((socket) => socket.end(text));
    expect(await failureOf(fetchUnder(openFor(server.port), server.origin))).toMatch(
      /^unavailable (no-answer|broken-body)$/,
    );
  });

  it('that is not there is unavailable', async () => {
    const server = await serve(() => {});
    await server[Symbol.asyncDispose]();
    expect(await failureOf(fetchUnder(openFor(server.port), server.origin))).toBe('unavailable no-connection');
  });
});

describe('what resolves slowly', () => {
  it('is given up', async () => {
    const lookup = () => new Promise<string[]>(() => {});
    expect(await failureOf(fetchUnder({ lookup, connectTimeout: 20 }, 'http://ok.example/'))).toBe('timeout connect');
    expect(await failureOf(fetchUnder({ lookup, totalTimeout: 20 }, 'http://ok.example/'))).toBe('timeout total');
  });
});

describe('access', () => {
  it('is to the URLs that were checked and to nothing else of the host', async () => {
    await using server = await serve((_, response) => response.end());
    const fetcher = new Fetcher(new UrlPolicy(openFor(server.port)));
    const { fetch } = new GrantedFetch(fetcher, [fetcher.policy.check(`${server.origin}/a?b`)]);
    expect(await failureOf(fetch(`${server.origin}/a?b#other`))).toBe('no failure');
    expect(await failureOf(fetch(`${server.origin}/a`))).toBe('url_denied not-granted');
    expect(await failureOf(fetch(`${server.origin}/`))).toBe('url_denied not-granted');
    expect(await failureOf(fetch('http://10.0.0.1/'))).toBe('url_denied address');
  });

  it('ends when it is revoked, in the middle of an answer, too', async () => {
    let arrived = (): void => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await using server = await serve((_, response) => {
      response.write('x');
      arrived();
    });
    const fetcher = new Fetcher(new UrlPolicy(openFor(server.port)));
    const access = new GrantedFetch(fetcher, [fetcher.policy.check(server.origin)]);
    const outcome = failureOf(access.fetch(server.origin));
    await arrival;
    access.revoke();
    expect(await outcome).toBe('url_denied revoked');
    expect(await failureOf(access.fetch(server.origin))).toBe('url_denied revoked');
  });

  it('ends a request by its own signal', async () => {
    await using server = await serve(() => {});
    const controller = new AbortController();
    const outcome = failureOf(fetchUnder(openFor(server.port), server.origin, { signal: controller.signal }));
    controller.abort();
    expect(await outcome).toBe('aborted');
    expect(await failureOf(fetchUnder(openFor(server.port), server.origin, { signal: AbortSignal.abort() }))).toBe(
      'aborted',
    );
  });
});
