import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { unavailable } from './refusal.ts';
import type { FetchInit } from './types.ts';
import type { CheckedUrl } from './url-policy.ts';

/** What is sent, apart from where to. */
export interface Message {
  readonly method: NonNullable<FetchInit['method']>;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | Uint8Array | undefined;
}

const maxHeaderBytes = 16_384;

/** Writes one request to a connection and waits for the answer's head. The connection is closed after the answer. */
export function exchange(
  url: CheckedUrl,
  socket: Socket,
  message: Message,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { host, pathname, search } = new URL(url.href);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      // Without an agent there is neither a pool nor a proxy.
      createConnection: () => socket,
      method: message.method,
      path: `${pathname}${search}`,
      host: url.name,
      port: url.port,
      setHost: false,
      maxHeaderSize: maxHeaderBytes,
      signal,
      headers: {
        accept: '*/*',
        'user-agent': 'callgate',
        ...lowerCase(message.headers),
        host,
        'accept-encoding': 'gzip, br',
      },
    });
    const broken = (error?: unknown) => reject(unavailable('The host gave no valid answer', 'no-answer', error));
    // A server that switches protocols is not talked to any longer: then the request closes without a response.
    outgoing
      .on('error', broken)
      .once('close', broken)
      .once('upgrade', (_, upgraded) => upgraded.destroy());
    outgoing.once('response', resolve);
    outgoing.end(message.body);
  });
}

/** A header given twice in different letter case would otherwise be sent twice. */
function lowerCase(headers: { readonly [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The headers of an answer, as texts by names in lower case. */
export function headersOf(answer: IncomingMessage): { readonly [name: string]: string } {
  const headers: { [name: string]: string } = Object.create(null);
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
