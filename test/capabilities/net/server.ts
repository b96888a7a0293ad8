import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { Fetcher } from '../../../src/capabilities/net/fetcher.ts';
import type { FetchLimits } from '../../../src/capabilities/net/limits.ts';
import { GrantedFetch } from '../../../src/capabilities/net/scoped-fetch.ts';
import type { FetchInit, FetchResponse } from '../../../src/capabilities/net/types.ts';
import { UrlPolicy, type UrlPolicyOptions } from '../../../src/capabilities/net/url-policy.ts';
import type { ToolError } from '../../../src/errors.ts';

/** A server on loopback, and what it was asked. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  readonly requests: http.IncomingMessage[];
  /** How many connections were made to it. */
  readonly connections: () => number;
}

export async function serve(answer: http.RequestListener): Promise<TestServer> {
  const requests: http.IncomingMessage[] = [];
  const server = http.createServer((request, response) => {
    requests.push(request);
    response.on('error', () => {});
    answer(request, response);
  });
  return { ...(await listening(server)), requests };
}

/** A server that speaks for itself, byte by byte. */
export async function serveRaw(talk: (socket: net.Socket) => void): Promise<TestServer> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    talk(socket);
  });
  return { ...(await listening(server)), requests: [] };
}

async function listening(server: net.Server): Promise<Omit<TestServer, 'requests'>> {
  const sockets = new Set<net.Socket>();
  let count = 0;
  server.on('connection', (socket) => {
    count++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    connections: () => count,
    [Symbol.asyncDispose]: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Fetches one URL as a tool that was called with it would. */
export async function fetchUnder(
  options: UrlPolicyOptions & FetchLimits,
  url: string,
  init?: FetchInit,
): Promise<FetchResponse> {
  const { allow, deny, ports, schemes, privateAddresses, ...limits } = options;
  const given = Object.fromEntries(
    Object.entries({ allow, deny, ports, schemes, privateAddresses }).filter(([, value]) => value !== undefined),
  );
  const fetcher = new Fetcher(new UrlPolicy(given), limits);
  return new GrantedFetch(fetcher, [fetcher.policy.check(url)]).fetch(url, init);
}

/** How a failure would be told apart: its code and its reason. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    const { code, options } = error as ToolError;
    return `${code} ${(options?.details as { reason?: string } | undefined)?.reason ?? ''}`.trim();
  }
  return 'no failure';
}
