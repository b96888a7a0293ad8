import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { GenerateSetupError } from './problems.ts';

/** The compiler's settings for one generation: the user's own, with the entry files as the only roots. */
export interface Project {
  readonly folder: string;
  /** Where the configuration would stand if it were a file; nothing is written there. */
  readonly configFile: string;
  readonly config: ProjectConfig;
  readonly entries: readonly string[];
}

interface ProjectConfig {
  readonly extends?: string;
  readonly compilerOptions: Readonly<Record<string, unknown>>;
  readonly files: readonly string[];
  readonly include: readonly string[];
}

// Without strict null checks a nullable type looks like a plain one, and the schema would be wrong.
const forced = {
  noEmit: true,
  strictNullChecks: true,
  skipLibCheck: true,
  composite: false,
  incremental: false,
};

const withoutConfig = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  allowImportingTsExtensions: true,
  types: ['node'],
};

/**
 * Settles under which settings the entries are read.
 *
 * @param tsconfig a configuration file, relative to `cwd`; default: the nearest `tsconfig.json` from `cwd` upwards
 */
export function openProject(entries: readonly string[], cwd: string, tsconfig: string | undefined): Project {
  const base = tsconfig === undefined ? nearestConfig(cwd) : resolve(cwd, tsconfig);
  if (tsconfig !== undefined && !existsSync(base as string)) {
    throw new GenerateSetupError(`There is no ${tsconfig} here. Name the tsconfig.json that the sources belong to.`);
  }
  const folder = base === undefined ? cwd : dirname(base);
  return {
    folder,
    configFile: join(folder, 'tsconfig.callgate-gen.json'),
    entries,
    config: {
      ...(base !== undefined && { extends: base }),
      compilerOptions: base === undefined ? { ...withoutConfig, ...forced } : forced,
      files: [...entries],
      include: [],
    },
  };
}

function nearestConfig(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'tsconfig.json');
    if (existsSync(candidate)) return candidate;
    if (dirname(folder) === folder) return undefined;
  }
}

/** A path as it is written in messages and generated files: relative, separated by `/`. */
export function shown(from: string, file: string): string {
  return relative(from, file).split(sep).join('/') || '.';
}

/** Changes whenever the file's content may have. */
export function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs}:${stat.size}` : 'absent';
}
