import type { Stats } from 'node:fs';
import type { ScopedStat } from './types.ts';

/**
 * Changes whenever the content may have: identity, size, and both times, since programs can set the time of
 * modification back, but not the time of change.
 */
export function etagOf(stat: Stats): string {
  return `${stat.ino}-${stat.size}-${stat.mtimeMs}-${stat.ctimeMs}`;
}

export function scopedStat(stat: Stats): ScopedStat {
  return { type: typeOf(stat), size: stat.size, mtimeMs: stat.mtimeMs, etag: etagOf(stat) };
}

/** Of a stat or a folder's entry. */
export function typeOf(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): ScopedStat['type'] {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'dir' : entry.isSymbolicLink() ? 'link' : 'other';
}
