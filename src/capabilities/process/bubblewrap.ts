import fs from 'node:fs';
import type { ExecLimits } from './types.ts';

/** A root as it appears in the sandbox: under its own name. */
export interface Mount {
  /** Absolute and canonical. */
  readonly path: string;
  readonly writable: boolean;
  /** The open handle that is mounted, so that it is the very folder that was checked. */
  readonly handle: number;
}

export interface BubblewrapCall {
  readonly mounts: readonly Mount[];
  /** Further folders to read, absolute. */
  readonly readable: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Required<ExecLimits>;
  readonly argv: readonly string[];
  /** Handles beyond standard error that this process itself inherited and would hand on. */
  readonly inherited: readonly number[];
}

const scratchBytes = 268_435_456;

/**
 * The arguments for bubblewrap: everything unshared, no network, no capability, no further namespaces; `/usr` to read,
 * scratch folders of 256 MiB (`/tmp`, `/dev/shm`), and the roots, mounted by handle under their own names.
 *
 * Every place that is mounted on lies in bubblewrap's own empty root: bubblewrap before 0.12 follows links when it
 * makes such places (CVE-2026-87766), so there are none inside what programs may write to.
 */
export function bubblewrapArguments(call: BubblewrapCall): string[] {
  const { mounts, limits } = call;
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session'],
    ...['--cap-drop', 'ALL', '--hostname', 'sandbox', '--clearenv'],
    ...Object.entries(call.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...systemFolders(),
    ...['--proc', '/proc', '--dev', '/dev', ...scratch('/dev/shm'), '--remount-ro', '/dev', ...scratch('/tmp')],
    ...call.readable.filter((folder) => !mounts.some(({ path }) => within(folder, path))).flatMap(readOnly),
    ...mounts.flatMap(({ path, writable }, at) => [writable ? '--bind-fd' : '--ro-bind-fd', String(3 + at), path]),
    // All memory that files may take is in the scratch folders.
    ...['--remount-ro', '/', '--chdir', call.cwd, '--'],
    ...closing(call.inherited),
    ...['/usr/bin/prlimit', '--core=0', `--cpu=${limits.cpuSeconds}`, `--as=${limits.memoryBytes}`],
    ...[`--nproc=${limits.processes}`, `--fsize=${limits.fileBytes}`, '--', ...call.argv],
  ];
}

/** Roots that lie in another root come with it; and where the inner one may only be read, so may the outer. */
export function mountable<M extends { readonly path: string; readonly writable: boolean }>(mounts: readonly M[]): M[] {
  return mounts
    .filter(
      (mount) =>
        !mounts.some((other) => other !== mount && other.path !== mount.path && within(mount.path, other.path)),
    )
    .filter((mount, at, all) => all.findIndex(({ path }) => path === mount.path) === at)
    .map((mount) => ({
      ...mount,
      writable: mounts.every((other) => other.writable || !within(other.path, mount.path)),
    }));
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function scratch(folder: string): string[] {
  return ['--size', String(scratchBytes), '--tmpfs', folder];
}

function readOnly(folder: string): string[] {
  return ['--ro-bind', folder, folder];
}

let system: readonly string[] | undefined;

/** `/usr`, and beside it what the system has there: links into it on most, folders of their own on some. */
function systemFolders(): readonly string[] {
  if (system !== undefined) return system;
  const found = ['--ro-bind', '/usr', '/usr'];
  for (const folder of ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']) {
    const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) found.push('--symlink', fs.readlinkSync(folder), folder);
    else if (stat?.isDirectory()) found.push(...readOnly(folder));
  }
  // Which variant of a program is meant, and where libraries lie; nothing else of /etc.
  for (const path of ['/etc/alternatives', '/etc/ld.so.cache']) found.push('--ro-bind-try', path, path);
  system = found;
  return system;
}

/** Only a shell can close handles for a program; it is given no more than their numbers, and the program as it is. */
function closing(inherited: readonly number[]): string[] {
  if (inherited.length === 0) return [];
  return ['/bin/bash', '-c', `exec ${inherited.map((handle) => `${handle}>&-`).join(' ')}; exec "$@"`, 'bash'];
}

/** Handles that this process got from its parent and that programs would inherit: Node.js closes only the first few. */
export function inheritedHandles(): readonly number[] {
  try {
    return fs
      .readdirSync('/proc/self/fd')
      .map(Number)
      .filter((handle) => handle > 2 && !closesOnExec(handle));
  } catch {
    return [];
  }
}

function closesOnExec(handle: number): boolean {
  try {
    const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(fs.readFileSync(`/proc/self/fdinfo/${handle}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & 0o2000000) !== 0;
  } catch {
    return true;
  }
}

const trialLimits: Required<ExecLimits> = {
  cpuSeconds: 5,
  memoryBytes: 4_294_967_296,
  processes: 64,
  fileBytes: 1024,
  outputBytes: 1024,
};

/** Where bubblewrap is, if it is here and can really do what it shall. Tried out once for a process. */
export function findBubblewrap(): string | undefined {
  if (process.platform !== 'linux' || !fs.existsSync('/usr/bin/prlimit')) return undefined;
  const file = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].find((path) => fs.existsSync(path));
  if (file === undefined) return undefined;
  const inherited = inheritedHandles();
  let handle: number | undefined;
  try {
    handle = fs.openSync('/usr', fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
    const args = bubblewrapArguments({
      mounts: [{ path: '/root-to-be', writable: false, handle }],
      readable: [],
      cwd: '/tmp',
      env: {},
      limits: trialLimits,
      argv: ['/usr/bin/test', '-d', '/root-to-be/bin'],
      inherited,
    });
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    const { status } = spawnSync(file, args, {
      stdio: ['ignore', 'ignore', 'ignore', handle],
      env: {},
      timeout: 10_000,
    });
    return status === 0 ? file : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}
