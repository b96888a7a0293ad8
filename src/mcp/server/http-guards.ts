import type { IncomingMessage } from 'node:http';
import type { McpHttpOptions } from './options.ts';

/** Why a request is refused before anything of it is read. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: { readonly [name: string]: string };
}

/** What a request is let in as. */
export interface Admitted {
  /** Absent where there is one token for everybody, or none. */
  readonly principal?: string;
}

/** Looks at a request's head: where it came from, whether it may, and on whose behalf. */
export type Admit = (request: IncomingMessage) => Refusal | Admitted;

const shortestToken = 16;
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Makes the guard of an endpoint. Throws a TypeError where the options would open it to more than was meant: an address
 * that is not loopback without a token, all addresses without the names they go by, a token that can be guessed.
 */
export function makeAdmit(host: string, options: McpHttpOptions): Admit {
  const readToken = tokenReader(options.token);
  if (!isLoopback(host) && readToken === undefined) {
    throw new TypeError(`serveMcpHttp() listens on ${host}, which others can reach, only with a token.`);
  }
  if (isAnyAddress(host) && options.allowedHosts === undefined) {
    throw new TypeError(`serveMcpHttp() on ${host} needs allowedHosts: the names by which clients may call it.`);
  }
  const hosts = new Set((options.allowedHosts ?? [...loopbackNames, bracketed(host)]).map(lowerCased));
  const origins = options.allowedOrigins === undefined ? undefined : new Set(options.allowedOrigins.map(originOf));
  return (request) => {
    const { host: named, origin, authorization } = request.headers;
    if (!hosts.has(hostnameOf(named) ?? '')) return { status: 403, message: 'This server does not go by that Host.' };
    if (origin !== undefined && !isAllowed(origin, origins)) {
      return { status: 403, message: 'Requests from that Origin are not allowed.' };
    }
    return readToken === undefined ? {} : readToken(authorization);
  };
}

/** Whether the address, or name, is the machine's own. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host) || /^::ffff:127\./i.test(host);
}

function isAnyAddress(host: string): boolean {
  return host === '' || host === '0.0.0.0' || host === '::';
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function lowerCased(name: unknown): string {
  if (typeof name !== 'string' || hostnameOf(name) !== name.toLowerCase()) {
    throw new TypeError(`allowedHosts takes names without ports, such as "tools.example"; it got ${String(name)}.`);
  }
  return name.toLowerCase();
}

/** The name in a Host header, without its port; `undefined` for one that is not of that form. */
function hostnameOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [, name, port = '0'] = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/.exec(header.toLowerCase()) ?? [];
  return Number(port) > 65_535 ? undefined : name;
}

function originOf(origin: unknown): string {
  const url = typeof origin === 'string' && URL.canParse(origin) ? new URL(origin) : undefined;
  if (url === undefined || url.origin === 'null' || url.origin !== origin) {
    throw new TypeError(`allowedOrigins takes origins such as "https://app.example"; it got ${String(origin)}.`);
  }
  return url.origin;
}

/** An Origin is compared whole, also with scheme and port; without a list, pages of this machine are allowed. */
function isAllowed(origin: string, origins: ReadonlySet<string> | undefined): boolean {
  if (origins !== undefined) return origins.has(origin);
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && loopbackNames.includes(hostname);
}

function tokenReader(token: McpHttpOptions['token']): ((header: string | undefined) => Refusal | Admitted) | undefined {
  if (token === undefined) return undefined;
  const { createHash, timingSafeEqual } = process.getBuiltinModule('node:crypto');
  // Digests have one length, so that comparing takes the same time whatever was sent.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const named: readonly (readonly [string | undefined, string])[] =
    typeof token === 'string' ? [[undefined, token]] : Object.entries(token ?? {});
  if (named.length === 0) throw new TypeError('serveMcpHttp({ token }) names no token.');
  const known = named.map(([principal, text]) => {
    if (typeof text !== 'string' || text.length < shortestToken || !/^[\w.~+/-]+=*$/.test(text)) {
      throw new TypeError(
        `A token of serveMcpHttp() must have at least ${shortestToken} characters, and only those of bearer tokens.`,
      );
    }
    if (principal === '') throw new TypeError('serveMcpHttp({ token }) names a principal without a name.');
    return { principal, digest: digest(text) };
  });
  if (new Set(named.map(([, text]) => text)).size < named.length) {
    throw new TypeError('serveMcpHttp({ token }) gives two principals one token: nobody could tell them apart.');
  }
  return (header) => {
    const sent = /^bearer +([\w.~+/-]+=*)$/i.exec(header ?? '')?.[1];
    if (sent === undefined)
      return unauthorized('A bearer token is needed.', header === undefined ? '' : invalidRequest);
    const given = digest(sent);
    let found: Admitted | undefined;
    // All of them, so that the time says nothing about which one it was.
    for (const { principal, digest: own } of known) {
      if (timingSafeEqual(own, given)) found = principal === undefined ? {} : { principal };
    }
    return found ?? unauthorized('The bearer token is not one of this server.', ', error="invalid_token"');
  };
}

const invalidRequest = ', error="invalid_request"';

// https://www.rfc-editor.org/rfc/rfc6750#section-3
function unauthorized(message: string, error: string): Refusal {
  return { status: 401, message, headers: { 'www-authenticate': `Bearer realm="callgate"${error}` } };
}
