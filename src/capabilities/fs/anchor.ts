import fs from 'node:fs';
import { foldPath } from './names.ts';
import { errnoOf, refusal } from './refusal.ts';
import type { FsLevel } from './types.ts';

/**
 * A folder in hand. What is done through it happens in this very folder, wherever its name leads by now, as far as
 * the platform can promise that. To be closed.
 */
export interface Directory {
  /** Absolute; the name that the operating system gave for the folder in hand. */
  readonly real: string;
  /** The open handle, where the platform has such. */
  readonly handle?: number;
  /** A path by which an entry is reached through this folder. */
  at(name: string): string;
  /** Whether the folder still is where it was when it was taken in hand. */
  still(): boolean;
  /** Takes a folder in this folder in hand; never through a link. Throws the system's error, or a refusal. */
  child(name: string): Directory;
  /** Where a link in this folder finally leads, absolute; nothing if it leads nowhere, `loop` if in a circle. */
  follow(name: string): string | 'loop' | undefined;
  /** Opens an existing regular file, never through a link, and without a side effect on anything else. */
  open(name: string, flags: number): OpenedFile;
  /** Makes and opens a new file; fails when the name is taken, be it by a link that leads nowhere. */
  create(name: string, mode: number, flags?: number): number;
  close(): void;
}

export interface OpenedFile {
  readonly fd: number;
  readonly stat: fs.Stats;
}

/** How folders are taken in hand on this platform. */
export interface Anchor {
  readonly level: FsLevel;
  /** Takes the folder at an absolute path in hand; it may follow links, so `real` must be looked at. */
  hold(path: string): Directory;
}

// Node has no name for O_PATH: a handle that names an object without opening it, so that nothing happens to pipes and
// devices. This value holds for Linux on x64, arm64 and every other architecture that Node is built for.
const O_PATH = 0o10000000;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = fs.constants;
// Windows lacks these.
const O_NOFOLLOW: number = fs.constants.O_NOFOLLOW ?? 0;
const O_DIRECTORY: number = fs.constants.O_DIRECTORY ?? 0;
const quiet: number = (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOCTTY ?? 0);
// macOS (sys/fcntl.h): opening fails when any part of the path is a link. Not to be joined with O_NOFOLLOW.
const O_NOFOLLOW_ANY = 0x20000000;

/** The best way that this machine offers. */
export function chooseAnchor(platform: NodeJS.Platform = process.platform): Anchor {
  if (platform === 'linux' && procNamesHandles()) return linuxAnchor;
  return platform === 'darwin'
    ? pathAnchor('no-follow-any', O_NOFOLLOW_ANY)
    : pathAnchor('best-effort', platform === 'win32' ? 0 : O_NOFOLLOW);
}

function procNamesHandles(): boolean {
  try {
    const handle = fs.openSync('/', O_PATH | O_DIRECTORY);
    try {
      return fs.readlinkSync(`/proc/self/fd/${handle}`) === '/';
    } finally {
      fs.closeSync(handle);
    }
  } catch {
    return false;
  }
}

/**
 * Linux: a folder is a handle, the kernel is asked where that handle is, and every operation goes through the handle
 * by way of `/proc/self/fd`. A name that is moved between check and use then changes nothing.
 */
export const linuxAnchor: Anchor = {
  level: 'kernel-anchored',
  hold: (path) => new LinuxDirectory(fs.openSync(path, O_PATH | O_DIRECTORY)),
};

class LinuxDirectory implements Directory {
  readonly real: string;
  readonly handle: number;

  constructor(handle: number) {
    this.handle = handle;
    try {
      this.real = fs.readlinkSync(`/proc/self/fd/${handle}`);
      // A deleted folder has a name of " (deleted)", which another folder may really bear; its link count cannot lie.
      if (fs.fstatSync(handle).nlink === 0) throw refusal('moved');
    } catch (error) {
      fs.closeSync(handle);
      throw error;
    }
  }

  at(name: string): string {
    return `/proc/self/fd/${this.handle}/${name}`;
  }

  still(): boolean {
    return fs.readlinkSync(`/proc/self/fd/${this.handle}`) === this.real && fs.fstatSync(this.handle).nlink > 0;
  }

  child(name: string): Directory {
    const child = new LinuxDirectory(fs.openSync(this.at(name), O_PATH | O_DIRECTORY | O_NOFOLLOW));
    if (child.real === join(this.real, name)) return child;
    child.close();
    throw refusal('moved');
  }

  follow(name: string): string | 'loop' | undefined {
    let handle: number | undefined;
    try {
      handle = fs.openSync(this.at(name), O_PATH);
      return fs.fstatSync(handle).nlink === 0 ? undefined : fs.readlinkSync(`/proc/self/fd/${handle}`);
    } catch (error) {
      return errnoOf(error) === 'ELOOP' ? 'loop' : undefined;
    } finally {
      if (handle !== undefined) fs.closeSync(handle);
    }
  }

  open(name: string, flags: number): OpenedFile {
    const handle = fs.openSync(this.at(name), O_PATH | O_NOFOLLOW);
    try {
      const stat = fs.fstatSync(handle);
      refuseIrregular(stat);
      return { fd: fs.openSync(`/proc/self/fd/${handle}`, flags | quiet), stat };
    } finally {
      fs.closeSync(handle);
    }
  }

  create(name: string, mode: number, flags: number = O_WRONLY): number {
    return fs.openSync(this.at(name), flags | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  }

  close(): void {
    fs.closeSync(this.handle);
  }
}

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
    if (foldPath(canonical(path)) !== foldPath(path)) throw refusal('moved');
    return new PathDirectory(path, this.#noFollow);
  }

  follow(name: string): string | 'loop' | undefined {
    try {
      return canonical(this.at(name));
    } catch (error) {
      return errnoOf(error) === 'ELOOP' ? 'loop' : undefined;
    }
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

function refuseIrregular(stat: fs.Stats): void {
  if (stat.isFile()) return;
  throw refusal(stat.isDirectory() ? 'is-dir' : stat.isSymbolicLink() ? 'moved' : 'not-regular');
}

function join(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

/** The system's own name of a path, with `/` as separator. Throws the system's error when nothing is there. */
export function canonical(path: string): string {
  const real = fs.realpathSync.native(path);
  return process.platform === 'win32' ? real.replace(/^\\\\\?\\/, '').replaceAll('\\', '/') : real;
}

/** Flags for opening, under names that say what for. */
export const openFor: { readonly reading: number; readonly appending: number } = {
  reading: O_RDONLY,
  appending: O_WRONLY | (fs.constants.O_APPEND ?? 0),
};
