import { type AddsNothing, standingFor, traitsWhenSkippable } from '../src/chain/conditional.ts';
import { namedBy } from '../src/chain/named-tools.ts';
import { nameMatcher } from '../src/policy/names.ts';
import type { ToolResult } from '../src/result.ts';
import { type AnyStage, makesStages, withTraits } from '../src/traits.ts';
import type { Call, Maybe, Next, Stage } from '../src/types.ts';

/** How many names are kept in mind; names of calls come from a model and may be anything. */
const mostNames = 1_000;
/** The longest pattern that minimatch takes, in characters. */
const longestGlob = 65_536;

/**
 * Runs a stage only for calls of the tools whose names match one of the globs; the others go past it. `*` stands for
 * anything but `/`, `**` as a whole part for anything, `{a,b}` for either; `!` and `#` have no special meaning.
 *
 * Refused when built, with a TypeError: a stage that adds something to the context, and a guard, as in `when`.
 *
 * Fails with whatever the stage inside fails with.
 *
 * @example
 * defaultPipeline().before('timeout', 'slowly', forTools(['search_*', 'browser/**'], rateLimit({ perMinute: 10 })))
 */
export function forTools<S extends AnyStage>(
  globs: string | readonly string[],
  stage: S & AddsNothing<S>,
): Stage<Call & Parameters<S>[0]> {
  const list = typeof globs === 'string' ? [globs] : globs;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isGlob)) {
    throw new TypeError('forTools() takes globs of tool names, at least one and none empty, and a stage.');
  }
  const traits = traitsWhenSkippable('forTools', stage);
  const matches = rememberingMatcher([...list]);

  function forTools(ctx: Call & Parameters<S>[0], next: Next): Maybe<ToolResult> {
    const { tool } = ctx as { tool?: { name: string } };
    return matches(tool?.name ?? ctx.call.name) ? stage(ctx, next) : next();
  }
  Object.defineProperty(forTools, 'name', { value: `forTools(${stage.name || 'stage'})` });
  const outer = standingFor(withTraits(forTools as Stage<Call & Parameters<S>[0]>, traits), stage);
  const namesTools = list.map((glob) => ({ option: 'forTools()', name: glob, means: meansOf(glob) }));
  return Object.assign(outer, { namesTools: [...namesTools, ...namedBy([{ stage }])] });
}
makesStages(forTools);

function meansOf(glob: string): (tool: { readonly name: string }) => boolean {
  const matches = nameMatcher([glob], false);
  return ({ name }) => matches(name);
}

function isGlob(glob: unknown): boolean {
  return typeof glob === 'string' && glob !== '' && glob.length <= longestGlob;
}

/** For names that come again and again. */
function rememberingMatcher(globs: readonly string[]): (name: string) => boolean {
  const known = new Map<string, boolean>();
  const matches = nameMatcher(globs, false);
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const matched = matches(name);
    if (known.size >= mostNames) known.clear();
    known.set(name, matched);
    return matched;
  };
}
