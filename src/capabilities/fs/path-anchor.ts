import fs from 'node:fs';
import { type Anchor, type Directory, join, type OpenedFile, quiet, refuseIrregular } from './directory.ts';
import { foldPath } from './names.ts';
import { refusal } from './refusal.ts';
import type { FsLevel } from './types.ts';

const { O_WRONLY, O_CREAT, O_EXCL } = fs.constants;

/**
 * Elsewhere: a folder is its canonical path, checked again after each opening. macOS can refuse links anywhere in the
 * path while opening; on other systems a fast enough attacker can win, and `level` says so.
 */
export function pathAnchor(level: FsLevel, noFollow: number): Anchor {
  return { level, hold: (path) => new PathDirectory(canonical(path), noFollow) };
}

class PathDirectory implements Directory {
  readonly real: string;
  readonly #noFollow: number;

  constructor(real: string, noFollow: number) {
    this.real = real;
    this.#noFollow = noFollow;
    if (!fs.lstatSync(real).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  }

  at(name: string): string {
    return join(this.real, name);
  }

  still(): boolean {
    try {
      return canonical(this.real) === this.real;
    } catch {
      return false;
    }
  }

  child(name: string): Directory {
    const path = join(this.real, name);
    // Where case or Unicode form do not count, the name may be spelled in another way than the system has it.
    const real = canonical(path);
    if (foldPath(real) !== foldPath(path)) throw refusal('moved');
    return new PathDirectory(real, this.#noFollow);
  }

  readLink(name: string): string {
    return separated(fs.readlinkSync(this.at(name)));
  }

  open(name: string, flags: number): OpenedFile {
    const path = this.at(name);
    refuseIrregular(fs.lstatSync(path));
    const fd = fs.openSync(path, flags | quiet | this.#noFollow);
    try {
      const stat = fs.fstatSync(fd);
      refuseIrregular(stat);
      this.#confirm(path, stat);
      return { fd, stat };
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  create(name: string, mode: number, flags: number = O_WRONLY): number {
    const path = this.at(name);
    const fd = fs.openSync(path, flags | O_CREAT | O_EXCL | this.#noFollow, mode);
    try {
      this.#confirm(path, fs.fstatSync(fd));
      return fd;
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  close(): void {}

  /** Twice, because one look can itself be raced. */
  #confirm(path: string, opened: fs.Stats): void {
    for (let look = 0; look < 2; look++) {
      const named = fs.lstatSync(path);
      if (!this.still() || named.ino !== opened.ino || named.dev !== opened.dev) throw refusal('moved');
    }
  }
}

/** The system's own name of a path, with `/` as separator. Throws the system's error when nothing is there. */
export function canonical(path: string): string {
  return separated(fs.realpathSync.native(path));
}

function separated(path: string): string {
  return process.platform === 'win32' ? path.replace(/^\\\\\?\\/, '').replaceAll('\\', '/') : path;
}
