import { createRouter, type ToolResult } from 'callgate';
import { fetchUrl } from 'callgate/tools';
import { describe, expect, it } from 'vitest';
import { serve, type TestServer } from '../capabilities/net/server.ts';

function fetchFrom(server: TestServer, args: object = {}, path = '/dir/page'): Promise<ToolResult> {
  const urls = { privateAddresses: [`127.0.0.1:${server.port}`] };
  const router = createRouter({ tools: [fetchUrl], urls, mode: 'trusted' });
  return router.call({ name: 'fetch_url', arguments: { url: `${server.origin}${path}`, ...args } });
}

const page = (html: string | Uint8Array, type = 'text/html; charset=utf-8') =>
  serve((_, response) => response.writeHead(200, { 'content-type': type }).end(html));

function reasonOf(result: ToolResult): string {
  if (result.ok) return 'ok';
  return `${result.code} ${(result.details as { reason?: string } | undefined)?.reason}`;
}

describe('fetch_url', () => {
  it('gives a page as text with its links', async () => {
    await using server = await page(
      '<!doctype html><title>Fish &amp; more</title><script>alert("<p>no")</script><h1>Fish</h1>' +
        '<p>Fish <a href="../swim?a=1&amp;b=2#top">swim</a> and <a href="http://ok.example">eat</a>.' +
        '<a href="javascript:alert(1)">click</a><ul><li>one<li>two</ul>',
    );
    expect(await fetchFrom(server)).toMatchObject({
      ok: true,
      data: [
        'Fish & more',
        '# Fish',
        'Fish swim[L1] and eat[L2].click',
        '- one\n- two',
        `L1: ${server.origin}/swim?a=1&b=2\nL2: http://ok.example/`,
        `[From ${server.origin}/dir/page.]`,
      ].join('\n\n'),
    });
  });

  it('gives the source if asked, and other text as it is', async () => {
    await using html = await page('<p>x');
    expect(await fetchFrom(html, { raw: true })).toMatchObject({ data: expect.stringMatching(/^<p>x\n/) });
    await using json = await page('{"a": "<p>"}', 'application/json');
    expect(await fetchFrom(json)).toMatchObject({ data: expect.stringMatching(/^\{"a": "<p>"\}\n/) });
    await using untyped = await serve((_, response) => response.end('<!DOCTYPE html><p>x</p>'));
    expect(await fetchFrom(untyped)).toMatchObject({ data: expect.stringMatching(/^x\n/) });
  });

  it('pages through a long text without a gap, never within a character', async () => {
    const text = `${'\u{1f600}'.repeat(50)}end`;
    await using server = await page(text, 'text/plain; charset=utf-8');
    const got: string[] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const result: ToolResult = await fetchFrom(server, { offset, limit: 33 });
      const data: string = String(result.data);
      expect(data).not.toMatch(/\p{Cs}/u);
      got.push(data.split('\n\n[')[0] ?? '');
      const next: string | undefined = /; go on with offset (\d+)\.\]$/.exec(data)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(got.join('')).toBe(text);
    expect(got.length).toBeGreaterThan(2);
  });

  it('lists the links of the part that it gives', async () => {
    await using server = await page(`<a href=/a>a</a>${'x'.repeat(100)}<a href=/b>b</a>`);
    const { data } = await fetchFrom(server, { offset: 50 });
    expect(data).toContain(`L2: ${server.origin}/b`);
    expect(data).not.toContain('L1:');
  });

  it('cuts what is too long, and says so', async () => {
    await using server = await page('x'.repeat(3_000_000), 'text/plain');
    const { data } = await fetchFrom(server, { offset: 2_097_100 });
    expect(data).toContain('cut after 2097152 bytes');
    expect(data).toContain('characters 2097100 to 2097152 of 2097152');
  });

  it.each([
    ['the server', 'text/html; charset=windows-1252', '<p>\x80'],
    ['the page', 'text/html', '<meta charset="windows-1252"><p>\x80'],
    ['the page in the old way', 'text/html', '<meta http-equiv=x content="text/html; charset=windows-1252"><p>\x80'],
  ])('reads the charset that %s names', async (_, type, html) => {
    await using server = await page(Buffer.from(html, 'latin1'), type);
    expect(await fetchFrom(server)).toMatchObject({ data: expect.stringMatching(/^\u20ac\n/) });
  });

  it('gives an image as an image', async () => {
    const png = Buffer.from('\x89PNG\r\n\x1a\n----', 'latin1');
    await using server = await page(png, 'image/png');
    const { data } = await fetchFrom(server);
    expect(data).toMatchObject({ content: [{ type: 'image', mimeType: 'image/png' }, { type: 'text' }] });
    await using fake = await page('<script>', 'image/png');
    expect(reasonOf(await fetchFrom(fake))).toBe('tool_error content-type');
  });

  it.each([
    [404, 'tool_error http-status'],
    [403, 'tool_error http-status'],
    [429, 'rate_limited http-status'],
    [500, 'unavailable http-status'],
  ])('answers %i with a failure', async (status, expected) => {
    await using server = await serve((_, response) => response.writeHead(status).end('secret'));
    expect(reasonOf(await fetchFrom(server))).toBe(expected);
  });

  it.each([
    ['application/octet-stream', 'x', 'tool_error content-type'],
    ['video/mp4', 'x', 'tool_error content-type'],
    ['text/plain', 'a\0b', 'tool_error binary'],
  ])('gives no %s', async (type, body, expected) => {
    await using server = await page(body, type);
    expect(reasonOf(await fetchFrom(server))).toBe(expected);
  });

  it('follows a redirect and says where it ended', async () => {
    await using server = await serve((request, response) => {
      if (request.url === '/new') response.writeHead(200, { 'content-type': 'text/plain' }).end('here');
      else response.writeHead(301, { location: '/new' }).end();
    });
    expect(await fetchFrom(server)).toMatchObject({ data: `here\n\n[From ${server.origin}/new.]` });
  });

  it('reaches nothing private unless it is listed, and asks in the default mode', async () => {
    const closed = createRouter({ tools: [fetchUrl], mode: 'trusted' });
    const call = { name: 'fetch_url', arguments: { url: 'http://127.0.0.1/' } };
    expect(await closed.call(call)).toMatchObject({
      code: 'url_denied',
      details: { reason: 'address', pointer: '/url' },
      effect: 'none',
    });
    const asking = createRouter({ tools: [fetchUrl] });
    const url = 'https://ok.example/';
    expect(await asking.call({ ...call, arguments: { url } })).toMatchObject({ code: 'approval_required' });
  });
});
