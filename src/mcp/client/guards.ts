import { checkOptions } from '../../basics/options.ts';
import { isRecord } from '../../basics/plain-object.ts';
import type { CommandLanguage } from '../../capabilities/process/types.ts';
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

/** An argument that is declared and that none of the tools which are meant has. */
export interface UnlistedArgument {
  readonly pattern: string;
  readonly argument: string;
  /** The arguments that they have. */
  readonly listed: readonly string[];
}

interface Rule {
  readonly pattern: string;
  readonly test: (name: string) => boolean;
  readonly declaration: GuardDeclaration;
}

/** Declarations for the tools of a server, by name. */
export class GuardRules {
  readonly #rules: readonly Rule[];
  readonly #matched = new Set<string>();

  /** Throws a TypeError for what cannot be meant. */
  constructor(declarations: GuardDeclarations) {
    if (typeof declarations !== 'object' || declarations === null) {
      throw new TypeError('mcpTools({ guards }) must be an object of declarations by tool names.');
    }
    this.#rules = Object.entries(declarations).map(([pattern, declaration]) => {
      checkDeclaration(pattern, declaration);
      return { pattern, test: globTest(pattern), declaration };
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
    for (const { pattern, test, declaration } of this.#rules) {
      if (!test(name)) continue;
      this.#matched.add(pattern);
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

  /** The names that no tool has had so far: most likely mistyped. */
  get unmatched(): readonly string[] {
    return this.#rules.flatMap(({ pattern }) => (this.#matched.has(pattern) ? [] : [pattern]));
  }

  /** The arguments that no tool lists for which they are declared: most likely mistyped. They are guarded all the same. */
  unlisted(tools: readonly Tool[]): readonly UnlistedArgument[] {
    return this.#rules.flatMap(({ pattern, test, declaration }) => {
      const meant = tools.filter(({ name }) => test(name)).map(({ parameters }) => parameters.properties);
      const listed = [...new Set(meant.flatMap((properties) => Object.keys(properties ?? {})))];
      // Where arguments are not spoken of, there may be any.
      if (listed.length === 0 || meant.includes(undefined)) return [];
      const odd = argumentsOf(declaration).filter((argument) => !listed.includes(topOf(argument)));
      return odd.map((argument) => ({ pattern, argument, listed }));
    });
  }
}

/** All arguments that are declared, as paths, URLs or commands. */
export function argumentsOf({ paths = {}, urls = [], commands = [] }: GuardDeclaration): readonly string[] {
  return [...Object.keys(paths), ...urls, ...Object.keys(commandTable(commands))];
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

function checkDeclaration(pattern: string, declaration: GuardDeclaration): void {
  const at = `mcpTools({ guards }): "${pattern}"`;
  checkOptions(`mcpTools guards "${pattern}"`, declaration, members);
  const { paths, urls, commands, permission } = declaration;
  for (const [argument, intent] of Object.entries(paths ?? {})) {
    if (intent === 'read' || intent === 'write') continue;
    throw new TypeError(`${at}: paths.${argument} must be 'read' or 'write'; it is ${String(intent)}.`);
  }
  if (urls !== undefined && !isNames(urls)) throw new TypeError(`${at}: urls must be a list of argument names.`);
  if (commands !== undefined && !isNames(commands)) {
    if (
      !isRecord(commands) ||
      Object.values(commands).some((language) => language !== 'shell' && language !== 'python')
    ) {
      throw new TypeError(`${at}: commands must be a list of argument names, or name 'shell' or 'python' for each.`);
    }
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
