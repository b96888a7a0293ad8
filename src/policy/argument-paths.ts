import { withSlashes } from '../basics/slashes.ts';
import type { Effect } from '../types.ts';
import { every, type Match, some } from './match.ts';
import { isAbsolute, pathMatcher } from './paths.ts';
import type { PolicyRequest } from './policy.ts';
import { declared } from './values.ts';

/**
 * As {@link pathMatcher}, of an argument. In arguments, paths in the first root are relative to it: an absolute glob is held
 * against what the path guard found that they name.
 */
export function argumentPathTest(
  globs: readonly string[],
  wide: boolean,
): (path: unknown, request: PolicyRequest) => Match {
  const test = pathMatcher(globs, wide);
  const absolute = globs.filter(isAbsolute);
  if (absolute.length === 0) return (path, request) => test(path, mayWalk(request));
  const foundTest = pathMatcher(absolute, wide);
  return (path, request) => {
    const walks = mayWalk(request);
    const match = test(path, walks);
    if (match !== 'no' || typeof path !== 'string' || isAbsolute(path)) return match;
    const matches = foundFor(path, request).map((found) => foundTest(found, walks));
    // Where it could be one of several, all must match to allow anything.
    return wide || matches.length === 0 ? some(matches) : every(matches);
  };
}

/** Whether a call may also touch what lies below the folders that it names. */
export function mayWalk({ tool, arguments: args }: PolicyRequest): boolean {
  return tool.walks === undefined || tool.walks(args) !== false;
}

/** The absolute paths for which a relative one in a declared argument may stand. */
function foundFor(path: string, { tool, arguments: args, effects }: PolicyRequest): readonly string[] {
  if (tool.paths === undefined || !declared(args, Object.keys(tool.paths)).includes(path)) return [];
  return effects.flatMap((effect) => (standsFor(path, effect) ? [withSlashes(effect.path)] : []));
}

/** The paths relative to the first root by which the arguments may name what an effect touches. */
export function relativePathsOf(effect: PathEffect, { tool, arguments: args }: PolicyRequest): readonly string[] {
  const { paths = {} } = tool;
  const pointers = Object.keys(paths).filter((pointer) => `fs.${paths[pointer]}` === effect.kind);
  return declared(args, pointers).filter(
    (path): path is string => typeof path === 'string' && !isAbsolute(path) && standsFor(path, effect),
  );
}

type PathEffect = Extract<Effect, { path: string }>;

function standsFor(path: string, effect: Effect): effect is PathEffect {
  return 'path' in effect && (path === '.' || withSlashes(effect.path).endsWith(`/${path}`));
}
