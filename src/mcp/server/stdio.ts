import { type Readable, Transform } from 'node:stream';
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Router } from '../../router.ts';
import { makeServer, warmed } from './factory.ts';
import { type McpServing, type McpStdioOptions, stdioSettings } from './options.ts';
import { serverPackage, stdioPackage } from './packages.ts';
import { Session } from './session.ts';
import { guardOutput } from './stdout-guard.ts';
import { Traffic } from './traffic.ts';

/**
 * Serves a router's tools over standard input and output, one JSON-RPC message a line, to clients of both eras of the
 * protocol. While it serves, nothing but the protocol gets to standard output: `console.log` goes to standard error.
 *
 * It ends when the input ends (calls under way are answered first, within `drain`), when nobody reads the output any
 * more, and by `close`. Rejects where `@modelcontextprotocol/server` is not installed.
 *
 * @example
 * const serving = await serveMcpStdio(createRouter({ tools, approve: elicitApproval() }));
 * await serving.closed;
 */
export async function serveMcpStdio<State>(router: Router<State>, options: McpStdioOptions = {}): Promise<McpServing> {
  const settings = stdioSettings(options);
  const [sdk, stdio] = await Promise.all([serverPackage(), stdioPackage(), warmed(router)]);
  const { input = process.stdin, output = process.stdout } = options;
  const guarded = output === process.stdout ? guardOutput(process.stdout, process.stderr) : undefined;
  const traffic = new Traffic();
  const session = new Session();
  let close: (drain: number) => Promise<void> = () => Promise.resolve();
  const relay = relayed(input, settings.onError, () => close(settings.drain));
  const wire = new stdio.StdioServerTransport(relay.stream, guarded?.output ?? output, {
    maxBufferSize: settings.maxMessageBytes,
  });
  const requests = new Set<string | number>();
  const handle = stdio.serveStdio(
    // One connection, one session: what the SDK opens to find out the era, and discards, makes no calls.
    ({ era }) => makeServer({ sdk, router, settings, traffic, session, era, requests, follows: true }),
    { transport: wire, onerror: settings.onError },
  );
  const unanswered = countUnanswered(wire);

  let settle: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const onWireClose = wire.onclose;
  wire.onclose = () => {
    onWireClose?.();
    relay.stop();
    guarded?.release();
    session.abort(new Error('The connection was closed.'));
    settle();
  };

  let stopping: Promise<void> | undefined;
  const stop = async (drain: number): Promise<void> => {
    // Calls may end, but nobody answers any questions.
    session.silence();
    await Promise.race([unanswered.drained(drain), closed]);
    traffic.stop();
    await handle.close();
    await closed;
  };
  close = (drain) => {
    stopping ??= stop(drain);
    return stopping;
  };
  const stopNow = (drain = 5_000): Promise<void> => {
    traffic.stop();
    return close(drain);
  };
  return { close: ({ drain } = {}) => stopNow(drain), closed, [Symbol.asyncDispose]: () => stopNow() };
}

/** Follows which requests have been read and not been answered: calls that the SDK has not begun yet are among them. */
function countUnanswered(wire: StdioServerTransport): Traffic {
  const unanswered = new Traffic();
  const ids = new Set<unknown>();
  const end = (id: unknown): void => {
    if (ids.delete(id)) unanswered.end();
  };
  const onMessage = wire.onmessage;
  wire.onmessage = (message) => {
    const { id, method, params } = message as { id?: unknown; method?: unknown; params?: { requestId?: unknown } };
    if (method === 'notifications/cancelled') end(params?.requestId);
    // A subscription is answered when the connection ends.
    else if (isRequest(id, method) && method !== 'subscriptions/listen' && !ids.has(id)) {
      ids.add(id);
      unanswered.begin();
    }
    onMessage?.(message);
  };
  const send = wire.send.bind(wire);
  wire.send = async (message) => {
    await send(message).finally(() => {
      if (!('method' in message)) end(message.id);
    });
  };
  return unanswered;
}

function isRequest(id: unknown, method: unknown): boolean {
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number');
}

/** The input, whose end comes only after `beforeEnd`: the SDK would drop every call under way there and then. */
function relayed(
  input: Readable,
  onError: (error: Error) => void,
  beforeEnd: () => Promise<void>,
): { readonly stream: Transform; stop(): void } {
  const stream = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush: (done) => {
      // What was read last has yet to be looked at.
      setImmediate(() => beforeEnd().then(() => done()));
    },
  });
  const end = (): void => {
    stream.end();
  };
  const onFailure = (error: Error): void => {
    onError(error);
    end();
  };
  input.once('close', end);
  input.on('error', onFailure);
  if (input.readableEnded || input.destroyed) end();
  input.pipe(stream);
  return {
    stream,
    stop() {
      input.unpipe(stream);
      input.off('close', end);
      input.pause();
      stream.destroy();
    },
  };
}
