import { checkOptions } from '../basics/options.ts';
import { isThenable } from '../basics/thenable.ts';
import type { Tool } from '../tool.ts';
import type { Maybe } from '../types.ts';
import type { Foresight, Policy, PolicyRequest } from './policy.ts';
import { type CompiledRule, compileRule, type Rule } from './rule.ts';
import { failed, type Ruling, strictestOf } from './verdict.ts';
import { versionOf } from './version.ts';

/** A list of rules as a policy. */
export interface RuleList extends Policy {
  readonly name: string;
  readonly version: string;
  readonly rules: readonly CompiledRule[];
  decide(request: PolicyRequest): Maybe<Ruling | undefined>;
  foresee(tool: Tool, mode: string): Foresight;
}

export interface RulesOptions {
  /** For explanations. Default `rules`. */
  readonly name?: string;
}

/**
 * Makes a policy of a list of rules. All rules that match count and the strictest wins, so their order means nothing.
 * Throws a TypeError that names the rule's index when one is not well-formed.
 *
 * @example
 * const house = rules([
 *   { decision: 'allow', tool: 'read_*' },
 *   { decision: 'deny', effects: { kind: 'fs.write', path: '.github/**' }, reason: 'workflows are changed by people' },
 * ]);
 */
export function rules(list: readonly Rule[], options: RulesOptions = {}): RuleList {
  if (!Array.isArray(list)) throw new TypeError('rules() needs a list of rules.');
  checkOptions('rules', options, ['name']);
  const compiled = Object.freeze(list.map((rule, index) => compileRule(rule, index, options.name)));
  const candidates = createIndex(compiled);
  let version: string | undefined;
  const made: RuleList = Object.freeze({
    name: options.name ?? 'rules',
    rules: compiled,
    get version() {
      version ??= versionOf(list);
      return version;
    },
    decide: (request: PolicyRequest) => strictestOf(candidates(request.tool), request, apply),
    foresee(tool: Tool, mode: string): Foresight {
      const found = candidates(tool).filter((rule) => rule.appliesIn(mode));
      if (found.some((rule) => rule.decision === 'deny' && !rule.depends(tool))) return 'deny';
      // A rule that can only deny never gives what the mode does not.
      return found.some((rule) => rule.decision !== 'deny') ? 'depends' : 'silent';
    },
  });
  lists.add(made);
  return made;
}

/** Whether a policy is a list of rules, which can be explained one by one. */
export function isRuleList(policy: Policy): policy is RuleList {
  return lists.has(policy);
}

const lists = new WeakSet<Policy>();

/** One rule's say. A rule that fails has denied, whatever it would have said. */
export function apply(rule: CompiledRule, request: PolicyRequest): Maybe<Ruling | undefined> {
  try {
    const ruling: unknown = rule.judge(request);
    if (!isThenable(ruling)) return ruling as Ruling | undefined;
    return Promise.resolve(ruling as Promise<Ruling | undefined>).catch((error: unknown) => failed(rule.label, error));
  } catch (error) {
    return failed(rule.label, error);
  }
}

interface Indexed {
  readonly name: string;
  readonly permission: unknown;
  readonly tags: unknown;
  readonly source: unknown;
  readonly annotations: unknown;
  readonly found: readonly CompiledRule[];
}

/**
 * Finds a tool's rules once, by what never changes from call to call (name, tags, level, source, annotations), so that a
 * decision costs the same beside a thousand rules about other tools.
 */
function createIndex(compiled: readonly CompiledRule[]): (tool: Tool) => readonly CompiledRule[] {
  const index = new WeakMap<Tool, Indexed>();
  return (tool) => {
    const known = index.get(tool);
    if (known !== undefined && isCurrent(known, tool)) return known.found;
    const { name, permission, tags, source, annotations } = tool;
    const found = compiled.filter((rule) => rule.concerns(tool));
    index.set(tool, { name, permission, tags, source, annotations, found });
    return found;
  };
}

// Registered tools are not changed; were one changed all the same, its rules must follow.
function isCurrent(known: Indexed, tool: Tool): boolean {
  return (
    known.name === tool.name &&
    known.permission === tool.permission &&
    known.tags === tool.tags &&
    known.source === tool.source &&
    known.annotations === tool.annotations
  );
}
