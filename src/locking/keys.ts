import { isAbsolute, normalize } from 'node:path';

const isWindows = process.platform === 'win32';

/** Whether a key stands for a file. All others are names, and mean just what they say. */
export function isPath(key: string): boolean {
  return isWindows ? isAbsolute(key) || /^[a-z]:$/i.test(key) : key.startsWith('/');
}

/** A path without what changes nothing about where it leads, and with `/` between its names; any other key as it is. */
export function plain(key: string): string {
  const isPlain = !isPath(key) || !(isWindows || key.includes('/.') || key.includes('//'));
  if (isPlain) return key;
  return isWindows ? normalize(key).replaceAll('\\', '/') : normalize(key);
}

/**
 * One spelling for what some file system takes for one name: which of them tell `A` from `a` differs by folder, also on
 * Linux. Too much in one is safe, too little is not.
 */
export function folded(path: string): string {
  // In lower case first, since some letters have two of these and one upper case.
  return /[^ -~]/.test(path) ? path.toLowerCase().toUpperCase().normalize('NFC') : path.toUpperCase();
}
/** How much is kept in mind, in characters of the folders' names. */
const mostCharacters = 100_000;

const known = new Map<string, readonly string[]>();
let characters = 0;

/**
 * The keys of a folder and of all that stand above it, the nearest first, of a path up to the root; the folder itself is
 * written without a `/` at its end, the root as nothing. Calls touch the same folders again and again, and keys that were
 * used before are found faster.
 */
export function foldersAt(folder: string): readonly string[] {
  const before = known.get(folder);
  if (before !== undefined) return before;
  const isInRoot = folder === '' || isPath(folder);
  const key = isInRoot ? folded(folder) : folder;
  const keys: string[] = [];
  for (let at = key.length; at > 0; at = key.lastIndexOf('/', at - 1)) keys.push(key.slice(0, at));
  if (isInRoot) keys.push('/');
  characters += folder.length;
  if (characters > mostCharacters) {
    known.clear();
    characters = folder.length;
  }
  known.set(folder, keys);
  return keys;
}
