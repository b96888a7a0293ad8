import { didYouMean } from '../../basics/nearest.ts';
import { placeProblem } from '../../definition/declarations.ts';
import type { Tool } from '../../tool.ts';
import { cleanText } from './clean-text.ts';
import type { PatternList } from './globs.ts';
import { type GuardRules, type MisplacedGuard, topOf } from './guards.ts';

/** What `guards`, `allow` or `deny` say and does not fit a server's tools. */
export class UnfitNamesError extends TypeError {}

/** What options name, and how tools are called where they are written. */
export interface NamingOptions {
  readonly namespace: string;
  readonly rules: GuardRules;
  readonly allow: PatternList | undefined;
  readonly deny: PatternList;
  /** A name with its namespace, as whoever reads the message has written it. */
  readonly shown: (name: string) => string;
}

/** What does not fit. */
export interface UnfitNames {
  /** Would leave open what was to be guarded or left out. */
  readonly faults: readonly string[];
  /** Patterns that match nothing yet. */
  readonly warnings: readonly string[];
}

/** Looks for what is meant for none of the tools; `names` are those that a server gives all of its tools. */
export function unfitNames(options: NamingOptions, names: readonly string[], tools: readonly Tool[]): UnfitNames {
  const { namespace, rules, allow, deny, shown } = options;
  const own = names.map((name) => cleanText(name, 200));
  const full = own.map((name) => `${namespace}.${name}`);
  const odd: [pattern: string, text: string][] = [];
  for (const pattern of rules.unmatched(names.map((name) => `${namespace}.${name}`))) {
    const meant = didYouMean(shown(pattern), pattern.includes('.') ? full.map(shown) : own);
    odd.push([pattern, `No tool matches "${shown(pattern)}" of guards, which guards nothing.${meant}`]);
  }
  for (const [option, list, effect] of [
    ['allow', allow, ''],
    ['deny', deny, ', which leaves out nothing'],
  ] as const) {
    for (const pattern of list?.unmatched(names) ?? []) {
      const meant = didYouMean(pattern, pattern.startsWith(`${namespace}.`) ? full : own);
      odd.push([pattern, `No tool matches "${pattern}" of ${option}${effect}.${meant}`]);
    }
  }
  const isPattern = ([pattern]: (typeof odd)[number]): boolean => pattern.includes('*');
  const misplaced = rules.misplaced(tools).map((guard) => cleanText(misplacedText(guard, shown), 1_000));
  return {
    faults: [...odd.filter((one) => !isPattern(one)).map(([, text]) => text), ...misplaced],
    warnings: odd.filter(isPattern).map(([, text]) => text),
  };
}

function misplacedText({ pattern, argument, kind, tools }: MisplacedGuard, shown: NamingOptions['shown']): string {
  const beginning = `No tool that "${shown(pattern)}" of guards matches has an argument "${argument}"`;
  const top = topOf(argument);
  // One that has it, but for what lies deeper, says most.
  const telling = tools.find(({ parameters }) => Object.hasOwn(parameters.properties ?? {}, top));
  const [tool] = tools;
  if (telling !== undefined || tools.length === 1) {
    return `${beginning}: ${placeProblem((telling ?? tool) as Tool, argument, kind)}`;
  }
  return `${beginning}.${didYouMean(top, new Set(tools.flatMap(({ parameters }) => Object.keys(parameters.properties ?? {}))))}`;
}
