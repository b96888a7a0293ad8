import { checkMilliseconds } from '../basics/milliseconds.ts';
import { checkOptions } from '../basics/options.ts';
import { Fetcher } from '../capabilities/net/fetcher.ts';
import { GrantedFetch } from '../capabilities/net/scoped-fetch.ts';
import type { FetchResponse } from '../capabilities/net/types.ts';
import { UrlPolicy } from '../capabilities/net/url-policy.ts';
import { ToolError } from '../errors.ts';
import type { SearchEngine, SearchResult } from './web-search.ts';

export interface SearxngOptions {
  /** Where the instance is, such as `http://127.0.0.1:8888`. It may be private: the host names it, and no model can. */
  readonly url: string;
  /** Such as `general` or `it`. Default: the instance's own. */
  readonly categories?: readonly string[];
  /** Such as `en`. Default: the instance's own. */
  readonly language?: string;
  /** 0 none, 1 moderate, 2 strict. Default: the instance's own. */
  readonly safeSearch?: 0 | 1 | 2;
  /** How long one search may take, in milliseconds. Default 15,000. */
  readonly timeout?: number;
}

/**
 * Searches with a SearXNG instance by its JSON format, which the instance must allow (`search.formats` in its
 * settings). Redirects are not followed.
 *
 * Fails with `unavailable`: `http-status`, `format`; `rate_limited`; `timeout`.
 *
 * @see https://docs.searxng.org/dev/search_api.html
 */
export function searxng(options: SearxngOptions): SearchEngine {
  checkOptions('searxng', options, ['url', 'categories', 'language', 'safeSearch', 'timeout']);
  const { url, categories, language, safeSearch } = options;
  const totalTimeout = checkMilliseconds(options.timeout ?? 15_000, 'searxng({ timeout })');
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new TypeError(
      `searxng({ url }) must be a URL such as "http://127.0.0.1:8888"; it is ${JSON.stringify(url)}.`,
    );
  }
  const place = new URL(url);
  const port = place.port || (place.protocol === 'https:' ? '443' : '80');
  const fetcher = new Fetcher(
    new UrlPolicy({ allow: [`${place.hostname}:${port}`], privateAddresses: ['0.0.0.0/0', '::/0'] }),
    { redirects: 'none', totalTimeout },
  );
  const search = new URL(`${place.pathname.replace(/\/$/, '')}/search`, place);
  fetcher.policy.check(search.href);
  return {
    name: 'searxng',
    search: async (query, { limit, signal }) => {
      const asked = new URL(search);
      asked.search = new URLSearchParams({
        q: query,
        format: 'json',
        ...(categories !== undefined && { categories: categories.join(',') }),
        ...(language !== undefined && { language }),
        ...(safeSearch !== undefined && { safesearch: String(safeSearch) }),
      }).toString();
      const { fetch } = new GrantedFetch(fetcher, [fetcher.policy.check(asked.href)]);
      const answer = await fetch(asked.href, { signal, headers: { accept: 'application/json' } });
      return (await resultsOf(answer)).slice(0, limit);
    },
  };
}

async function resultsOf(answer: FetchResponse): Promise<readonly SearchResult[]> {
  const { status } = answer;
  if (status === 429)
    throw failure('The search engine has had too many requests. Try again later.', 'http-status', 'rate_limited');
  if (status === 403)
    throw failure(
      'The search engine does not give results as JSON: whoever runs it must allow that format (search.formats).',
      'http-status',
    );
  if (status !== 200) throw failure(`The search engine answered ${status}.`, 'http-status');
  const results = parsed(await answer.text());
  if (!Array.isArray(results)) throw failure('The search engine gave no list of results.', 'format');
  return results.filter(isResult).map(({ title, url, content }) => ({ title, url, text: content ?? '' }));
}

function parsed(text: string): unknown {
  try {
    return (JSON.parse(text) as { results?: unknown } | null)?.results;
  } catch (error) {
    throw failure('The search engine gave no valid JSON.', 'format', 'unavailable', error);
  }
}

function isResult(value: unknown): value is { title: string; url: string; content?: string | null } {
  const { title, url, content = null } = (value ?? {}) as { title?: unknown; url?: unknown; content?: unknown };
  return typeof title === 'string' && typeof url === 'string' && (content === null || typeof content === 'string');
}

function failure(
  message: string,
  reason: string,
  code: 'unavailable' | 'rate_limited' = 'unavailable',
  cause?: unknown,
): ToolError {
  return new ToolError(message, { code, details: { reason }, ...(cause !== undefined && { cause }) });
}
