import { suspiciousCharacters } from '../fs/names.ts';
import type { CommandPlan } from './argvs.ts';
import { type Argv, parseCommand } from './parse.ts';
import { type Reading, readingOf } from './read-only.ts';
import { commandRefusal } from './refusal.ts';
import type { CommandLanguage } from './types.ts';

// The system takes no longer argument.
const maxBytes = 131_071;

/** Reads a command argument. Fails with `command_denied` for what is no command at all. */
export function planOf(given: unknown, language: CommandLanguage): CommandPlan {
  if (Array.isArray(given)) {
    if (given.length === 0 || !given.every((word) => typeof word === 'string')) throw commandRefusal('type');
    for (const word of given) refuseUnfit(word);
    if (given[0] === '') throw commandRefusal('type');
    return withReadings(language, given, [{ when: 'always', commands: [[...given] as unknown as Argv] }]);
  }
  if (typeof given !== 'string' || given.trim() === '') throw commandRefusal('type');
  refuseUnfit(given);
  return withReadings(language, given, language === 'shell' ? parseCommand(given) : undefined);
}

function withReadings(language: CommandLanguage, given: CommandPlan['given'], list: CommandPlan['list']): CommandPlan {
  const readings: Reading[] = [];
  for (const { commands } of list ?? []) {
    for (const argv of commands) {
      const reading = readingOf(argv);
      if (reading === undefined) return { language, given, list, readings: undefined };
      readings.push(reading);
    }
  }
  return { language, given, list, readings: list === undefined ? undefined : readings };
}

/** Line ends and tabs are part of scripts; what turns a terminal or the direction of writing is part of none. */
function refuseUnfit(text: string): void {
  if (Buffer.byteLength(text) > maxBytes) throw commandRefusal('length');
  const suspicious = suspiciousCharacters(text.replace(/\r?\n|\t/g, ''));
  // Invisible signs stand in harmless texts too, as parts of emoji; a text with them is asked about as it is.
  if (suspicious === 'char' || suspicious === 'bidi') throw commandRefusal('characters');
}
