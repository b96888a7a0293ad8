import { checkOptions, shown } from '../../basics/options.ts';
import { isPlainRecord } from '../../basics/plain-object.ts';
import type { CommandLanguage } from '../../capabilities/process/types.ts';
import type { PlaceKind } from '../../definition/argument-places.ts';
import { isForAll, listsPlace, placeProblem, placesOf } from '../../definition/declarations.ts';
import { levelFault } from '../../definition/levels.ts';
import { pointerNames } from '../../schema/pointer.ts';
import type { Tool } from '../../tool.ts';
import { globTest } from './globs.ts';
import type { GuardDeclaration, GuardDeclarations } from './types.ts';

/** What is declared of one tool. */
export interface Guards extends Pick<Tool, 'paths' | 'urls' | 'permission'> {
  readonly commands?: { readonly [argument: string]: CommandLanguage };
}

const members = ['paths', 'urls', 'commands', 'permission'] satisfies (keyof GuardDeclaration)[];

/** A place of arguments, and the tools whose it is, by the pattern of their names. */
export interface DeclaredPlace {
  readonly pattern: string;
  readonly test: (name: string) => boolean;
  /** A property name or JSON pointer. */
  readonly argument: string;
  readonly kind: PlaceKind;
}

/** A place that is declared and that none of these tools can have, nor any other that is meant. */
export interface MisplacedGuard extends DeclaredPlace {
  readonly tools: readonly Tool[];
}

interface Rule {
  readonly pattern: string;
  readonly test: (name: string) => boolean;
  readonly declaration: GuardDeclaration;
}

/** Declarations for the tools of a server, by name. */
export class GuardRules {
  readonly #rules: readonly Rule[];

  /** Throws a TypeError for what cannot be meant. */
  constructor(declarations: GuardDeclarations, namespace: string) {
    if (!isPlainRecord(declarations)) {
      throw new TypeError(
        `mcpTools({ guards }) must be an object of declarations by tool names; it is ${shown(declarations)}.`,
      );
    }
    this.#rules = Object.entries(declarations).map(([pattern, declaration]) => {
      checkDeclaration(pattern, declaration);
      return { pattern, test: nameTest(pattern, namespace), declaration };
    });
  }

  /**
   * What holds for a tool. It holds whether or not the tool's schema speaks of these arguments: what a server does not
   * write into its schema it may take all the same.
   */
  for(name: string): Guards {
    let paths: NonNullable<Tool['paths']> | undefined;
    let urls: readonly string[] | undefined;
    let commands: Guards['commands'];
    let permission: Tool['permission'];
    for (const { test, declaration } of this.#rules) {
      if (!test(name)) continue;
      if (declaration.paths !== undefined) paths = { ...paths, ...declaration.paths };
      if (declaration.urls !== undefined) urls = [...new Set([...(urls ?? []), ...declaration.urls])];
      if (declaration.commands !== undefined) commands = { ...commands, ...commandTable(declaration.commands) };
      permission = declaration.permission ?? permission;
    }
    return {
      ...(paths !== undefined && { paths }),
      ...(urls !== undefined && { urls }),
      ...(commands !== undefined && { commands }),
      ...(permission !== undefined && { permission }),
    };
  }

  /** The patterns that match none of these names, which have their namespace. */
  unmatched(names: readonly string[]): readonly string[] {
    return this.#rules.flatMap(({ pattern, test }) => (names.some(test) ? [] : [pattern]));
  }

  /** The places that are declared and that no tool which is meant can have: mistyped, so that what was meant is not guarded. */
  misplaced(tools: readonly Tool[]): readonly MisplacedGuard[] {
    return this.#places().flatMap((declared) => {
      const meant = standings(declared, tools);
      if (canBeThere(meant)) return [];
      const absent = meant.filter(([, standing]) => standing === 'absent').map(([tool]) => tool);
      return absent.length === 0 ? [] : [{ ...declared, tools: absent }];
    });
  }

  /**
   * Of tools that are others now than before, those that got away from their guards: what a guard is for is no longer there,
   * or, of a tool that is new, is in none of those that it is meant for. By their names, each with what it has lost.
   */
  escaped(
    tools: readonly Tool[],
    before: (name: string) => Tool | undefined,
  ): ReadonlyMap<string, Pick<DeclaredPlace, 'pattern' | 'argument'>> {
    const found = new Map<string, DeclaredPlace>();
    for (const declared of this.#places()) {
      const meant = standings(declared, tools);
      const isSomewhere = canBeThere(meant);
      for (const [{ name }, now] of meant) {
        const known = before(name);
        const was = known && standingOf(known, declared);
        const isLost = was === 'listed' ? now !== 'listed' : now === 'absent' && was !== 'absent' && !isSomewhere;
        if (isLost) found.set(name, declared);
      }
    }
    return found;
  }

  #places(): readonly DeclaredPlace[] {
    return this.#rules.flatMap(({ pattern, test, declaration }) =>
      placesOf(declaration).map(([argument, kind]) => ({ pattern, test, argument, kind })),
    );
  }
}

/**
 * How a tool's schema stands to a place: it speaks of it, it leaves open whether there is such a thing, it speaks of others
 * only, or of none at all.
 */
type Standing = 'listed' | 'open' | 'absent' | 'silent';

function standingOf(tool: Tool, { argument, kind }: DeclaredPlace): Standing {
  // The sentence is of no use here, and what was meant may take long to find.
  const problem = placeProblem(tool, argument, kind, () => '');
  if (problem === undefined) return listsPlace(tool, argument) ? 'listed' : 'open';
  return Object.keys(tool.parameters.properties ?? {}).length === 0 ? 'silent' : 'absent';
}

function standings(declared: DeclaredPlace, tools: readonly Tool[]): readonly (readonly [Tool, Standing])[] {
  return tools
    .filter(({ name }) => declared.test(name))
    .map((tool): [Tool, Standing] => [tool, standingOf(tool, declared)]);
}

function canBeThere(meant: readonly (readonly [Tool, Standing])[]): boolean {
  return meant.some(([, standing]) => standing === 'listed' || standing === 'open');
}

/** The language of each argument that holds commands; `shell` where none is said. */
export function commandTable(commands: NonNullable<Tool['commands']>): NonNullable<Guards['commands']> {
  if (!Array.isArray(commands)) return commands as NonNullable<Guards['commands']>;
  return Object.fromEntries(commands.map((argument: string) => [argument, 'shell']));
}

/** The property that an argument is, or is a part of. */
export function topOf(argument: string): string {
  return argument.startsWith('/') ? (pointerNames(argument)[0] as string) : argument;
}

/** Names without a dot may be those that the server gives; one with a dot has a namespace. */
function nameTest(pattern: string, namespace: string): Rule['test'] {
  const test = globTest(pattern);
  if (pattern.includes('.')) return test;
  const own = globTest(`${namespace}.${pattern}`);
  return (name) => test(name) || own(name);
}

function checkDeclaration(pattern: string, declaration: GuardDeclaration): void {
  const at = `mcpTools({ guards }): "${pattern}"`;
  checkOptions(`mcpTools guards "${pattern}"`, declaration, members, ['paths', 'urls', 'commands']);
  const { paths, urls, commands, permission } = declaration;
  if (paths !== undefined && !isPlainRecord(paths)) {
    throw new TypeError(`${at}: paths must name 'read' or 'write' for each argument; it is ${shown(paths)}.`);
  }
  for (const [argument, intent] of Object.entries(paths ?? {})) {
    if (intent === 'read' || intent === 'write') continue;
    throw new TypeError(`${at}: paths.${argument} must be 'read' or 'write'; it is ${String(intent)}.`);
  }
  if (urls !== undefined && !isNames(urls)) throw new TypeError(`${at}: urls must be a list of argument names.`);
  if (commands !== undefined && !isNames(commands)) {
    if (
      !isPlainRecord(commands) ||
      Object.values(commands).some((language) => language !== 'shell' && language !== 'python')
    ) {
      throw new TypeError(`${at}: commands must be a list of argument names, or name 'shell' or 'python' for each.`);
    }
  }
  for (const [place] of placesOf(declaration)) {
    if (!isForAll(place)) continue;
    throw new TypeError(
      `${at}: "${place}" guards nothing, as arguments are no list whose items a * could stand for; name each of them.`,
    );
  }
  if (permission !== undefined && (typeof permission !== 'string' || permission === '')) {
    throw new TypeError(`${at}: permission must be the name of a level.`);
  }
  const fault = permission === undefined ? undefined : levelFault(permission);
  if (fault !== undefined) throw new TypeError(`${at}: permission ${fault}.`);
}

function isNames(names: unknown): boolean {
  return Array.isArray(names) && names.every((name) => typeof name === 'string' && name !== '');
}
