import type { Router } from '../../router.ts';
import { makeServer, warmed } from './factory.ts';
import { type McpServing, type McpStdioOptions, stdioSettings } from './options.ts';
import { serverPackage, stdioPackage } from './packages.ts';
import { Session } from './session.ts';
import { StdioWire } from './stdio-wire.ts';
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
  const unanswered = new Traffic();
  const wire = new StdioWire({
    input,
    output: guarded?.output ?? output,
    maxMessageBytes: settings.maxMessageBytes,
    maxQueuedBytes: settings.maxQueuedBytes,
    unanswered,
    onError: settings.onError,
    beforeEnd: () => close(settings.drain),
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
