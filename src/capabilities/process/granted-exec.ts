import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkMilliseconds, longestTimer } from '../../basics/milliseconds.ts';
import { ToolError } from '../../errors.ts';
import type { GrantedFs } from '../fs/scoped-fs.ts';
import { argvsOf, type CommandPlan } from './argvs.ts';
import { bubblewrapArguments, inheritedHandles, type Mount, mountable } from './bubblewrap.ts';
import { buildEnvironment } from './environment.ts';
import type { Argv, CommandList } from './parse.ts';
import { portableLaunch, render } from './portable.ts';
import { findProgram } from './programs.ts';
import { commandRefusal } from './refusal.ts';
import { CommandRun, type Launch } from './run.ts';
import type { CommandSpace } from './space.ts';
import type { ExecOptions, ExecResult, SandboxTier, ScopedExec } from './types.ts';

const defaultTimeout = 30_000;
const defaultKeep = 32_768;

/** A call's access to programs: the commands that its arguments held, in the sandbox that there is. */
export class GrantedExec implements ScopedExec {
  readonly tier: SandboxTier;
  readonly #space: CommandSpace;
  readonly #plans: readonly CommandPlan[];
  readonly #readOnly: boolean;
  readonly #runs = new Set<CommandRun>();
  #revoked = false;

  /** @param readOnly the commands were let pass as such that only read, and are held to it */
  constructor(space: CommandSpace, plans: readonly CommandPlan[], readOnly: boolean) {
    this.tier = space.sandbox.tier;
    this.#space = space;
    this.#plans = plans;
    this.#readOnly = readOnly;
  }

  /** Ends the access and everything that runs. Any later use fails with `E_REVOKED`. */
  revoke(): void {
    this.#revoked = true;
    for (const run of this.#runs) run.revoke();
  }

  async run(command: string | readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    if (this.#revoked) throw commandRefusal('E_REVOKED', 'aborted');
    const plan = this.#plans.find(({ given }) => isSame(given, command));
    if (plan === undefined) throw commandRefusal('not-granted');
    const timeout = checkMilliseconds(options.timeout ?? defaultTimeout, 'exec.run({ timeout })');
    const place = this.#open();
    try {
      const { list, launch } = this.#launching(plan, place, timeout);
      const { keep = defaultKeep } = options;
      const run = new CommandRun({
        prepare: launch,
        tier: this.tier,
        timeout: Math.min(timeout, longestTimer),
        keep,
        outputBytes: this.#space.limits.outputBytes,
      });
      this.#runs.add(run);
      try {
        return await run.run(list);
      } finally {
        this.#runs.delete(run);
      }
    } finally {
      place.close();
    }
  }

  /** Takes the roots in hand for one run. */
  #open(): Place {
    const { workspace, roots } = this.#space;
    const fs = workspace.scope(roots.map(({ checked }) => checked));
    const scratch = this.tier === 'unsandboxed' ? mkdtempSync(join(tmpdir(), 'callgate-')) : undefined;
    const close = (): void => {
      fs.revoke();
      if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
    };
    return { fs, scratch, close };
  }

  #launching(
    plan: CommandPlan,
    place: Place,
    timeout: number,
  ): { list: CommandList; launch: (argv: Argv) => Launch | undefined } {
    switch (this.tier) {
      case 'bubblewrap':
        return { list: plan.list ?? asProgram(plan), launch: this.#inBubblewrap(place) };
      case 'portable':
        return this.#portable(plan, timeout);
      case 'unsandboxed':
        if (plan.list === undefined && plan.language === 'shell') throw commandRefusal('unparsed');
        return { list: plan.list ?? asProgram(plan), launch: this.#unsandboxed(place) };
      default:
        throw commandRefusal('no-sandbox');
    }
  }

  #inBubblewrap({ fs }: Place): (argv: Argv) => Launch | undefined {
    const { sandbox, roots, path, readable, limits } = this.#space;
    const mounts: Mount[] = mountable(
      roots.map(({ checked, writable }) => ({
        path: checked.absolute,
        writable: writable && !this.#readOnly,
        argument: checked.argument,
      })),
    ).map(({ argument, ...mount }) => ({ ...mount, handle: handleOf(fs, argument) }));
    const env = { ...buildEnvironment(path, '/tmp', this.#space.env) };
    const inherited = inheritedHandles();
    const cwd = (roots[0] as (typeof roots)[number]).checked.absolute;
    return (argv) => {
      // Where a program is named with a folder, that is looked up inside; a plain name is looked up here.
      const program = argv[0].includes('/') ? argv[0] : findProgram(argv[0], { path, writable: this.#writable() });
      if (program === undefined) return undefined;
      const args = bubblewrapArguments({
        mounts,
        readable: [...this.#programFolders(), ...readable],
        cwd,
        env,
        limits,
        argv: [program, ...argv.slice(1)],
        inherited,
      });
      return { file: sandbox.entry, args, env: {}, handles: mounts.map(({ handle }) => handle) };
    };
  }

  #portable(plan: CommandPlan, timeout: number): { list: CommandList; launch: (argv: Argv) => Launch | undefined } {
    const { sandbox, roots, env, limits } = this.#space;
    const call = {
      roots: roots.map(({ checked, writable }) => ({ path: checked.absolute, writable: writable && !this.#readOnly })),
      cwd: (roots[0] as (typeof roots)[number]).checked.absolute,
      script: plan.list === undefined ? String(plan.given) : render(plan.list),
      env,
      limits,
      timeout,
    };
    return {
      list: [{ when: 'always', commands: [['bash', '-c', call.script]] }],
      launch: () => portableLaunch(sandbox.entry, call),
    };
  }

  #unsandboxed({ fs, scratch = tmpdir() }: Place): (argv: Argv) => Launch | undefined {
    const { roots, path, limits } = this.#space;
    const { spawnCwd } = fs.cwdFor((roots[0] as (typeof roots)[number]).checked.argument);
    const env = buildEnvironment(path, scratch, this.#space.env);
    return (argv) => {
      const program = findProgram(argv[0], { path, writable: this.#writable() });
      if (program === undefined) return undefined;
      const bounds = findProgram('prlimit', { path: ['/usr/bin'], writable: [] });
      const args = argv.slice(1);
      if (bounds === undefined || process.platform !== 'linux') return { file: program, args, env, cwd: spawnCwd };
      // Processes are counted for the whole user here, so that they are not bounded.
      const limiting = [`--cpu=${limits.cpuSeconds}`, `--as=${limits.memoryBytes}`, `--fsize=${limits.fileBytes}`];
      return { file: bounds, args: ['--core=0', ...limiting, '--', program, ...args], env, cwd: spawnCwd };
    };
  }

  #writable(): readonly string[] {
    return this.#space.roots.map(({ checked }) => checked.absolute);
  }

  /** Program folders of the host's that do not come with the system. */
  #programFolders(): readonly string[] {
    return this.#space.path.filter((folder) => !/^\/(?:usr|bin|sbin)(?:\/|$)/.test(folder));
  }
}

interface Place {
  readonly fs: GrantedFs;
  readonly scratch: string | undefined;
  close(): void;
}

/** A text that is not read here goes as one argument to the interpreter it is written for. */
function asProgram(plan: CommandPlan): CommandList {
  return [{ when: 'always', commands: argvsOf(plan) }];
}

function handleOf(fs: GrantedFs, argument: string): number {
  const { bindFd } = fs.cwdFor(argument);
  if (bindFd !== undefined) return bindFd;
  throw new ToolError('The sandbox needs handles of folders, which this system does not give.', {
    code: 'unavailable',
    retryable: false,
    details: { reason: 'no-handles' },
  });
}

function isSame(given: CommandPlan['given'], command: string | readonly string[]): boolean {
  if (typeof given === 'string' || typeof command === 'string') return given === command;
  return given.length === command.length && given.every((word, at) => word === command[at]);
}
