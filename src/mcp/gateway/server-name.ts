import { basename } from 'node:path';

/** Programs that start what is named after them, and the words that they may be told before it. */
const starters = /^(?:npx|pnpx|bunx|uvx|pipx|pnpm|yarn|npm|bun|uv|node|deno|tsx|python3?|docker)(?:\.exe|\.cmd)?$/;
const words: ReadonlySet<string> = new Set(['run', 'exec', 'dlx', 'x', 'tool']);

/**
 * A short name for the server that a command line starts, as questions and rules have it: `server-filesystem` for
 * `npx -y @modelcontextprotocol/server-filesystem@2 /data`.
 */
export function serverNameOf([command = '', ...args]: readonly string[]): string {
  const named = starters.test(basename(command))
    ? args.find((arg) => !arg.startsWith('-') && !words.has(arg))
    : undefined;
  const word = (named ?? command).replace(/(?<=.)@[^/@]*$/, '');
  const parts = word.split(/[\\/]/).filter((part) => !/^(?:dist|build|src|index\.\w+|main\.\w+)?$/.test(part));
  const name = (parts.at(-1) ?? '').replace(/\.\w+$/, '').replaceAll(/[^A-Za-z0-9_-]+/g, '-');
  return name.replace(/^-+|-+$/g, '').slice(0, 41) || 'server';
}
