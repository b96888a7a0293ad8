import { placesOf } from '../../definition/declarations.ts';
import { pointerStep } from '../../schema/pointer.ts';
import { isSchemaObject } from '../../schema/walk.ts';
import { annotationsOf } from './annotations.ts';
import { commandTable, type Guards } from './guards.ts';
import { guessGuards } from './guess-guards.ts';
import { parametersOf } from './import-tool.ts';
import type { ListedTool } from './list-tools.ts';
import type { GuardDeclaration } from './types.ts';

/** What is declared of a tool's arguments; and of those that nothing is declared of, what they look like. */
export function withGuesses(declared: Guards, listed: ListedTool, name: string): Guards {
  const { description, inputSchema, annotations, title } = listed;
  if (!isSchemaObject(inputSchema)) return declared;
  const hints = annotationsOf(annotations, title);
  const tool = {
    name,
    description: typeof description === 'string' ? description : '',
    parameters: parametersOf(inputSchema),
    ...(hints !== undefined && { annotations: hints }),
  };
  const paths: Record<string, 'read' | 'write'> = {};
  const urls: string[] = [];
  const commands: Record<string, 'shell'> = {};
  for (const { argument, kind, intent = 'read' } of guessGuards([tool]).guesses) {
    if (isDeclared(declared, argument)) continue;
    if (kind === 'path') paths[argument] = intent;
    else if (kind === 'url') urls.push(argument);
    else commands[argument] = 'shell';
  }
  return {
    ...declared,
    ...(Object.keys(paths).length > 0 && { paths: { ...paths, ...declared.paths } }),
    ...(urls.length > 0 && { urls: [...urls, ...(declared.urls ?? [])] }),
    ...(Object.keys(commands).length > 0 && { commands: { ...commands, ...commandTable(declared.commands ?? {}) } }),
  };
}

/** Whether something is declared of this argument, of what it is a part of, or of a part of it. */
export function isDeclared(guards: GuardDeclaration, argument: string): boolean {
  const place = placeOf(argument);
  return placesOf(guards)
    .map(([declared]) => placeOf(declared))
    .some((declared) => place.startsWith(declared) || declared.startsWith(place));
}

/** An argument's JSON pointer, with a slash at its end, and without the items of lists: a list is what its items are. */
function placeOf(argument: string): string {
  const steps = argument.startsWith('/') ? argument.slice(1).split('/') : [pointerStep(argument).slice(1)];
  return steps
    .filter((step) => step !== '*')
    .map((step) => `/${step}`)
    .concat('/')
    .join('');
}
