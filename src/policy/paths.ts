import { minimatch } from '../basics/minimatch.ts';
import type { Match } from './match.ts';

/**
 * A test for path globs on a canonical path, separated by `/`.
 *
 * An `allow` matches narrowly: exact case, and names that begin with a dot only where the glob says the dot.
 * With `wide`, as rules need that forbid or ask, letter case, Unicode forms, trailing dots and blanks and `:streams` do
 * not count, `folder/**` covers the folder itself, and a relative glob holds at any depth of an absolute path.
 *
 * Where a wide glob begins with plain names, a folder that contains what they name is not sure to be left alone by a call that
 * walks: reading `.` reads `secrets/**` as well. A glob that begins with a wildcard has no such folder.
 *
 * A path that is not canonical (`..`, `.`, empty parts, backslashes) is not matched by an `allow`, and makes a wide test
 * unsure where it does not match anyway.
 */
export function pathMatcher(written: readonly string[], wide: boolean): (path: unknown, walks?: boolean) => Match {
  const globs = written.flatMap(withoutDots);
  const literal = new Set(globs);
  let tests: readonly PathTest[] | undefined;
  let contains: PathTest | undefined;
  return (path, walks = true) => {
    if (typeof path !== 'string') return 'unsure';
    const read = readPath(path);
    if (!wide && !read.canonical) return 'unsure';
    if (literal.has(path)) return 'yes';
    tests ??= globs.map(wide ? wideTest : narrowTest);
    for (const test of tests) if (test(read)) return 'yes';
    if (!read.canonical) return 'unsure';
    if (!wide || !walks) return 'no';
    contains ??= containingTest(globs);
    return contains(read) ? 'unsure' : 'no';
  };
}

/** A glob and, where it has parts that no canonical path has, the glob that is meant. */
function withoutDots(glob: string): readonly string[] {
  const plain = glob.replace(/^(?:\.\/+)+(?=[^/])/, '').replace(/\/(?:\.?\/)+/g, '/');
  return plain === glob ? [glob] : [glob, plain];
}

/** Tests whether a path is a folder above what one of the globs names, as far as their beginnings tell. */
function containingTest(globs: readonly string[]): PathTest {
  const beginnings = globs.flatMap(beginningsOf);
  return ({ folded, absolute }) => {
    const folder = folded === '.' ? '' : folded.replace(/\/?$/, '/');
    return beginnings.some((beginning) => beginning.startsWith('/') === absolute && beginning.startsWith(folder));
  };
}

/** Whether the folders that contain what a glob names are all known from its beginning, as those of `a/b/**` are. */
export function tellsItsFolders(glob: string): boolean {
  const { Minimatch } = minimatch();
  const { set } = new Minimatch(glob.replace(/^(?:\.\/+)+/, ''), { dot: true, nonegate: true, nocomment: true });
  return set.every((parts) => {
    const wildcard = parts.findIndex((part) => typeof part !== 'string');
    if (wildcard < 0) return true;
    const isLast = wildcard === parts.length - 1;
    return isLast && (typeof parts[wildcard] === 'symbol' || parts.slice(0, wildcard).some((name) => name !== ''));
  });
}

/** The plain names that a glob begins with, folded, each followed by `/`; one text for each alternative in braces. */
function beginningsOf(glob: string): readonly string[] {
  const { Minimatch } = minimatch();
  const { set } = new Minimatch(foldPath(glob), { dot: true, nonegate: true, nocomment: true });
  return set.flatMap((parts) => {
    const wildcard = parts.findIndex((part) => typeof part !== 'string');
    const names = wildcard < 0 ? parts : parts.slice(0, wildcard);
    return names.some((name) => name !== '') ? [`${names.join('/')}/`] : [];
  });
}

interface ReadPath {
  readonly path: string;
  readonly absolute: boolean;
  readonly canonical: boolean;
  readonly folded: string;
}

type PathTest = (read: ReadPath) => boolean;

let last: ReadPath = { path: '.', absolute: false, canonical: true, folded: '.' };

/** Reads a path once for all the rules that are asked about it, one after another. */
function readPath(path: string): ReadPath {
  if (last.path !== path) {
    last = { path, absolute: isAbsolute(path), canonical: isCanonical(path), folded: foldPath(path) };
  }
  return last;
}

function narrowTest(glob: string): PathTest {
  const { Minimatch } = minimatch();
  const pattern = new Minimatch(glob, { nonegate: true, nocomment: true });
  return ({ path }) => pattern.match(path);
}

function wideTest(glob: string): PathTest {
  const near = foldedTest(glob);
  if (isAnchored(glob)) return near;
  const far = foldedTest(`/**/${glob}`);
  return (read) => (read.absolute ? far(read) : near(read));
}

function foldedTest(glob: string): PathTest {
  const { Minimatch } = minimatch();
  const options = { dot: true, nonegate: true, nocomment: true, nocase: true } as const;
  // What lies below a folder matches `folder/**`; with one more part, so does the folder.
  const end = glob.endsWith('/**') ? '/_' : '';
  const folded = new Minimatch(foldPath(glob), options);
  const part = literalPart(foldPath(glob));
  const test: PathTest = (read) => read.folded.includes(part) && folded.match(read.folded + end);
  if (/^[\w./* -]+$/.test(glob)) return test;
  // Folding may have changed what the glob's own signs mean, such as the letters in `[[:alpha:]]`.
  const asWritten = new Minimatch(glob, options);
  return (read) => test(read) || asWritten.match(read.path + end);
}

/** The longest text that whatever matches must contain; '' when that is hard to tell. Spares most paths the glob. */
function literalPart(glob: string): string {
  if (/[{}()[\]\\]/.test(glob)) return '';
  const parts = glob.split(/[*?/]+/);
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

/** Whether a path or glob is absolute. */
export function isAbsolute(path: string): boolean {
  return /^(\/|[A-Za-z]:\/)/.test(path);
}

/** Whether a glob can match an absolute path. */
export function isAnchored(glob: string): boolean {
  return isAbsolute(glob) || /^\*\*(\/|$)/.test(glob);
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
  // A drive is a folder like any other, so that `/**/` reaches it.
  const whole = /^[A-Za-z]:\//.test(path) ? `/${path}` : path;
  return whole
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKD')
    .toLowerCase()
    .toUpperCase()
    .split('/')
    .map((part) => part.replace(/:.*$/, '').replace(/[. ]+$/, '') || part)
    .join('/');
}
