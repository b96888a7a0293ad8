import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { checkOptions } from '../basics/options.ts';
import type { Program } from './backend.ts';
import { emit } from './emit.ts';
import { type FunctionSource, functionsOf } from './functions.ts';
import { loadBackend } from './load.ts';
import type { ToolModel } from './model.ts';
import { GenerateError, GenerateSetupError } from './problems.ts';
import { openProject, shown } from './project.ts';
import { createReporter, type Reporter } from './reporter.ts';
import { toolModel } from './tool-model.ts';

export interface GenerateOptions {
  /** The TypeScript files whose exported functions become tools; relative to `cwd`. */
  readonly files: readonly string[];
  /** Where the generated file will stand, relative to `cwd`: its imports are written from there. Nothing is written. */
  readonly out: string;
  /** The folder of the user's project, from which TypeScript is loaded. Default: the process's. */
  readonly cwd?: string;
  /** Takes only functions whose documentation has `@tool`. Default false. */
  readonly tagged?: boolean;
  /** What imports of the sources end in: their own `.ts`, `.js`, or nothing. Default: `ts` where the settings allow it, else `js`. */
  readonly extension?: 'ts' | 'js' | 'none';
  /** Where the generated file imports `defineTool` from. Default `callgate`. */
  readonly importFrom?: string;
  /** The configuration to read the sources under. Default: the nearest `tsconfig.json` from `cwd` upwards. */
  readonly tsconfig?: string;
  /** The package to load TypeScript from. Default: `CALLGATE_TYPESCRIPT` of the environment, else `typescript`. */
  readonly typescript?: string;
}

const optionNames = [
  'files',
  'out',
  'cwd',
  'tagged',
  'extension',
  'importFrom',
  'tsconfig',
  'typescript',
] satisfies (keyof GenerateOptions)[];

export interface GenerateResult {
  /** The text of the generated file. */
  readonly text: string;
  /** The names of the tools, in order. */
  readonly tools: readonly string[];
  /** What is allowed but will be regretted, such as a function without a description. */
  readonly warnings: readonly string[];
  /** Every source file that was read, absolute, libraries left out: what to watch. */
  readonly sources: readonly string[];
}

/** Keeps the compiler loaded: a second run costs milliseconds. */
export interface Generator {
  /** The version of TypeScript that reads the sources. */
  readonly typescript: string;
  /** Reads what has changed on disk, and generates. Throws what {@link generate} rejects with. */
  run(): GenerateResult;
  /** Ends the compiler. */
  close(): void;
}

/**
 * Generates tools from the exported functions of TypeScript files. Writes nothing.
 *
 * Rejects with {@link GenerateError} when a function cannot be expressed (all problems, with file and line), and with
 * {@link GenerateSetupError} when there is nothing to read or nothing to read it with.
 *
 * @example
 * const { text } = await generate({ files: ['src/notes.ts'], out: 'src/tools.gen.ts' });
 */
export async function generate(options: GenerateOptions): Promise<GenerateResult> {
  const generator = await createGenerator(options);
  try {
    return generator.run();
  } finally {
    generator.close();
  }
}

/** Loads the compiler for repeated generation; see {@link generate}. */
export async function createGenerator(options: GenerateOptions): Promise<Generator> {
  checkOptions('generate', options, optionNames);
  const cwd = resolve(options.cwd ?? process.cwd());
  const out = resolve(cwd, options.out);
  const files = entryFiles(options.files, cwd);
  if (files.includes(out)) throw new GenerateSetupError(`${options.out} is an input and the output at once.`);
  const backend = await loadBackend(openProject(files, cwd, options.tsconfig), cwd, options.typescript);
  const { tagged = false, importFrom = 'callgate' } = options;
  return {
    typescript: backend.version,
    run() {
      const program = backend.program();
      const reporter = createReporter(cwd);
      const warnings: string[] = [];
      const read = files.flatMap((file) => readFile(program, file, tagged, reporter, warnings, cwd));
      reportSameNames(read, reporter, cwd);
      if (read.length === 0 && reporter.problems.length === 0) {
        throw new GenerateSetupError(
          `There is no exported function${tagged ? ' with @tool' : ''} in ${names(files, cwd)}.`,
        );
      }
      if (reporter.problems.length > 0) throw new GenerateError(reporter.problems);
      const tools = read.map(({ tool }) => tool);
      const usual = program.importsTs ? 'ts' : 'js';
      const { extension = usual } = options;
      const flags = [
        ...(tagged ? ['--tagged'] : []),
        ...(extension === usual ? [] : [`--extension ${extension}`]),
        ...(importFrom === 'callgate' ? [] : [`--import-from ${importFrom}`]),
      ];
      const text = emit(tools, { out, files, extension, importFrom, flags });
      return { text, tools: tools.map((tool) => tool.name), warnings, sources: program.files() };
    },
    close: () => backend.close(),
  };
}

const names = (files: readonly string[], cwd: string): string => files.map((file) => shown(cwd, file)).join(', ');

/** Sorted, so that the order in which a shell lists files does not matter. */
function entryFiles(files: readonly string[], cwd: string): string[] {
  if (files.length === 0) throw new GenerateSetupError('Name at least one TypeScript file with exported functions.');
  const entries = [...new Set(files.map((file) => resolve(cwd, file)))].sort();
  for (const file of entries) {
    const name = shown(cwd, file);
    if (!/^\.[cm]?tsx?$/.test(extname(file)) || /\.d\.[cm]?ts$/.test(file)) {
      throw new GenerateSetupError(`${name} is no TypeScript source file.`);
    }
    if (!existsSync(file)) throw new GenerateSetupError(`There is no file ${name}.`);
  }
  return entries;
}

interface Read {
  readonly fn: FunctionSource;
  readonly tool: ToolModel;
}

function readFile(
  program: Program,
  file: string,
  tagged: boolean,
  reporter: Reporter,
  warnings: string[],
  cwd: string,
): Read[] {
  const source = program.source(file);
  if (!source) throw new GenerateSetupError(`TypeScript did not read ${shown(cwd, file)}.`);
  const errors = program.syntaxErrors(file);
  for (const error of errors) reporter.atPosition(source, error.position, error.message);
  if (errors.length > 0) return [];
  const warn = (message: string): void => void warnings.push(`${shown(cwd, file)}: ${message}`);
  return functionsOf(program, source, tagged, reporter).map((fn) => ({
    fn,
    tool: toolModel(program, fn, reporter, warn),
  }));
}

/** In a registry the later of two tools would replace the earlier one. */
function reportSameNames(read: readonly Read[], reporter: Reporter, cwd: string): void {
  const first = new Map<string, FunctionSource>();
  for (const { fn, tool } of read) {
    const taken = first.get(tool.name);
    if (!taken) {
      first.set(tool.name, fn);
      continue;
    }
    const by = `\`${taken.name}\` in ${shown(cwd, taken.source.fileName)}`;
    reporter.at(
      { label: `function \`${fn.name}\``, node: fn.nameNode },
      `the tool name ${tool.name} is taken by ${by}. Give one of them another with @toolname.`,
    );
  }
}
