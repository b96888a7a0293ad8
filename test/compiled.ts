import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
};

/**
 * The sources as the build compiles them, for what starts threads and processes of its own: those load files, and Node 20
 * loads no TypeScript. The build itself where it is not stale, else compiled once for each state of the sources. Gives the
 * folder.
 */
export async function compiledPackage(): Promise<string> {
  return (await isFresh()) ? join(root, 'dist') : compiled();
}

/** Whether each file of the build is as new as its source: as after `npm test`, which builds first. */
async function isFresh(): Promise<boolean> {
  for (const part of ['src', 'middleware']) {
    for (const file of await readdir(join(root, part), { recursive: true })) {
      if (!file.endsWith('.ts') || file.endsWith('.d.ts')) continue;
      const source = await stat(join(root, part, file));
      const built = await stat(join(root, 'dist', part, file.replace(/\.ts$/, '.js'))).catch(() => undefined);
      if (built === undefined || built.mtimeMs < source.mtimeMs) return false;
    }
  }
  return true;
}

async function compiled(): Promise<string> {
  const sources = new Map<string, string>();
  for (const part of ['src', 'middleware']) {
    for (const file of (await readdir(join(root, part), { recursive: true })).sort()) {
      if (!file.endsWith('.ts') || file.endsWith('.d.ts')) continue;
      sources.set(join(part, file), await readFile(join(root, part, file), 'utf8'));
    }
  }
  const state = createHash('sha256')
    .update(JSON.stringify([...sources]))
    .digest('hex')
    .slice(0, 16);
  const cache = join(root, 'node_modules', '.cache', 'callgate-compiled');
  const folder = join(cache, state);
  if (await exists(folder)) return folder;
  await mkdir(cache, { recursive: true });
  await removeOld(cache);
  const draft = await mkdtemp(join(cache, 'draft-'));
  for (const [file, source] of sources) {
    const target = join(draft, file.replace(/\.ts$/, '.js'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, ts.transpileModule(source, { compilerOptions, fileName: file }).outputText);
  }
  await cp(join(root, 'package.json'), join(draft, 'package.json'));
  try {
    await rename(draft, folder);
  } catch (error) {
    // Another test was faster.
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(folder))) throw error;
  }
  return folder;
}

/** The compiled package itself. */
export async function compiledCallgate(): Promise<typeof import('callgate')> {
  return import(pathToFileURL(join(await compiledPackage(), 'src', 'index.js')).href);
}

const anHour = 3_600_000;

async function removeOld(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > anHour) await rm(path, { recursive: true, force: true });
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
