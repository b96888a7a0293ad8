import { chooseAnchor } from './anchor.ts';
import type { Anchor } from './directory.ts';
import { compileRules, type PathRuleOptions } from './globs.ts';
import { type LexicalOptions, lexical, type PathPlatform } from './lexical.ts';
import { locate, type Space } from './locate.ts';
import { refusal } from './refusal.ts';
import { absolutePath, openRoots, type Place, placeOf, type RootOptions, spell } from './roots.ts';
import { type Grant, GrantedFs, type ReadPath } from './scoped-fs.ts';
import type { FsLevel, GuardedPath, PathIntent } from './types.ts';

export interface WorkspaceOptions extends PathRuleOptions {
  /**
   * The folders that tools may reach; at least one. Relative paths of a call belong to the first; files in the others
   * are named by absolute paths. Where one lies in another, the inner one's settings hold in it.
   */
  readonly roots: readonly (string | RootOptions)[];
  /** Whether links are followed that stay inside the roots, for roots that do not say it. Default `within-root`. */
  readonly symlinks?: 'within-root' | 'deny';
  /** The least that the operating system must help; building fails where it cannot. Default `best-effort`. */
  readonly level?: FsLevel;
  /** Refuses every `..` in a path, also one that stays inside the root. Default false. */
  readonly strict?: boolean;
  /** Whether a backslash off Windows is refused, or an ordinary character of a name. Default `deny`. */
  readonly backslash?: 'deny' | 'literal';
}

/** The names of {@link WorkspaceOptions}. */
export const workspaceOptions: readonly string[] = [
  'roots',
  'allow',
  'deny',
  'allowProtected',
  'symlinks',
  'level',
  'strict',
  'backslash',
] satisfies (keyof WorkspaceOptions)[];

/** A checked path argument. */
export interface CheckedPath extends Grant, Omit<GuardedPath, 'root'> {
  /** Absolute and canonical: for permission and approvers, never for the model. */
  readonly absolute: string;
}

const levels: readonly FsLevel[] = ['best-effort', 'no-follow-any', 'kernel-anchored'];

/** The folders of a path guard with its rules: checks paths, and gives access to what it checked. */
export class Workspace {
  /** How far the operating system helps on this machine. */
  readonly level: FsLevel;
  readonly #space: Space;
  readonly #lexical: LexicalOptions;

  /** Throws a TypeError for options that cannot be meant. `anchor` is for tests of other platforms' ways. */
  constructor(options: WorkspaceOptions, anchor: Anchor = chooseAnchor()) {
    const { level = 'best-effort', strict = false, backslash = 'deny' } = options;
    if (!levels.includes(level)) throw new TypeError(`pathGuard({ level }) must be one of ${levels.join(', ')}.`);
    if (levels.indexOf(anchor.level) < levels.indexOf(level)) {
      throw new TypeError(`pathGuard({ level }) demands ${level}, and this machine offers ${anchor.level}.`);
    }
    if (backslash !== 'deny' && backslash !== 'literal') {
      throw new TypeError('pathGuard({ backslash }) must be deny or literal.');
    }
    if (typeof strict !== 'boolean') throw new TypeError('pathGuard({ strict }) must be true or false.');
    this.level = anchor.level;
    this.#space = { roots: openRoots(options.roots, options.symlinks), judge: compileRules(options), anchor };
    this.#lexical = {
      platform: platformOf(process.platform),
      roots: this.#space.roots.map((root) => root.spellings),
      strict,
      backslash,
    };
  }

  /** Checks a path argument. Fails with `path_denied`, the reason in `details.reason`. Leaves nothing open. */
  check(input: unknown, intent: PathIntent): CheckedPath {
    const requested = typeof input === 'string' ? input : '';
    const place = this.#readPath(input);
    const located = locate(this.#space, place, { intent, requested, directory: place.directory });
    located.dir.close();
    const { root, rel } = located;
    const argument = spell(this.#space.roots, { root, rel });
    return {
      root,
      rel,
      intent,
      argument,
      requested,
      directory: place.directory,
      absolute: absolutePath({ root, rel }),
    };
  }

  /** Access to what the grants name and what lies below. To be revoked when the call settles. */
  scope(grants: readonly Grant[]): GrantedFs {
    return new GrantedFs(this.#space, this.#readPath, grants);
  }

  readonly #readPath = (input: unknown): ReturnType<ReadPath> => {
    const read = lexical(input, this.#lexical);
    if (!read.ok) throw refusal(read.reason, input);
    const root = this.#space.roots[read.root];
    if (root === undefined) throw refusal('outside', input);
    const named: Place = { root, rel: read.segments.join('/') };
    // Where one root lies in another, the settings of the inner one hold, from whichever the path was named.
    const place = placeOf(this.#space.roots, absolutePath(named)) ?? named;
    return { ...place, directory: read.directory };
  };
}

function platformOf(platform: NodeJS.Platform): PathPlatform {
  return platform === 'win32' || platform === 'darwin' ? platform : 'linux';
}
