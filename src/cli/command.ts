import { exitStatus } from './errors.ts';
import { type Io, print } from './io.ts';
import { type CommandHelp, helpText, type OptionTable, type Parsed, parse } from './usage.ts';

/** A command: takes what stands after its name, gives the exit status. */
export type Command = (argv: readonly string[], io: Io) => Promise<number>;

/** A command whose arguments are read as its help says, and which prints that when it is asked for. */
export function command<T extends OptionTable>(
  help: CommandHelp & { readonly options: T },
  run: (parsed: Parsed<T>, io: Io) => Promise<number>,
): Command {
  return async (argv, io) => {
    const parsed = parse(argv, help);
    if (!('help' in parsed.values)) return await run(parsed, io);
    await print(io.stdout, helpText(help));
    return exitStatus.done;
  };
}

/** The same of a command for a server whose own command, if it is one, stands behind `--`. */
export function serverCommand<T extends OptionTable>(
  help: CommandHelp & { readonly options: T },
  run: (parsed: Parsed<T>, server: readonly string[] | undefined, io: Io) => Promise<number>,
): Command {
  return async (argv, io) => {
    const end = argv.indexOf('--');
    const server = end < 0 ? undefined : argv.slice(end + 1);
    return await command(help, (parsed) => run(parsed, server, io))(end < 0 ? argv : argv.slice(0, end), io);
  };
}
