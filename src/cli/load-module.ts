import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { reasonOf, Unusable } from './errors.ts';

const typescript = /\.[cm]?ts$/;

/**
 * Imports a module file. TypeScript is loaded by Node where it can, else by the optional package tsx.
 * Throws {@link Unusable}, with the place in the file where it is known.
 */
export async function loadModule(path: string): Promise<Record<string, unknown>> {
  const url = pathToFileURL(path).href;
  if (!typescript.test(path) || nodeReadsTypeScript()) return await imported(path, () => import(url));
  const tsx = await tsxFor(path);
  return await imported(path, () => tsx.tsImport(url, { parentURL: url }));
}

async function imported(path: string, load: () => Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    return (await load()) as Record<string, unknown>;
  } catch (error) {
    throw new Unusable(`${basename(path)} could not be loaded${placeIn(path, error)}: ${reasonOf(error)}`);
  }
}

/** Where in the file it went wrong, as far as the stack tells. */
function placeIn(path: string, error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const at = stack.lastIndexOf(`${basename(path)}:`);
  const place = at < 0 ? undefined : /^:(\d+)(?::(\d+))?/.exec(stack.slice(at + basename(path).length));
  if (!place) return '';
  return place[2] === undefined ? ` (line ${place[1]})` : ` (line ${place[1]}, column ${place[2]})`;
}

function nodeReadsTypeScript(): boolean {
  return Boolean((process.features as { typescript?: unknown }).typescript);
}

interface Tsx {
  tsImport(url: string, options: { readonly parentURL: string }): Promise<unknown>;
}

/** Looked for beside the file first, so that a project's own version is taken. */
async function tsxFor(path: string): Promise<Tsx> {
  for (const from of [pathToFileURL(path).href, import.meta.url]) {
    let found: string;
    try {
      found = createRequire(from).resolve('tsx/esm/api');
    } catch {
      continue;
    }
    return (await import(pathToFileURL(found).href)) as Tsx;
  }
  throw new Unusable(
    `${basename(path)} is TypeScript, which Node ${process.versions.node} does not load by itself. ` +
      'Install tsx (npm install --save-dev tsx), or write the configuration as callgate.config.mjs.',
  );
}
