import { connect as connectSocket, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { ToolError } from '../../errors.ts';
import { addressBits, sameAddress } from './addresses.ts';
import { refusal, unavailable } from './refusal.ts';
import type { Address } from './resolve.ts';
import type { CheckedUrl } from './url-policy.ts';

// A host with several addresses is not given up because the first one does not answer.
const attemptMilliseconds = 3000;

/** Connects as {@link dial} does, and by TLS where the URL says so. */
export async function connect(
  url: CheckedUrl,
  addresses: readonly Address[],
  signal: AbortSignal,
  trust: SecureContext | undefined,
): Promise<Socket> {
  const socket = await dial(url, addresses, signal);
  return url.secure ? secured(url, socket, trust) : socket;
}

/**
 * Connects to one of the checked addresses, never by name, and asks the socket whom it reached before anything is
 * written. The connection belongs to one request: a pooled one would have been checked for somebody else.
 */
export async function dial(url: CheckedUrl, addresses: readonly Address[], signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await reach(address, url.port, signal, address !== addresses.at(-1));
    } catch (error) {
      if (signal.aborted || error instanceof ToolError) throw error;
      failure = error;
    }
  }
  throw unavailable('No connection to the host could be made', 'no-connection', failure);
}

async function reach({ text, bits }: Address, port: number, signal: AbortSignal, hurried: boolean): Promise<Socket> {
  const socket = connectSocket({ host: text, port, signal });
  const timer = hurried ? setTimeout(() => socket.destroy(), attemptMilliseconds) : undefined;
  try {
    await opened(socket, 'connect');
    const reached = addressBits(socket.remoteAddress ?? '');
    if (reached === undefined || !sameAddress(reached, bits)) throw refusal('address');
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** TLS for the name that was asked for; what the environment says about checking certificates does not count. */
async function secured(url: CheckedUrl, socket: Socket, trust: SecureContext | undefined): Promise<Socket> {
  const secure = connectTls({
    socket,
    host: url.name,
    servername: url.bits === undefined ? url.name : '',
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(trust !== undefined && { secureContext: trust }),
  });
  try {
    await opened(secure, 'secureConnect');
    return secure;
  } catch (error) {
    socket.destroy();
    throw unavailable('The host offers no secure connection that can be trusted', 'certificate', error);
  }
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error('The connection was closed.'));
    socket.once('error', reject).once('close', closed);
    socket.once(event, () => {
      // Later errors reach whoever reads or writes.
      socket
        .off('error', reject)
        .off('close', closed)
        .on('error', () => {});
      resolve();
    });
  });
}
