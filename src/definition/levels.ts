import { askWhether, isTypo } from '../basics/nearest.ts';

/** The levels that mean something without a word from the user. */
const builtIn: readonly string[] = ['read', 'write', 'execute', 'network', 'dangerous'];

/**
 * What is wrong with the name of a level; nothing with a built-in one or a word of the user's own. One that is almost a
 * built-in name would silently count as no level.
 */
export function levelFault(level: string): string | undefined {
  if (builtIn.includes(level)) return undefined;
  const meant = builtIn.find((name) => isTypo(level, name) || isPart(level.toLowerCase(), name));
  if (meant === undefined) return undefined;
  const own = `is too much like ${meant} to be a level of your own`;
  return `"${level}" ${own}; the levels are ${builtIn.join(', ')}${askWhether([meant], 'aside')}`;
}

/** Whether one is the other and more letters: `exec` and `execute`, `reads` and `read`. */
function isPart(level: string, name: string): boolean {
  return /^[a-z]{3,20}$/.test(level) && (level.startsWith(name) || name.startsWith(level));
}
