import { canonicalJson } from '../basics/canonical-json.ts';
import { didYouMean } from '../basics/nearest.ts';
import { checkOptions } from '../basics/options.ts';
import type { Tool } from '../tool.ts';
import { isEvaluator } from './commands.ts';
import { createModes, type ModeTable } from './modes.ts';
import { nameMatcher } from './names.ts';
import type { Policy } from './policy.ts';
import type { CompiledRule, Rule } from './rule.ts';
import { isRuleList, rules } from './rules.ts';
import { withFunctionsAsText } from './version.ts';

export interface LintOptions {
  /** The tools there are. Default: unknown, and what concerns them is not looked at. */
  readonly tools?: Iterable<Tool>;
  /** Modes of your own beside the built-in ones. Default: none. */
  readonly modes?: { readonly [mode: string]: ModeTable };
}

/** Something about a rule that is probably not meant so. */
export interface LintFinding {
  /** The rule's place in its list. */
  readonly index: number;
  readonly rule: string;
  readonly kind: 'no-tool' | 'no-mode' | 'duplicate' | 'shadowed' | 'evaluator';
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
  const modes = createModes(options.modes).names;
  const places = lists.flatMap((list) => list.map((_, index) => index));
  return all.flatMap((rule, at) =>
    [
      tools === undefined ? undefined : noTool(rule, tools),
      noMode(rule, modes),
      duplicate(rule, all.slice(0, at)),
      shadowed(rule, all, tools, modes),
      evaluator(rule),
    ].flatMap((found) => (found === undefined ? [] : [{ index: places[at] ?? at, rule: rule.label, ...found }])),
  );
}

type Found = Pick<LintFinding, 'kind' | 'message'> | undefined;

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
  if (rule.mode === undefined) return undefined;
  const wanted = typeof rule.mode === 'string' ? [rule.mode] : rule.mode;
  const unknown = wanted.filter((mode) => !modes.some(nameMatcher([mode], false)));
  if (unknown.length === 0) return undefined;
  const told = unknown.map((mode) => `${mode}${didYouMean(mode, modes, 'aside')}`);
  return { kind: 'no-mode', message: `There is no mode ${told.join(', ')}; the modes are ${modes.join(', ')}.` };
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
  const covers = (tool: Tool, mode: string): boolean =>
    all.some(
      (other) => other.decision === 'deny' && other.concerns(tool) && !other.depends(tool) && other.appliesIn(mode),
    );
  if (applying.length === 0 || !concerned.every((tool) => applying.every((mode) => covers(tool, mode))))
    return undefined;
  return { kind: 'shadowed', message: 'Other rules deny every tool that it concerns, so it never counts.' };
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
