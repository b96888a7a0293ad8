import fs from 'node:fs';
import { promisify } from 'node:util';
import { ToolError } from '../../errors.ts';
import { wholeCharacters } from '../whole-characters.ts';
import { openFor } from './directory.ts';
import { etagOf } from './etag.ts';
import { type Located, type Space, verdictOn } from './locate.ts';
import { foldPath, showName } from './names.ts';
import { fileFailure } from './refusal.ts';
import type { ReadTextOptions } from './types.ts';

// The step to the thread pool costs more than reading so little from a local disk.
const maxSynchronousBytes = 65_536;
const defaultMaxBytes = 1_048_576;
const maxLookAlikes = 10_000;
const readAsync = promisify(fs.read);

export interface ReadBytes {
  bytes: Buffer;
  etag: string;
  truncated: boolean;
  size: number;
}

/** Reads a located file through the folder in hand. */
export async function readLocated(
  space: Space,
  located: Located,
  options: ReadTextOptions,
  requested: string,
): Promise<ReadBytes> {
  if (located.stat === undefined) throw notFound(space, located, requested);
  const { fd, stat } = located.dir.open(located.name, openFor.reading);
  try {
    const from = Math.min(Math.max(options.range?.[0] ?? 0, 0), stat.size);
    const to = Math.min(Math.max(options.range?.[1] ?? stat.size, from), stat.size);
    const length = Math.min(to - from, options.maxBytes ?? defaultMaxBytes);
    const bytes = Buffer.allocUnsafe(length);
    const read = length <= maxSynchronousBytes ? readNow(fd, bytes, from) : await readLater(fd, bytes, from);
    return { bytes: bytes.subarray(0, read), etag: etagOf(stat), truncated: length < to - from, size: stat.size };
  } finally {
    fs.closeSync(fd);
  }
}

function readNow(fd: number, bytes: Buffer, position: number): number {
  let done = 0;
  while (done < bytes.length) {
    const read = fs.readSync(fd, bytes, done, bytes.length - done, position + done);
    if (read === 0) break;
    done += read;
  }
  return done;
}

async function readLater(fd: number, bytes: Buffer, position: number): Promise<number> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesRead } = await readAsync(fd, bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

/** Text of UTF-8; a character that a cut at the end has split is left out. */
export function decode({ bytes, truncated }: ReadBytes): string {
  return bytes.toString('utf8', 0, truncated ? wholeCharacters(bytes) : bytes.length);
}

/** The failure for a missing file; it names a file beside it whose name only looks or is typed the same. */
export function notFound(space: Space, located: Located, requested: string): ToolError {
  const plain = fileFailure({ code: 'ENOENT' }, requested);
  const twin = located.rest.length === 0 ? lookAlike(space, located) : undefined;
  return twin === undefined
    ? plain
    : new ToolError(`${plain.message} There is ${showName(twin)}, whose name is written with other characters.`, {
        ...plain.options,
        details: { reason: 'not-found', lookAlike: twin },
      });
}

function lookAlike(space: Space, { dir, name, rel, root }: Located): string | undefined {
  const wanted = looseFold(name);
  const parent = rel.slice(0, rel.length - name.length);
  try {
    const entries = fs.opendirSync(dir.at('.'));
    try {
      for (let seen = 0; seen < maxLookAlikes; seen++) {
        const entry = entries.readSync();
        if (entry === null) break;
        if (looseFold(entry.name) !== wanted) continue;
        const twin = parent + entry.name;
        if (verdictOn(space, { root, rel: twin }, 'read') !== undefined) continue;
        return entry.isFile() || entry.isDirectory() ? twin : undefined;
      }
    } finally {
      entries.closeSync();
    }
  } catch {
    // A hint is not worth a failure.
  }
  return undefined;
}

function looseFold(name: string): string {
  return foldPath(name)
    .replace(/[\u2018\u2019\u201b\u02bc]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s/g, ' ');
}
