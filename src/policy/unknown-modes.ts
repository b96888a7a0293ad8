import { didYouMean } from '../basics/nearest.ts';
import { nameMatcher } from './names.ts';
import type { Rule } from './rule.ts';

/** What is wrong with the modes that a rule is for; nothing where each of them stands for one that there is. */
export function modeFault({ mode }: Rule, modes: readonly string[]): string | undefined {
  if (mode === undefined) return undefined;
  const wanted = typeof mode === 'string' ? [mode] : mode;
  const unknown = wanted.filter((pattern) => !modes.some(nameMatcher([pattern], false)));
  if (unknown.length === 0) return undefined;
  const told = unknown.map((pattern) => `${pattern}${didYouMean(pattern, modes, 'aside')}`);
  return `There is no mode ${told.join(', ')}; the modes are ${modes.join(', ')}.`;
}
