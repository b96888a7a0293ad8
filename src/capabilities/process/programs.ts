import fs from 'node:fs';
import { withSlashes } from '../../basics/slashes.ts';
import { commandRefusal } from './refusal.ts';

/** The folders in which programs are looked for: constant, never those of the environment. */
export const systemPath: readonly string[] = [
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
];

export interface ProgramSearch {
  /** Absolute folders, in order. */
  readonly path: readonly string[];
  /** Absolute, canonical folders that tools may write to: what lies there was perhaps written by one. */
  readonly writable: readonly string[];
  readonly platform?: NodeJS.Platform;
  /** The canonical path of an executable regular file; `undefined` if there is none. For tests of other platforms. */
  readonly find?: (path: string) => string | undefined;
}

/**
 * The absolute file of a program that was named plainly; `undefined` if there is none. Fails with `command_denied` for
 * names with a folder, for batch files (their arguments are read again by a command interpreter), and for programs in
 * folders that tools may write to.
 */
export function findProgram(name: string, search: ProgramSearch): string | undefined {
  const { path, writable, platform = process.platform, find = executable } = search;
  if (/[/\\]/.test(name) || name === '.' || name === '..') throw commandRefusal('relative');
  const windows = platform === 'win32';
  // Windows drops dots and blanks at the end of a name.
  if (windows && /\.(?:bat|cmd)[. ]*$/i.test(name)) throw commandRefusal('script');
  const names = windows && !/\.(?:exe|com)$/i.test(name) ? [`${name}.exe`, `${name}.com`] : [name];
  for (const folder of path) {
    for (const candidate of names) {
      const file = `${folder.replace(/[\\/]$/, '')}/${candidate}`;
      const real = find(file);
      if (real === undefined) continue;
      if (windows && /\.(?:bat|cmd)[. ]*$/i.test(real)) throw commandRefusal('script');
      if (writable.some((root) => real === root || real.startsWith(`${root}/`))) throw commandRefusal('writable');
      return file;
    }
  }
  return undefined;
}

function executable(path: string): string | undefined {
  try {
    const real = fs.realpathSync.native(path);
    if (!fs.statSync(real).isFile()) return undefined;
    fs.accessSync(real, fs.constants.X_OK);
    return withSlashes(real);
  } catch {
    return undefined;
  }
}
