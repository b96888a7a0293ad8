import { didYouMean } from '../../basics/nearest.ts';
import { namedIn, unmatched } from '../../chain/named-tools.ts';
import { forLog } from '../../output/control-characters.ts';
import type { Approve } from '../../policy/approval.ts';
import { type LintOptions, lint } from '../../policy/lint.ts';
import { deepFreeze } from '../../policy/snapshot.ts';
import { createRegistry, type Registry } from '../../registry.ts';
import type { Router } from '../../router.ts';
import type { Tool } from '../../tool.ts';
import { connectTools } from '../client/mcp-tools.ts';
import type { GuardDeclarations, McpServerConnection } from '../client/types.ts';
import { UnfitNamesError } from '../client/unfit-names.ts';
import { linkOf } from '../server/links.ts';
import { closeAuditFile, openAuditFile } from './audit-file.ts';
import { bareNames } from './bare-names.ts';
import { ConfigError, type GatewayConfig, type GatewayServer } from './config.ts';
import { gatewayRouter } from './router.ts';
import { hiding } from './secrets.ts';
import { CalmReport, listed, serverLog } from './server-log.ts';

export interface OpenGatewayOptions {
  /** Asks somebody about calls that need it. Default: nobody is there. */
  readonly approve?: Approve;
  /** Whether the tools of the one server there is keep its own names. Default false. */
  readonly bare?: boolean;
  /**
   * Whether to take for true what servers say of their tools and what their arguments look like, where the configuration
   * does not say otherwise. Default false.
   */
  readonly acceptGuesses?: boolean;
  /** The name of the one server to start. Default: all. */
  readonly only?: string;
  /** How long a server may take to start, in milliseconds. Default 30,000. */
  readonly connectTimeout?: number;
  /** Gets guards that do not fit the tools, which otherwise keep the gateway from being opened. */
  readonly onFault?: (fault: string) => void;
  /** Gets what is worth a line in a log, free of control characters. */
  readonly report: (line: string) => void;
}

/** Servers, and a router in front of their tools. */
export interface Gateway {
  readonly router: Router;
  /** The servers that were started. */
  readonly connections: readonly McpServerConnection[];
  /** Closes the router, whose calls under way are aborted, and ends the servers. Never rejects. */
  close(): Promise<void>;
}

/** How long calls that were aborted are waited for before their servers end, in milliseconds. */
const grace = 250;

/**
 * Starts the servers of a configuration and puts a router in front of them. A server that cannot be started is reported
 * and left out. Throws a {@link ConfigError}, with nothing left running, when it is required, when none could be started,
 * when guards do not fit the tools, and when the
 * rest of the configuration cannot be used.
 */
export async function openGateway(config: GatewayConfig, options: OpenGatewayOptions): Promise<Gateway> {
  const { approve, only, bare = false, acceptGuesses = false } = options;
  const hide = hiding(config.secrets);
  const report = (line: string): void => options.report(hide(line));
  const registry = createRegistry();
  fixTools(registry);
  const [first] = config.servers;
  const shown = bare && first !== undefined ? bareNames(registry, first.name) : registry;
  const auditFile = config.stages.audit === undefined ? undefined : openAuditFile(config.stages.audit.file);
  const connections: McpServerConnection[] = [];
  let router: Router | undefined;
  const close = async (): Promise<void> => {
    await router?.close({ drain: 0, grace }).catch(() => {});
    await Promise.all(connections.map((connection) => connection.close()));
    if (auditFile !== undefined) await closeAuditFile(auditFile);
  };
  try {
    router = gatewayRouter(config, {
      registry: shown,
      ...(approve !== undefined && { approve }),
      ...(auditFile !== undefined && { auditFile }),
      acceptGuesses,
    });
    const started = await Promise.all(
      config.servers
        .filter(({ name }) => only === undefined || name === only)
        .map((server) => start(server, registry, config, { ...options, report, hide })),
    );
    connections.push(...started.flatMap(({ connection }) => connection ?? []));
    const unfit = started.flatMap(({ fault }) => fault ?? []);
    if (unfit.length > 0) throw new ConfigError(`${unfit.join(' ')} Nothing was started.`);
    const [failed, ...others] = started.filter(({ server, problem }) => server.required && problem !== undefined);
    for (const { problem } of others) report(String(problem));
    if (failed !== undefined) throw new ConfigError(`${failed.problem}. It is required, so nothing was started.`);
    if (connections.length === 0) throw new ConfigError('No server could be started.');
    reportTools(connections, registry, config, report);
    const isWhole = connections.length === config.servers.length;
    for (const { rule, kind, message } of lint(config.policy?.rules ?? [], lintOptions(shown, config))) {
      if (isWhole || kind !== 'no-tool') report(`${rule} of the policy: ${message}`);
    }
    if (isWhole) reportNames(config, router, report);
    return { router, connections, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The guards that may be meant for tools of a server, by the beginning of their names. */
function guardsFor(server: string, guards: GuardDeclarations): GuardDeclarations {
  return Object.fromEntries(Object.entries(guards).filter(([pattern]) => isFor(server, pattern)));
}

function isFor(server: string, pattern: string): boolean {
  const [beginning = ''] = pattern.split('*');
  const namespace = `${server}.`;
  return beginning.startsWith(namespace) || (pattern.includes('*') && namespace.startsWith(beginning));
}

/** What the configuration names and no server has. Servers that are not there may have it. */
function reportNames(config: GatewayConfig, router: Router, report: (line: string) => void): void {
  const tools = router.registry.list().map(({ name }) => name);
  for (const pattern of Object.keys(config.guards)) {
    if (config.servers.some(({ name }) => isFor(name, pattern))) continue;
    // Names of one or two letters are all alike.
    const known = /^[^.]{1,2}\./.test(pattern) ? [] : [...config.servers.map(({ name }) => `${name}.*`), ...tools];
    report(`"${pattern}" of guards is for a server that is not there${didYouMean(pattern, known, 'clause')}`);
  }
  for (const problem of unmatched(namedIn(router.pipeline.entries), router.registry.list())) report(problem);
}

interface Started {
  readonly server: GatewayServer;
  readonly connection?: McpServerConnection;
  readonly problem?: string;
  /** Guards do not fit its tools, which nobody must take for guarded. */
  readonly fault?: string;
}

async function start(
  server: GatewayServer,
  registry: Registry,
  config: GatewayConfig,
  options: OpenGatewayOptions & { hide: (text: string) => string },
): Promise<Started> {
  const { report, hide, connectTimeout, onFault, acceptGuesses = false, bare = false } = options;
  const { name, source } = server;
  const shown = (tool: string): string => (bare && tool.startsWith(`${name}.`) ? tool.slice(name.length + 1) : tool);
  const calm = new CalmReport(report, name);
  let isReady = false;
  try {
    const connection = await connectTools(
      source,
      { shown, onFault },
      {
        name,
        registry,
        guards: guardsFor(name, config.guards),
        requestTimeout: config.timeout ?? 30_000,
        wantsProgress: (callId) => linkOf(callId)?.wantsProgress ?? true,
        trustAnnotations: acceptGuesses,
        acceptGuesses,
        ...(connectTimeout !== undefined && { connectTimeout }),
        onLog: serverLog(report, name, hide),
        onDrift: ({ name: tool, changed }) =>
          calm.say(`${shown(tool)} has changed (${changed.join(', ')}); it is asked about again`),
        onChange: ({ added, removed }) => {
          if (!isReady) return;
          if (added.length > 0) calm.say(`${name} has new tools: ${listed(added.map(shown))}`);
          if (removed.length > 0) calm.say(`${name} no longer has: ${listed(removed.map(shown))}`);
        },
      },
    );
    isReady = true;
    for (const { name: tool, reason } of connection.skipped)
      calm.say(`${name}: ${forLog(tool)} is left out: ${forLog(reason)}`);
    return { server, connection };
  } catch (error) {
    if (error instanceof UnfitNamesError) return { server, fault: forLog(hide(error.message)) };
    const problem = `The server ${name} could not be started: ${forLog(hide(wordsOf(error))).replace(/[.\s]+$/, '')}`;
    // Of one that is required the error tells.
    if (!server.required) report(problem);
    return { server, problem };
  }
}

/** What an error says, and what lies beneath it: Node's "fetch failed" alone does not even name the host. */
function wordsOf(error: unknown): string {
  const words: string[] = [];
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 5; depth++) {
    const { message, code, cause } = at as { message?: unknown; code?: unknown; cause?: unknown };
    const said = [message, code, typeof at === 'string' ? at : ''].find(
      (word) => typeof word === 'string' && word !== '',
    );
    if (typeof said === 'string' && !words.some((word) => word.includes(said))) words.push(said);
    at = cause;
  }
  return words.join(': ') || String(error);
}

/** Nothing changes tools any more, so that what they are has to be found out once and not with every call. */
function fixTools(registry: Registry): void {
  let isDue = false;
  registry.onChange(() => {
    if (isDue) return;
    isDue = true;
    // Once for all that come in one go.
    queueMicrotask(() => {
      isDue = false;
      for (const tool of registry.list()) for (const part of Object.values(tool)) deepFreeze(part);
    });
  });
}

function lintOptions(registry: Registry, { policy }: GatewayConfig): LintOptions {
  const modes = policy?.modes;
  return { tools: registry.list(), ...(modes !== undefined && { modes }) };
}

/** Whether no call of a tool is let through without roots. */
export function needsRoots({ paths, commands }: Tool): boolean {
  return paths !== undefined || commands !== undefined;
}

function reportTools(
  connections: readonly McpServerConnection[],
  registry: Registry,
  { roots }: GatewayConfig,
  report: (line: string) => void,
): void {
  for (const { name } of connections) {
    const tools = registry.list({ source: name });
    const closed = roots.length > 0 ? [] : tools.filter(needsRoots);
    const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
    const why =
      closed.length === 0
        ? ''
        : `; ${closed.length} are denied, since they take paths or commands and no roots are given`;
    report(`${name}: ${count}${why}`);
  }
}
