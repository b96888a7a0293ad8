import fs from 'node:fs';
import { promisify } from 'node:util';
import { ToolError } from '../../errors.ts';
import type { Directory } from './directory.ts';
import { etagOf } from './etag.ts';
import type { Located } from './locate.ts';
import { errnoOf, fileFailure, missingFolder, refusal } from './refusal.ts';
import type { WriteTextOptions } from './types.ts';

const writeAsync = promisify(fs.write) as (
  fd: number,
  bytes: Uint8Array,
  offset: number,
  length: number,
) => Promise<{ bytesWritten: number }>;
const maxSynchronousBytes = 65_536;

/** A file that is being written beside the one that it shall replace, in the same folder. */
export interface Draft {
  readonly fd: number;
  /** Puts the file in its place, or fails with `conflict` and leaves all as it was. Closes the draft. */
  commit(): { etag: string; created: boolean };
  /** Throws the file away. Closes the draft. */
  abandon(): void;
}

/**
 * Begins a file that replaces `name` in `dir` at once when it is committed: a rename changes the name and never the
 * old content, so that other names of an old file (hard links) keep theirs, and nobody sees half a file.
 *
 * @param old what stands there now
 */
export function beginDraft(
  dir: Directory,
  name: string,
  old: fs.Stats | undefined,
  options: WriteTextOptions,
  requested: string,
): Draft {
  if (old?.isDirectory()) throw refusal('is-dir', requested);
  // A rename needs no right to the old file itself; whoever made it read-only meant it.
  if (old && (old.mode & 0o222) === 0) throw fileFailure({ code: 'EACCES' }, requested);
  refuseChanged(old, options, requested);
  const temporary = `.callgate-${process.getBuiltinModule('node:crypto').randomBytes(9).toString('base64url')}.tmp`;
  const fd = dir.create(temporary, old ? 0o600 : (options.mode ?? 0o666) & 0o777);
  let open = true;
  const close = () => {
    if (open) fs.closeSync(fd);
    open = false;
  };
  const abandon = () => {
    close();
    fs.rmSync(dir.at(temporary), { force: true });
  };
  const commit = () => {
    try {
      if (old) keepOwnerAndMode(fd, old);
      close();
      if (!dir.still()) throw refusal('moved', requested);
      // From here to the rename nothing else runs in this process, so that one of two competing edits always loses.
      const now = fs.lstatSync(dir.at(name), { throwIfNoEntry: false });
      refuseChanged(now, options, requested);
      if (options.ifMatch === null) placeNew(dir, temporary, name);
      else fs.renameSync(dir.at(temporary), dir.at(name));
      return { etag: etagOf(fs.lstatSync(dir.at(name))), created: now === undefined };
    } catch (error) {
      abandon();
      throw error;
    }
  };
  return { fd, commit, abandon };
}

/** Linking fails when the name is taken, which a rename would replace. */
function placeNew(dir: Directory, temporary: string, name: string): void {
  try {
    fs.linkSync(dir.at(temporary), dir.at(name));
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw error;
    // A file system without links: take the name first, then replace it.
    fs.closeSync(dir.create(name, 0o600));
    fs.renameSync(dir.at(temporary), dir.at(name));
    return;
  }
  fs.unlinkSync(dir.at(temporary));
}

/** As the old file's, but never setuid or setgid: they were granted to the old content. */
function keepOwnerAndMode(fd: number, old: fs.Stats): void {
  if (process.platform === 'win32') return;
  const fresh = fs.fstatSync(fd);
  if (fresh.uid !== old.uid || fresh.gid !== old.gid) {
    try {
      fs.fchownSync(fd, old.uid, old.gid);
    } catch {
      // Only the superuser may give files away; for others the new file is theirs, as with any editor.
    }
  }
  fs.fchmodSync(fd, old.mode & 0o777);
}

function refuseChanged(now: fs.Stats | undefined, { ifMatch }: WriteTextOptions, requested: string): void {
  if (ifMatch === undefined) return;
  if (ifMatch === null) {
    if (now !== undefined) throw fileFailure({ code: 'EEXIST' }, requested);
  } else if (now === undefined || etagOf(now) !== ifMatch) {
    throw new ToolError('The file has changed since it was read. Read it again and repeat the change.', {
      code: 'conflict',
      details: { reason: 'changed' },
    });
  }
}

/** Writes all bytes at the file's current position. */
export async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    done +=
      bytes.length <= maxSynchronousBytes
        ? fs.writeSync(fd, bytes, done, bytes.length - done)
        : (await writeAsync(fd, bytes, done, bytes.length - done)).bytesWritten;
  }
}

/** Does something in the folder in which a located file stands or shall stand, making missing folders if asked to. */
export async function inParent<T>(
  located: Located,
  mkdirs: boolean,
  requested: string,
  use: (dir: Directory, name: string) => Promise<T> | T,
): Promise<T> {
  if (located.rest.length === 0) return use(located.dir, located.name);
  if (!mkdirs) throw missingFolder(requested);
  const { dir, name } = makeFolders(located, requested);
  try {
    return await use(dir, name);
  } finally {
    dir.close();
  }
}

/** Makes each missing folder through the one above it, never by the whole path, which could lead through a link. */
export function makeFolders(located: Located, requested: string): { dir: Directory; name: string } {
  const path = [located.name, ...located.rest];
  const name = path.pop() as string;
  let dir: Directory | undefined;
  try {
    for (const segment of path) {
      const parent: Directory = dir ?? located.dir;
      try {
        fs.mkdirSync(parent.at(segment));
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
      }
      const child = parent.child(segment);
      dir?.close();
      dir = child;
    }
    return { dir: dir as Directory, name };
  } catch (error) {
    dir?.close();
    throw fileFailure(error, requested);
  }
}
