import fs from 'node:fs';
import type { ToolError } from '../../errors.ts';
import type { Directory } from './directory.ts';
import type { Query, Space } from './locate.ts';
import { errnoOf, type PathReason, refusal } from './refusal.ts';
import { absolutePath, isPseudo, type Place, parentOf, placeBelow, placeOf } from './roots.ts';

/** Where a path leads by the disk: a folder in hand, and an entry of it or what may become one. */
export interface Spot {
  /** To be closed by whoever asked. */
  readonly dir: Directory;
  /** `.` when the path is a root itself. */
  readonly name: string;
  /** What follows `name` and does not exist either. */
  readonly rest: readonly string[];
  /** Of the entry; absent when there is none. */
  readonly stat: fs.Stats | undefined;
}

const maxHops = 8;
const outOfHandles = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/**
 * Finds where a path leads. The usual path has no link in it, which one opening and the system's name for what was opened
 * show. Any other is gone down folder by folder, and so is what a link stands for: nothing outside the roots is looked
 * at, and whether a link's way would lead on out there makes no difference to the answer.
 */
export function findSpot(space: Space, place: Place, query: Query): Spot {
  return straight(space, place, query) ?? descend(space, place, query);
}

function straight(space: Space, place: Place, query: Query): Spot | undefined {
  const cut = place.rel.lastIndexOf('/');
  const parent = absolutePath({ root: place.root, rel: cut === -1 ? '' : place.rel.slice(0, cut) });
  let dir: Directory;
  try {
    dir = space.anchor.hold(parent);
  } catch (error) {
    // Whatever the reason is: it may lie outside, so it counts for nothing.
    if (outOfHandles.has(errnoOf(error) ?? '')) throw error;
    return undefined;
  }
  let kept = false;
  try {
    if (dir.real !== parent) return undefined;
    const name = place.rel === '' ? '.' : place.rel.slice(cut + 1);
    const stat = fs.lstatSync(dir.at(name), { throwIfNoEntry: false });
    if (stat?.isSymbolicLink() && query.followLeaf !== false) return undefined;
    kept = true;
    return { dir, name, rest: [], stat };
  } finally {
    if (!kept) dir.close();
  }
}

function descend(space: Space, place: Place, query: Query): Spot {
  const refuse = (reason: PathReason) => refusal(reason, query.requested);
  const isStrict = (dir: Directory) =>
    place.root.symlinks === 'deny' || placeOf(space.roots, dir.real)?.root.symlinks === 'deny';
  const pending = place.rel === '' ? [] : place.rel.split('/');
  // How many of the path's own names are left after the link whose way is being gone.
  let own = Number.POSITIVE_INFINITY;
  let hops = 0;
  let dir = exactly(space, absolutePath({ root: place.root, rel: '' }), refuse('escape'));
  let kept = false;
  const moveTo = (next: Directory) => {
    dir.close();
    dir = next;
  };
  try {
    for (;;) {
      if (isPseudo(dir.real)) throw refuse('pseudo-fs');
      const name = pending.shift();
      if (name === undefined) {
        const spot = asEntry(space, dir, refuse('moved'));
        kept = spot.dir === dir;
        return spot;
      }
      if (name === '..') {
        const parent = parentOf(dir.real);
        if (placeOf(space.roots, parent) === undefined) throw leadsOut();
        moveTo(exactly(space, parent, refuse('moved')));
        continue;
      }
      const ofLink = pending.length >= own;
      const stat = fs.lstatSync(dir.at(name), { throwIfNoEntry: false });
      if (stat?.isSymbolicLink() && (pending.length > 0 || ofLink || query.followLeaf !== false)) {
        if (isStrict(dir)) throw refuse('symlink');
        if (++hops > maxHops) throw refuse('loop');
        if (!ofLink) own = pending.length;
        let target = dir.readLink(name);
        if (/^\/|^[a-z]:/i.test(target)) {
          const below = placeBelow(space.roots, target);
          if (below === undefined) throw leadsOut();
          moveTo(exactly(space, absolutePath({ root: below.root, rel: '' }), refuse('moved')));
          target = below.rel;
        }
        pending.unshift(...target.split('/').filter((part) => part !== '' && part !== '.'));
        continue;
      }
      // A link to nothing and a link to the outside get one answer, which so tells nothing about the outside.
      if (stat === undefined && (ofLink || pending.includes('..'))) throw leadsOut();
      if (stat === undefined || pending.length === 0) {
        kept = true;
        return { dir, name, rest: pending, stat };
      }
      if (!stat.isDirectory()) throw refuse('not-dir');
      moveTo(dir.child(name));
    }
  } finally {
    if (!kept) dir.close();
  }

  function leadsOut(): ToolError {
    return refuse(query.intent === 'write' && own === 0 ? 'symlink-leaf' : 'escape');
  }
}

/** Takes a folder in hand that must be just there, and not behind a link. */
function exactly(space: Space, path: string, otherwise: unknown): Directory {
  const dir = space.anchor.hold(path);
  if (dir.real === path) return dir;
  dir.close();
  throw otherwise;
}

/** A folder in hand as an entry of the folder above it, so that it is judged, listed or changed like any other. */
function asEntry(space: Space, dir: Directory, moved: unknown): Spot {
  const place = placeOf(space.roots, dir.real);
  if (place === undefined) throw moved;
  if (place.rel === '') return { dir, name: '.', rest: [], stat: fs.lstatSync(dir.at('.')) };
  const above = exactly(space, parentOf(dir.real), moved);
  const name = dir.real.slice(dir.real.lastIndexOf('/') + 1);
  const stat = fs.lstatSync(above.at(name), { throwIfNoEntry: false });
  if (stat?.isDirectory()) return { dir: above, name, rest: [], stat };
  above.close();
  throw moved;
}
