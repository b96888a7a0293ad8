import fs from 'node:fs';
import { ToolError } from '../../errors.ts';
import { Breath } from './breath.ts';
import { type Directory, join } from './directory.ts';
import { typeOf } from './etag.ts';
import { type Located, type Space, verdictOn } from './locate.ts';
import { fileFailure, isRevocation, refusal } from './refusal.ts';
import { absolutePath, isBelow, type Place, placeOf } from './roots.ts';
import type { ListOptions, ScopedEntry } from './types.ts';

const maxEntriesOfOneFolder = 100_000;
const maxEntriesOfTree = 100_000;

/**
 * Lists a folder level by level, each level sorted by name. Links are named and not followed, names that the rules
 * forbid are left out, and an entry that cannot be looked at stays in the list with what is known of it.
 */
export async function* listLocated(
  space: Space,
  located: Located,
  options: ListOptions,
  requested: string,
  alive: () => void,
): AsyncGenerator<ScopedEntry, void, undefined> {
  const { depth = 1, limit = 10_000 } = options;
  if (located.stat === undefined) throw fileFailure({ code: 'ENOENT' }, requested);
  if (!located.stat.isDirectory()) throw refusal('not-dir', requested);
  const top = absolutePath(located);
  const breath = new Breath(alive);
  const folders: { below: string; level: number }[] = [{ below: '', level: 1 }];
  let given = 0;
  for (let next = 0; next < folders.length && given < limit; next++) {
    const { below, level } = folders[next] as { below: string; level: number };
    const place = placeOf(space.roots, below === '' ? top : join(top, below)) as Place;
    const entries = await readFolder(space, place, below === '', requested, breath);
    for (const entry of entries) {
      if (given++ === limit) return;
      const rel = joinRel(below, entry.name);
      if (entry.type === 'dir' && level < depth) folders.push({ below: rel, level: level + 1 });
      yield { rel, type: entry.type, ...(entry.size === undefined ? {} : { size: entry.size }) };
      alive();
    }
  }
}

interface Entry {
  readonly name: string;
  readonly type: ScopedEntry['type'];
  readonly size?: number;
}

/** All of it at once, so that no handle stays open while the reader of the list is at work. */
async function readFolder(
  space: Space,
  place: Place,
  isTop: boolean,
  requested: string,
  breath: Breath,
): Promise<Entry[]> {
  let dir: Directory | undefined;
  try {
    dir = space.anchor.hold(absolutePath(place));
    if (dir.real !== absolutePath(place)) throw refusal('moved', requested);
    const entries: Entry[] = [];
    for (const entry of entriesOf(dir, maxEntriesOfOneFolder)) {
      const rel = joinRel(place.rel, entry.name);
      if (verdictOn(space, { root: place.root, rel }, 'read') === undefined) entries.push(describe(dir, entry));
      if (breath.due) await breath.take();
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isTop || isRevocation(error)) throw fileFailure(error, requested);
    return [];
  } finally {
    dir?.close();
  }
}

function describe(dir: Directory, entry: fs.Dirent): Entry {
  const type = typeOf(entry);
  if (type !== 'file' && type !== 'other') return { name: entry.name, type };
  try {
    // Some file systems do not say the type in the folder.
    const stat = fs.lstatSync(dir.at(entry.name));
    return stat.isFile()
      ? { name: entry.name, type: 'file', size: stat.size }
      : { name: entry.name, type: typeOf(stat) };
  } catch {
    return { name: entry.name, type };
  }
}

function* entriesOf(dir: Directory, most: number): Generator<fs.Dirent, void, undefined> {
  const entries = fs.opendirSync(dir.at('.'));
  try {
    for (let seen = 0; seen < most; seen++) {
      const entry = entries.readSync();
      if (entry === null) return;
      yield entry;
    }
  } finally {
    entries.closeSync();
  }
}

/**
 * Fails when the rules forbid to change anything in a folder, there or at the place where it is to go, and when another
 * root lies in it, which has settings of its own.
 */
export function judgeTree(space: Space, located: Located, targets: readonly Place[], requested: string): void {
  if (!located.stat?.isDirectory()) return;
  const folder = absolutePath(located);
  if (space.roots.some(({ real }) => isBelow(folder, real))) throw refusal('holds-root', requested);
  let seen = 0;
  const visit = (dir: Directory, below: string): void => {
    for (const entry of [...entriesOf(dir, maxEntriesOfTree)]) {
      const rel = joinRel(below, entry.name);
      if (++seen > maxEntriesOfTree) {
        throw new ToolError('The folder holds too many entries to check at once. Take its subfolders one by one.', {
          details: { reason: 'too-many' },
        });
      }
      for (const target of targets) {
        const verdict = verdictOn(space, { root: target.root, rel: joinRel(target.rel, rel) }, 'write');
        if (verdict !== undefined) throw refusal(verdict, requested);
      }
      if (typeOf(entry) === 'dir') inChild(dir, entry.name, (child) => visit(child, rel));
    }
  };
  inChild(located.dir, located.name, (dir) => visit(dir, ''));
}

/** Removes a folder with all that is in it; links in it are removed themselves. */
export function removeTree(parent: Directory, name: string): void {
  inChild(parent, name, (dir) => {
    for (const entry of [...entriesOf(dir, Number.POSITIVE_INFINITY)]) {
      if (typeOf(entry) === 'dir') removeTree(dir, entry.name);
      else fs.unlinkSync(dir.at(entry.name));
    }
  });
  fs.rmdirSync(parent.at(name));
}

function inChild(parent: Directory, name: string, use: (child: Directory) => void): void {
  const child = parent.child(name);
  try {
    use(child);
  } finally {
    child.close();
  }
}

function joinRel(above: string, below: string): string {
  return above === '' ? below : below === '' ? above : `${above}/${below}`;
}
