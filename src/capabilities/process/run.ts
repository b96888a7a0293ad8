import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { KeptOutput } from './output.ts';
import type { Argv, CommandList } from './parse.ts';
import { closePipes, makePipes } from './pipes.ts';
import type { ExecResult, SandboxTier } from './types.ts';

/** How a program is really started. */
export interface Launch {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Open handles that the program gets as 3, 4 ... */
  readonly handles?: readonly number[];
}

export interface RunOptions {
  /** Finds out how to start a program; `undefined` where there is none. May throw a ToolError. */
  readonly prepare: (argv: Argv) => Launch | undefined;
  readonly tier: SandboxTier;
  /** In milliseconds. */
  readonly timeout: number;
  /** In bytes, for each stream. */
  readonly keep: number;
  /** In bytes, of both streams together. */
  readonly outputBytes: number;
}

const graceForOutput = 100;
const graceForEnding = 2000;

/**
 * Runs lists of commands without a shell: each pipeline's programs side by side, one pipeline after another by how the
 * last one ended. Output is counted and cut while it is read.
 */
export class CommandRun {
  readonly #options: RunOptions;
  readonly #stdout: KeptOutput;
  readonly #stderr: KeptOutput;
  readonly #alive = new Set<ChildProcess>();
  readonly #streams = new Set<Readable>();
  #stopped: 'timeout' | 'output' | 'revoked' | undefined;
  #ending: NodeJS.Timeout | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#stdout = new KeptOutput(options.keep);
    this.#stderr = new KeptOutput(options.keep);
  }

  async run(list: CommandList): Promise<ExecResult> {
    const begun = performance.now();
    const timer = setTimeout(() => this.#stop('timeout'), this.#options.timeout);
    let end: Ending = { code: 0, signal: null };
    try {
      for (const { when, commands } of list) {
        if (this.#stopped !== undefined) break;
        if (when !== 'always' && (end.code === 0) !== (when === 'success')) continue;
        end = await this.#pipeline(commands);
      }
    } finally {
      clearTimeout(timer);
      this.#release();
    }
    const stopped = this.#stopped;
    return {
      exitCode: end.code,
      signal: end.signal,
      stdout: this.#stdout.text(),
      stderr: this.#stderr.text(),
      stdoutBytes: this.#stdout.total,
      stderrBytes: this.#stderr.total,
      durationMs: Math.round(performance.now() - begun),
      truncated: this.#stdout.truncated || this.#stderr.truncated,
      ...(stopped !== undefined && stopped !== 'revoked' && { stopped }),
      tier: this.#options.tier,
    };
  }

  /** Ends everything that runs: outside of a sandbox politely at first, and two seconds later for good. */
  revoke(): void {
    this.#stop('revoked');
  }

  async #pipeline(commands: readonly Argv[]): Promise<Ending> {
    const endings: Promise<Ending>[] = [];
    const pipes = commands.length > 1 ? await makePipes(commands.length - 1) : undefined;
    if (this.#stopped !== undefined) {
      closePipes(pipes ?? []);
      return { code: null, signal: null };
    }
    let input: Readable | number | undefined;
    // All are started in one turn of the event loop, so that nothing is read here of what the next one shall read.
    for (const [at, argv] of commands.entries()) {
      const started = this.#start(argv, input, pipes?.[at]?.writing);
      if (typeof input === 'object') input.destroy();
      input = pipes?.[at]?.reading ?? started.stdout;
      endings.push(started.ending);
    }
    closePipes(pipes ?? []);
    if (typeof input === 'object') this.#read(input, this.#stdout);
    const ends = await Promise.all(endings);
    await this.#drained();
    return ends.at(-1) as Ending;
  }

  #start(
    argv: Argv,
    input: Readable | number | undefined,
    output: number | undefined,
  ): { stdout?: Readable; ending: Promise<Ending> } {
    const launch = this.#options.prepare(argv);
    if (launch === undefined) return this.#failed(`${argv[0]}: command not found`, 127);
    let child: ChildProcess;
    try {
      child = spawn(launch.file, launch.args as string[], {
        stdio: [input ?? 'ignore', output ?? 'pipe', 'pipe', ...(launch.handles ?? [])],
        env: launch.env as NodeJS.ProcessEnv,
        // A group of its own, so that what it starts can be ended with it.
        detached: process.platform !== 'win32',
        shell: false,
        windowsHide: true,
        ...(launch.cwd !== undefined && { cwd: launch.cwd }),
      });
    } catch (error) {
      return this.#failed(`${argv[0]}: ${reasonOf(error)}`, 126);
    }
    this.#alive.add(child);
    if (child.stderr !== null) this.#read(child.stderr, this.#stderr);
    const ending = new Promise<Ending>((resolve) => {
      child.once('error', (error) => {
        if (child.pid !== undefined) return;
        this.#alive.delete(child);
        this.#note(`${argv[0]}: ${reasonOf(error)}`);
        resolve({ code: 126, signal: null });
      });
      child.once('exit', (code, signal) => {
        this.#alive.delete(child);
        if (this.#alive.size === 0) clearTimeout(this.#ending);
        // What it left behind in its group ends with it.
        endGroup(child, 'SIGKILL');
        resolve({ code, signal });
      });
    });
    return { ending, ...(child.stdout !== null && { stdout: child.stdout }) };
  }

  #failed(message: string, code: number): { ending: Promise<Ending> } {
    this.#note(message);
    return { ending: Promise.resolve({ code, signal: null }) };
  }

  #note(message: string): void {
    this.#stderr.add(Buffer.from(`${message}\n`));
  }

  #read(stream: Readable, kept: KeptOutput): void {
    this.#streams.add(stream);
    stream.on('data', (chunk: Buffer) => {
      kept.add(chunk);
      if (this.#stdout.total + this.#stderr.total > this.#options.outputBytes) this.#stop('output');
    });
    const done = (): void => {
      this.#streams.delete(stream);
    };
    stream.once('close', done);
    stream.once('error', done);
  }

  /** Until everything written has been read, or 100 ms have passed: a background job may hold its output open for ever. */
  async #drained(): Promise<void> {
    if (this.#streams.size === 0) return;
    await new Promise<void>((resolve) => {
      // The look at the streams comes after the timers in a turn, so what waits there is read once more.
      const timer = setTimeout(() => setImmediate(resolve), graceForOutput);
      for (const stream of this.#streams) {
        stream.once('close', () => {
          if (this.#streams.size > 0) return;
          clearTimeout(timer);
          resolve();
        });
      }
    });
    this.#release();
  }

  #release(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  #stop(why: 'timeout' | 'output' | 'revoked'): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    if (why === 'output') this.#release();
    if (this.#alive.size === 0) return;
    if (this.#options.tier === 'bubblewrap') {
      // It cannot hand the polite signal on. While it is still setting up, what it has started would outlive it, so that
      // it is ended from below.
      for (const child of this.#alive) endTree(child);
      return;
    }
    for (const child of this.#alive) endGroup(child, 'SIGTERM');
    this.#ending = setTimeout(() => {
      for (const child of this.#alive) endTree(child);
    }, graceForEnding);
  }
}

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Ends what a program has started, as far as that is still known to belong to it, and then the program's group. */
function endTree(child: ChildProcess): void {
  if (process.platform === 'linux' && child.pid !== undefined) {
    for (const pid of descendants(child.pid)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
  }
  endGroup(child, 'SIGKILL');
}

function descendants(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return [...children.flatMap(descendants), ...children];
  } catch {
    return [];
  }
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform !== 'win32') process.kill(-child.pid, signal);
    // Windows has no groups; this ends the tree as far as it is known.
    else if (child.exitCode === null) spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
  } catch {
    // Nothing of it is left.
  }
}

function reasonOf(error: unknown): string {
  switch ((error as { code?: unknown })?.code) {
    case 'E2BIG':
      return 'the argument list is too long';
    case 'EACCES':
      return 'it may not be started';
    case 'ENOENT':
      return 'it is not there';
    default:
      return 'it could not be started';
  }
}
