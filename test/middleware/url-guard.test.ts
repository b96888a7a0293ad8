import { createRouter, defaultPipeline, defineTool, type Effect, type Ready, step } from 'callgate';
import { type UrlGuardOptions, urlGuard } from 'callgate/middleware/url-guard';
import { describe, expect, it } from 'vitest';
import { failureOf, serve } from '../capabilities/net/server.ts';

const handled: unknown[] = [];
const visit = defineTool({
  name: 'visit',
  description: 'Visits.',
  parameters: {
    type: 'object',
    properties: {
      url: { type: 'string' },
      more: { type: 'array', items: { type: 'object', properties: { at: { type: 'string' } } } },
    },
  },
  permission: 'network',
  urls: ['url', '/more/*/at'],
  handler: (args) => {
    handled.push(args);
    return args;
  },
});

function call(args: object, urls: UrlGuardOptions = {}, seen: (ctx: Ready) => void = () => {}) {
  const mine = defaultPipeline({ urls }).after(
    'urlGuard',
    'seen',
    step((ctx: Ready) => seen(ctx)),
  );
  return createRouter({ tools: [visit], pipeline: mine, mode: 'trusted' }).call({ name: 'visit', arguments: args });
}

describe('urlGuard', () => {
  it('rewrites every URL canonically and says what would be reached', async () => {
    let effects: readonly Effect[] | undefined;
    const args = {
      url: 'HTTP://OK.Example.:80/a/../b',
      more: [{ at: 'https://[2606:4700:4700::1111]' }, {}, { at: 'https://ok.example:443/' }],
    };
    const result = await call(args, {}, (ctx) => {
      effects = ctx.effects;
    });
    expect(result.data).toEqual({
      url: 'http://ok.example/b',
      more: [{ at: 'https://[2606:4700:4700::1111]/' }, {}, { at: 'https://ok.example/' }],
    });
    expect(effects).toEqual([
      { kind: 'net', host: 'ok.example', port: 80 },
      { kind: 'net', host: '2606:4700:4700::1111', port: 443 },
      { kind: 'net', host: 'ok.example', port: 443 },
    ]);
  });

  it('refuses with the place and the reason, and the handler never starts', async () => {
    handled.length = 0;
    expect(await call({ more: [{ at: 'https://ok.example/' }, { at: 'http://localhost/' }] })).toMatchObject({
      ok: false,
      code: 'url_denied',
      effect: 'none',
      retryable: false,
      details: { reason: 'special-name', pointer: '/more/1/at' },
      error: expect.stringContaining('/more/1/at'),
    });
    expect(handled).toEqual([]);
  });

  it('leaves absent URLs and other tools alone', async () => {
    expect(await call({})).toMatchObject({ ok: true, data: {} });
    const plain = defineTool({
      name: 'plain',
      description: 'x',
      parameters: { type: 'object' },
      handler: (_, ctx) => typeof ctx.fetch,
    });
    const router = createRouter({ tools: [plain], mode: 'trusted' });
    expect((await router.call({ name: 'plain' })).data).toBe('undefined');
  });

  it('asks no name server: a refused or unapproved call tells nobody anything', async () => {
    let asked = 0;
    const lookup = async () => {
      asked++;
      return ['127.0.0.1'];
    };
    const router = createRouter({ tools: [visit], urls: { lookup } });
    const result = await router.call({ name: 'visit', arguments: { url: 'https://secret.ok.example/' } });
    expect(result).toMatchObject({ code: 'approval_required' });
    expect(asked).toBe(0);
  });

  it('lets permission judge the host', async () => {
    const router = createRouter({
      tools: [visit],
      rules: [{ decision: 'deny', effects: { kind: 'net', host: '*.evil.example' } }],
      mode: 'trusted',
    });
    const to = (url: string) => router.call({ name: 'visit', arguments: { url } });
    expect(await to('http://a.EVIL.example./')).toMatchObject({ code: 'denied' });
    expect(await to('http://good.example/')).toMatchObject({ ok: true });
  });

  it('lends access that ends with the call', async () => {
    await using server = await serve((_, response) => response.end('hi'));
    let kept: ((url: string) => Promise<unknown>) | undefined;
    const keeper = defineTool({
      name: 'keeper',
      description: 'Keeps what it was lent.',
      parameters: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
      urls: ['url'],
      handler: async ({ url }, { fetch }) => {
        kept = fetch;
        return (await fetch(url)).text();
      },
    });
    const urls = { privateAddresses: [`127.0.0.1:${server.port}`] };
    const router = createRouter({ tools: [keeper], urls, mode: 'trusted' });
    expect(await router.call({ name: 'keeper', arguments: { url: server.origin } })).toMatchObject({ data: 'hi' });
    expect(await failureOf(kept?.(`${server.origin}/`) ?? Promise.resolve())).toBe('url_denied revoked');
    expect(server.connections()).toBe(1);
  });

  it('ends what is under way when the call is withdrawn', async () => {
    const controller = new AbortController();
    let outcome = Promise.resolve('');
    let ended = (): void => {};
    const closed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    await using server = await serve((request) => {
      request.socket.on('close', ended);
      controller.abort();
    });
    const waiter = defineTool({
      name: 'waiter',
      description: 'Waits.',
      parameters: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
      urls: ['url'],
      handler: ({ url }, { fetch }) => {
        outcome = failureOf(fetch(url));
        return outcome;
      },
    });
    const urls = { privateAddresses: [`127.0.0.1:${server.port}`] };
    const router = createRouter({ tools: [waiter], urls, mode: 'trusted' });
    const result = await router.call(
      { name: 'waiter', arguments: { url: server.origin } },
      { signal: controller.signal },
    );
    expect(result).toMatchObject({ code: 'aborted' });
    expect(await outcome).toBe('aborted');
    await closed;
  });

  it('keeps previews from the network', async () => {
    let reached = '';
    const shown = defineTool({
      name: 'shown',
      description: 'Shows.',
      parameters: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
      urls: ['url'],
      permission: 'network',
      preview: async ({ url }, { fetch }) => {
        reached = await failureOf(fetch(url));
        return reached;
      },
      handler: () => 1,
    });
    const router = createRouter({ tools: [shown], approve: () => 'deny' });
    await router.call({ name: 'shown', arguments: { url: 'https://ok.example/' } });
    expect(reached).toBe('url_denied');
  });

  it('cannot be taken out, and stands where arguments are final', () => {
    const pipeline = defaultPipeline();
    const order = pipeline.names.filter((name) => ['pathGuard', 'urlGuard', 'permission', 'execute'].includes(name));
    expect(order).toEqual(['pathGuard', 'urlGuard', 'permission', 'execute']);
    expect(() => pipeline.without('urlGuard' as never)).toThrow('guard');
  });

  it('refuses options that do not exist or cannot be meant', () => {
    expect(() => urlGuard({ allowed: [] } as UrlGuardOptions)).toThrow('no option "allowed"');
    expect(() => urlGuard({ allow: ['*'] })).toThrow(TypeError);
    expect(() => urlGuard({ totalTimeout: 0 })).toThrow(TypeError);
    expect(() => urlGuard({ maxBytes: Number.POSITIVE_INFINITY })).toThrow(TypeError);
    expect(() => urlGuard({ redirects: 'all' as 'any' })).toThrow(TypeError);
    expect(() => createRouter({ urls: { deny: ['http://x'] } })).toThrow(TypeError);
  });
});
