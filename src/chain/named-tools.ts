import { didYouMean } from '../basics/nearest.ts';
import type { Tool } from '../tool.ts';
import { type AnyStage, traitsOf } from '../traits.ts';

/**
 * A name of tools among the options of a stage, which says so by a property `namesTools` of its own: a limit for a tool that
 * is misspelt is a limit for nothing, and nobody would hear of it.
 */
export interface NamedTools {
  /** The option, as it is written. */
  readonly option: string;
  /** A tool's name, a pattern, a tag. */
  readonly name: string;
  /** Whether a tool is one of those that are meant. */
  readonly means: (tool: Tool) => boolean;
}

/** Tools that are named one by one. */
export function namedTools(option: string, names: Iterable<string>): readonly NamedTools[] {
  return Array.from(names, (name) => ({ option, name, means: (tool: Tool) => tool.name === name }));
}

/**
 * What the stages of a pipeline name. In front of the one that looks for the tool there is only the name in a call, which may
 * be one that models make up: a stage there can be meant for just that.
 */
export function namedIn(entries: readonly { readonly stage: AnyStage }[]): readonly NamedTools[] {
  const lookup = entries.findIndex(({ stage }) => traitsOf(stage).adds?.includes('tool'));
  return namedBy(entries.slice(lookup + 1));
}

/** What stages name. */
export function namedBy(stages: readonly { readonly stage: object }[]): readonly NamedTools[] {
  return stages.flatMap(({ stage }) => ('namesTools' in stage ? (stage.namesTools as readonly NamedTools[]) : []));
}

/** What is meant for no tool there is, in words for whoever wrote it. */
export function unmatched(named: readonly NamedTools[], tools: readonly Tool[]): readonly string[] {
  const odd = named.filter(({ means }) => !tools.some(means));
  const names = tools.map((tool) => tool.name);
  return odd.map(
    ({ option, name }) => `${option} names "${name}", which stands for none of the tools.${didYouMean(name, names)}`,
  );
}
