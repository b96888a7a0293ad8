import fs from 'node:fs';
import { promisify } from 'node:util';
import { type Directory, openFor } from './directory.ts';
import { scopedStat } from './etag.ts';
import type { Located, Space } from './locate.ts';
import { notFound } from './reading.ts';
import { fileFailure, refusal } from './refusal.ts';
import type { ScopedFile, ScopedStat } from './types.ts';
import { beginDraft, type Draft, writeAll } from './writing.ts';

const readAsync = promisify(fs.read);

/** Opens a located file. Takes the folder in hand over when the result needs it, and closes it otherwise. */
export function openLocated(
  space: Space,
  located: Located,
  intent: 'read' | 'create' | 'replace' | 'append',
  requested: string,
  alive: () => void,
): OpenFile {
  const { dir, name, stat, rest } = located;
  let keepDir = false;
  try {
    if (rest.length > 0 || (intent === 'read' && stat === undefined)) throw notFound(space, located, requested);
    if (intent !== 'replace') {
      const fd = openDirect(located, intent, requested);
      const close = () => fs.closeSync(fd);
      return new OpenFile({ fd, complete: close, drop: close, requested, alive });
    }
    const draft = beginDraft(dir, name, stat, {}, requested);
    keepDir = true;
    return new OpenFile({ fd: draft.fd, ...endsOf(draft, dir), requested, alive });
  } catch (error) {
    throw fileFailure(error, requested);
  } finally {
    if (!keepDir) dir.close();
  }
}

function endsOf(draft: Draft, dir: Directory): { complete: () => void; drop: () => void } {
  const thenClose = (end: () => void) => () => {
    try {
      end();
    } finally {
      dir.close();
    }
  };
  return { complete: thenClose(draft.commit), drop: thenClose(draft.abandon) };
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

interface OpenFileParts {
  readonly fd: number;
  /** Ends the file as its user meant it, and closes the handle. */
  complete(): void;
  /** Ends the file as if it had not been opened, and closes the handle. */
  drop(): void;
  readonly requested: string;
  /** Throws when the access has ended. */
  alive(): void;
}

/** An open file that can also be dropped without completing what it was opened for. */
export class OpenFile implements ScopedFile {
  readonly stat: ScopedStat;
  readonly #parts: OpenFileParts;
  #working = 0;
  #end: (() => void) | undefined;
  #over = false;
  #closing: Promise<void> | undefined;
  #idle: (() => void) | undefined;

  constructor(parts: OpenFileParts) {
    this.#parts = parts;
    this.stat = scopedStat(fs.fstatSync(parts.fd));
  }

  read(length: number, position?: number): Promise<Uint8Array> {
    return this.#work(async () => {
      const bytes = Buffer.allocUnsafe(length);
      const { bytesRead } = await readAsync(this.#parts.fd, bytes, 0, length, position ?? null);
      return bytes.subarray(0, bytesRead);
    });
  }

  write(data: Uint8Array): Promise<void> {
    return this.#work(() => writeAll(this.#parts.fd, data));
  }

  async close(): Promise<void> {
    this.#parts.alive();
    this.#closing ??= this.#complete();
    return this.#closing;
  }

  /** Also of a file that is being closed: what has not been completed by now never will be. */
  drop(): void {
    this.#end = this.#parts.drop;
    if (this.#working === 0) this.#finish();
  }

  async #complete(): Promise<void> {
    this.#end = this.#parts.complete;
    if (this.#working > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      this.#parts.alive();
    }
    this.#finish();
  }

  async #work<T>(work: () => Promise<T>): Promise<T> {
    this.#parts.alive();
    if (this.#end !== undefined) throw fileFailure({ code: 'EBADF' }, this.#parts.requested);
    this.#working++;
    try {
      return await work();
    } catch (error) {
      throw fileFailure(error, this.#parts.requested);
    } finally {
      if (--this.#working === 0) {
        if (this.#end === this.#parts.drop) this.#finish();
        this.#idle?.();
      }
    }
  }

  /** Not before reads and writes under way are done: their handle's number could come to mean another file. */
  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    try {
      this.#end?.();
    } catch (error) {
      throw fileFailure(error, this.#parts.requested);
    }
  }
}
