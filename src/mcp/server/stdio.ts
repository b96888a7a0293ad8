import { PassThrough, type Readable } from 'node:stream';
import type { Router } from '../../router.ts';
import { makeServer } from './factory.ts';
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
  const [sdk, stdio] = await Promise.all([serverPackage(), stdioPackage()]);
  const { input = process.stdin, output = process.stdout } = options;
  const guarded = output === process.stdout ? guardOutput(process.stdout, process.stderr) : undefined;
  const traffic = new Traffic();
  const session = new Session();
  const relay = relayed(input, settings.onError);
  const wire = new stdio.StdioServerTransport(relay.stream, guarded?.output ?? output, {
    maxBufferSize: settings.maxMessageBytes,
  });
  const requests = new Set<string | number>();
  const handle = stdio.serveStdio(
    // One connection, one session: what the SDK opens to find out the era, and discards, makes no calls.
    ({ era }) => makeServer({ sdk, router, settings, traffic, session, era, requests, follows: true }),
    { transport: wire, onerror: settings.onError },
  );

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
    traffic.stop();
    // Calls may end, but nobody answers any questions.
    session.silence();
    await Promise.race([traffic.drained(drain), closed]);
    await handle.close();
    await closed;
  };
  const close = (drain: number): Promise<void> => {
    stopping ??= stop(drain);
    return stopping;
  };
  relay.ended.then(() => close(settings.drain));
  return {
    close: ({ drain = 5_000 } = {}) => close(drain),
    closed,
    [Symbol.asyncDispose]: () => close(5_000),
  };
}

/** The input, without its end: the SDK would drop every call under way there and then. */
function relayed(
  input: Readable,
  onError: (error: Error) => void,
): { readonly stream: PassThrough; readonly ended: Promise<void>; stop(): void } {
  const stream = new PassThrough();
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const onFailure = (error: Error): void => {
    onError(error);
    end();
  };
  input.once('end', end);
  input.once('close', end);
  input.on('error', onFailure);
  if (input.readableEnded || input.destroyed) end();
  input.pipe(stream, { end: false });
  return {
    stream,
    ended,
    stop() {
      input.unpipe(stream);
      input.off('end', end);
      input.off('close', end);
      input.pause();
      stream.destroy();
    },
  };
}
