import { type ChildProcess, spawn } from 'node:child_process';

/** How a server's program is started. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly cwd?: string;
}

/** A program with its input, output and errors in our hands, in a process group of its own. */
export type Program = ChildProcess & {
  readonly stdin: NonNullable<ChildProcess['stdin']>;
  readonly stdout: NonNullable<ChildProcess['stdout']>;
  readonly stderr: NonNullable<ChildProcess['stderr']>;
};

const grouped = process.platform !== 'win32';
const living = new Set<ChildProcess>();
const watchers = new WeakMap<ChildProcess, ChildProcess>();
let listening = false;

/**
 * Starts a program that ends with us: at the end of this process its whole group is ended, and where this process is
 * killed, a small shell that waits for just that does it.
 */
export function startProgram({ command, args, env, cwd }: Launch): Program {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env,
    detached: grouped,
    shell: false,
    windowsHide: true,
    ...(cwd !== undefined && { cwd }),
  }) as Program;
  if (!listening) {
    listening = true;
    process.once('exit', () => {
      // Where somebody watches, it has a second to end by itself.
      for (const left of living) endGroup(left, watchers.get(left)?.pid === undefined ? 'SIGKILL' : 'SIGTERM');
    });
  }
  if (child.pid !== undefined) {
    living.add(child);
    if (grouped) watchers.set(child, watchOver(child.pid));
  }
  child.once('exit', () => {
    // What it left behind in its group ends with it.
    endGroup(child, 'SIGKILL');
    living.delete(child);
    watchers.get(child)?.kill('SIGKILL');
  });
  return child;
}

/** Ends a program and everything in its group. */
export function endGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    if (grouped) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // Nothing is left of it.
  }
}

/** Its input ends when this process does, however that happens; a second later the group is gone too. */
function watchOver(group: number): ChildProcess {
  const watcher = spawn('/bin/sh', ['-c', `read _; sleep 1; kill -KILL -${group}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
  });
  // Where there is no such shell, the end of its input has to tell the server.
  watcher.on('error', () => {});
  watcher.stdin.on('error', () => {});
  watcher.unref();
  (watcher.stdin as { unref?(): void }).unref?.();
  return watcher;
}
