import { basename } from 'node:path';
import { forLog } from '../../output/control-characters.ts';
import { type Command, command } from '../command.ts';
import { exitStatus, UsageError } from '../errors.ts';
import { type Io, print, tableWidthOf } from '../io.ts';
import { openSession } from '../session.ts';
import { helpOption, sessionOptions } from '../session-options.ts';
import { styleFor } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';
import type { Parsed } from '../usage.ts';

const help = {
  usage: 'callgate describe [options]',
  about: `Shows the chain that every call passes, stage by stage, the outermost first: what a stage needs of those before it,
what it adds for those after it, and what it is (a guard, the end of the chain ...). Also the mode and the roots.`,
  options: { ...sessionOptions, json: { type: 'boolean', help: 'as JSON' }, ...helpOption },
} as const;

type Arguments = Parsed<(typeof help)['options']>;

/** `callgate describe`. */
export const describeCommand: Command = command(help, describe);

async function describe({ values, positionals }: Arguments, io: Io): Promise<number> {
  if (positionals.length > 0) throw new UsageError(`describe takes no argument ${positionals[0]}.`, help.usage);
  const session = await openSession(values, io.cwd);
  try {
    const { router, config, file } = session;
    const roots = (config.roots ?? []).map((root) => (typeof root === 'string' ? root : root.path));
    const stages = router.describe();
    if (values.json) {
      const described = { config: file ?? null, mode: router.mode, roots, tools: router.registry.size, stages };
      await print(io.stdout, `${JSON.stringify(described, null, 2)}\n`);
      return exitStatus.done;
    }
    const style = styleFor(io.stdout, io.env);
    const fact = (name: string, value: string): string => `${style.dim(name.padEnd(8))}${value}\n`;
    const rows = stages.map(({ name, stage, needs, adds, traits }, at) => [
      String(at + 1),
      forLog(name),
      forLog(stage === name ? '' : stage),
      needs.map(forLog).join(', '),
      adds.map(forLog).join(', '),
      traits.map(forLog).join(', '),
    ]);
    await print(
      io.stdout,
      fact('config', file === undefined ? 'none: the built-in tools' : forLog(basename(file))) +
        fact('mode', forLog(router.mode)) +
        fact('tools', String(router.registry.size)) +
        rootsOf(roots, typeof config.pipeline === 'object')
          .map((root, at) => fact(at === 0 ? 'roots' : '', root))
          .join('') +
        `\n${table(['', 'stage', 'function', 'needs', 'adds', 'is'], rows, tableWidthOf(io.stdout), style)}`,
    );
    return exitStatus.done;
  } finally {
    await session.close();
  }
}

function rootsOf(roots: readonly string[], own: boolean): readonly string[] {
  if (roots.length > 0) return roots.map(forLog);
  return [own ? 'those of the configuration’s own pipeline' : 'none'];
}
