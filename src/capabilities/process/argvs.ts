import type { Argv, CommandList } from './parse.ts';
import type { Reading } from './read-only.ts';
import type { CommandLanguage } from './types.ts';

/** A command argument, read once; this is what is judged, shown and run. */
export interface CommandPlan {
  readonly language: CommandLanguage;
  /** The argument itself, by which the tool asks for it. */
  readonly given: string | readonly string[];
  /** The argument lists; `undefined` where the text means more than those could say. */
  readonly list: CommandList | undefined;
  /** What it reads, if it is known to do nothing else: one for each command. */
  readonly readings: readonly Reading[] | undefined;
}

/** Every argument list that a plan would start; for a text that is not read, the interpreter with the text. */
export function argvsOf({ list, language, given }: CommandPlan): readonly Argv[] {
  if (list !== undefined) return list.flatMap(({ commands }) => commands);
  return [[language === 'python' ? 'python3' : 'bash', '-c', String(given)]];
}
