import { valuesAt } from '../definition/argument-places.ts';
import type { Tool } from '../tool.ts';
import { argumentPathTest } from './argument-paths.ts';
import { commandMatcher } from './commands.ts';
import { every, type Match, some } from './match.ts';
import { hosts } from './matchers.ts';
import { nameMatcher } from './names.ts';
import type { PolicyRequest } from './policy.ts';
import { RuleError, texts } from './shape.ts';
import { declared } from './values.ts';

type Condition = (request: PolicyRequest) => Match;

/** What a rule's `tool` says: which tools it is about, and for the short forms, what their calls must be like. */
export interface ToolCondition {
  concerns(tool: Tool): boolean;
  /** The condition on calls of this tool; `undefined` when there is none. */
  conditionFor(tool: Tool): Condition | undefined;
}

/**
 * Reads a rule's `tool`: names and globs, and the short forms
 * - `read_file(src/**)`: a path glob, on the arguments that the tool declares in `paths` (else on `path`);
 * - `run_shell(npm test)`: a command, for a tool with commands (declared, found by a guard, or else `command`). It means
 *   these words and no more where it allows, these first words where it forbids; `run_shell(git log *)` always the latter;
 * - `fetch_url(domain:example.com)`: a host, of what the guards found (else of the arguments declared in `urls`, or `url`).
 */
export function toolCondition(value: string | readonly string[], wide: boolean, at: string): ToolCondition {
  const names: string[] = [];
  const short: { readonly test: (name: string) => boolean; readonly condition: Condition }[] = [];
  for (const text of texts(value, at)) {
    const [, name, inner] = /^([A-Za-z0-9_][\w./-]*)\((.*)\)$/s.exec(text) ?? [];
    if (name === undefined || inner === undefined) {
      if (/^[^?*+@!]*\(/.test(text)) throw new RuleError(at, `has "${text}"; a short form is an exact name and (...)`);
      names.push(text);
    } else {
      if (inner.trim() === '') throw new RuleError(at, `has "${text}" with nothing between the parentheses`);
      short.push({ test: nameMatcher([name], wide), condition: shortCondition(inner, wide, at) });
    }
  }
  const plain = nameMatcher(names, wide);
  const matching = (tool: Tool): readonly Condition[] =>
    short.filter(({ test }) => test(tool.name)).map(({ condition }) => condition);
  return {
    concerns: (tool) => plain(tool.name) || matching(tool).length > 0,
    conditionFor(tool) {
      if (short.length === 0 || plain(tool.name)) return undefined;
      const conditions = matching(tool);
      return (request) => some(conditions.map((condition) => condition(request)));
    },
  };
}

function shortCondition(inner: string, wide: boolean, at: string): Condition {
  if (inner.startsWith('domain:')) return hostCondition(inner.slice('domain:'.length), wide, at);
  const command = commandCondition(inner, wide);
  const path = argumentPathTest([inner], wide);
  return (request) => (isCommand(request) ? command(request) : pathCondition(path, wide, request));
}

function isCommand({ tool, effects, arguments: args }: PolicyRequest): boolean {
  if (tool.commands !== undefined || effects.some(({ kind }) => kind === 'exec')) return true;
  return tool.paths === undefined && valuesAt(args, ['command']).length > 0;
}

function commandCondition(inner: string, wide: boolean): Condition {
  const isPrefix = /(:| )\*$/.test(inner);
  const words = inner
    .replace(/(:| )\*$/, '')
    .split(' ')
    .filter((word) => word !== '');
  const test = commandMatcher([words], wide, !isPrefix);
  return ({ tool, arguments: args, effects }) => {
    const found = effects.flatMap((effect) => (effect.kind === 'exec' ? [effect.argv] : []));
    if (!wide && found.length < effects.length) return 'no';
    const unread: unknown[] = [];
    const values = found.length > 0 ? found : declared(args, commandsOf(tool), unread);
    return together(values, unread, test, wide);
  };
}

function commandsOf({ commands = ['command'] }: Tool): readonly string[] {
  return Array.isArray(commands) ? commands : Object.keys(commands);
}

function hostCondition(pattern: string, wide: boolean, at: string): Condition {
  const test = hosts(pattern, at);
  return ({ tool, arguments: args, effects }) => {
    const found = effects.flatMap((effect) => (effect.kind === 'net' ? [effect.host] : []));
    if (!wide && found.length < effects.length) return 'no';
    const unread: unknown[] = [];
    const values = found.length > 0 ? found : declared(args, tool.urls ?? ['url'], unread);
    return together(values, unread, test, wide);
  };
}

function pathCondition(
  test: (path: unknown, request: PolicyRequest) => Match,
  wide: boolean,
  request: PolicyRequest,
): Match {
  const { tool, arguments: args, effects } = request;
  if (!wide && !effects.every(({ kind }) => kind === 'fs.read' || kind === 'fs.write')) return 'no';
  const unread: unknown[] = [];
  const values = declared(args, tool.paths === undefined ? ['path'] : Object.keys(tool.paths), unread);
  return together(values, unread, (path) => test(path, request), wide);
}

function together(
  values: readonly unknown[],
  unread: readonly unknown[],
  test: (value: unknown) => Match,
  wide: boolean,
): Match {
  const matches = values.map(test);
  if (unread.length > 0) matches.push('unsure');
  if (matches.length === 0) return 'no';
  return wide ? some(matches) : every(matches);
}
