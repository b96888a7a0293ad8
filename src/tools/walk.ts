import { Breath } from '../capabilities/fs/breath.ts';
import { isRevocation } from '../capabilities/fs/refusal.ts';
import type { ScopedEntry, ScopedFs } from '../capabilities/fs/types.ts';
import { ToolError } from '../errors.ts';
import { type IgnoreRules, parseGitignore } from './gitignore.ts';

export interface WalkOptions {
  /** How many levels to go down. */
  readonly depth: number;
  /** Whether to show what a `.gitignore` in the folder or below names, and the inside of `.git`. */
  readonly ignored: boolean;
  readonly signal: AbortSignal;
}

export interface WalkedEntry extends ScopedEntry {
  /** As a tool takes it as an argument: with the path of the folder before it. */
  readonly path: string;
}

interface Folder {
  readonly below: string;
  readonly level: number;
  /** The rules of this folder and of those above it, each with the folder that it counts from. */
  readonly rules: readonly { readonly from: string; readonly ignores: IgnoreRules }[];
}

/** Goes through a folder level by level, and never through a link. */
export async function* walk(
  fs: ScopedFs,
  top: string,
  { depth, ignored, signal }: WalkOptions,
): AsyncGenerator<WalkedEntry, void, undefined> {
  const breath = new Breath(() => signal.throwIfAborted());
  const folders: Folder[] = [{ below: '', level: 1, rules: [] }];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const { below, level } = folder;
    const rules = ignored ? [] : await rulesIn(fs, top, folder);
    for await (const entry of entriesOf(fs, top, below)) {
      signal.throwIfAborted();
      if (breath.due) await breath.take();
      const rel = below === '' ? entry.rel : `${below}/${entry.rel}`;
      if (isIgnored(rules, rel, entry.type === 'dir')) continue;
      if (entry.type === 'dir' && level < depth && (ignored || entry.rel !== '.git')) {
        folders.push({ below: rel, level: level + 1, rules });
      }
      yield { ...entry, rel, path: pathOf(top, rel) };
    }
  }
}

async function* entriesOf(fs: ScopedFs, top: string, below: string): AsyncGenerator<ScopedEntry, void, undefined> {
  try {
    yield* fs.list(pathOf(top, below), { limit: Number.POSITIVE_INFINITY });
  } catch (error) {
    // A folder that vanished or may not be read is passed over; the one that was asked for is not, nor the end of access.
    if (below === '' || !(error instanceof ToolError) || isRevocation(error)) throw error;
  }
}

async function rulesIn(fs: ScopedFs, top: string, folder: Folder): Promise<Folder['rules']> {
  try {
    const { text } = await fs.readText(pathOf(top, folder.below === '' ? '.gitignore' : `${folder.below}/.gitignore`));
    return [...folder.rules, { from: folder.below, ignores: parseGitignore(text) }];
  } catch {
    return folder.rules;
  }
}

function isIgnored(rules: Folder['rules'], rel: string, isFolder: boolean): boolean {
  for (const { from, ignores } of rules.toReversed()) {
    const verdict = ignores(from === '' ? rel : rel.slice(from.length + 1), isFolder);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

/** What a tool's argument `top` and a path below it make together. */
function pathOf(top: string, below: string): string {
  if (below === '') return top;
  return top === '.' ? plain(below) : `${top}/${below}`;
}

/** A name that begins like a home folder or a drive is one in the workspace all the same. */
function plain(path: string): string {
  return /^~|^[A-Za-z][A-Za-z0-9+.-]*:/.test(path) ? `./${path}` : path;
}
