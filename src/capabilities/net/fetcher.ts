import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { ToolError } from '../../errors.ts';
import { checkMilliseconds } from '../../milliseconds.ts';
import { readBody, textOf } from './body.ts';
import { connect } from './connect.ts';
import { checkHeaders, exchange, headersOf, type Message } from './exchange.ts';
import type { Lifeline } from './lifeline.ts';
import { resolveLocation } from './raw-url.ts';
import { refusal } from './refusal.ts';
import { addressesOf, type Lookup, systemLookup } from './resolve.ts';
import type { FetchInit, FetchResponse } from './types.ts';
import type { CheckedUrl, UrlPolicy } from './url-policy.ts';

/** How far a request may go. */
export interface FetchLimits {
  /**
   * Which redirects are followed, at most 5 in a row: each is checked like a URL of its own, but permission has judged
   * the first host only. Default `any`.
   */
  readonly redirects?: 'any' | 'same-host' | 'none';
  /** The most decoded bytes of a body. Default 5 MiB (5,242,880 bytes). */
  readonly maxBytes?: number;
  /** For finding the address and connecting, TLS included, in milliseconds. Default 10,000. */
  readonly connectTimeout?: number;
  /** From the request to the end of the answer's headers, in milliseconds. Default 15,000. */
  readonly headersTimeout?: number;
  /** For everything, redirects and the body included, in milliseconds. Default 30,000. */
  readonly totalTimeout?: number;
  /** Finds the addresses of a host name. Default: the operating system. What it gives is judged in any case. */
  readonly lookup?: Lookup;
  /** Certificate authorities that are trusted beside Node's own, in PEM. Default: none. */
  readonly certificateAuthorities?: readonly string[];
}

const mostRedirects = 5;
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

interface Answer {
  readonly response: FetchResponse;
  /** Where the server sends on to. */
  readonly location: string | undefined;
}

/** Sends requests under a policy: every hop is checked, resolved and connected to anew. */
export class Fetcher {
  readonly policy: UrlPolicy;
  readonly #limits: Required<FetchLimits>;
  #trust: SecureContext | undefined;

  constructor(policy: UrlPolicy, limits: FetchLimits = {}) {
    this.policy = policy;
    this.#limits = {
      redirects: 'any',
      maxBytes: 5_242_880,
      connectTimeout: 10_000,
      headersTimeout: 15_000,
      totalTimeout: 30_000,
      lookup: systemLookup,
      certificateAuthorities: [],
      ...limits,
    };
    checkLimits(this.#limits);
  }

  fetch(url: CheckedUrl, init: FetchInit, line: Lifeline): Promise<FetchResponse> {
    const { totalTimeout } = this.#limits;
    return line.within(totalTimeout, 'The request', 'total', () => this.#follow(url, init, line));
  }

  async #follow(first: CheckedUrl, init: FetchInit, line: Lifeline): Promise<FetchResponse> {
    checkInit(init);
    let url = first;
    let message: Message = { method: init.method ?? 'GET', headers: init.headers ?? {}, body: init.body };
    for (let redirects = 0; ; redirects++) {
      const { response, location } = await this.#hop(url, message, init, line);
      if (location === undefined) return response;
      if (redirects === mostRedirects) throw refusal('redirects');
      const next = this.#redirect(url, location);
      message = onward(message, response.status, url, next);
      url = next;
    }
  }

  /** One request and its answer; the body of a redirect is not read. */
  async #hop(url: CheckedUrl, message: Message, init: FetchInit, line: Lifeline): Promise<Answer> {
    const { connectTimeout, headersTimeout, lookup } = this.#limits;
    const socket = await line.within(connectTimeout, 'Connecting to the host', 'connect', async () => {
      const addresses = await line.race(addressesOf(url, this.policy, lookup));
      return connect(url, addresses, line.signal, url.secure ? this.#trusted() : undefined);
    });
    try {
      const answer = await line.within(headersTimeout, 'The answer', 'headers', () =>
        exchange(url, socket, message, line.signal),
      );
      const status = answer.statusCode ?? 0;
      const headers = headersOf(answer);
      const location = redirecting.has(status) ? headers.location : undefined;
      const contentType = headers['content-type'] ?? '';
      const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
      const bodiless = location !== undefined || message.method === 'HEAD' || status === 204 || status === 304;
      if (!bodiless) checkType(type, init.types);
      const limit = { maxBytes: this.#maxBytes(init), overflow: init.overflow ?? 'fail' };
      const body = bodiless ? nothing : await line.race(readBody(answer, limit));
      const response: FetchResponse = {
        status,
        headers,
        url: url.href,
        type,
        truncated: body.truncated,
        bytes: async () => body.bytes,
        text: async () => textOf(body.bytes, contentType),
      };
      return { response, location };
    } finally {
      socket.destroy();
    }
  }

  /** Nothing for Node's own authorities. Made on first use, since it is costly. */
  #trusted(): SecureContext | undefined {
    const { certificateAuthorities: own } = this.#limits;
    if (own.length > 0) this.#trust ??= createSecureContext({ ca: [...rootCertificates, ...own] });
    return this.#trust;
  }

  #maxBytes({ maxBytes }: FetchInit): number {
    return Math.min(maxBytes ?? Number.POSITIVE_INFINITY, this.#limits.maxBytes);
  }

  #redirect(from: CheckedUrl, location: string): CheckedUrl {
    const { redirects } = this.#limits;
    const next = checkedHop(this.policy, location, from.href);
    if (from.secure && !next.secure) throw refusal('redirect-scheme');
    if (redirects === 'any' || (redirects === 'same-host' && next.name === from.name)) return next;
    throw refusal('redirect-host', next.href);
  }
}

/** Throws a TypeError for a limit that would limit nothing. */
function checkLimits({
  redirects,
  maxBytes,
  connectTimeout,
  headersTimeout,
  totalTimeout,
}: Required<FetchLimits>): void {
  if (!['any', 'same-host', 'none'].includes(redirects))
    throw new TypeError('redirects must be any, same-host or none');
  if (!isByteCount(maxBytes)) throw new TypeError('maxBytes must be a whole number of bytes');
  checkMilliseconds(connectTimeout, 'connectTimeout');
  checkMilliseconds(headersTimeout, 'headersTimeout');
  checkMilliseconds(totalTimeout, 'totalTimeout');
}

function checkInit({ method = 'GET', headers = {}, maxBytes = 0 }: FetchInit): void {
  if (!methods.has(method)) {
    throw new ToolError(`The method must be one of ${[...methods].join(', ')}.`, { details: { reason: 'method' } });
  }
  if (!isByteCount(maxBytes)) throw new TypeError('maxBytes must be a whole number of bytes');
  checkHeaders(headers);
}

function isByteCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

const nothing = { bytes: new Uint8Array(), truncated: false } as const;

function checkedHop(policy: UrlPolicy, location: string, base: string): CheckedUrl {
  try {
    return policy.check(resolveLocation(location, base));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { code, options } = error;
    throw new ToolError(`The server redirects to somewhere else. ${error.message}`, { code, ...options });
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

function checkType(type: string, wanted: readonly string[] | undefined): void {
  if (wanted === undefined || wanted.some((pattern) => isOfType(type, pattern))) return;
  throw new ToolError(`The answer is of type ${JSON.stringify(type.slice(0, 100))}; expected ${wanted.join(', ')}.`, {
    details: { reason: 'content-type', type: type.slice(0, 100) },
  });
}

function isOfType(type: string, pattern: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return type === pattern;
  return (
    type.length >= pattern.length && type.startsWith(pattern.slice(0, star)) && type.endsWith(pattern.slice(star + 1))
  );
}
