import { ConfigError, type GatewayConfig } from '../../mcp/gateway/config.ts';
import { type Gateway, type OpenGatewayOptions, openGateway } from '../../mcp/gateway/open.ts';
import { hiding } from '../../mcp/gateway/secrets.ts';
import { elicitApproval } from '../../mcp/server/approval.ts';
import type { McpServeOptions, McpServing } from '../../mcp/server/options.ts';
import type { Router } from '../../router.ts';
import { exitStatus, reasonOf, Unusable } from '../errors.ts';
import { listenForInterruption } from '../interruption.ts';
import type { Io } from '../io.ts';
import { version } from '../version.ts';
import { within } from '../within.ts';
import { reporter } from './report.ts';

/** How a gateway is opened. */
export type GatewayChoices = Pick<OpenGatewayOptions, 'bare' | 'acceptGuesses' | 'only' | 'onFault'>;

/** How a gateway is offered to clients. */
export type Serve = (router: Router, options: { readonly onError: (error: Error) => void }) => Promise<McpServing>;

/** What a gateway is called where it is served. What servers log is not passed on: nobody could say for which client. */
export function asGate(): Pick<McpServeOptions, 'name' | 'version' | 'logging'> {
  return { name: 'callgate', version: version(), logging: false };
}

/** Over the standard input and output of the command. */
export function overStdio(io: Io): Serve {
  return async (router, { onError }) => {
    const { serveMcpStdio } = await import('../../mcp/server/stdio.ts');
    return serveMcpStdio(router, { input: io.stdin, output: io.stdout, drain: 5_000, ...asGate(), onError });
  };
}

/** For how long calls under way may go on once the process is asked to end, in milliseconds. */
const drain = 1_000;

/**
 * Opens a gateway and serves it until the client has gone or the process is asked to end; then no server is left running.
 * Gives the exit status. Throws {@link Unusable} for what could not be started.
 */
export async function runGateway(
  config: GatewayConfig,
  serve: Serve,
  io: Io,
  options: GatewayChoices = {},
): Promise<number> {
  const hide = hiding(config.secrets);
  const toLog = reporter(io);
  const report = (line: string): void => toLog(hide(line));
  const interruption = listenForInterruption();
  const interrupted = new Promise<void>((resolve) => {
    interruption.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  let gateway: Gateway | undefined;
  try {
    gateway = await opened(config, report, options);
    if (interruption.signal.aborted) return interruption.status ?? exitStatus.done;
    const serving = await serve(gateway.router, { onError: (error) => report(error.message) }).catch(
      (error: unknown) => {
        throw new Unusable(`It cannot be served: ${hide(reasonOf(error))}`);
      },
    );
    await Promise.race([serving.closed, interrupted]);
    const closing = serving.close({ drain });
    await within(closing, drain + 500);
    // Calls that are still under way end with the servers that they wait for.
    await gateway.close();
    await within(closing, 500);
    return interruption.status ?? exitStatus.done;
  } finally {
    await gateway?.close();
    interruption.stop();
  }
}

/** Opens a gateway whose calls are approved by the person at the client. */
export async function opened(
  config: GatewayConfig,
  report: (line: string) => void,
  options: GatewayChoices = {},
): Promise<Gateway> {
  try {
    return await openGateway(config, { ...options, report, approve: elicitApproval() });
  } catch (error) {
    if (error instanceof ConfigError) throw new Unusable(error.message);
    throw error;
  }
}

/** What the code in `work` finds wrong with a configuration, as the command line tells it. */
export function unusable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigError || error instanceof TypeError) throw new Unusable(reasonOf(error));
    throw error;
  }
}
