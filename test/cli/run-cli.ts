import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { ToolResult } from '../../src/result.ts';

/** The project's folder. */
export const project: string = fileURLToPath(new URL('../..', import.meta.url));

/** The command line as it is installed. */
export const main: string = join(project, 'dist/src/cli/main.js');
if (!existsSync(main)) throw new Error('The command line is not built: npm run build (npm test does it).');

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the command line; its standard input stays open. */
export function start(
  args: readonly string[],
  { cwd = project, env = {} }: RunOptions = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [main, ...args], { cwd, env: { ...process.env, NO_COLOR: '', ...env } });
}

/** Runs the command line to its end. */
export function callgate(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = start(args, options);
  child.stdin.on('error', () => {});
  child.stdin.end(options.input);
  return ended(child);
}

/** Everything that a process says until it ends. */
export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { status, stdout, stderr };
}

/** The results in what a run printed. */
export function resultsIn(stdout: string): ToolResult[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ToolResult);
}

/** What became of each call: `ok`, or the code of its failure. */
export function outcomesIn(stdout: string): string[] {
  return resultsIn(stdout).map((result) => (result.ok ? 'ok' : result.code));
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder with these files in it, which goes away after the tests. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'callgate-cli-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Calls as a file holds them. */
export function jsonLines(calls: readonly unknown[]): string {
  return calls.map((call) => `${JSON.stringify(call)}\n`).join('');
}
