import { minimatch } from '../basics/minimatch.ts';

/** Text as rules compare it that forbid or ask: neither letter case nor the Unicode form of a letter counts. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Whether a name is a pattern for minimatch. */
function isGlob(pattern: string): boolean {
  return /[*?[\]{}()!+@\\]/.test(pattern);
}

/**
 * A test for a list of exact names and globs (minimatch, with `dot`, without negation and comments). `*` stays within
 * one part of a name such as `server/tool`, `**` goes across.
 *
 * With `wide`, as rules need that forbid or ask, letter case does not count and `*` goes across `/` as well.
 */
export function nameMatcher(patterns: readonly string[], wide: boolean): (name: string) => boolean {
  const exact = new Set(wide ? patterns.map(foldText) : patterns);
  const globs = patterns.filter(isGlob);
  let tests: ((name: string) => boolean)[] | undefined;
  return (name) => {
    if (exact.has(wide ? foldText(name) : name)) return true;
    if (globs.length === 0) return false;
    tests ??= globs.flatMap((glob) => globTests(glob, wide));
    return tests.some((test) => test(name));
  };
}

function globTests(glob: string, wide: boolean): ((name: string) => boolean)[] {
  const asWritten = globTest(glob);
  if (!wide) return [asWritten];
  const folded = globTest(foldText(glob));
  // With no separator left, a star covers the whole name.
  const flat = globTest(flatten(foldText(glob)));
  return [asWritten, (name) => folded(foldText(name)), (name) => flat(flatten(foldText(name)))];
}

function globTest(glob: string): (name: string) => boolean {
  const { Minimatch } = minimatch();
  // On Windows, too, a tool's name is no path of the system: a backslash is a backslash.
  const pattern = new Minimatch(glob, { dot: true, nonegate: true, nocomment: true, platform: 'linux' });
  return (name) => pattern.match(name);
}

function flatten(text: string): string {
  return text.replaceAll('/', ':');
}
