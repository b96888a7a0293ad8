import { forLog } from '../../output/control-characters.ts';
import type { Tool } from '../../tool.ts';
import { type Command, command } from '../command.ts';
import { exitStatus, UsageError } from '../errors.ts';
import { type Io, print, tableWidthOf } from '../io.ts';
import { schemasFor } from '../schemas.ts';
import { openSession } from '../session.ts';
import { helpOption, sessionOptions } from '../session-options.ts';
import { styleFor } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';
import type { Parsed } from '../usage.ts';

const help = {
  usage: 'callgate tools [options]',
  about: `Lists the tools. With --format, prints what a model is given instead: the tools' schemas in a provider's form, as
JSON. Tools that the mode or a rule denies whatever the arguments are left out.`,
  options: {
    ...sessionOptions,
    format: { type: 'string', short: 'f', value: 'NAME', help: 'openai, anthropic, gemini, mcp ...' },
    strict: { type: 'boolean', help: "with --format: in the provider's strict mode, where it has one" },
    json: { type: 'boolean', help: 'the list as JSON' },
    ...helpOption,
  },
} as const;

type Arguments = Parsed<(typeof help)['options']>;

/** `callgate tools`. */
export const toolsCommand: Command = command(help, showTools);

async function showTools({ values, positionals }: Arguments, io: Io): Promise<number> {
  if (positionals.length > 0) throw new UsageError(`tools takes no argument ${positionals[0]}.`, help.usage);
  const session = await openSession(values, io.cwd);
  try {
    const tools = session.router.registry.list();
    if (values.strict && values.format === undefined) throw new UsageError('--strict goes with --format.', help.usage);
    if (values.format !== undefined) {
      const schemas = await schemasFor(values.format, session.router, values.strict === true, help.usage);
      await print(io.stdout, `${JSON.stringify(schemas, null, 2)}\n`);
    } else if (values.json) {
      await print(io.stdout, `${JSON.stringify(tools.map(plain), null, 2)}\n`);
    } else {
      await print(io.stdout, listOf(tools, tableWidthOf(io.stdout), styleFor(io.stdout, io.env)));
    }
    return exitStatus.done;
  } finally {
    await session.close();
  }
}

function plain({ name, description, parameters, permission, timeout, tags, source }: Tool): object {
  return { name, description, permission, timeout, tags, source, parameters };
}

function listOf(tools: readonly Tool[], width: number, style: Parameters<typeof table>[3]): string {
  if (tools.length === 0) return 'There are no tools.\n';
  const rows = tools.map((tool) => [
    tool.name,
    forLog(tool.permission ?? '-'),
    argumentsOf(tool),
    forLog(tool.description),
  ]);
  return table(['tool', 'level', 'arguments', 'description'], rows, width, style);
}

/** The names of a tool's arguments; those that may be left out with a question mark. */
function argumentsOf({ parameters }: Tool): string {
  const required: readonly unknown[] = Array.isArray(parameters.required) ? parameters.required : [];
  const names = Object.keys(parameters.properties ?? {});
  return names.map((name) => `${forLog(name)}${required.includes(name) ? '' : '?'}`).join(', ');
}
