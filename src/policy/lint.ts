import { canonicalJson } from '../basics/canonical-json.ts';
import { didYouMean } from '../basics/nearest.ts';
import { checkOptions } from '../basics/options.ts';
import type { Tool } from '../tool.ts';
import { isEvaluator } from './commands.ts';
import { misplaced } from './lint-places.ts';
import { createModes, type Modes, type ModeTable } from './modes.ts';
import { nameMatcher } from './names.ts';
import type { Policy } from './policy.ts';
import type { CompiledRule, Rule } from './rule.ts';
import { isRuleList, rules } from './rules.ts';
import { modeFault } from './unknown-modes.ts';
import { withFunctionsAsText } from './version.ts';

export interface LintOptions {
  /** The tools there are. Default: unknown, and what concerns them is not looked at. */
  readonly tools?: Iterable<Tool>;
  /** Modes of your own beside the built-in ones. Default: none. */
  readonly modes?: { readonly [mode: string]: ModeTable };
}

/**
 * `no-argument`: no tool has the argument; `exact-text`: a pattern where the text itself is meant; `no-path`: a pattern that
 * no path matches; `search`: a pattern that does not bind what is found below a folder.
 */
type PlaceFinding = 'no-argument' | 'exact-text' | 'no-path' | 'search';

/** Something about a rule that is probably not meant so. */
export interface LintFinding {
  /** The rule's place in its list. */
  readonly index: number;
  readonly rule: string;
  readonly kind: 'no-tool' | 'no-mode' | 'duplicate' | 'shadowed' | 'evaluator' | PlaceFinding | 'every-mode';
  readonly message: string;
}

/**
 * Finds rules that can never matter or mean more than they seem to: that concern no known tool or mode, say again what
 * another says, never count because a deny without conditions covers them, or allow a program that runs other programs.
 */
export function lint(list: readonly Rule[], options: LintOptions = {}): readonly LintFinding[] {
  checkOptions('lint', options, ['tools', 'modes']);
  return lintPolicies([rules(list)], options);
}

/** The same for all lists of rules among policies that count together, each rule under the name that decisions give it. */
export function lintPolicies(policies: readonly Policy[], options: LintOptions): readonly LintFinding[] {
  const lists = policies.filter(isRuleList).map((list) => list.rules);
  const all = lists.flat();
  const tools = options.tools === undefined ? undefined : [...options.tools];
  const table = createModes(options.modes);
  const modes = table.names;
  const places = lists.flatMap((list) => list.map((_, index) => index));
  return all.flatMap((rule, at) =>
    [
      tools === undefined ? undefined : noTool(rule, tools),
      noMode(rule, modes),
      duplicate(rule, all.slice(0, at)),
      shadowed(rule, all, tools, modes),
      evaluator(rule),
      everyMode(rule, all, tools ?? [], table),
      ...misplaced(rule, tools ?? []),
    ].flatMap((found) => (found === undefined ? [] : [{ index: places[at] ?? at, rule: rule.label, ...found }])),
  );
}

export type Found = Pick<LintFinding, 'kind' | 'message'> | undefined;

function noTool({ rule, concerns }: CompiledRule, tools: readonly Tool[]): Found {
  if (tools.some((tool) => concerns(tool))) return undefined;
  const names = tools.map((tool) => tool.name);
  const missing = namesOf(rule).filter((name) => !names.some(nameMatcher([name], true)));
  const told = missing.map((name) => ` No tool matches ${name}${didYouMean(name, names, 'clause') || '.'}`);
  return { kind: 'no-tool', message: `It concerns none of the tools there are, so it never matches.${told.join('')}` };
}

/** The names and patterns of tools in a rule, without what a short form has in parentheses. */
function namesOf({ tool = [] }: Rule): readonly string[] {
  return [tool].flat().map((text) => /^([\w./-]+)\(/.exec(text)?.[1] ?? text);
}

function noMode({ rule }: CompiledRule, modes: readonly string[]): Found {
  const message = modeFault(rule, modes);
  return message === undefined ? undefined : { kind: 'no-mode', message };
}

function duplicate(rule: CompiledRule, earlier: readonly CompiledRule[]): Found {
  const meaning = meaningOf(rule.rule);
  const same = earlier.find((other) => meaningOf(other.rule) === meaning);
  return same === undefined ? undefined : { kind: 'duplicate', message: `It says the same as ${same.label}.` };
}

function meaningOf({ reason, name, match, notMatch, ...meaning }: Rule): string {
  return canonicalJson(withFunctionsAsText(meaning));
}

function shadowed(
  rule: CompiledRule,
  all: readonly CompiledRule[],
  tools: readonly Tool[] | undefined,
  modes: readonly string[],
): Found {
  if (rule.decision === 'deny') return undefined;
  const concerned = tools?.filter((tool) => rule.concerns(tool)) ?? [];
  if (concerned.length === 0) return undefined;
  const applying = modes.filter((mode) => rule.appliesIn(mode));
  if (applying.length === 0) return undefined;
  if (!concerned.every((tool) => applying.every((mode) => isDenied(tool, mode, all)))) return undefined;
  return { kind: 'shadowed', message: 'Other rules deny every tool that it concerns, so it never counts.' };
}

/** Whether every call of a tool is denied in a mode by a rule. */
function isDenied(tool: Tool, mode: string, all: readonly CompiledRule[]): boolean {
  return all.some(
    (rule) => rule.decision === 'deny' && rule.concerns(tool) && !rule.depends(tool) && rule.appliesIn(mode),
  );
}

/** An allow of all that a pattern covers, which opens the modes that would deny it. */
function everyMode(rule: CompiledRule, all: readonly CompiledRule[], tools: readonly Tool[], modes: Modes): Found {
  const names = namesOf(rule.rule);
  const namesEach = names.length > 0 && names.every((name) => /^[\w./-]+$/.test(name));
  if (rule.decision !== 'allow' || rule.rule.mode !== undefined || namesEach) return undefined;
  const allowed = tools.filter((tool) => rule.concerns(tool) && !rule.depends(tool));
  for (const mode of modes.names) {
    const opened = allowed.filter(
      (tool) => modes.defaultFor(mode, tool.permission) === 'deny' && !isDenied(tool, mode, all),
    );
    if (opened.length === 0) continue;
    const told = opened.slice(0, 3).map(({ name }) => name);
    const more = opened.length > told.length ? ` and ${opened.length - told.length} more` : '';
    const message = `Without "mode" it holds in every mode: ${mode}, which would deny them, allows ${told.join(', ')}${more}.`;
    return { kind: 'every-mode', message: `${message} Name the modes that are meant.` };
  }
  return undefined;
}

function evaluator({ rule, decision }: CompiledRule): Found {
  if (decision !== 'allow') return undefined;
  const program = programsOf(rule).find(isEvaluator);
  if (program === undefined) return undefined;
  return {
    kind: 'evaluator',
    message: `"${program}" runs what its arguments say. Only the exact words in the rule are allowed, nothing after them.`,
  };
}

function programsOf(rule: Rule): readonly string[] {
  const texts = typeof rule.tool === 'string' ? [rule.tool] : (rule.tool ?? []);
  const short = texts.flatMap((text) => /^[\w./-]+\(([^\s:]+)[^)]*\)$/.exec(text)?.[1] ?? []);
  const matchers = [...Object.values(rule.arguments ?? {}), ...[rule.effects ?? []].flat()];
  const named = matchers.flatMap((matcher) => {
    const command: unknown = typeof matcher === 'object' && matcher !== null && 'command' in matcher && matcher.command;
    if (!Array.isArray(command)) return [];
    return Array.isArray(command[0]) ? command.map((words: readonly string[]) => words[0] ?? '') : [String(command[0])];
  });
  return [...short, ...named];
}
