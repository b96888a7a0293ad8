import type { Match } from './match.ts';
import { minimatch } from './names.ts';

/**
 * A test for path globs on a canonical path, separated by `/`.
 *
 * An `allow` matches narrowly: exact case, and names that begin with a dot only where the glob says the dot.
 * With `wide`, as rules need that forbid or ask, letter case, Unicode forms, trailing dots and blanks and `:streams` do
 * not count, `folder/**` covers the folder itself, and a relative glob holds at any depth of an absolute path.
 *
 * A path that is not canonical (`..`, `.`, empty parts, backslashes) is not matched by an `allow`, and makes a wide test
 * unsure where it does not match anyway.
 */
export function pathMatcher(globs: readonly string[], wide: boolean): (path: unknown) => Match {
  const literal = new Set(globs);
  let tests: ((path: string) => boolean)[] | undefined;
  return (path) => {
    if (typeof path !== 'string') return 'unsure';
    if (!wide && !isCanonical(path)) return 'unsure';
    if (literal.has(path)) return 'yes';
    tests ??= globs.flatMap((glob) => (wide ? wideTests(glob) : [narrowTest(glob)]));
    if (tests.some((test) => test(path))) return 'yes';
    return isCanonical(path) ? 'no' : 'unsure';
  };
}

function narrowTest(glob: string): (path: string) => boolean {
  const { Minimatch } = minimatch();
  const pattern = new Minimatch(glob, { nonegate: true, nocomment: true });
  return (path) => pattern.match(path);
}

function wideTests(glob: string): ((path: string) => boolean)[] {
  const { Minimatch } = minimatch();
  const options = { dot: true, nonegate: true, nocomment: true, nocase: true } as const;
  const globs = isAnchored(glob) ? [glob] : [glob, `/**/${glob}`];
  const folders = globs.flatMap((one) => (one.endsWith('/**') ? [one, one.slice(0, -3)] : [one]));
  return folders.flatMap((one) => {
    const asWritten = new Minimatch(one, options);
    const folded = new Minimatch(foldPath(one), options);
    return [(path: string) => asWritten.match(path), (path: string) => folded.match(foldPath(path))];
  });
}

/** Whether a glob can match an absolute path. */
export function isAnchored(glob: string): boolean {
  return /^(\/|[A-Za-z]:\/|\*\*\/)/.test(glob) || glob === '**';
}

function isCanonical(path: string): boolean {
  if (path === '.') return true;
  if (path === '' || path.includes('\\') || path.includes('\0')) return false;
  const parts = path.split('/');
  // A leading slash makes the first part empty, and that one is part of an absolute path.
  return parts.every((part, at) => part !== '.' && part !== '..' && (part !== '' || at === 0));
}

/** What file systems that fold names would take for the same path. */
function foldPath(path: string): string {
  return path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKD')
    .toLowerCase()
    .toUpperCase()
    .split('/')
    .map((part) => part.replace(/:.*$/, '').replace(/[. ]+$/, '') || part)
    .join('/');
}
