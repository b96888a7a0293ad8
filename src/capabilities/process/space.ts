import { resolve } from 'node:path';
import { didYouMean } from '../../basics/nearest.ts';
import { withSlashes } from '../../basics/slashes.ts';
import type { Effect } from '../../types.ts';
import { reasonOf } from '../fs/refusal.ts';
import { type CheckedPath, Workspace, type WorkspaceOptions } from '../fs/workspace.ts';
import { argvsOf, type CommandPlan } from './argvs.ts';
import { checkEnvironment } from './environment.ts';
import { isHarmlessGitConfig } from './git-config.ts';
import { systemPath } from './programs.ts';
import { commandRefusal } from './refusal.ts';
import { chooseSandbox, type Sandbox, type SandboxChoice, sandboxChoices } from './sandbox.ts';
import type { ExecLimits } from './types.ts';

export interface CommandOptions {
  /**
   * Where commands run. Default `auto`: in the best sandbox that there is, and nowhere if there is none. `unsandboxed`
   * is never chosen by itself; with it every call asks, and only plain commands run.
   */
  readonly sandbox?: SandboxChoice;
  /** Folders with programs beside the system's, absolute; they are looked at first. Default: none. */
  readonly path?: readonly string[];
  /** Folders outside the roots that programs in the sandbox may read, absolute. Default: none. */
  readonly readable?: readonly string[];
  /** Variables for programs beside those that are always set. Default: none; nothing is inherited. */
  readonly env?: { readonly [name: string]: string };
  /**
   * Whether commands may change what is in the roots; `read` leaves them the scratch folder of the sandbox. Default
   * `write`, in roots that may be written.
   */
  readonly access?: 'read' | 'write';
  /** Bounds on what programs may use. */
  readonly limits?: ExecLimits;
}

/** A root, and how it is named to the path rules. */
export interface CommandRoot {
  readonly checked: CheckedPath;
  readonly writable: boolean;
}

/** What the guard says of a call's commands. */
export interface Judgement {
  readonly effects: readonly Effect[];
  /** Every command is known only to read, and its paths may be read. */
  readonly readOnly: boolean;
  /** Why somebody must be asked, whatever the mode. */
  readonly mustAsk?: string;
}

const defaults: Required<ExecLimits> = {
  cpuSeconds: 300,
  memoryBytes: 4_294_967_296,
  processes: 512,
  fileBytes: 1_073_741_824,
  outputBytes: 536_870_912,
};

// Programs, devices and scratch space: in a sandbox these are not the host's own, or hold no secret.
const ofSandbox = /^\/(?:usr|dev|tmp)(?:\/|$)/;

/** The roots, the rules and the sandbox for commands: judges them, and is what they run in. */
export class CommandSpace {
  readonly workspace: Workspace;
  readonly roots: readonly CommandRoot[];
  readonly path: readonly string[];
  readonly readable: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly limits: Required<ExecLimits>;
  readonly #choice: SandboxChoice;
  /** Whether there are paths in the roots that may not be read. */
  readonly #restricted: boolean;
  #sandbox: Sandbox | undefined;

  /** Throws a TypeError for options that cannot be meant. */
  constructor(folders: WorkspaceOptions, options: CommandOptions) {
    const { sandbox = 'auto', path = [], readable = [], env = {}, limits = {}, access: most = 'write' } = options;
    if (!sandboxChoices.includes(sandbox)) {
      throw new TypeError(`commandGuard({ sandbox }) must be one of ${sandboxChoices.join(', ')}.`);
    }
    if (most !== 'read' && most !== 'write') throw new TypeError('commandGuard({ access }) must be read or write.');
    if (most === 'read' && sandbox === 'unsandboxed') {
      throw new TypeError(
        'commandGuard({ access }): read needs a sandbox, as nothing else keeps commands from writing.',
      );
    }
    this.workspace = new Workspace(folders);
    this.roots = folders.roots.map((root, at) => {
      const { path: given, access = 'write' } = typeof root === 'string' ? { path: root } : root;
      return {
        checked: this.workspace.check(at === 0 ? '.' : withSlashes(resolve(given)), 'read'),
        writable: access === 'write' && most === 'write',
      };
    });
    this.path = [...absolute('path', path), ...systemPath];
    this.readable = absolute('readable', readable);
    checkEnvironment(env);
    this.env = { ...env };
    this.limits = checkedLimits(limits);
    this.#choice = sandbox;
    this.#restricted = folders.allow !== undefined || (folders.deny?.length ?? 0) > 0;
  }

  get sandbox(): Sandbox {
    this.#sandbox ??= chooseSandbox(this.#choice);
    return this.#sandbox;
  }

  /** Finds out what commands would do. Fails with `command_denied` and `path_denied` for what can never be allowed. */
  async judge(plans: readonly CommandPlan[]): Promise<Judgement> {
    const { tier } = this.sandbox;
    if (tier === 'none') throw commandRefusal('no-sandbox');
    const effects: Effect[] = [];
    let readOnly = tier !== 'unsandboxed';
    for (const plan of plans) {
      this.#refuseUnfit(plan);
      for (const argv of argvsOf(plan)) effects.push({ kind: 'exec', argv });
      if (readOnly && (await this.#onlyReads(plan))) {
        for (const path of pathsOf(plan)) {
          effects.push({ kind: 'fs.read', path: this.#checked(path) });
        }
        continue;
      }
      readOnly = false;
      this.#refuseForbidden(plan);
    }
    if (tier === 'unsandboxed') return { effects, readOnly, mustAsk: 'it runs outside of any sandbox' };
    if (!readOnly && this.#restricted) {
      return { effects, readOnly, mustAsk: 'the rules for paths do not hold inside a program' };
    }
    return { effects, readOnly };
  }

  /** The path that is really meant; fails with `path_denied`. What the sandbox brings along itself may be read. */
  #checked(path: string): string {
    try {
      return this.workspace.check(path, 'read').absolute;
    } catch (error) {
      if (reasonOf(error) === 'outside' && ofSandbox.test(path) && !path.split('/').includes('..')) return path;
      throw error;
    }
  }

  #refuseUnfit(plan: CommandPlan): void {
    const { tier } = this.sandbox;
    if (plan.language === 'python' && tier === 'portable') throw commandRefusal('python');
    if (tier !== 'unsandboxed' || plan.language === 'python') return;
    if (plan.list === undefined) throw commandRefusal('unparsed');
    if (argvsOf(plan).some(([program]) => /[/\\]/.test(program))) throw commandRefusal('relative');
  }

  async #onlyReads({ readings }: CommandPlan): Promise<boolean> {
    if (readings === undefined) return false;
    if (this.#restricted && readings.some(({ walks }) => walks)) return false;
    return !readings.some(({ git }) => git) || this.#isHarmlessRepository();
  }

  async #isHarmlessRepository(): Promise<boolean> {
    const grants: CheckedPath[] = [];
    try {
      grants.push(this.workspace.check('.git/config', 'read'), this.workspace.check('.git/commondir', 'read'));
    } catch {
      return false;
    }
    const fs = this.workspace.scope(grants);
    try {
      const { text, truncated } = await fs.readText('.git/config', { maxBytes: 65_536 });
      // With this file the settings that count would be others.
      const elsewhere = await fs.stat('.git/commondir').then(
        () => true,
        (error: unknown) => reasonOf(error) !== 'not-found',
      );
      return !truncated && !elsewhere && isHarmlessGitConfig(text);
    } catch {
      return false;
    } finally {
      fs.revoke();
    }
  }

  /**
   * A rule forbids a path also where it is a word of a command whose doings are not known. All other words are left to
   * the sandbox: whether they are paths at all cannot be known.
   */
  #refuseForbidden(plan: CommandPlan): void {
    if (plan.list === undefined || !this.#restricted) return;
    for (const word of argvsOf(plan).flat()) {
      for (const path of new Set([word, word.slice(word.indexOf('=') + 1)])) {
        if (path === '' || path.startsWith('-')) continue;
        try {
          this.workspace.check(path, 'read');
        } catch (error) {
          if (reasonOf(error) === 'rule') throw error;
        }
      }
    }
  }
}

function pathsOf({ readings = [] }: CommandPlan): readonly string[] {
  return readings.flatMap(({ paths }) => paths);
}

function absolute(option: string, folders: readonly string[]): readonly string[] {
  if (!Array.isArray(folders) || !folders.every((folder) => typeof folder === 'string' && resolve(folder) === folder)) {
    throw new TypeError(`commandGuard({ ${option} }) must be a list of absolute folders, without a slash at the end.`);
  }
  return [...folders];
}

function checkedLimits(limits: ExecLimits): Required<ExecLimits> {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaults, name)) {
      const names = Object.keys(defaults);
      throw new TypeError(
        `commandGuard({ limits }) has no ${name}; there are ${names.join(', ')}.${didYouMean(name, names)}`,
      );
    }
    if (!Number.isSafeInteger(value) || value <= 0) {
      throw new TypeError(`commandGuard({ limits }): ${name} must be a whole number above 0.`);
    }
  }
  return { ...defaults, ...limits };
}
