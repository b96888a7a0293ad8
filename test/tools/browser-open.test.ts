import dgram from 'node:dgram';
import fs from 'node:fs';
import os from 'node:os';
import { createRouter, type ToolResult } from 'callgate';
import type { UrlGuardOptions } from 'callgate/middleware/url-guard';
import { type BrowserOpenOptions, browserOpen } from 'callgate/tools';
import { describe, expect, it } from 'vitest';
import { serve, type TestServer } from '../capabilities/net/server.ts';

// Debian's package; tests that start it are skipped where it is missing.
const executablePath = process.env.CALLGATE_CHROMIUM ?? '/usr/bin/chromium';
const sandbox = process.getuid?.() !== 0;
const minute = { timeout: 60_000 };

function open(
  server: TestServer,
  args: object = {},
  options: BrowserOpenOptions = {},
  urls: UrlGuardOptions = {},
): Promise<ToolResult> {
  const tool = browserOpen({ executablePath, sandbox, settleTimeout: 10_000, ...options });
  const listed = { privateAddresses: [`127.0.0.1:${server.port}`], ...urls };
  const router = createRouter({ tools: [tool], urls: listed, mode: 'trusted' });
  return router.call({ name: 'browser_open', arguments: { url: `${server.origin}/page`, ...args } });
}

const page = (html: string) =>
  serve((request, response) => {
    if (request.url !== '/page') response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });

describe.skipIf(!fs.existsSync(executablePath))(`browser_open (needs a Chromium at ${executablePath})`, () => {
  it('reads what scripts have made, with its links', minute, async () => {
    await using server = await page(
      `<title>Made</title><p id=x>nothing</p>
       <script>x.innerHTML = '<a href="/more">' + (1 + 1) + ' things</a>'; alert(1)</script>`,
    );
    expect(await open(server)).toMatchObject({
      ok: true,
      data: `Made\n\n2 things[L1]\n\nL1: ${server.origin}/more\n\n[From ${server.origin}/page.]`,
    });
  });

  it('takes a picture if asked', minute, async () => {
    await using server = await page('<p>seen');
    const { data } = await open(server, { screenshot: true });
    expect(data).toMatchObject({ content: [{ type: 'text' }, { type: 'image', mimeType: 'image/png' }] });
    const [, image] = (data as { content: { data?: string }[] }).content;
    expect(
      Buffer.from(image?.data ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it('lets a page reach nothing but what the rules allow, by whatever means', minute, async () => {
    await using inside = await serve((_, response) => {
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end('INSIDE');
    });
    const target = `127.0.0.1:${inside.port}`;
    await using server = await page(
      `<div id=out></div><img src="http://${target}/image"><iframe src="http://${target}/frame"></iframe>
       <iframe src="file:///etc/passwd"></iframe><link rel=stylesheet href="http://${target}/style">
       <link rel=preconnect href="https://${target}"><link rel=prefetch href="http://localhost:${inside.port}/prefetch">
       <script>
         const say = (text) => { out.textContent += text + ' ' };
         fetch('http://${target}/fetch').then((r) => r.text()).then(say, () => say('no-fetch'));
         fetch('http://localhost:${inside.port}/name').then((r) => r.text()).then(say, () => say('no-name'));
         fetch('http://[::1]:${inside.port}/six').then((r) => r.text()).then(say, () => say('no-six'));
         const socket = new WebSocket('ws://${target}/socket');
         socket.onopen = () => say('OPEN'); socket.onerror = () => say('no-socket');
         navigator.sendBeacon('http://${target}/beacon');
         window.open('http://${target}/window');
       </script>`,
    );
    const result = await open(server);
    expect(inside.connections()).toBe(0);
    expect(result.data).toMatch(/no-fetch/);
    expect(result.data).toMatch(/no-name/);
    expect(result.data).toMatch(/no-six/);
    expect(result.data).toMatch(/no-socket/);
    expect(result.data).not.toMatch(/INSIDE|OPEN|root:/);
    expect(result.data).toContain(`not reached: ${target} `);
  });

  it('lets nothing out by datagrams either', minute, async () => {
    const udp = dgram.createSocket('udp4');
    let received = 0;
    udp.on('message', () => received++);
    await new Promise<void>((resolve) => udp.bind(0, '0.0.0.0', resolve));
    const { port } = udp.address();
    const own = Object.values(os.networkInterfaces()).flatMap((found) => found ?? []);
    const servers = own.filter(({ family }) => family === 'IPv4').map(({ address }) => `stun:${address}:${port}`);
    // The page counts as loading until it has tried everything.
    const html = `<p id=out>waiting</p><script>
      const busy = new AbortController();
      fetch('/busy', { signal: busy.signal }).catch(() => {});
      const peer = new RTCPeerConnection({ iceServers: [{ urls: ${JSON.stringify(servers)} }] });
      peer.createDataChannel('x');
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      peer.onicegatheringstatechange = () => {
        if (peer.iceGatheringState !== 'complete') return;
        out.textContent = 'gathered';
        busy.abort();
      };
    </script>`;
    await using server = await serve((request, response) => {
      if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    });
    const { data } = await open(server, {}, { settleTimeout: 15_000 });
    expect(data).toContain('gathered');
    expect(received).toBe(0);
    udp.close();
  });

  it('does not follow a page to where it may not go', minute, async () => {
    await using inside = await serve((_, response) => response.end('INSIDE'));
    await using redirecting = await serve((_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end();
    });
    expect(await open(redirecting)).toMatchObject({ code: 'url_denied', details: { reason: 'port' } });
    await using scripted = await page(`<p>here</p><script>location = 'http://127.0.0.1:${inside.port}/'</script>`);
    expect(JSON.stringify(await open(scripted))).not.toContain('INSIDE');
    expect(inside.connections()).toBe(0);
  });

  it('fails as other tools do', minute, async () => {
    await using missing = await serve((_, response) => response.writeHead(404).end('no'));
    await using hanging = await serve(() => {});
    expect(await open(missing)).toMatchObject({ code: 'tool_error', details: { reason: 'http-status', status: 404 } });
    expect(await open(hanging, {}, { loadTimeout: 300 })).toMatchObject({ code: 'timeout' });
    expect(await open(missing, { url: 'http://10.0.0.1/' })).toMatchObject({ code: 'url_denied', effect: 'none' });
  });

  it('cuts off a page that transfers too much', minute, async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = (): void => {
        while (response.writable && response.write('x'.repeat(10_000)));
        response.once('drain', more);
      };
      more();
    });
    const result = await open(server, { limit: 10 }, { maxBytes: 200_000, loadTimeout: 5000 });
    expect(result).toMatchObject({ code: 'tool_error', details: { reason: 'too-large' } });
  });
});

describe('browser_open', () => {
  it('says what is missing', async () => {
    await using server = await page('');
    expect(await open(server, {}, { executablePath: '/nowhere/chromium' })).toMatchObject({
      code: 'unavailable',
      details: { reason: 'no-browser' },
      error: expect.not.stringContaining('/nowhere'),
    });
  });

  it('refuses options that do not exist', () => {
    expect(() => browserOpen({ headless: false } as BrowserOpenOptions)).toThrow('no option "headless"');
    expect(() => browserOpen({ loadTimeout: 0 })).toThrow(TypeError);
  });
});
