import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { reasonOf, Unusable } from './errors.ts';

const typescript = /\.[cm]?ts$/;

/**
 * Imports a module file. TypeScript is loaded by the optional package tsx where it is installed, so that the same files
 * can be loaded on every release of Node.js, else by Node where it can: then types are all that TypeScript may add.
 * Throws {@link Unusable}, with the place in the file where it is known.
 */
export async function loadModule(path: string): Promise<Record<string, unknown>> {
  const url = pathToFileURL(path).href;
  if (!typescript.test(path)) return await imported(path, () => import(url));
  const tsx = await tsxFor(path);
  if (tsx !== undefined) return await imported(path, () => tsx.tsImport(url, { parentURL: url }));
  if (nodeReadsTypeScript()) return await imported(path, () => import(url));
  throw new Unusable(
    `${basename(path)} is TypeScript, which Node ${process.versions.node} does not load by itself. ` +
      'Install tsx (npm install --save-dev tsx), or write the configuration as callgate.config.mjs.',
  );
}

async function imported(path: string, load: () => Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    return (await load()) as Record<string, unknown>;
  } catch (error) {
    const place = placeIn(path, stackOf(error)) ?? (error instanceof SyntaxError ? placeOfSyntax(path) : undefined);
    throw new Unusable(
      `${basename(path)} could not be loaded${place === undefined ? '' : ` (${place})`}: ${reasonOf(error)}`,
    );
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : '';
}

/** Where in the file it went wrong, as far as the text of a stack tells. */
function placeIn(path: string, stack: string): string | undefined {
  const at = stack.lastIndexOf(`${basename(path)}:`);
  const place = at < 0 ? undefined : /^:(\d+)(?::(\d+))?/.exec(stack.slice(at + basename(path).length));
  if (!place) return undefined;
  return place[2] === undefined ? `line ${place[1]}` : `line ${place[1]}, column ${place[2]}`;
}

/** The stack of a syntax error does not name its place, but Node does when it is asked to check the file. */
function placeOfSyntax(path: string): string | undefined {
  if (typescript.test(path)) return undefined;
  const { stderr } = spawnSync(process.execPath, ['--check', path], { encoding: 'utf8', timeout: 10_000 });
  return placeIn(path, stderr?.split('\n', 1)[0] ?? '');
}

function nodeReadsTypeScript(): boolean {
  return Boolean((process.features as { typescript?: unknown }).typescript);
}

interface TsxManifest {
  readonly exports: { readonly './esm/api': { readonly import: { readonly default: string } } };
}

interface Tsx {
  tsImport(url: string, options: { readonly parentURL: string }): Promise<unknown>;
}

/** Looked for beside the file first, so that a project's own version is taken. */
async function tsxFor(path: string): Promise<Tsx | undefined> {
  for (const from of [pathToFileURL(path).href, import.meta.url]) {
    try {
      // Not `resolve('tsx/esm/api')`: that gives the form for `require`, which cannot load ES modules.
      const manifest = createRequire(from).resolve('tsx/package.json');
      const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as TsxManifest;
      const entry = new URL(exports['./esm/api'].import.default, pathToFileURL(manifest));
      return (await import(entry.href)) as Tsx;
    } catch {
      // Not installed here, or too old for this: look further.
    }
  }
  return undefined;
}
