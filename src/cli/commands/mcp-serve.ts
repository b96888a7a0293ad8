import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readGatewayConfig } from '../../mcp/gateway/read-config.ts';
import type { McpHttpOptions } from '../../mcp/server/options.ts';
import { type Command, command } from '../command.ts';
import { Unusable, UsageError } from '../errors.ts';
import { type Io, print } from '../io.ts';
import { asGate, overStdio, runGateway, type Serve, unusable } from '../mcp/serving.ts';
import { helpOption } from '../session-options.ts';
import type { Parsed } from '../usage.ts';

const help = {
  usage: 'callgate mcp serve [--config FILE] [--http [PORT]]',
  about: `Starts the MCP servers of a configuration and serves their tools as one MCP server, over standard input and output:
every call passes the guards and the policy on its way. Whoever is asked about a call is the person at the client,
where the client can ask (elicitation); elsewhere such a call is denied.`,
  options: {
    config: { type: 'string', short: 'c', value: 'FILE', help: 'the configuration; default: callgate.json' },
    http: { type: 'boolean', help: 'over HTTP on this machine; a port may follow, else one is taken that is free' },
    'token-env': { type: 'string', value: 'NAME', help: 'with --http: the variable with the bearer token to demand' },
    host: { type: 'string', value: 'ADDRESS', help: 'with --http: the address to listen on; default: 127.0.0.1' },
    'allow-host': { type: 'string', multiple: true, value: 'NAME', help: 'with --http: a name that requests may use' },
    'allow-origin': { type: 'string', multiple: true, value: 'ORIGIN', help: 'with --http: a web page that may call' },
    ...helpOption,
  },
  more: `The configuration is JSON: "mcpServers" as MCP clients have it, and "roots", "guards", "policy", "mode" and more, as
docs/mcp.md says. What cannot be used starts nothing. Logs go to standard error.

Exit status: 0 when the client has gone, 2 when something cannot be used, 130 or 143 when interrupted.`,
} as const;

type Arguments = Parsed<(typeof help)['options']>;
type Values = Arguments['values'];

/** `callgate mcp serve`. */
export const mcpServeCommand: Command = async (argv, io) => {
  const { argv: rest, port } = withoutPort(argv);
  return await command(help, (parsed) => serveConfig(parsed, port, io))(rest, io);
};

async function serveConfig({ values, positionals }: Arguments, port: number, io: Io): Promise<number> {
  if (positionals.length > 0) throw new UsageError(`serve takes no argument ${positionals[0]}.`, help.usage);
  const serve = values.http ? overHttp(values, port, io) : withoutHttp(values, io);
  const file = resolve(io.cwd, values.config ?? 'callgate.json');
  if (values.config === undefined && !existsSync(file)) {
    throw new Unusable('There is no callgate.json in this folder; name the configuration by --config FILE.');
  }
  const config = unusable(() => readGatewayConfig(file, io.env));
  return await runGateway(config, serve, io);
}

/** `--http 8080`, whose value may be left out. */
function withoutPort(argv: readonly string[]): { argv: readonly string[]; port: number } {
  const at = argv.findIndex((word) => /^--http(=|$)/.test(word));
  const word = argv[at];
  const given = word === undefined ? undefined : word === '--http' ? argv[at + 1] : word.slice('--http='.length);
  if (given === undefined || (word === '--http' && !/^\d+$/.test(given))) return { argv, port: 0 };
  const port = Number(given);
  if (!/^\d+$/.test(given) || port > 65_535) {
    throw new UsageError(`--http takes a port from 0 to 65535; it got "${given}".`, help.usage);
  }
  return { argv: [...argv.slice(0, at), '--http', ...argv.slice(at + (word === '--http' ? 2 : 1))], port };
}

function withoutHttp(values: Values, io: Io): Serve {
  for (const option of ['token-env', 'host', 'allow-host', 'allow-origin'] as const) {
    if (values[option] !== undefined) throw new UsageError(`--${option} goes with --http.`, help.usage);
  }
  return overStdio(io);
}

function overHttp(values: Values, port: number, io: Io): Serve {
  const { host, 'token-env': tokenName, 'allow-host': allowedHosts, 'allow-origin': allowedOrigins } = values;
  const token = tokenName === undefined ? undefined : io.env[tokenName];
  if (tokenName !== undefined && (token === undefined || token === '')) {
    throw new UsageError(`--token-env: the environment variable ${tokenName} is not set.`, help.usage);
  }
  const options: McpHttpOptions = {
    port,
    ...asGate(),
    ...(host !== undefined && { host }),
    ...(token !== undefined && { token }),
    ...(allowedHosts !== undefined && { allowedHosts }),
    ...(allowedOrigins !== undefined && { allowedOrigins }),
  };
  return async (router, { onError }) => {
    const { serveMcpHttp } = await import('../../mcp/server/http.ts');
    const serving = await serveMcpHttp(router, { ...options, onError });
    await print(io.stderr, `callgate: serving on ${serving.url}\n`);
    return serving;
  };
}
