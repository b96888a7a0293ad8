import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { ToolError } from '../../errors.ts';
import { readBody } from './body.ts';
import { connect } from './connect.ts';
import { textOf } from './decode.ts';
import { exchange, headersOf, type Message } from './exchange.ts';
import type { Lifeline } from './lifeline.ts';
import type { Limits } from './limits.ts';
import { addressesOf, systemLookup } from './resolve.ts';
import type { FetchInit, FetchResponse } from './types.ts';
import type { CheckedUrl, UrlPolicy } from './url-policy.ts';

/** What one hop belongs to. */
export interface Journey {
  readonly policy: UrlPolicy;
  readonly limits: Limits;
  readonly init: FetchInit;
  readonly line: Lifeline;
}

interface Answer {
  readonly response: FetchResponse;
  /** Where the server sends on to. */
  readonly location: string | undefined;
}

const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const nothing = { bytes: new Uint8Array(), truncated: false } as const;

/** One request and its answer: looked up, connected, checked and read. The body of a redirect is not read. */
export async function hop(url: CheckedUrl, message: Message, { policy, limits, init, line }: Journey): Promise<Answer> {
  const { connectTimeout, headersTimeout, lookup = systemLookup } = limits;
  const socket = await line.within(connectTimeout, 'Connecting to the host', 'connect', async () => {
    const addresses = await line.race(addressesOf(url, policy, lookup));
    return connect(url, addresses, line.signal, url.secure ? trustOf(limits) : undefined);
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
    const limit = {
      maxBytes: Math.min(init.maxBytes ?? limits.maxBytes, limits.maxBytes),
      overflow: init.overflow ?? 'fail',
    };
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

const contexts = new WeakMap<Limits, SecureContext>();

/** Nothing for Node's own authorities. Made on first use and kept, since it is costly. */
function trustOf(limits: Limits): SecureContext | undefined {
  if (limits.certificateAuthorities.length === 0) return undefined;
  const made =
    contexts.get(limits) ?? createSecureContext({ ca: [...rootCertificates, ...limits.certificateAuthorities] });
  contexts.set(limits, made);
  return made;
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
