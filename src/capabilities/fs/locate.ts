import fs from 'node:fs';
import { ToolError } from '../../errors.ts';
import type { Anchor, Directory } from './directory.ts';
import type { PathJudge } from './globs.ts';
import { errnoOf, fileFailure, type PathReason, refusal } from './refusal.ts';
import { isPseudo, type Place, placeOf, type Root } from './roots.ts';
import type { PathIntent } from './types.ts';

/** What all checks of one path guard share. */
export interface Space {
  readonly roots: readonly Root[];
  readonly judge: PathJudge;
  readonly anchor: Anchor;
}

/** Which rule forbids a place, if any, as it is named from its own root and from each root around that. */
export function verdictOn(space: Space, { root, rel }: Place, intent: PathIntent): 'rule' | 'protected' | undefined {
  const own = space.judge(rel, intent);
  if (own !== undefined || root.around.length === 0) return own;
  for (const prefix of root.around) {
    const verdict = space.judge(rel === '' ? prefix : `${prefix}/${rel}`, intent, true);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

export interface Query {
  readonly intent: PathIntent;
  /** As the model or tool wrote it; for messages. */
  readonly requested: string;
  /** The spelling says that this is a folder. Default false. */
  readonly directory?: boolean;
  /** Whether a link at the end is followed, or meant itself, as when it is removed. Default true. */
  readonly followLeaf?: boolean;
}

/** Where a path leads, with the folder in hand in which its last existing part stands. */
export interface Located extends Place {
  /** To be closed by whoever called `locate`. */
  readonly dir: Directory;
  /** An entry of `dir`, or what shall become one; `.` when the path is the root itself. */
  readonly name: string;
  /** What follows `name` and does not exist either. */
  readonly rest: readonly string[];
  /** Of the entry; absent when there is none. */
  readonly stat: fs.Stats | undefined;
}

const maxHops = 8;
const outOfHandles = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/**
 * Finds out where a path really leads, by the system's word for the folder in hand and not by the path's text, and
 * checks that: inside the roots, of a kind that may be touched, not against the rules under either of its names.
 * Fails with `path_denied`. What a path outside the roots leads to makes no difference to the answer.
 */
export function locate(space: Space, place: Place, query: Query): Located {
  const verdict = verdictOn(space, place, query.intent);
  if (verdict !== undefined) throw refusal(verdict, query.requested);
  let root = place.root;
  let segments: readonly string[] = place.rel === '' ? [] : place.rel.split('/');
  for (let hop = 0; hop <= maxHops; hop++) {
    const found = descend(space, root, segments, query);
    if ('dir' in found) return found;
    root = found.root;
    segments = found.segments;
  }
  throw refusal('loop', query.requested);
}

interface Elsewhere {
  readonly root: Root;
  readonly segments: readonly string[];
}

function descend(space: Space, root: Root, segments: readonly string[], query: Query): Located | Elsewhere {
  const { dir, depth } = holdNearest(space.anchor, root, segments, query);
  let kept = false;
  try {
    const refuse = (reason: PathReason) => refusal(reason, query.requested);
    const at = placeOf(space.roots, dir.real)?.root;
    if (at === undefined) throw refuse('escape');
    if (isPseudo(dir.real)) throw refuse('pseudo-fs');
    // The strictest of the roots decides: that of the name, and that in which the folder in hand stands.
    const unlinked = root.symlinks === 'deny' || at.symlinks === 'deny';
    if (unlinked && dir.real !== absolute(root, segments, depth)) throw refuse('symlink');

    const name = segments[depth] ?? '.';
    const rest = segments.slice(depth + 1);
    const stat = fs.lstatSync(dir.at(name), { throwIfNoEntry: false });
    if (stat?.isSymbolicLink() && (query.followLeaf !== false || rest.length > 0)) {
      if (unlinked) throw refuse('symlink');
      const target = dir.follow(name);
      if (target === 'loop') throw refuse('loop');
      const next = target === undefined ? undefined : placeOf(space.roots, target);
      // A link to nothing and a link to the outside get one answer, which so tells nothing about the outside.
      if (next === undefined) throw refuse(query.intent === 'write' && rest.length === 0 ? 'symlink-leaf' : 'escape');
      return { root: next.root, segments: [...next.rel.split('/').filter(Boolean), ...rest] };
    }
    if (stat !== undefined) {
      if (rest.length > 0)
        throw stat.isDirectory() ? fileFailure({ code: 'EACCES' }, query.requested) : refuse('not-dir');
      if (!stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink()) throw refuse('not-regular');
      if (query.directory && !stat.isDirectory()) throw refuse('not-dir');
    }
    const real = name === '.' ? dir.real : [dir.real === '/' ? '' : dir.real, name, ...rest].join('/');
    if (isPseudo(real)) throw refuse('pseudo-fs');
    const place = placeOf(space.roots, real) as Place;
    judge(space, place, stat, query);
    kept = true;
    return { root: place.root, rel: place.rel, dir, name, rest, stat };
  } catch (error) {
    throw fileFailure(error, query.requested);
  } finally {
    if (!kept) dir.close();
  }
}

/** Takes the parent in hand, or the nearest folder above it that can be. */
function holdNearest(
  anchor: Anchor,
  root: Root,
  segments: readonly string[],
  query: Query,
): { dir: Directory; depth: number } {
  for (let depth = Math.max(segments.length - 1, 0); ; ) {
    try {
      return { dir: anchor.hold(absolute(root, segments, depth)), depth };
    } catch (error) {
      // Whatever the reason is: it may lie outside, so nothing is said before the nearest folder has been checked.
      if (depth === 0 || error instanceof ToolError || outOfHandles.has(errnoOf(error) ?? '')) {
        throw fileFailure(error, query.requested);
      }
    }
    // A failed opening costs much more than a look. What the look says decides nothing but where to try next.
    do depth--;
    while (depth > 0 && !fs.existsSync(absolute(root, segments, depth)));
  }
}

function judge(space: Space, place: Place, stat: fs.Stats | undefined, query: Query): void {
  const refuse = (reason: PathReason) => refusal(reason, query.requested);
  if (query.intent === 'write') {
    if (place.rel === '') throw refuse('is-root');
    if (place.root.access === 'read') throw refuse('read-only');
  }
  if (place.root.hardlinks === 'deny' && stat?.isFile() && stat.nlink > 1) throw refuse('hardlink');
  const verdict = verdictOn(space, place, query.intent);
  if (verdict !== undefined) throw refuse(verdict);
}

function absolute(root: Root, segments: readonly string[], depth: number): string {
  return depth === 0 ? root.real || '/' : `${root.real}/${segments.slice(0, depth).join('/')}`;
}
