import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { canonicalJson } from '../basics/canonical-json.ts';
import type { Maybe, Run } from '../types.ts';
import type { AlwaysScope } from './always.ts';
import { jsonOf, parsePolicy, readPolicyFile } from './file.ts';
import { PerRun } from './per-run.ts';
import type { PolicyRequest } from './policy.ts';
import type { Rule } from './rule.ts';
import { type RuleList, rules } from './rules.ts';

/** Keeps the rules that approvers have had kept. */
export interface RuleMemory {
  /** How long rules can be kept here. */
  readonly scopes: readonly AlwaysScope[];
  /** The rules that were there when it was made; they count like any others. */
  readonly rules: readonly Rule[];
  /** Whether a rule that was kept since allows this call. */
  allows(request: PolicyRequest): boolean;
  /** Keeps a rule, which was shown whole before. What it throws denies the call that it was kept for. */
  keep(rule: Rule, scope: AlwaysScope, run: Run): Maybe<void>;
}

/** Of more runs than this the oldest is forgotten, of more rules all before; somebody is then asked again. */
const mostRuns = 1_000;
const mostRules = 1_000;

/**
 * Keeps rules for the run in memory and, with a file, for the project: the file is a policy file, is read now (its rules
 * count, those that deny as well) and gets each further rule appended, replaced as a whole. Keep it out of what tools may
 * write; under the name `callgate.rules.json` the path guard sees to that. Whoever shares the file shares what is allowed.
 *
 * Throws a TypeError when the file cannot be used.
 *
 * @example
 * permission({ remember: ruleMemory('callgate.rules.json'), approve });
 */
export function ruleMemory(file?: string): RuleMemory {
  const path = file === undefined ? undefined : resolve(file);
  const present = path !== undefined && existsSync(path) ? readPolicyFile(path).rules : [];
  const forProject = new Kept();
  const forRuns = new PerRun(() => new Kept(), mostRuns);

  return Object.freeze({
    scopes: Object.freeze<AlwaysScope[]>(path === undefined ? ['run'] : ['run', 'project']),
    rules: Object.freeze([...present]),
    allows(request: PolicyRequest): boolean {
      return forProject.allows(request) || forRuns.known(request.run)?.allows(request) === true;
    },
    async keep(rule: Rule, scope: AlwaysScope, run: Run): Promise<void> {
      if (scope === 'run') return forRuns.of(run).add(rule);
      if (path === undefined) throw new TypeError('Rules for a project need a file: ruleMemory(FILE).');
      const { replaceFile } = await import('./replace-file.ts');
      await replaceFile(path, (text) => withRule(text, rule, path));
      forProject.add(rule);
    },
  });
}

/** The rules of one scope, by the tool that each is for. */
class Kept {
  readonly #lists = new Map<string, RuleList[]>();
  #count = 0;

  allows(request: PolicyRequest): boolean {
    return this.#lists.get(request.tool.name)?.some((list) => isAllowance(list.decide(request))) === true;
  }

  add(rule: Rule): void {
    if (rule.decision !== 'allow' || typeof rule.tool !== 'string') {
      throw new TypeError('Only a rule that allows one tool can be kept.');
    }
    const list = rules([rule]);
    if (++this.#count > mostRules) {
      this.#lists.clear();
      this.#count = 1;
    }
    this.#lists.set(rule.tool, [...(this.#lists.get(rule.tool) ?? []), list]);
  }
}

function isAllowance(ruling: unknown): boolean {
  return (ruling as { decision?: unknown } | undefined)?.decision === 'allow';
}

function withRule(text: string | undefined, rule: Rule, path: string): string {
  const content = text === undefined ? { rules: [] } : (jsonOf(text, path) as object);
  const { rules: list } = parsePolicy(content);
  const isThere = list.some((other) => canonicalJson(other) === canonicalJson(rule));
  return `${JSON.stringify({ ...content, rules: isThere ? list : [...list, rule] }, null, 2)}\n`;
}
