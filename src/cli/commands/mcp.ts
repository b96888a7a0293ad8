import { didYouMean } from '../../basics/nearest.ts';
import type { Command } from '../command.ts';
import { exitStatus, UsageError } from '../errors.ts';
import { type Io, print } from '../io.ts';

const actions: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<Command> }>> = {
  serve: {
    about: 'one guarded server in front of the MCP servers of a configuration',
    load: async () => (await import('./mcp-serve.ts')).mcpServeCommand,
  },
  wrap: {
    about: 'guards a single server, by one line in the settings of an MCP client',
    load: async () => (await import('./mcp-wrap.ts')).mcpWrapCommand,
  },
  inspect: {
    about: 'shows the tools of a server, what would be decided about them, and which guards fit them',
    load: async () => (await import('./mcp-inspect.ts')).mcpInspectCommand,
  },
};

const usage = 'callgate mcp serve | wrap | inspect';

/** `callgate mcp`. */
export async function mcpCommand([first, ...rest]: readonly string[], io: Io): Promise<number> {
  if (first === '--help' || first === '-h') {
    const rows = Object.entries(actions).map(([name, { about }]) => `  ${name.padEnd(10)}${about}\n`);
    const end = 'callgate mcp COMMAND --help shows the options.';
    await print(io.stdout, `Usage: ${usage}\n\nMCP servers behind the gate.\n\n${rows.join('')}\n${end}\n`);
    return exitStatus.done;
  }
  const action = first !== undefined && Object.hasOwn(actions, first) ? actions[first] : undefined;
  if (action !== undefined) return await (await action.load())(rest, io);
  const names = Object.keys(actions);
  if (first === undefined) throw new UsageError(`Say what to do: ${names.join(', ')}.`, usage);
  const advice = didYouMean(first, names) || ` There are ${names.join(', ')}.`;
  throw new UsageError(`mcp cannot ${first}.${advice}`, usage);
}
