import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readTextSync } from '../basics/read-text.ts';
import { unifiedDiff } from '../output/unified-diff.ts';
import { type GenerateOptions, type GenerateResult, generate } from './generate.ts';
import { GenerateError, GenerateSetupError } from './problems.ts';
import { shown } from './project.ts';
import { genUsage } from './usage.ts';
import { type Watcher, type WatchRun, watch } from './watch.ts';
import { writeGenerated } from './write.ts';

/** Where a command reads and writes; never the process itself. */
export interface CommandIo {
  stdout(text: string): void;
  stderr(text: string): void;
  readonly cwd: string;
  /** Ends `--watch`. */
  readonly signal?: AbortSignal;
}

/**
 * The command `callgate gen`.
 *
 * @returns the exit code: 0 done, 1 drifted (`--check`), 2 bad input
 */
export async function genCommand(argv: string[], io: CommandIo): Promise<number> {
  try {
    const command = read(argv, io.cwd);
    if (command === 'help') {
      io.stdout(genUsage);
      return 0;
    }
    if (command.watch) return await watchUntilEnd(command.options, io);
    const result = await generate(command.options);
    for (const warning of result.warnings) io.stderr(`warning: ${warning}\n`);
    return command.check ? check(command.options, result, io) : write(command.options, result, io);
  } catch (error) {
    if (!(error instanceof GenerateError || error instanceof GenerateSetupError)) throw error;
    io.stderr(`${error.message}\n`);
    return 2;
  }
}

interface Command {
  readonly options: GenerateOptions & { readonly cwd: string };
  readonly check: boolean;
  readonly watch: boolean;
}

function read(argv: string[], cwd: string): Command | 'help' {
  const { values, positionals } = parse(argv);
  if (values.help) return 'help';
  const { out, extension, tsconfig, typescript, 'import-from': importFrom } = values;
  if (out === undefined) throw new GenerateSetupError('Say which file to write: --out src/tools.gen.ts');
  if (extension !== undefined && !isExtension(extension)) {
    throw new GenerateSetupError(`--extension is ts, js or none, not "${extension}".`);
  }
  if (values.check && values.watch) throw new GenerateSetupError('--check and --watch do not go together.');
  return {
    options: {
      files: positionals,
      out,
      cwd,
      tagged: values.tagged ?? false,
      ...(extension !== undefined && { extension }),
      ...(importFrom !== undefined && { importFrom }),
      ...(tsconfig !== undefined && { tsconfig }),
      ...(typescript !== undefined && { typescript }),
    },
    check: values.check ?? false,
    watch: values.watch ?? false,
  };
}

const isExtension = (text: string): text is 'ts' | 'js' | 'none' => ['ts', 'js', 'none'].includes(text);

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        out: { type: 'string', short: 'o' },
        check: { type: 'boolean' },
        watch: { type: 'boolean' },
        tagged: { type: 'boolean' },
        extension: { type: 'string' },
        'import-from': { type: 'string' },
        tsconfig: { type: 'string' },
        typescript: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new GenerateSetupError(`${(error as Error).message}\n\n${genUsage}`);
  }
}

function write(options: Command['options'], result: GenerateResult, io: CommandIo): number {
  const { written } = writeGenerated(resolve(options.cwd, options.out), result);
  io.stdout(`${options.out}: ${toolCount(result)}${written ? '' : ', unchanged'}\n`);
  return 0;
}

function check(options: Command['options'], result: GenerateResult, io: CommandIo): number {
  const out = resolve(options.cwd, options.out);
  const present = readTextSync(out);
  if (present === result.text) {
    io.stdout(`${options.out}: ${toolCount(result)}, up to date\n`);
    return 0;
  }
  const name = shown(options.cwd, out);
  io.stdout(unifiedDiff(present ?? '', result.text, name, `${name} (as it should be)`));
  io.stderr(
    `${options.out} ${present === undefined ? 'is missing' : 'has drifted from the functions'}. Run callgate gen again.\n`,
  );
  return 1;
}

const toolCount = ({ tools }: GenerateResult): string => (tools.length === 1 ? '1 tool' : `${tools.length} tools`);

async function watchUntilEnd(options: Command['options'], io: CommandIo): Promise<number> {
  const onRun = (run: WatchRun): void => {
    const took = `${run.milliseconds.toFixed(0)} ms`;
    if (run.ok) {
      for (const warning of run.result.warnings) io.stderr(`warning: ${warning}\n`);
      io.stdout(`${options.out}: ${toolCount(run.result)}${run.written ? '' : ', unchanged'} (${took})\n`);
    } else {
      io.stderr(`${run.error instanceof Error ? run.error.message : String(run.error)}\n(${took})\n`);
    }
  };
  const watcher: Watcher = await watch({ ...options, onRun });
  await new Promise<void>((ended) => {
    if (io.signal?.aborted) ended();
    else io.signal?.addEventListener('abort', () => ended(), { once: true });
  });
  watcher.close();
  return 0;
}
