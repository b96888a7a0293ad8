import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { didYouMean } from '../../basics/nearest.ts';
import type { GatewayConfig } from '../../mcp/gateway/config.ts';
import { inspect } from '../../mcp/gateway/inspect.ts';
import { readGatewayConfig } from '../../mcp/gateway/read-config.ts';
import { hiding } from '../../mcp/gateway/secrets.ts';
import { type Command, serverCommand } from '../command.ts';
import { exitStatus, Unusable, UsageError } from '../errors.ts';
import { type Io, print, tableWidthOf } from '../io.ts';
import { commandConfig, serverOptions } from '../mcp/command-config.ts';
import { inspectionText } from '../mcp/inspection-text.ts';
import { reporter } from '../mcp/report.ts';
import { opened, unusable } from '../mcp/serving.ts';
import { helpOption } from '../session-options.ts';
import { styleFor } from '../terminal/style.ts';
import type { Parsed } from '../usage.ts';

const help = {
  usage: 'callgate mcp inspect NAME | URL | -- COMMAND [ARGUMENTS]',
  about: `Starts one MCP server, by its name in the configuration, its address or its command, and shows its tools: what the
server says of them, what the mode and the policy would decide, and what is wrong with their schemas. Then which arguments
look like paths, URLs and commands, as guards to be put into the configuration once you have looked at them. No tool is
called.`,
  options: {
    config: { type: 'string', short: 'c', value: 'FILE', help: 'with NAME: the configuration; default: callgate.json' },
    ...serverOptions,
    'accept-guesses': {
      type: 'boolean',
      help: 'show what would be decided with the guesses taken for true, as wrap does with this option',
    },
    json: { type: 'boolean', help: 'as JSON' },
    ...helpOption,
  },
  more: 'Exit status: 0, or 2 when the server cannot be started, guards do not fit its tools, or something else cannot be used.',
} as const;

type Values = Parsed<(typeof help)['options']>['values'];

/** `callgate mcp inspect`. */
export const mcpInspectCommand: Command = serverCommand(help, inspectServer);

async function inspectServer(
  { values, positionals }: Parsed<(typeof help)['options']>,
  target: readonly string[] | undefined,
  io: Io,
): Promise<number> {
  const [named, ...others] = positionals;
  if (others.length > 0 || (named !== undefined && target !== undefined)) {
    throw new UsageError('One server at a time: a name, a URL, or a command after --.', help.usage);
  }
  const config = configFor(target, named, values, io);
  const isNamed = target === undefined && !isAddress(named);
  const faults: string[] = [];
  const gateway = await opened(config, reporter(io), {
    bare: !isNamed,
    ...(isNamed && named !== undefined && { only: named }),
    acceptGuesses: values['accept-guesses'] === true,
    onFault: (fault) => faults.push(fault),
  });
  try {
    const [connection] = gateway.connections;
    if (connection === undefined) throw new Unusable('The server could not be started.');
    const inspection = await inspect(connection, gateway.router, config, connection.name, faults);
    const text = values.json
      ? `${JSON.stringify(inspection, null, 2)}\n`
      : inspectionText(inspection, tableWidthOf(io.stdout), styleFor(io.stdout, io.env));
    // A server may say in its descriptions what it was given.
    await print(io.stdout, hiding(config.secrets)(text));
    return faults.length === 0 ? exitStatus.done : exitStatus.unusable;
  } finally {
    await gateway.close();
  }
}

function configFor(
  target: readonly string[] | undefined,
  named: string | undefined,
  values: Values,
  io: Io,
): GatewayConfig {
  if (target !== undefined) {
    if (target.length === 0) throw new UsageError('Give the command of the server after --.', help.usage);
    return unusable(() => commandConfig(target, values, io));
  }
  if (named === undefined) throw new UsageError('Say which server: a name, a URL, or -- and its command.', help.usage);
  if (isAddress(named)) return unusable(() => commandConfig(named, values, io));
  const stated = (['root', 'mode', 'policy', 'guards'] as const).find((option) => values[option] !== undefined);
  if (stated !== undefined) throw new UsageError(`--${stated} stands in the configuration for ${named}.`, help.usage);
  const file = resolve(io.cwd, values.config ?? 'callgate.json');
  if (values.config === undefined && !existsSync(file)) {
    throw new UsageError(
      `There is no callgate.json that says what ${named} is. A command stands after --: callgate mcp inspect -- ${named}`,
      help.usage,
    );
  }
  const config = unusable(() => readGatewayConfig(file, io.env));
  const names = config.servers.map(({ name }) => name);
  if (names.includes(named)) {
    return {
      ...config,
      servers: config.servers.map((one) => ({ ...one, required: one.required || one.name === named })),
    };
  }
  const advice = didYouMean(named, names) || ` There are ${names.join(', ')}.`;
  throw new UsageError(`The configuration has no server "${named}".${advice}`, help.usage);
}

function isAddress(named: string | undefined): named is string {
  return named !== undefined && /^https?:\/\//.test(named);
}
