import fs from 'node:fs';
import { type Anchor, type Directory, join, type OpenedFile, quiet, refuseIrregular } from './directory.ts';
import { errnoOf, refusal } from './refusal.ts';

// Node has no name for O_PATH: a handle that names an object without opening it, so that nothing happens to pipes and
// devices. This value holds for Linux on x64, arm64 and every other architecture that Node is built for.
const O_PATH = 0o10000000;
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = fs.constants;

/** Whether `/proc` is there and names the handles of this process. */
export function procNamesHandles(): boolean {
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

  readLink(name: string): string {
    try {
      return fs.readlinkSync(this.at(name));
    } catch (error) {
      // It is no link any more.
      throw errnoOf(error) === 'EINVAL' ? refusal('moved') : error;
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
