import type { ToolError } from '../../errors.ts';
import type { Fetcher } from './fetcher.ts';
import { Lifeline, withdrawn } from './lifeline.ts';
import { refusal } from './refusal.ts';
import type { FetchInit, FetchResponse, LentProxy, ProxyOptions, ScopedFetch } from './types.ts';
import type { CheckedUrl } from './url-policy.ts';

/** Access to the URLs of one call, until it is revoked. */
export class GrantedFetch {
  readonly #fetcher: Fetcher;
  readonly #granted: ReadonlySet<string>;
  readonly #hosts: ReadonlySet<string>;
  readonly #lines = new Set<Lifeline>();
  #ended: ToolError | undefined;

  constructor(fetcher: Fetcher, granted: readonly CheckedUrl[]) {
    this.#fetcher = fetcher;
    this.#granted = new Set(granted.map(keyOf));
    this.#hosts = new Set(granted.map(({ name }) => name));
  }

  /** What the tool is given: bare functions, so that nothing else can be reached through them. */
  get fetch(): ScopedFetch {
    const fetch = async (url: string, init: FetchInit = {}): Promise<FetchResponse> => {
      if (this.#ended !== undefined) throw this.#ended;
      const checked = this.#fetcher.policy.check(url);
      if (!this.#granted.has(keyOf(checked))) throw refusal('not-granted');
      return this.#send(checked, init);
    };
    return Object.freeze(Object.assign(fetch, { proxy: (options?: ProxyOptions) => this.#openProxy(options) }));
  }

  /** Ends the requests that are under way, and this access for good. */
  revoke(reason: ToolError = refusal('revoked')): void {
    this.#ended ??= reason;
    for (const line of this.#lines) line.end(reason);
  }

  async #openProxy(options?: ProxyOptions): Promise<LentProxy> {
    if (this.#ended !== undefined) throw this.#ended;
    const line = new Lifeline();
    this.#lines.add(line);
    return this.#fetcher.proxy(this.#hosts, line, options);
  }

  async #send(url: CheckedUrl, init: FetchInit): Promise<FetchResponse> {
    const line = new Lifeline();
    const { signal } = init;
    const withdraw = () => line.end(withdrawn());
    if (signal?.aborted) withdraw();
    signal?.addEventListener('abort', withdraw, { once: true });
    this.#lines.add(line);
    try {
      return await this.#fetcher.fetch(url, init, line);
    } finally {
      signal?.removeEventListener('abort', withdraw);
      this.#lines.delete(line);
    }
  }
}

/** What a server is asked for: the fragment stays here. */
function keyOf({ href }: CheckedUrl): string {
  const hash = href.indexOf('#');
  return hash < 0 ? href : href.slice(0, hash);
}
