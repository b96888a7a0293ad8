import { pointerStep } from '../../schema/pointer.ts';
import type { GatewayServer } from './config.ts';
import type { ConfigText } from './origin.ts';
import { secretsInAddress, secretsInArguments, secretsInVariable, withoutScheme } from './secrets.ts';

/** A server as MCP clients' configurations have it. */
export interface WrittenServer {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: 'stdio' | 'http' | 'streamable-http' | 'sse';
  readonly required?: boolean;
  readonly disabled?: boolean;
}

/** The servers that are to be started. Throws a ConfigError for one that could not be. */
export function readServers(
  written: Readonly<Record<string, WrittenServer>>,
  config: ConfigText,
): readonly GatewayServer[] {
  const servers: GatewayServer[] = [];
  for (const [name, server] of Object.entries(written)) {
    const at = `/mcpServers${pointerStep(name)}`;
    if (!/^[A-Za-z0-9_][A-Za-z0-9_-]{0,40}$/.test(name)) {
      throw config.fault(
        at,
        `${JSON.stringify(name)} is no name for a server. Its tools begin with it, so it is 1 to 41 letters, digits, _ and -.`,
      );
    }
    checkKind(server, at, config);
    if (server.disabled) continue;
    const source = server.url === undefined ? commandOf(server, at, config) : addressOf(server, at, config);
    servers.push({ name, source, required: server.required ?? false });
  }
  if (servers.length === 0) throw config.fault('/mcpServers', '"mcpServers" has no server that is to be started.');
  return servers;
}

function checkKind(server: WrittenServer, at: string, config: ConfigText): void {
  const { command, url, type } = server;
  if ((command === undefined) === (url === undefined)) {
    throw config.fault(at, 'a server has either a "command" that starts it or a "url" to reach it.');
  }
  const has = command === undefined ? 'url' : 'command';
  const stray = Object.keys(server).find((key) => (has === 'url' ? ['args', 'env', 'cwd'] : ['headers']).includes(key));
  if (stray !== undefined) {
    throw config.fault(`${at}/${stray}`, `"${stray}" has no effect for a server with a "${has}".`);
  }
  if (type !== undefined && (type === 'stdio') !== (has === 'command')) {
    throw config.fault(`${at}/type`, `a server of the type "${type}" has a "${type === 'stdio' ? 'command' : 'url'}".`);
  }
}

function commandOf(server: WrittenServer, at: string, config: ConfigText): GatewayServer['source'] {
  const { command = '', args, env, cwd } = server;
  const variables = tableOf(env, `${at}/env`, config);
  for (const [name, value] of Object.entries(variables ?? {})) {
    for (const secret of secretsInVariable(name, value)) config.secret(secret);
  }
  const expanded = args?.map((arg, index) => config.expanded(arg, `${at}/args/${index}`));
  for (const value of secretsInArguments(expanded ?? [])) config.secret(value);
  return {
    command: config.expanded(command, `${at}/command`),
    ...(expanded !== undefined && { args: expanded }),
    ...(variables !== undefined && { env: variables }),
    cwd: cwd === undefined ? config.origin.folder : config.folder(cwd, `${at}/cwd`),
  };
}

function addressOf(server: WrittenServer, at: string, config: ConfigText): GatewayServer['source'] {
  const url = config.expanded(server.url ?? '', `${at}/url`);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw config.fault(`${at}/url`, 'the "url" must be one with http: or https:.');
  }
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    const problem = 'the "url" must be without user name and password; "headers" can carry an Authorization.';
    throw config.fault(`${at}/url`, problem);
  }
  for (const value of secretsInAddress(url)) config.secret(value);
  const headers = tableOf(server.headers, `${at}/headers`, config);
  for (const value of Object.values(headers ?? {})) config.secret(withoutScheme(value));
  return { url, ...(headers !== undefined && { headers }) };
}

function tableOf(
  table: Readonly<Record<string, string>> | undefined,
  at: string,
  config: ConfigText,
): Readonly<Record<string, string>> | undefined {
  if (table === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(table).map(([name, value]) => [name, config.expanded(value, at + pointerStep(name))]),
  );
}
