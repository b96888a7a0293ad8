import fs from 'node:fs';
import { promisify } from 'node:util';
import { type Directory, openFor } from './anchor.ts';
import { scopedStat } from './etag.ts';
import type { Located, Space } from './locate.ts';
import { notFound } from './reading.ts';
import { fileFailure, refusal } from './refusal.ts';
import type { ScopedFile } from './types.ts';
import { beginDraft, type Draft, writeAll } from './writing.ts';

const readAsync = promisify(fs.read);

/** An open file that can also be dropped without completing what it was opened for. */
export interface DroppableFile extends ScopedFile {
  drop(): void;
}

/** Opens a located file. Takes the folder in hand over when the result needs it, and closes it otherwise. */
export function openLocated(
  space: Space,
  located: Located,
  intent: 'read' | 'create' | 'replace' | 'append',
  requested: string,
  alive: () => void,
): DroppableFile {
  const { dir, name, stat, rest } = located;
  let keepDir = false;
  try {
    if (rest.length > 0 || (intent === 'read' && stat === undefined)) throw notFound(space, located, requested);
    if (intent === 'replace') {
      const draft = beginDraft(dir, name, stat, {}, requested);
      keepDir = true;
      return openedDraft(draft, dir, alive, requested);
    }
    return openedHandle(openDirect(located, intent, requested), alive, requested);
  } catch (error) {
    throw fileFailure(error, requested);
  } finally {
    if (!keepDir) dir.close();
  }
}

function openDirect({ dir, name, stat }: Located, intent: 'read' | 'create' | 'append', requested: string): number {
  if (intent === 'create') return dir.create(name, 0o666);
  if (intent === 'read') return dir.open(name, openFor.reading).fd;
  if (stat === undefined) return dir.create(name, 0o666, openFor.appending);
  const opened = dir.open(name, openFor.appending);
  if (opened.stat.nlink <= 1) return opened.fd;
  // Appending changes the content under all names of the file, of which some may lie outside.
  fs.closeSync(opened.fd);
  throw refusal('hardlink', requested);
}

function openedHandle(fd: number, alive: () => void, requested: string): DroppableFile {
  let open = true;
  const drop = () => {
    if (open) fs.closeSync(fd);
    open = false;
  };
  return { ...methods(fd, () => open, alive, requested), drop, close: async () => drop() };
}

function openedDraft(draft: Draft, dir: Directory, alive: () => void, requested: string): DroppableFile {
  let open = true;
  const end = (how: () => void) => {
    if (!open) return;
    open = false;
    try {
      how();
    } catch (error) {
      throw fileFailure(error, requested);
    } finally {
      dir.close();
    }
  };
  return {
    ...methods(draft.fd, () => open, alive, requested),
    drop: () => end(draft.abandon),
    close: async () => {
      alive();
      end(draft.commit);
    },
  };
}

function methods(
  fd: number,
  isOpen: () => boolean,
  alive: () => void,
  requested: string,
): Pick<ScopedFile, 'stat' | 'read' | 'write'> {
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    alive();
    if (!isOpen()) throw fileFailure({ code: 'EBADF' }, requested);
    try {
      return await work();
    } catch (error) {
      throw fileFailure(error, requested);
    }
  };
  return {
    stat: scopedStat(fs.fstatSync(fd)),
    read: (length, position) =>
      guarded(async () => {
        const bytes = Buffer.allocUnsafe(length);
        const { bytesRead } = await readAsync(fd, bytes, 0, length, position ?? null);
        return bytes.subarray(0, bytesRead);
      }),
    write: (data) => guarded(() => writeAll(fd, data)),
  };
}
