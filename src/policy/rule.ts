import { isPlainObject } from '../basics/plain-object.ts';
import { isThenable } from '../basics/thenable.ts';
import { levelFault } from '../definition/levels.ts';
import type { Tool, ToolAnnotations } from '../tool.ts';
import type { Maybe } from '../types.ts';
import { type ArgumentMatchers, argumentsTest } from './arguments.ts';
import { toolDigest } from './digest.ts';
import { type EffectCondition, effectsTest } from './effects.ts';
import { checkExamples, type ExampleCall } from './examples.ts';
import { every, type Match, matchOf } from './match.ts';
import { answer } from './matchers.ts';
import { nameMatcher } from './names.ts';
import type { PolicyRequest } from './policy.ts';
import { entriesOf, RuleError, texts, unknownMember } from './shape.ts';
import { type ToolCondition, toolCondition } from './short-form.ts';
import { type Decision, isDecision, type Ruling } from './verdict.ts';

/**
 * One rule: a decision, and conditions that must all hold. A condition that is left out holds always.
 *
 * Names are exact or globs (minimatch). Rules that `deny` or `ask` match widely, an `allow` matches narrowly: see
 * the matchers.
 */
export interface Rule {
  readonly decision: Decision;
  /** For a `deny`, told to the model; for an `ask`, shown to the approver. */
  readonly reason?: string;
  /** For explanations. Default: the rule's place in the list. */
  readonly name?: string;
  /** Names of tools, and the short forms `read_file(src/**)`, `run_shell(npm test)`, `fetch_url(domain:example.com)`. */
  readonly tool?: string | readonly string[];
  /** The tool has one of these tags. */
  readonly tag?: string | readonly string[];
  /** The tool's level is one of these; `none` stands for a tool without a level. */
  readonly level?: string | readonly string[];
  /** The tool comes from one of these sources. Never matches a tool of the program's own, which has none. */
  readonly source?: string | readonly string[];
  /** Hints the tool gives of itself, with MCP's defaults for those it leaves out. Do not allow by what strangers say. */
  readonly annotations?: Readonly<Partial<Record<Hint, boolean>>>;
  /** Only in these modes. */
  readonly mode?: string | readonly string[];
  /** Conditions on arguments. */
  readonly arguments?: ArgumentMatchers;
  /** The call has no other arguments than these, named as on the first level; with an empty list none. With `allow` only. */
  readonly only?: readonly string[];
  /**
   * The tool is exactly the one with this digest (`toolDigest`): of the same source, name, description, schema and level.
   * A rule that was remembered has it, so that a tool that has changed since is asked about again. With `allow` only.
   */
  readonly identity?: string | readonly string[];
  /** Conditions on what the call would do. */
  readonly effects?: EffectCondition;
  /** Any other condition, in code. May be asynchronous. A function that throws, or gives no boolean, is a denial. */
  readonly when?: (request: PolicyRequest) => Maybe<boolean>;
  /** Calls that the rule must match; checked when it is loaded. */
  readonly match?: readonly ExampleCall[];
  /** Calls that the rule must not match; checked when it is loaded. */
  readonly notMatch?: readonly ExampleCall[];
}

type Hint = Exclude<keyof ToolAnnotations, 'title'>;

/** A rule, checked and made ready. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly label: string;
  readonly decision: Decision;
  /** Whether, for this tool, it looks at anything that changes from call to call, apart from the mode. */
  depends(tool: Tool): boolean;
  concerns(tool: Tool): boolean;
  appliesIn(mode: string): boolean;
  judge(request: PolicyRequest): Maybe<Ruling | undefined>;
}

const members: ReadonlySet<string> = new Set<keyof Rule>([
  'decision',
  'reason',
  'name',
  'tool',
  'tag',
  'level',
  'source',
  'annotations',
  'mode',
  'arguments',
  'only',
  'identity',
  'effects',
  'when',
  'match',
  'notMatch',
]);

/** Checks a rule and compiles its conditions; `index` is its place in the list and `list` that one's name, for messages. */
export function compileRule(rule: Rule, index: number, list?: string): CompiledRule {
  const at = `Rule ${index}`;
  for (const [member, said] of entriesOf(rule, at)) {
    if (!members.has(member)) throw unknownMember(`${at}: ${member}`, member, members);
    // Else an `allow` for a tool whose name is missing would allow all of them.
    if (said === undefined && member !== 'reason' && member !== 'name') {
      throw new RuleError(`${at}: ${member}`, 'is undefined, and would hold always; leave it out if that is meant');
    }
  }
  const { decision, reason, name, when } = rule;
  if (!isDecision(decision)) throw new RuleError(`${at}: decision`, 'must be allow, ask or deny');
  if (reason !== undefined) texts(reason, `${at}: reason`);
  const place = list === undefined ? `rule ${index}` : `${list} rule ${index}`;
  const label = name === undefined ? place : (texts(name, `${at}: name`)[0] as string);
  const wide = decision !== 'allow';
  const conditions = conditionsOf(rule, wide, at);
  const named = rule.tool === undefined ? undefined : toolCondition(rule.tool, wide, `${at}: tool`);
  const isFor = rule.mode === undefined ? undefined : nameMatcher(texts(rule.mode, `${at}: mode`), false);
  const appliesIn = (mode: string): boolean => isFor === undefined || isFor(mode);
  const certain: Ruling = Object.freeze({ decision, rule: label, ...(reason !== undefined && { reason }) });
  const doubtful: Ruling = Object.freeze({
    decision: 'ask',
    doubtful: true,
    rule: label,
    reason: `it cannot be told whether this falls under ${label}${reason === undefined ? '' : ` (${reason})`}`,
  });
  const rulingFor = (match: Match): Ruling | undefined => {
    if (match === 'yes') return certain;
    return match === 'unsure' && wide ? doubtful : undefined;
  };
  const compiled: CompiledRule = Object.freeze({
    rule,
    label,
    decision,
    depends: (tool: Tool) => conditions.length > 0 || when !== undefined || named?.conditionFor(tool) !== undefined,
    concerns: toolTest(rule, named, wide, at),
    appliesIn,
    judge(request: PolicyRequest): Maybe<Ruling | undefined> {
      if (!appliesIn(request.mode)) return undefined;
      let match: Match = named?.conditionFor(request.tool)?.(request) ?? 'yes';
      if (match === 'no') return undefined;
      for (const condition of conditions) {
        const one = condition(request);
        if (one === 'no') return undefined;
        if (one === 'unsure') match = 'unsure';
      }
      if (when === undefined) return rulingFor(match);
      const held: unknown = when(request);
      const combined = (said: unknown): Ruling | undefined =>
        rulingFor(every([match, matchOf(answer(said, `${at}: when`))]));
      return isThenable(held) ? Promise.resolve(held).then(combined) : combined(held);
    },
  });
  checkExamples(compiled, at);
  return compiled;
}

function conditionsOf(rule: Rule, wide: boolean, at: string): readonly ((request: PolicyRequest) => Match)[] {
  const conditions: ((request: PolicyRequest) => Match)[] = [];
  if (rule.arguments !== undefined) conditions.push(argumentsTest(rule.arguments, wide, `${at}: arguments`));
  for (const member of ['only', 'identity'] as const) {
    // A further argument, or the tool's next change, would end a rule that forbids.
    if (wide && rule[member] !== undefined) throw new RuleError(`${at}: ${member}`, 'goes with allow only');
  }
  if (rule.only !== undefined) conditions.push(onlyTest(rule.only, `${at}: only`));
  if (rule.identity !== undefined) conditions.push(identityTest(texts(rule.identity, `${at}: identity`), at));
  if (rule.effects !== undefined) conditions.push(effectsTest(rule.effects, wide, `${at}: effects`));
  if (rule.when !== undefined && typeof rule.when !== 'function') {
    throw new RuleError(`${at}: when`, 'must be a function');
  }
  return conditions;
}

function onlyTest(names: unknown, at: string): (request: PolicyRequest) => Match {
  if (!Array.isArray(names)) throw new RuleError(at, 'needs a list of names');
  const known = new Set(names.length === 0 ? [] : texts(names, at));
  return ({ arguments: args }) => {
    if (typeof args !== 'object' || args === null || !isPlainObject(args)) return 'unsure';
    return matchOf(Object.keys(args).every((name) => known.has(name)));
  };
}

function identityTest(digests: readonly string[], at: string): (request: PolicyRequest) => Match {
  for (const digest of digests) {
    if (!/^[0-9a-f]{64}$/.test(digest))
      throw new RuleError(`${at}: identity`, 'needs digests of 64 hexadecimal digits');
  }
  // Made anew for every call: a tool that was changed in place is another one.
  return ({ tool }) => matchOf(digests.includes(toolDigest(tool)));
}

function toolTest(rule: Rule, named: ToolCondition | undefined, wide: boolean, at: string): (tool: Tool) => boolean {
  const matcherFor = (key: 'tag' | 'level' | 'source'): ((name: string) => boolean) | undefined => {
    const patterns = rule[key];
    return patterns === undefined ? undefined : nameMatcher(texts(patterns, `${at}: ${key}`), wide);
  };
  const tag = matcherFor('tag');
  const level = matcherFor('level');
  for (const pattern of rule.level === undefined ? [] : texts(rule.level, `${at}: level`)) {
    // Where a rule is taken in a wide sense, upper and lower case are the same.
    const fault = levelFault(wide ? pattern.toLowerCase() : pattern);
    if (fault !== undefined) throw new RuleError(`${at}: level`, fault);
  }
  const source = matcherFor('source');
  const hints = rule.annotations === undefined ? [] : hintsOf(rule.annotations, `${at}: annotations`);
  return (candidate) =>
    (named === undefined || named.concerns(candidate)) &&
    (tag === undefined || (candidate.tags ?? []).some(tag)) &&
    (level === undefined || level(candidate.permission ?? 'none')) &&
    (source === undefined || (candidate.source !== undefined && source(candidate.source))) &&
    hints.every(([hint, wanted]) => (candidate.annotations?.[hint] ?? hintDefaults[hint]) === wanted);
}

const hintDefaults: Readonly<Record<Hint, boolean>> = {
  readOnly: false,
  destructive: true,
  idempotent: false,
  openWorld: true,
};

function hintsOf(annotations: NonNullable<Rule['annotations']>, at: string): readonly (readonly [Hint, boolean])[] {
  return entriesOf(annotations, at).map(([hint, wanted]) => {
    if (!Object.hasOwn(hintDefaults, hint) || typeof wanted !== 'boolean') {
      throw new RuleError(
        `${at}.${hint}`,
        `is unknown or no boolean; expected ${Object.keys(hintDefaults).join(', ')}`,
      );
    }
    return [hint as Hint, wanted] as const;
  });
}
