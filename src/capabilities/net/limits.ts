import { checkMilliseconds } from '../../basics/milliseconds.ts';
import { ToolError } from '../../errors.ts';
import type { FetchInit } from './types.ts';

/** Gives the addresses of a host name, IPv4 or IPv6, in the order in which they are to be tried. */
export type Lookup = (name: string) => Promise<readonly string[]>;

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

/** Limits with nothing left open. */
export type Limits = Required<Omit<FetchLimits, 'lookup'>> & Pick<FetchLimits, 'lookup'>;

const followed: readonly unknown[] = ['any', 'same-host', 'none'];

/** Throws a TypeError for a limit that would limit nothing. */
export function completeLimits(given: FetchLimits): Limits {
  const { redirects = 'any', maxBytes = 5_242_880, lookup, certificateAuthorities = [] } = given;
  const { connectTimeout = 10_000, headersTimeout = 15_000, totalTimeout = 30_000 } = given;
  if (!followed.includes(redirects)) throw new TypeError('urlGuard({ redirects }) must be any, same-host or none.');
  if (!isByteCount(maxBytes)) throw new TypeError('urlGuard({ maxBytes }) must be a whole number of bytes.');
  if (lookup !== undefined && typeof lookup !== 'function')
    throw new TypeError('urlGuard({ lookup }) must be a function.');
  return {
    redirects,
    maxBytes,
    connectTimeout: checkMilliseconds(connectTimeout, 'urlGuard({ connectTimeout })'),
    headersTimeout: checkMilliseconds(headersTimeout, 'urlGuard({ headersTimeout })'),
    totalTimeout: checkMilliseconds(totalTimeout, 'urlGuard({ totalTimeout })'),
    certificateAuthorities,
    ...(lookup !== undefined && { lookup }),
  };
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
// What belongs to the connection and not to the message is ours to say.
const ownHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);

/** Checks what a tool asks for. Fails with `tool_error`: `method`, `header`, `max-bytes`. */
export function checkInit({ method = 'GET', headers = {}, maxBytes = 0 }: FetchInit): void {
  if (!methods.has(method)) throw wrong(`The method must be one of ${[...methods].join(', ')}.`, 'method');
  if (!isByteCount(maxBytes)) throw wrong('maxBytes must be a whole number of bytes.', 'max-bytes');
  for (const [name, value] of Object.entries(headers)) {
    const plain = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
    const lower = name.toLowerCase();
    if (plain && !ownHeaders.has(lower) && !lower.startsWith('proxy-')) continue;
    throw wrong(`The header ${JSON.stringify(name)} cannot be set.`, 'header');
  }
}

function wrong(message: string, reason: string): ToolError {
  return new ToolError(message, { details: { reason } });
}

function isByteCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
