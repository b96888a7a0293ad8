import type { Stats } from 'node:fs';
import { findSpot, type Spot } from './descend.ts';
import type { Anchor } from './directory.ts';
import type { PathJudge } from './globs.ts';
import { fileFailure, type PathReason, refusal } from './refusal.ts';
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

/** Where a path leads, by name and by the disk. */
export interface Located extends Place, Spot {}

/**
 * Finds out where a path really leads, by the system's word for the folder in hand and not by the path's text, and
 * checks that: inside the roots, of a kind that may be touched, not against the rules under either of its names.
 * Fails with `path_denied`. What a path outside the roots leads to makes no difference to the answer.
 */
export function locate(space: Space, place: Place, query: Query): Located {
  const verdict = verdictOn(space, place, query.intent);
  if (verdict !== undefined) throw refusal(verdict, query.requested);
  let spot: Spot | undefined;
  let kept = false;
  try {
    spot = findSpot(space, place, query);
    const { dir, name, rest, stat } = spot;
    const refuse = (reason: PathReason) => refusal(reason, query.requested);
    if (placeOf(space.roots, dir.real) === undefined) throw refuse('escape');
    if (stat !== undefined) {
      if (!stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink()) throw refuse('not-regular');
      if (query.directory && !stat.isDirectory()) throw refuse('not-dir');
    }
    const real = name === '.' ? dir.real : [dir.real === '/' ? '' : dir.real, name, ...rest].join('/');
    if (isPseudo(dir.real) || isPseudo(real)) throw refuse('pseudo-fs');
    const found = placeOf(space.roots, real) as Place;
    judge(space, found, stat, query);
    kept = true;
    return { root: found.root, rel: found.rel, dir, name, rest, stat };
  } catch (error) {
    throw fileFailure(error, query.requested);
  } finally {
    if (!kept) spot?.dir.close();
  }
}

function judge(space: Space, place: Place, stat: Stats | undefined, query: Query): void {
  const refuse = (reason: PathReason) => refusal(reason, query.requested);
  if (query.intent === 'write') {
    if (place.rel === '') throw refuse('is-root');
    if (place.root.access === 'read') throw refuse('read-only');
  }
  if (place.root.hardlinks === 'deny' && stat?.isFile() && stat.nlink > 1) throw refuse('hardlink');
  const verdict = verdictOn(space, place, query.intent);
  if (verdict !== undefined) throw refuse(verdict);
}
