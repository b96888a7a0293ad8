import { type Command, serverCommand } from '../command.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { commandConfig, serverOptions } from '../mcp/command-config.ts';
import { overStdio, runGateway, unusable } from '../mcp/serving.ts';
import { helpOption } from '../session-options.ts';
import type { Parsed } from '../usage.ts';

const help = {
  usage: 'callgate mcp wrap [options] -- COMMAND [ARGUMENTS]',
  about: `Starts one MCP server and serves its tools, under their own names, over standard input and output; every call passes the
guards and the policy on its way. Put it before the command in an MCP client's settings.`,
  options: {
    ...serverOptions,
    'accept-guesses': {
      type: 'boolean',
      help: 'take for true what the arguments look like (paths, URLs, commands) and what\nthe server says of its tools (only reading, destructive ...), as inspect shows it',
    },
    timeout: { type: 'string', short: 't', value: 'TIME', help: 'for each call: 500ms, 30s (default), 2m' },
    ...helpOption,
  },
  more: `Without guards, nothing is known of the server's tools, and somebody is asked about every call: the person at the client,
where the client can ask (elicitation); elsewhere the call is denied. To begin with, --root FOLDER --accept-guesses lets
tools read in a folder, asks before they write, and stops what leads out of it.

Exit status: 0 when the client has gone, 2 when something cannot be used, 130 or 143 when interrupted.`,
} as const;

/** `callgate mcp wrap`. */
export const mcpWrapCommand: Command = serverCommand(help, wrap);

async function wrap(
  { values, positionals }: Parsed<(typeof help)['options']>,
  server: readonly string[] = [],
  io: Io,
): Promise<number> {
  if (positionals.length > 0) {
    throw new UsageError(`The server's command stands after --; got ${positionals[0]} before it.`, help.usage);
  }
  if (server.length === 0) throw new UsageError('Give the command of the server after --.', help.usage);
  const { 'accept-guesses': guesses = false } = values;
  if (values.root !== undefined && values.guards === undefined && !guesses) {
    throw new UsageError(
      '--root guards arguments that are declared as paths, and none is: add --accept-guesses, or --guards FILE with ' +
        'what callgate mcp inspect proposes.',
      help.usage,
    );
  }
  const config = unusable(() => commandConfig(server, values, io));
  return await runGateway(config, overStdio(io), io, { bare: true, acceptGuesses: guesses });
}
