import { minimatch } from '../../basics/minimatch.ts';
import { foldPath, foldPathWithoutStreams } from './names.ts';
import { isProtected } from './protected.ts';
import type { PathIntent } from './types.ts';

export interface PathRuleOptions {
  /**
   * Globs of what may be touched, relative to the root, exact in case and spelling; `X/**` includes `X`.
   * Default: everything in the roots.
   */
  readonly allow?: readonly string[];
  /**
   * Globs of what may never be touched, relative to the root; stronger than `allow`. They match wide: in every case
   * and Unicode form, on every platform, and a folder with all that is in it: `X` and `X/**` both forbid both. A glob
   * names its place from the root on: begin it with two asterisks and a slash to mean every depth. Where one root lies
   * in another, what is forbidden from either is forbidden. Default: none.
   */
  readonly deny?: readonly string[];
  /** Globs of protected files (see `isProtected`) that may be written all the same. Default: none. */
  readonly allowProtected?: readonly string[];
}

/**
 * Says which rule forbids a path, if any: `rule` or `protected`. With `around` the path is seen from a root around its
 * own: then only what forbids counts, since what may be touched is up to the path's own root.
 */
export type PathJudge = (rel: string, intent: PathIntent, around?: boolean) => 'rule' | 'protected' | undefined;

type Matcher = (path: string) => boolean;

// `!` and `#` at the start of a glob are ordinary characters: an allow list that begins with `!` would allow the rest.
const options = { dot: true, nonegate: true, nocomment: true, platform: 'linux' } as const;
const maxRules = 1000;
const maxModelGlob = 256;

/** Compiles allow and deny globs. Throws a TypeError for a glob that could not do what it seems to say. */
export function compileRules(rules: PathRuleOptions): PathJudge {
  const never: Matcher = () => false;
  const always: Matcher = () => true;
  const { allow: allowed, deny: denied, allowProtected } = rules;
  const allow = allowed === undefined ? always : anyOf(allowed, 'allow', exact);
  const deny = denied === undefined ? never : ofFolded(anyOf(denied, 'deny', wide));
  const unprotected = allowProtected === undefined ? never : anyOf(allowProtected, 'allowProtected', exact);
  return (rel, intent, around = false) => {
    // The root is no name in itself: what it lists is judged entry by entry, and changing it is refused elsewhere.
    if (rel === '') return undefined;
    if (deny(rel) || !(around || allow(rel))) return 'rule';
    if (intent === 'write' && isProtected(rel) && !unprotected(rel)) return 'protected';
    return undefined;
  };
}

/**
 * A matcher for a glob that a model wrote; nothing for one that is too intricate. So that it cannot take long, it has at
 * most 256 characters and three brace groups, which give at most 100 patterns, and extended patterns mean nothing. A
 * name with brackets, as web frameworks like them, also matches literally. A glob without `/` matches at any depth.
 */
export function compileModelGlob(glob: string): Matcher | undefined {
  if (glob.length > maxModelGlob || glob.split('{').length > 4) return undefined;
  const rooted = glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`;
  const patterns = rooted.includes('[') ? [rooted, rooted.replace(/[[\]]/g, '\\$&')] : [rooted];
  const matchers = patterns.map((pattern) => compile(pattern, { ...options, noext: true, braceExpandMax: 100 }));
  return (path) => matchers.some((matches) => matches(path));
}

function anyOf(globs: readonly string[], option: string, make: (glob: string) => Matcher): Matcher {
  if (!Array.isArray(globs)) throw new TypeError(`pathGuard({ ${option} }) must be a list of globs.`);
  if (globs.length > maxRules) throw new TypeError(`pathGuard({ ${option} }) may have ${maxRules} globs at most.`);
  const matchers = globs.map((glob) => {
    refuseUseless(glob, option);
    return make(glob);
  });
  return (path) => matchers.some((matches) => matches(path));
}

function refuseUseless(glob: unknown, option: string): asserts glob is string {
  const problem =
    typeof glob !== 'string' || glob === ''
      ? 'is not a glob'
      : glob.startsWith('/') || /^[A-Za-z]:/.test(glob) || glob.startsWith('~')
        ? 'must be relative to the root'
        : glob.split('/').includes('..') || glob.startsWith('./')
          ? 'can never match: paths are compared without "." and ".."'
          : glob.endsWith('/')
            ? 'must not end in "/"; write X/** for a folder'
            : glob.includes('\\') && !/\\[[\](){}*?!+@\\]/.test(glob)
              ? 'must separate folders with "/"'
              : /\[:upper:\]/i.test(glob)
                ? 'must not ask for upper case'
                : undefined;
  if (problem) throw new TypeError(`pathGuard({ ${option} }): the glob ${JSON.stringify(glob)} ${problem}.`);
}

function exact(glob: string): Matcher {
  const matches = compile(glob, options);
  const folder = folderOf(glob);
  const isFolder = folder === undefined ? undefined : compile(folder, options);
  return (path) => matches(path) || isFolder?.(path) === true;
}

function wide(glob: string): Matcher {
  const folded = glob.includes('[') ? foldPath(glob) : foldPathWithoutStreams(glob);
  const itself = exact(folded);
  const below = glob.endsWith('/**') ? undefined : compile(`${folded}/**`, options);
  return (path) => itself(path) || below?.(path) === true;
}

/** Asks of a path in its folded forms, which the globs have as well. */
function ofFolded(matches: Matcher): Matcher {
  return (path) => matches(foldPath(path)) || (path.includes(':') && matches(foldPathWithoutStreams(path)));
}

/** `X` of `X/**`. */
function folderOf(glob: string): string | undefined {
  return glob.endsWith('/**') ? glob.slice(0, -3) : undefined;
}

function compile(glob: string, how: import('minimatch').MinimatchOptions): Matcher {
  const { Minimatch } = minimatch();
  const compiled = new Minimatch(glob, how);
  return (path) => compiled.match(path);
}
