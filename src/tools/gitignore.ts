import { minimatch } from '../basics/minimatch.ts';

interface Rule {
  readonly ignores: boolean;
  readonly foldersOnly: boolean;
  matches(path: string): boolean;
}

/** Says of an entry, by its path below the folder in which the file of rules stands, whether it is to be ignored. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean | undefined;

const maxRules = 2000;
const longestLine = 1000;

/** Reads a `.gitignore`, as https://git-scm.com/docs/gitignore describes it. The last rule that matches decides. */
export function parseGitignore(text: string): IgnoreRules {
  const rules = text.split(/\r?\n/).slice(0, maxRules).flatMap(parseRule).reverse();
  return (path, isFolder) => rules.find((rule) => (isFolder || !rule.foldersOnly) && rule.matches(path))?.ignores;
}

function parseRule(line: string): Rule[] {
  // Before anything else: what follows takes longer than the line is long.
  if (line.length > longestLine) return [];
  let pattern = line.replace(/(?<!\\)\s+$/, '');
  if (pattern === '' || pattern.startsWith('#')) return [];
  const ignores = !pattern.startsWith('!');
  if (!ignores) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  if (pattern === '') return [];
  const { Minimatch } = minimatch();
  const compiled = new Minimatch(anchored ? pattern : `**/${pattern}`, {
    dot: true,
    nobrace: true,
    noext: true,
    nonegate: true,
    nocomment: true,
    platform: 'linux',
  });
  return [{ ignores, foldersOnly, matches: (path) => compiled.match(path) }];
}
