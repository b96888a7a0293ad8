import { didYouMean } from '../basics/nearest.ts';
import { forTerminal } from '../output/control-characters.ts';
import type { Command } from './command.ts';
import { exitStatus, reasonOf, Unusable, UsageError } from './errors.ts';
import { InputError } from './input/lines.ts';
import { type Io, OutputClosed, print } from './io.ts';
import { version } from './version.ts';

// Each is loaded when it is called for, so that none waits for another's code.
const commands: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<Command> }>> = {
  run: {
    about: 'route a stream of tool calls, one JSON object a line, and print the results',
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  call: {
    about: 'make one call',
    load: async () => (await import('./commands/call.ts')).callCommand,
  },
  tools: {
    about: 'list the tools, or their schemas in a format that a model is given',
    load: async () => (await import('./commands/tools.ts')).toolsCommand,
  },
  describe: {
    about: 'show the chain that calls pass, stage by stage',
    load: async () => (await import('./commands/describe.ts')).describeCommand,
  },
  policy: {
    about: 'check what the rules mean: lint, explain a call, test a table of calls',
    load: async () => (await import('./commands/policy.ts')).policyCommand,
  },
  mcp: {
    about: 'put the gate in front of MCP servers: serve, wrap, inspect',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  gen: {
    about: 'write the schemas of tools from the signatures of their functions',
    load: async () => (await import('./commands/gen.ts')).genCommand,
  },
};

const usage = 'callgate COMMAND [options]';

function overview(): string {
  const rows = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(10)}${about}`);
  return `Usage: ${usage}

Every tool call passes a chain of stages and comes back as exactly one result.

Commands:
${rows.join('\n')}

Options:
  -h, --help     this text; after a command, that command's options
  -V, --version  the version

Tools, pipeline and policy come from callgate.config.mjs (or .js, .ts) in the current folder, or from --config FILE.
Without one there are a few built-in tools over the current folder, and whatever changes something is asked about first.
`;
}

/** Runs a command line and gives the exit status. Never rejects: whatever goes wrong is told on standard error. */
export async function commandLine(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return await told(error, io).catch(() => exitStatus.brokenPipe);
  }
}

async function dispatch([first, ...rest]: readonly string[], io: Io): Promise<number> {
  if (first === undefined) throw new UsageError('No command is given. Try callgate --help.', usage);
  if (first === '--help' || first === '-h' || first === 'help') {
    await print(io.stdout, overview());
    return exitStatus.done;
  }
  if (first === '--version' || first === '-V') {
    await print(io.stdout, `${version()}\n`);
    return exitStatus.done;
  }
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (command !== undefined) return await (await command.load())(rest, io);
  if (first.startsWith('-')) throw new UsageError(`The command stands first, then its options; got ${first}.`, usage);
  const names = Object.keys(commands);
  const advice = didYouMean(first, names) || ` The commands are: ${names.join(', ')}.`;
  throw new UsageError(`There is no command "${first}".${advice}`, usage);
}

async function told(error: unknown, io: Io): Promise<number> {
  if (error instanceof OutputClosed) return exitStatus.brokenPipe;
  if (error instanceof UsageError) {
    await print(
      io.stderr,
      `callgate: ${forTerminal(error.message)}\n${error.usage === undefined ? '' : `Usage: ${error.usage}\n`}`,
    );
    return exitStatus.unusable;
  }
  if (error instanceof Unusable || error instanceof InputError) {
    await print(io.stderr, `callgate: ${forTerminal(error.message)}\n`);
    return exitStatus.unusable;
  }
  const detail = error instanceof Error && error.stack !== undefined ? error.stack : reasonOf(error);
  await print(io.stderr, `callgate: this is a fault in callgate itself, please report it.\n${detail}\n`);
  return exitStatus.failed;
}
