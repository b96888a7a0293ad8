import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { GuardDeclarations, McpAddress, McpCommand } from '../../mcp/client/types.ts';
import { ConfigError, type GatewayConfig } from '../../mcp/gateway/config.ts';
import { parseGatewayConfig } from '../../mcp/gateway/read-config.ts';
import { secretsInAddress, secretsInArguments, secretsInVariable } from '../../mcp/gateway/secrets.ts';
import { serverNameOf } from '../../mcp/gateway/server-name.ts';
import { jsonOf } from '../../policy/file.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { millisecondsOf } from '../session-options.ts';
import type { Parsed } from '../usage.ts';

/** What may be said of a single server on the command line. */
export const serverOptions = {
  root: {
    type: 'string',
    short: 'r',
    multiple: true,
    value: 'FOLDER',
    help: 'a folder that arguments guarded as paths may lie in; may be repeated',
  },
  mode: { type: 'string', short: 'm', value: 'MODE', help: 'plan, ask (default), auto, trusted, or one of the policy' },
  policy: { type: 'string', value: 'FILE', help: 'the rules' },
  guards: {
    type: 'string',
    value: 'FILE',
    help: 'what the arguments of the tools are, as JSON: what inspect proposes, once you have looked at it',
  },
} as const;

type Values = Parsed<typeof serverOptions>['values'] & { readonly timeout?: string | undefined };

/**
 * The configuration that a command line stands for: one server, whose tools have the names that it gives them. It gets all
 * of this program's environment, as it would without us. Throws a ConfigError, or a {@link UsageError}.
 */
export function commandConfig(source: readonly string[] | string, values: Values, io: Io): GatewayConfig {
  const { root = [], mode, policy, guards, timeout } = values;
  const name = typeof source === 'string' ? 'server' : serverNameOf(source);
  // The rest of it is read as a file would be, so that the same is refused.
  const stated = {
    mcpServers: { [name]: { command: 'node' } },
    roots: root.map((folder) => resolve(io.cwd, folder)),
    ...(mode !== undefined && { mode }),
    ...(policy !== undefined && { policy }),
    ...(timeout !== undefined && { timeout: millisecondsOf(timeout) }),
    ...(guards !== undefined && { guards: guardsIn(guards, io) }),
  };
  let config: GatewayConfig;
  try {
    config = parseGatewayConfig(JSON.stringify(stated), { name: '', folder: io.cwd, environment: io.env });
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message.replace(/^[\d:]* /, ''));
    throw error;
  }
  const servers = [{ name, source: sourceOf(source, io), required: true }];
  const said = typeof source === 'string' ? secretsInAddress(source) : secretsInArguments(source);
  return { ...config, servers, guards: namespaced(config.guards, name), secrets: [...secretsIn(io.env), ...said] };
}

/** What an npx that started us says to itself; an npx that starts the server would take it for its own options. */
const ofNpx = /^npm_(?:config_(?:package|call)|command|lifecycle_.*|package_.*)$/i;

function sourceOf(source: readonly string[] | string, { env, cwd }: Io): McpCommand | McpAddress {
  if (typeof source === 'string') return { url: source };
  const [command = '', ...args] = source;
  const set = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !ofNpx.test(entry[0]),
  );
  return { command, args, env: Object.fromEntries(set), cwd };
}

function secretsIn(env: Io['env']): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : secretsInVariable(name, value)));
}

/** Guards by the names that the server gives its tools, as the gateway knows them. */
export function namespaced(guards: GuardDeclarations, server: string): GuardDeclarations {
  return Object.fromEntries(Object.entries(guards).map(([tool, guard]) => [`${server}.${tool}`, guard]));
}

/** The guards in a file: as they are, or under the key `guards`, as in a configuration. */
function guardsIn(named: string, io: Io): unknown {
  const path = resolve(io.cwd, named);
  if (!existsSync(path)) throw new UsageError(`There are no guards ${named}.`);
  try {
    const content = jsonOf(readFileSync(path, 'utf8'), basename(named));
    const { guards } = (content ?? {}) as { guards?: unknown };
    return guards ?? content;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
