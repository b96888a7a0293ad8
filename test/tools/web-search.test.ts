import { createRouter, type ToolResult } from 'callgate';
import { type SearchEngine, searxng, webSearch } from 'callgate/tools';
import { describe, expect, it } from 'vitest';
import { serve } from '../capabilities/net/server.ts';

function search(engine: SearchEngine, args: object = { query: 'fish' }): Promise<ToolResult> {
  return createRouter({ tools: [webSearch({ engine })], mode: 'trusted' }).call({
    name: 'web_search',
    arguments: args,
  });
}

const engineOf = (results: readonly unknown[]): SearchEngine => ({
  name: 'fixed',
  search: async () => results as Awaited<ReturnType<SearchEngine['search']>>,
});

describe('web_search', () => {
  it('gives titles, URLs and a few words', async () => {
    const engine = engineOf([
      { title: 'Fish', url: 'https://ok.example/fish', text: 'Fish\n swim.' },
      { title: '', url: 'https://ok.example/', text: '' },
    ]);
    expect((await search(engine)).data).toBe(
      '1. Fish\n   https://ok.example/fish\n   Fish swim.\n\n2. (no title)\n   https://ok.example/',
    );
  });

  it('leaves out what is no web address, and lets no result look like two', async () => {
    const engine = engineOf([
      { title: 'a', url: 'javascript:alert(1)', text: '' },
      { title: 'b', url: 'https://ok.example/ x', text: '' },
      { title: 'c\n\n2. d', url: 'https://ok.example/', text: 'e\u2028f'.repeat(400) },
    ]);
    const { data } = await search(engine);
    expect(data).toMatch(/^1\. c 2\. d\n {3}https:\/\/ok\.example\/\n {3}e f/);
    expect(String(data).split('\n')).toHaveLength(3);
    expect(String(data).length).toBeLessThan(600);
  });

  it('says when nothing was found, and gives no more than asked', async () => {
    expect((await search(engineOf([]))).data).toBe('Nothing was found. Try other words.');
    const many = engineOf(
      Array.from({ length: 30 }, (_, at) => ({ title: `t${at}`, url: `https://ok.example/${at}`, text: '' })),
    );
    expect(String((await search(many, { query: 'x', limit: 3 })).data).match(/^\d+\./gm)).toHaveLength(3);
    expect(await search(many, { query: 'x', limit: 21 })).toMatchObject({ code: 'invalid_arguments' });
  });

  it('refuses what is no engine', () => {
    expect(() => webSearch({ engine: {} as SearchEngine })).toThrow(TypeError);
    expect(() => webSearch({ engine: engineOf([]), maxResults: 0 })).toThrow(TypeError);
  });
});

// No instance of SearXNG runs here: the server speaks the part of its JSON format that is read.
describe('searxng', () => {
  const answer = (body: unknown, status = 200, headers = {}) =>
    serve((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });

  it('asks an instance on a private address, since the host named it', async () => {
    await using server = await answer({
      query: 'fish',
      results: [
        { title: 'Fish', url: 'https://ok.example/', content: 'swim', engine: 'x', score: 1 },
        { title: 'No words', url: 'https://ok.example/2', content: null },
        { title: 1, url: 'https://ok.example/3' },
      ],
      suggestions: [],
    });
    const engine = searxng({
      url: `${server.origin}/base/`,
      language: 'en',
      categories: ['it', 'general'],
      safeSearch: 1,
    });
    const { data } = await search(engine, { query: 'fish & more' });
    expect(data).toBe('1. Fish\n   https://ok.example/\n   swim\n\n2. No words\n   https://ok.example/2');
    expect(server.requests[0]?.url).toBe(
      '/base/search?q=fish+%26+more&format=json&categories=it%2Cgeneral&language=en&safesearch=1',
    );
  });

  it.each([
    ['text that is no JSON', '<html>', 200, 'unavailable', 'format'],
    ['JSON of another shape', '[]', 200, 'unavailable', 'format'],
    ['a refusal of JSON', '', 403, 'unavailable', 'http-status'],
    ['too many requests', '', 429, 'rate_limited', 'http-status'],
    ['a fault', '', 502, 'unavailable', 'http-status'],
  ])('fails on %s', async (_, body, status, code, reason) => {
    await using server = await answer(body, status);
    expect(await search(searxng({ url: server.origin }))).toMatchObject({ code, details: { reason } });
  });

  it('does not go where the instance sends it', async () => {
    await using server = await answer('', 302, { location: 'http://127.0.0.1:1/' });
    expect(await search(searxng({ url: server.origin }))).toMatchObject({ code: 'url_denied' });
  });

  it('refuses a place that it could never reach', () => {
    expect(() => searxng({ url: 'ftp://ok.example/' })).toThrow('searxng({ url }) must be a URL');
    expect(() => searxng({ url: 'nowhere' })).toThrow('it is "nowhere".');
  });

  it('refuses options that do not exist', () => {
    const url = 'http://127.0.0.1:8888';
    expect(() => searxng({ url, safesearch: 2 } as never)).toThrow('searxng() has no option "safesearch"');
    expect(() => searxng({ url, timeout: 0 })).toThrow('searxng({ timeout })');
    expect(() => webSearch({ engine: searxng({ url }), limit: 5 } as never)).toThrow('has no option "limit"');
  });
});
