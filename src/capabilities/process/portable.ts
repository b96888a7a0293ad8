import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { CommandList } from './parse.ts';
import type { Launch } from './run.ts';
import type { ExecLimits } from './types.ts';

/** A root as the interpreter sees it. */
interface PortableRoot {
  /** Absolute. */
  readonly path: string;
  readonly writable: boolean;
}

/** Where a root appears: under its own name, which on Windows loses the colon. */
function portablePath(path: string): string {
  return path.startsWith('/') ? path : `/${path.replace(':', '')}`;
}

export interface PortableCall {
  readonly roots: readonly PortableRoot[];
  /** Absolute. */
  readonly cwd: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Required<ExecLimits>;
  /** In milliseconds. */
  readonly timeout: number;
}

// Runs in a process of its own: the interpreter has no isolation from the program it runs in. A string, so that it is
// there whether this package runs built or from its sources.
const program = `
const [entry, given] = process.argv.slice(1);
const { roots, cwd, script, env, limits, timeout } = JSON.parse(given);
const { Bash, MountableFs, InMemoryFs, OverlayFs, ReadWriteFs } = await import(entry);
const fs = new MountableFs({ base: new InMemoryFs() });
for (const { path, at, writable } of roots) {
  fs.mount(at, writable ? new ReadWriteFs({ root: path }) : new OverlayFs({ root: path, mountPoint: '/', readOnly: true }));
}
const bash = new Bash({ fs, cwd, env, executionLimitProfile: 'hardened',
  executionLimits: { maxOutputSize: Math.min(limits.outputBytes, 33554432), maxExecutionTimeMs: timeout } });
const { stdout, stderr, exitCode } = await bash.exec(script);
const write = (stream, text) => new Promise((done) => stream.write(Buffer.from(text, 'utf8'), done));
await write(process.stdout, stdout);
await write(process.stderr, stderr);
process.exit(exitCode);
`;

/** How the optional package `just-bash` is found; `undefined` where it is not installed. */
export function findPortable(): string | undefined {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve('just-bash')).href;
  } catch {
    return undefined;
  }
}

export function portableLaunch(entry: string, call: PortableCall): Launch {
  const roots = call.roots.map((root) => ({ ...root, at: portablePath(root.path) }));
  const given = { ...call, roots, cwd: portablePath(call.cwd) };
  const memory = Math.max(64, Math.min(512, Math.floor(call.limits.memoryBytes / 1_048_576)));
  return {
    file: process.execPath,
    args: [`--max-old-space-size=${memory}`, '--input-type=module', '-e', program, entry, JSON.stringify(given)],
    env: call.env,
  };
}

/** A parsed list as text again, every word quoted, so that it can mean nothing else. */
export function render(list: CommandList): string {
  return list
    .map(({ when, commands }, at) => {
      const joint = at === 0 ? '' : when === 'success' ? ' && ' : when === 'failure' ? ' || ' : ' ; ';
      return joint + commands.map((argv) => argv.map(quote).join(' ')).join(' | ');
    })
    .join('');
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
