import fs from 'node:fs';
import { turn } from './breath.ts';
import type { Directory } from './directory.ts';
import { scopedStat } from './etag.ts';
import { type Located, locate, type Query, type Space } from './locate.ts';
import type { OpenFile } from './open-file.ts';
import type * as Operations from './operations.ts';
import type { ReadBytes } from './reading.ts';
import { fileFailure, refusal } from './refusal.ts';
import { absolutePath, type Place, spell } from './roots.ts';
import type {
  FsLevel,
  GuardedPath,
  ListOptions,
  PathIntent,
  ReadTextOptions,
  ScopedEntry,
  ScopedFile,
  ScopedFs,
  ScopedStat,
  WriteTextOptions,
} from './types.ts';

const operationsInARow = 50;

let operations: typeof Operations | undefined;

async function load(): Promise<typeof Operations> {
  operations = await import('./operations.ts');
  return operations;
}

/** A checked path with what may be done at it and below it. */
export interface Grant extends Place {
  readonly intent: PathIntent;
  /** As it stands in the tool's arguments. */
  readonly argument: string;
  /** It was written as a folder, with a slash at the end. */
  readonly directory: boolean;
}

/** Turns a path as text into a place; fails with `path_denied`. */
export type ReadPath = (path: string) => Place & { readonly directory: boolean };

/**
 * A call's access to files: the granted paths and what lies below them. Grants are names, and no handle is open
 * between two operations; so each operation finds out anew where the name leads and checks that.
 */
export class GrantedFs implements ScopedFs {
  readonly level: FsLevel;
  readonly #space: Space;
  readonly #readPath: ReadPath;
  readonly #grants: readonly Grant[];
  readonly #files = new Set<OpenFile>();
  readonly #folders: Directory[] = [];
  #revoked = false;
  #operations = 0;

  constructor(space: Space, readPath: ReadPath, grants: readonly Grant[]) {
    this.level = space.anchor.level;
    this.#space = space;
    this.#readPath = readPath;
    this.#grants = grants;
  }

  /** Ends the access, closes what is open and drops what is half written. Any later use fails with `E_REVOKED`. */
  revoke(): void {
    if (this.#revoked) return;
    this.#revoked = true;
    for (const file of this.#files) file.drop();
    this.#files.clear();
    for (const folder of this.#folders.splice(0)) folder.close();
  }

  async open(path: GuardedPath | string, intent: 'read' | 'create' | 'replace' | 'append'): Promise<ScopedFile> {
    const { openLocated } = operations ?? (await load());
    const requested = nameOf(path);
    const located = this.#locate(path, intent === 'read' ? 'read' : 'write');
    const file = openLocated(this.#space, located, intent, requested, this.#alive);
    this.#files.add(file);
    return {
      stat: file.stat,
      read: (length, position) => file.read(length, position),
      write: (data) => file.write(data),
      close: async () => {
        await file.close();
        this.#files.delete(file);
      },
    };
  }

  async readBytes(path: GuardedPath | string, options: ReadTextOptions = {}): Promise<ReadBytes> {
    const { readLocated } = operations ?? (await load());
    return this.#use(path, 'read', (located) => readLocated(this.#space, located, options, nameOf(path)));
  }

  async readText(
    path: GuardedPath | string,
    options?: ReadTextOptions,
  ): Promise<{ text: string; etag: string; truncated: boolean; size: number }> {
    const read = await this.readBytes(path, options);
    const { decode } = operations ?? (await load());
    return { text: decode(read), etag: read.etag, truncated: read.truncated, size: read.size };
  }

  async writeText(
    path: GuardedPath | string,
    content: string | Uint8Array,
    options: WriteTextOptions = {},
  ): Promise<{ etag: string; created: boolean }> {
    const { beginDraft, inParent, writeAll } = operations ?? (await load());
    const requested = nameOf(path);
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    return this.#use(path, 'write', (located) =>
      inParent(located, options.mkdirs === true, requested, async (dir, name) => {
        const draft = beginDraft(dir, name, located.stat, options, requested);
        try {
          await writeAll(draft.fd, bytes);
          this.#alive();
        } catch (error) {
          draft.abandon();
          throw error;
        }
        return draft.commit();
      }),
    );
  }

  async *list(path: GuardedPath | string, options: ListOptions = {}): AsyncGenerator<ScopedEntry, void, undefined> {
    const { listLocated } = operations ?? (await load());
    const others = this.#others();
    if (others !== undefined) await others;
    const located = this.#locate(path, 'read');
    located.dir.close();
    yield* listLocated(this.#space, located, options, nameOf(path), this.#alive);
  }

  async stat(path: GuardedPath | string): Promise<ScopedStat> {
    const { notFound } = operations ?? (await load());
    return this.#use(path, 'read', (located) => {
      if (located.stat === undefined) throw notFound(this.#space, located, nameOf(path));
      return scopedStat(located.stat);
    });
  }

  async mkdir(path: GuardedPath | string, options: { recursive?: boolean } = {}): Promise<void> {
    const { makeFolders } = operations ?? (await load());
    return this.#use(path, 'write', (located) => {
      if (located.stat?.isDirectory() && options.recursive) return;
      if (located.rest.length > 0) {
        if (!options.recursive) throw fileFailure({ code: 'ENOENT' }, nameOf(path));
        const { dir, name } = makeFolders(located, nameOf(path));
        try {
          fs.mkdirSync(dir.at(name));
        } finally {
          dir.close();
        }
      } else {
        fs.mkdirSync(located.dir.at(located.name));
      }
    });
  }

  async remove(path: GuardedPath | string, options: { recursive?: boolean } = {}): Promise<void> {
    const { judgeTree, removeTree } = operations ?? (await load());
    const remove = (located: Located) => {
      if (located.stat === undefined) throw fileFailure({ code: 'ENOENT' }, nameOf(path));
      if (!located.stat.isDirectory()) return fs.unlinkSync(located.dir.at(located.name));
      if (!options.recursive) return fs.rmdirSync(located.dir.at(located.name));
      judgeTree(this.#space, located, [located], nameOf(path));
      removeTree(located.dir, located.name);
    };
    return this.#use(path, 'write', remove, { followLeaf: false });
  }

  async rename(from: GuardedPath | string, to: GuardedPath | string): Promise<void> {
    const { judgeTree } = operations ?? (await load());
    const move = (source: Located) =>
      this.#use(
        to,
        'write',
        (target) => {
          if (source.stat === undefined) throw fileFailure({ code: 'ENOENT' }, nameOf(from));
          if (target.rest.length > 0) throw fileFailure({ code: 'ENOENT' }, nameOf(to));
          // A folder may carry in, under a harmless name, what the rules forbid at its new place.
          judgeTree(this.#space, source, [source, target], nameOf(from));
          fs.renameSync(source.dir.at(source.name), target.dir.at(target.name));
        },
        { followLeaf: false },
      );
    return this.#use(from, 'write', move, { followLeaf: false });
  }

  cwdFor(path: GuardedPath | string): { spawnCwd: string; bindFd?: number } {
    const located = this.#locate(path, 'read');
    try {
      if (located.stat === undefined) throw fileFailure({ code: 'ENOENT' }, nameOf(path));
      const folder =
        located.name === '.' ? this.#space.anchor.hold(absolutePath(located)) : located.dir.child(located.name);
      this.#folders.push(folder);
      if (folder.real !== absolutePath(located)) throw refusal('moved', nameOf(path));
      return folder.handle === undefined
        ? { spawnCwd: folder.real }
        : { spawnCwd: folder.at('.'), bindFd: folder.handle };
    } catch (error) {
      throw fileFailure(error, nameOf(path));
    } finally {
      located.dir.close();
    }
  }

  hostPath(path: GuardedPath | string): string {
    const writes = this.#grants.some(({ argument, intent }) => argument === path && intent === 'write');
    const located = this.#locate(path, writes ? 'write' : 'read');
    located.dir.close();
    return absolutePath(located);
  }

  /** Operations on small files are done at once, so that a long row of them has to let others have their turn. */
  #others(): Promise<void> | undefined {
    return ++this.#operations % operationsInARow === 0 ? turn() : undefined;
  }

  readonly #alive = (): void => {
    if (this.#revoked) throw refusal('E_REVOKED');
  };

  async #use<T>(
    path: GuardedPath | string,
    intent: PathIntent,
    work: (located: Located) => T | Promise<T>,
    how?: Pick<Query, 'followLeaf'>,
  ): Promise<T> {
    const others = this.#others();
    if (others !== undefined) await others;
    const located = this.#locate(path, intent, how);
    try {
      return await work(located);
    } catch (error) {
      throw fileFailure(error, nameOf(path));
    } finally {
      located.dir.close();
    }
  }

  #locate(path: GuardedPath | string, intent: PathIntent, how?: Pick<Query, 'followLeaf'>): Located {
    this.#alive();
    const requested = nameOf(path);
    const place = this.#place(path);
    // Before the look at the disk, so that nothing is learnt about other places; and after it, for links below.
    this.#demandGrant(place, intent, requested);
    const located = locate(this.#space, place, { intent, requested, directory: place.directory, ...how });
    try {
      this.#demandGrant(located, intent, requested);
      return located;
    } catch (error) {
      located.dir.close();
      throw error;
    }
  }

  #place(path: GuardedPath | string): Place & { readonly directory: boolean } {
    const text = typeof path === 'string' ? path : this.#spelled(path);
    for (const grant of this.#grants) {
      if (grant.argument === text) return grant;
    }
    return this.#readPath(text);
  }

  #spelled({ root: given, rel }: GuardedPath): string {
    const root = this.#space.roots.find((candidate) => candidate.given === given);
    if (root === undefined || typeof rel !== 'string') throw refusal('not-granted');
    return spell(this.#space.roots, { root, rel: rel === '.' ? '' : rel });
  }

  #demandGrant(place: Place, intent: PathIntent, requested: string): void {
    const path = absolutePath(place);
    let readable = false;
    for (const grant of this.#grants) {
      const top = absolutePath(grant);
      if (path !== top && !path.startsWith(top === '/' ? top : `${top}/`)) continue;
      if (intent === 'read' || grant.intent === 'write') return;
      readable = true;
    }
    throw refusal(readable ? 'intent' : 'not-granted', requested);
  }
}

function nameOf(path: GuardedPath | string): string {
  return typeof path === 'string' ? path : String(path?.requested);
}
