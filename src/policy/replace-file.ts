import { open, rename, rm, stat } from 'node:fs/promises';
import { readTextSync } from '../basics/read-text.ts';

/**
 * Changes a file of text as a whole: reads it (`undefined` when there is none), lets `change` make the new text, and
 * puts that in its place by a rename, so that nobody ever sees half of it. It keeps its permission bits; a new file is for
 * its owner only. Of several processes that change it at the same time one does; the others wait for up to about two
 * seconds and then fail.
 *
 * Rejects when it cannot be read or written, with whatever `change` throws, and when a process that died has left
 * `FILE.lock` behind, which the message says.
 */
export async function replaceFile(path: string, change: (text: string | undefined) => string): Promise<void> {
  // What is created exclusively is both the lock and the new file: there is nothing that could get out of step.
  const lock = `${path}.lock`;
  const file = await exclusively(lock);
  try {
    try {
      await file.writeFile(change(readTextSync(path)), 'utf8');
      const mode = await modeOf(path);
      if (mode !== undefined) await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(lock, path);
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  }
}

const attempts = 40;
const pause = 50;

async function exclusively(lock: string): ReturnType<typeof open> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await open(lock, 'wx', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (attempt === attempts) {
        throw new Error(`${lock} is held by another process. If there is none, it was left behind: remove it.`);
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
