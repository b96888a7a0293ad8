import type { CommandLanguage } from '../../capabilities/process/types.ts';
import { checkOptions } from '../../options.ts';
import type { Tool } from '../../tool.ts';
import { globTest } from './globs.ts';
import type { GuardDeclaration, GuardDeclarations } from './types.ts';

/** What is declared of one tool. */
export interface Guards extends Pick<Tool, 'paths' | 'urls' | 'permission'> {
  readonly commands?: { readonly [argument: string]: CommandLanguage };
}

const members = ['paths', 'urls', 'commands', 'permission'] satisfies (keyof GuardDeclaration)[];

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
      if (declaration.commands !== undefined) commands = { ...commands, ...languages(declaration.commands) };
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
}

function languages(commands: NonNullable<Tool['commands']>): NonNullable<Guards['commands']> {
  if (!Array.isArray(commands)) return commands as NonNullable<Guards['commands']>;
  return Object.fromEntries(commands.map((argument: string) => [argument, 'shell']));
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
    const known = typeof commands === 'object' && commands !== null && !Array.isArray(commands);
    if (!known || Object.values(commands).some((language) => language !== 'shell' && language !== 'python')) {
      throw new TypeError(`${at}: commands must be a list of argument names, or name 'shell' or 'python' for each.`);
    }
  }
  if (permission !== undefined && (typeof permission !== 'string' || permission === '')) {
    throw new TypeError(`${at}: permission must be the name of a level.`);
  }
}

function isNames(names: unknown): boolean {
  return Array.isArray(names) && names.every((name) => typeof name === 'string' && name !== '');
}
