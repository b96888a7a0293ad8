import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The two ends of a pipe, open in this process until they are handed on. */
export interface Pipe {
  readonly reading: number;
  readonly writing: number;
}

/**
 * Makes pipes between programs; `undefined` where there are none to be had (Windows). What Node.js calls a pipe is a
 * pair of sockets, of which a program whose reader leaves early complains loudly, where a pipe ends it silently.
 */
export async function makePipes(count: number): Promise<readonly Pipe[] | undefined> {
  if (process.platform === 'win32') return undefined;
  const folder = fs.mkdtempSync(join(tmpdir(), 'callgate-'));
  const pipes: Pipe[] = [];
  try {
    const names = Array.from({ length: count }, (_, at) => join(folder, String(at)));
    await promisify(execFile)('/usr/bin/mkfifo', names, { env: {} });
    for (const name of names) pipes.push(openBoth(name));
    return pipes;
  } catch {
    closePipes(pipes);
    return undefined;
  } finally {
    // Open pipes need no name.
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

export function closePipes(pipes: readonly Pipe[]): void {
  for (const { reading, writing } of pipes) {
    fs.closeSync(reading);
    fs.closeSync(writing);
  }
}

/** Without waiting for anybody at the other end. */
function openBoth(name: string): Pipe {
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = fs.constants;
  const reading = fs.openSync(name, O_RDONLY | O_NONBLOCK);
  try {
    return { reading, writing: fs.openSync(name, O_WRONLY | O_NONBLOCK) };
  } catch (error) {
    fs.closeSync(reading);
    throw error;
  }
}
