import fs from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { didYouMean } from '../../basics/nearest.ts';
import { withSlashes } from '../../basics/slashes.ts';
import { canonical } from './path-anchor.ts';

export interface RootOptions {
  /** A folder, absolute or relative to the working directory at the time the stage is built. It must exist. */
  readonly path: string;
  /** Whether tools may change what is in it. Default `write`. */
  readonly access?: 'read' | 'write';
  /** Whether links are followed that stay inside the roots, or none at all. Default `within-root`. */
  readonly symlinks?: 'within-root' | 'deny';
  /** `deny` leaves files alone that have further names, for folders whose content is hostile. Default `allow`. */
  readonly hardlinks?: 'allow' | 'deny';
  /** Accepts `/`, a home folder (or one above it) and system folders, which are refused otherwise. Default false. */
  readonly force?: boolean;
}

export interface Root {
  /** As the host named it. */
  readonly given: string;
  /** The system's own absolute name, separated by `/`, without one at the end: '' for the file system's root. */
  readonly real: string;
  /** Both absolute spellings: as it was given, and `real`. */
  readonly spellings: readonly string[];
  readonly access: 'read' | 'write';
  readonly symlinks: 'within-root' | 'deny';
  readonly hardlinks: 'allow' | 'deny';
  /** Where it lies in each of the other roots that contain it, relative to those. */
  readonly around: readonly string[];
}

/** A place in one of the roots, by name. */
export interface Place {
  readonly root: Root;
  /** Relative to the root, separated by `/`; '' for the root itself. */
  readonly rel: string;
}

const optionNames = new Set(['path', 'access', 'symlinks', 'hardlinks', 'force']);

/**
 * Finds out, once, where the roots really are, so that a root given through a link works under both of its names.
 * The folder above each root is trusted: it is up to the host who may replace a root as a whole.
 * Throws a TypeError for a root that does not exist or is too wide.
 */
export function openRoots(
  roots: readonly (string | RootOptions)[],
  symlinks: 'within-root' | 'deny' = 'within-root',
): readonly Root[] {
  if (!Array.isArray(roots) || roots.length === 0) {
    const example = JSON.stringify(typeof roots === 'string' && roots !== '' ? roots : './workspace');
    throw new TypeError(`pathGuard({ roots }) must name at least one folder, in a list such as [${example}].`);
  }
  const opened = roots.map((root) => openRoot({ symlinks, ...(typeof root === 'string' ? { path: root } : root) }));
  return opened.map((root) => ({
    ...root,
    around: opened.flatMap(({ real }) => (isBelow(real, root.real) ? [root.real.slice(real.length + 1)] : [])),
  }));
}

function openRoot(options: RootOptions): Omit<Root, 'around'> {
  if (typeof options.path !== 'string' || options.path === '') {
    throw new TypeError(
      'pathGuard({ roots }): a root is a folder name or { path, access, symlinks, hardlinks, force }.',
    );
  }
  for (const name of Object.keys(options)) {
    if (!optionNames.has(name))
      throw new TypeError(
        `pathGuard({ roots }): a root has no option ${JSON.stringify(name)}; they are ${[...optionNames].join(', ')}.${didYouMean(name, optionNames)}`,
      );
  }
  const { path, access = 'write', symlinks = 'within-root', hardlinks = 'allow', force = false } = options;
  mustBe('access', access, ['read', 'write']);
  mustBe('symlinks', symlinks, ['within-root', 'deny']);
  mustBe('hardlinks', hardlinks, ['allow', 'deny']);
  const given = normalized(resolve(path));
  const real = normalized(realFolder(path));
  if (!force) refuseWide(path, real);
  return { given: path, real, spellings: real === given ? [real] : [given, real], access, symlinks, hardlinks };
}

function realFolder(path: string): string {
  try {
    const real = canonical(path);
    if (fs.statSync(real).isDirectory()) return real;
  } catch {
    // The sentence below says what is needed.
  }
  throw new TypeError(`pathGuard({ roots }): ${JSON.stringify(path)} is not an existing folder; make it first.`);
}

function refuseWide(path: string, real: string): void {
  const home = normalized(homedir());
  const tooWide = real === '' || /^[a-z]:$/i.test(real) || home === real || home.startsWith(`${real}/`);
  if (!tooWide && !isPseudo(real)) return;
  throw new TypeError(
    `pathGuard({ roots }): ${JSON.stringify(path)} is the whole file system, a home folder or a system folder; ` +
      'name a folder for this work, or say { path, force: true }.',
  );
}

/** Whether an absolute path lies where the kernel shows its own state instead of files. */
export function isPseudo(real: string): boolean {
  return process.platform !== 'win32' && /^\/(?:proc|sys|dev(?!\/shm\/))(?:\/|$)/.test(real);
}

/** Whether the absolute, canonical `path` lies below `folder`, and is not `folder` itself. */
export function isBelow(folder: string, path: string): boolean {
  return path.length > folder.length && path.startsWith(folder) && path[folder.length] === '/';
}

/** The innermost root that contains an absolute, canonical path. */
export function placeOf(roots: readonly Root[], real: string): Place | undefined {
  let best: Root | undefined;
  for (const root of roots) {
    const inside = real.startsWith(root.real) && (real.length === root.real.length || real[root.real.length] === '/');
    if (inside && (best === undefined || root.real.length > best.real.length)) best = root;
  }
  return best && { root: best, rel: real === '/' ? '' : real.slice(best.real.length + 1) };
}

/**
 * The innermost root that contains an absolute path as it is written, which may go on with `..`, by any of its spellings.
 */
export function placeBelow(roots: readonly Root[], path: string): Place | undefined {
  let best: { root: Root; length: number } | undefined;
  for (const root of roots) {
    for (const spelling of root.spellings) {
      if (path !== spelling && !isBelow(spelling, path)) continue;
      if (best === undefined || spelling.length > best.length) best = { root, length: spelling.length };
    }
  }
  return best && { root: best.root, rel: path.slice(best.length + 1) };
}

/** The absolute path of the folder above. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** The absolute, canonical path of a place. */
export function absolutePath({ root, rel }: Place): string {
  return rel === '' ? root.real || '/' : `${root.real}/${rel}`;
}

/**
 * How a place is written in a tool's arguments: relative to the first root where it lies in that, else absolute, so
 * that the capability takes it back without doubt. `./` stands before what would look like something else.
 */
export function spell(roots: readonly Root[], place: Place): string {
  const rel = place.root === roots[0] ? place.rel : relativeToFirst(roots, place);
  if (rel === undefined) return absolutePath(place);
  if (rel === '') return '.';
  return /^~|^[A-Za-z][A-Za-z0-9+.-]*:/.test(rel) ? `./${rel}` : rel;
}

function relativeToFirst(roots: readonly Root[], place: Place): string | undefined {
  const path = absolutePath(place);
  const first = (roots[0] as Root).real;
  return isBelow(first, path) ? path.slice(first.length + 1) : undefined;
}

function normalized(path: string): string {
  const separated = withSlashes(path);
  return separated.endsWith('/') ? separated.slice(0, -1) : separated;
}

function mustBe(option: string, value: unknown, allowed: readonly string[]): void {
  if (typeof value === 'string' && allowed.includes(value)) return;
  throw new TypeError(`pathGuard({ roots }): ${option} must be one of ${allowed.join(', ')}.`);
}
