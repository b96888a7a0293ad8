import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Duplex, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ToolError } from '../../errors.ts';
import { dial } from './connect.ts';
import type { Lifeline } from './lifeline.ts';
import type { Limits } from './limits.ts';
import { refusal } from './refusal.ts';
import { addressesOf, systemLookup } from './resolve.ts';
import type { LentProxy, ProxyOptions } from './types.ts';
import type { CheckedUrl, UrlPolicy } from './url-policy.ts';

/** What a proxy works under. */
export interface ProxySettings extends ProxyOptions {
  readonly policy: UrlPolicy;
  readonly limits: Limits;
  readonly line: Lifeline;
  /** The only hosts that it serves; absent for all that the policy allows. */
  readonly only: ReadonlySet<string> | undefined;
}

const mostRefusalsKept = 100;
const usualBytes = 52_428_800;

/** Opens a proxy on loopback that serves whoever knows its password, and connects to what the policy allows. */
export async function openProxy(settings: ProxySettings): Promise<LentProxy> {
  const proxy = new FilteringProxy(settings);
  return proxy.open();
}

class FilteringProxy {
  readonly #settings: ProxySettings;
  readonly #password = randomBytes(24).toString('base64url');
  readonly #expected = `Basic ${Buffer.from(`callgate:${this.#password}`).toString('base64')}`;
  readonly #refused = new Set<string>();
  readonly #sockets = new Set<Duplex>();
  readonly #server = createServer();
  readonly #closed = new AbortController();
  #left: number;

  constructor(settings: ProxySettings) {
    this.#settings = settings;
    this.#left = settings.maxBytes ?? usualBytes;
    if (!Number.isSafeInteger(this.#left) || this.#left < 0)
      throw new TypeError('fetch.proxy({ maxBytes }) must be a whole number of bytes.');
  }

  async open(): Promise<LentProxy> {
    const { signal } = this.#settings.line;
    this.#server.on('connection', (socket) => this.#keep(socket));
    this.#server.on('connect', (asked, client, head) => void this.#tunnel(asked, client, head));
    this.#server.on('request', (asked, answer) => void this.#forward(asked, answer));
    // Another protocol comes through a tunnel, or not at all.
    this.#server.on('upgrade', (_, client) => client.destroy());
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    const end = () => void this.#close(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) {
      end();
      throw signal.reason;
    }
    const { port } = this.#server.address() as AddressInfo;
    const refused = this.#refused;
    return Object.freeze({
      server: `http://127.0.0.1:${port}`,
      username: 'callgate',
      password: this.#password,
      get refused() {
        return [...refused];
      },
      closed: this.#closed.signal,
      close: () => {
        signal.removeEventListener('abort', end);
        return this.#close(refusal('revoked'));
      },
    });
  }

  #close(reason: unknown): Promise<void> {
    this.#closed.abort(reason);
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #keep<S extends Duplex>(socket: S): S {
    this.#sockets.add(socket);
    socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  /** A connection for TLS or another protocol: what passes is not looked at, only whom it goes to. */
  async #tunnel(asked: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    let remote: Socket | undefined;
    try {
      if (!this.#knows(asked)) {
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="callgate"\r\n\r\n');
        return;
      }
      remote = await this.#connect(`https://${asked.url ?? ''}/`);
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) remote.write(head);
      await Promise.all([pipeline(client, this.#meter(), remote), pipeline(remote, this.#meter(), client)]);
    } catch (error) {
      if (remote === undefined && client.writable)
        client.end(`HTTP/1.1 ${statusOf(error)} Refused\r\nContent-Length: 0\r\n\r\n`);
      else client.destroy();
      remote?.destroy();
    }
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    try {
      if (!this.#knows(asked)) {
        answer.writeHead(407, { 'proxy-authenticate': 'Basic realm="callgate"' }).end();
        return;
      }
      const url = this.#check(asked.url ?? '');
      if (url.secure) throw refusal('scheme');
      const socket = await this.#connect(url.href);
      const { host, pathname, search } = new URL(url.href);
      const outgoing = request({
        createConnection: () => socket,
        method: asked.method ?? 'GET',
        path: `${pathname}${search}`,
        setHost: false,
        headers: { ...passedOn(asked.headers), host },
      });
      const incoming = new Promise<IncomingMessage>((resolve, reject) => {
        outgoing.once('response', resolve).on('error', reject);
        outgoing.once('close', () => reject(new Error('The connection was closed.')));
      });
      const [received] = await Promise.all([incoming, pipeline(asked, this.#meter(), outgoing)]);
      answer.writeHead(received.statusCode ?? 502, passedOn(received.headers));
      await pipeline(received, this.#meter(), answer);
    } catch (error) {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(statusOf(error), { 'content-type': 'text/plain' }).end('Refused.');
    }
  }

  #knows(asked: IncomingMessage): boolean {
    return asked.headers['proxy-authorization'] === this.#expected;
  }

  #check(text: string): CheckedUrl {
    const { policy, only } = this.#settings;
    try {
      const url = policy.check(text);
      if (only !== undefined && !only.has(url.name)) throw refusal('redirect-host', url.href);
      return url;
    } catch (error) {
      this.#note(text, error);
      throw error;
    }
  }

  async #connect(text: string): Promise<Socket> {
    const { policy, limits, line } = this.#settings;
    const url = this.#check(text);
    try {
      const addresses = await line.race(addressesOf(url, policy, limits.lookup ?? systemLookup));
      const socket = this.#keep(await dial(url, addresses, line.signal));
      // It may have been closed meanwhile.
      if (!this.#server.listening) socket.destroy();
      return socket;
    } catch (error) {
      this.#note(text, error);
      throw error;
    }
  }

  #note(text: string, error: unknown): void {
    if (!(error instanceof ToolError) || error.code !== 'url_denied' || this.#refused.size >= mostRefusalsKept) return;
    const host = /^[a-z]+:\/\/([^/?#]{0,100})/i.exec(text)?.[1] ?? '';
    this.#refused.add(`${host} ${(error.options.details as { reason: string }).reason}`);
  }

  #meter(): Transform {
    return new Transform({
      transform: (chunk: Uint8Array, _, done) => {
        this.#left -= chunk.length;
        if (this.#left >= 0) return done(null, chunk);
        const spent = tooLarge(this.#settings.maxBytes ?? usualBytes);
        done(spent);
        void this.#close(spent);
      },
    });
  }
}

function tooLarge(maxBytes: number): ToolError {
  return new ToolError(`More than ${maxBytes} bytes were transferred, which is the most that may be.`, {
    details: { reason: 'too-large', maxBytes },
  });
}

function statusOf(error: unknown): number {
  return error instanceof ToolError && error.code === 'url_denied' ? 403 : 502;
}

const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers that are meant for the other end, and not for this one. */
function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name)));
}
