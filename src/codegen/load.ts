import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Backend } from './backend.ts';
import { classicBackend } from './classic.ts';
import { nativeBackend } from './native.ts';
import { GenerateSetupError } from './problems.ts';
import type { Project } from './project.ts';

const install = 'Install one that does: npm install --save-dev typescript@">=5.9 <8"';

/**
 * Loads the TypeScript of the user's project and puts the fitting backend before it.
 *
 * @param specifier the package to load, as seen from `cwd`; default: the environment's `CALLGATE_TYPESCRIPT`, else `typescript`
 */
export async function loadBackend(project: Project, cwd: string, specifier?: string): Promise<Backend> {
  const name = specifier ?? (process.env['CALLGATE_TYPESCRIPT'] || 'typescript');
  const require = createRequire(join(cwd, 'package.json'));
  const version = versionOf(require, name);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major >= 8 || major < 5 || (major === 5 && minor < 9)) {
    throw new GenerateSetupError(`callgate gen does not know TypeScript ${version} (package "${name}"). ${install}`);
  }
  if (major < 7) return classicBackend(require(name), project);
  const [sync, ast] = await importNative(require, name);
  return nativeBackend(sync, ast, version, project);
}

function versionOf(require: NodeJS.Require, name: string): string {
  try {
    const manifest = require.resolve(`${name}/package.json`);
    return String((JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown }).version);
  } catch {
    throw new GenerateSetupError(
      `callgate gen reads your functions with TypeScript, and this project has no package "${name}". ${install}`,
    );
  }
}

/** 7.1 gave the names without `unstable/` to what 7.0 has under them. */
async function importNative(require: NodeJS.Require, name: string): Promise<[sync: unknown, ast: unknown]> {
  for (const folder of ['', 'unstable/']) {
    const files = ['sync', 'ast'].map((part) => tryResolve(require, `${name}/${folder}${part}`));
    const [sync, ast] = files;
    if (sync && ast) return [await import(pathToFileURL(sync).href), await import(pathToFileURL(ast).href)];
  }
  throw new GenerateSetupError(`The package "${name}" has no synchronous API. ${install}`);
}

function tryResolve(require: NodeJS.Require, specifier: string): string | undefined {
  try {
    return require.resolve(specifier);
  } catch {
    return undefined;
  }
}
