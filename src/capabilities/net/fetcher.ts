import { ToolError } from '../../errors.ts';
import type { Message } from './exchange.ts';
import type { Lifeline } from './lifeline.ts';
import { checkInit, completeLimits, type FetchLimits, type Limits } from './limits.ts';
import { resolveLocation } from './raw-url.ts';
import { refusal } from './refusal.ts';
import type { FetchInit, FetchResponse, LentProxy, ProxyOptions } from './types.ts';
import type { CheckedUrl, UrlPolicy } from './url-policy.ts';

const mostRedirects = 5;

/** Sends requests under a policy: every hop is checked, looked up and connected to anew. */
export class Fetcher {
  readonly policy: UrlPolicy;
  readonly #limits: Limits;

  /** Throws a TypeError for limits that cannot be meant. */
  constructor(policy: UrlPolicy, limits: FetchLimits = {}) {
    this.policy = policy;
    this.#limits = completeLimits(limits);
  }

  /** Sends one request and follows its redirects. Fails as ScopedFetch says. */
  fetch(url: CheckedUrl, init: FetchInit, line: Lifeline): Promise<FetchResponse> {
    return line.within(this.#limits.totalTimeout, 'The request', 'total', () => this.#follow(url, init, line));
  }

  /** Opens a proxy under the same policy; `hosts` are those of the call. Closes when the lifeline ends. */
  async proxy(hosts: ReadonlySet<string>, line: Lifeline, options?: ProxyOptions): Promise<LentProxy> {
    const { openProxy } = await import('./proxy.ts');
    const only = this.#limits.redirects === 'any' ? undefined : hosts;
    // What a tool says comes first, so that it cannot put rules of its own in the place of these.
    return openProxy({ ...options, policy: this.policy, limits: this.#limits, line, only });
  }

  async #follow(first: CheckedUrl, init: FetchInit, line: Lifeline): Promise<FetchResponse> {
    checkInit(init);
    // What talks to the network is loaded when something does.
    const { hop } = await import('./hop.ts');
    const journey = { policy: this.policy, limits: this.#limits, init, line };
    let url = first;
    let message: Message = { method: init.method ?? 'GET', headers: init.headers ?? {}, body: init.body };
    for (let redirects = 0; ; redirects++) {
      const { response, location } = await hop(url, message, journey);
      if (location === undefined) return response;
      if (redirects === mostRedirects) throw refusal('redirects');
      const next = this.#redirect(url, location);
      message = onward(message, response.status, url, next);
      url = next;
    }
  }

  #redirect(from: CheckedUrl, location: string): CheckedUrl {
    const { redirects } = this.#limits;
    const next = checkedHop(this.policy, location, from.href);
    if (from.secure && !next.secure) throw refusal('redirect-scheme');
    if (redirects === 'any' || (redirects === 'same-host' && next.name === from.name)) return next;
    throw refusal('redirect-host', next.href);
  }
}

function checkedHop(policy: UrlPolicy, location: string, base: string): CheckedUrl {
  try {
    return policy.check(resolveLocation(location, base));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { code, options } = error;
    throw new ToolError(`The server redirects to a URL that is refused. ${error.message}`, { code, ...options });
  }
}

/** The message that follows a redirect, as browsers send it; a caller's headers stay with the origin they were for. */
function onward(message: Message, status: number, from: CheckedUrl, to: CheckedUrl): Message {
  const sameOrigin = from.name === to.name && from.port === to.port && from.secure === to.secure;
  const headers = sameOrigin ? message.headers : {};
  const asGet = status === 303 ? message.method !== 'HEAD' : status < 303 && message.method === 'POST';
  if (asGet) return { method: 'GET', headers, body: undefined };
  if (!sameOrigin && message.method !== 'GET' && message.method !== 'HEAD') throw refusal('redirect-body');
  return { ...message, headers };
}
