import { checkOptions } from '../basics/options.ts';
import type { Clock } from '../clock.ts';
import { checkFinite } from '../resilience/numbers.ts';
import type { Tool } from '../tool.ts';
import { type ExampleCall, requestFor } from './examples.ts';
import { createModes, type Modes, type ModeTable } from './modes.ts';
import { judge, type Policy, type PolicyRequest } from './policy.ts';
import type { Rule } from './rule.ts';
import { apply, isRuleList, rules } from './rules.ts';
import { type Decision, type Ruling, stricter } from './verdict.ts';

export interface ExplainOptions {
  /** Default: none. */
  readonly rules?: readonly Rule[];
  /** Further policies, which count together with the rules. Default: none. */
  readonly policies?: readonly Policy[];
  /** Modes of your own beside the built-in ones. Default: none. */
  readonly modes?: { readonly [mode: string]: ModeTable };
  /** The tool itself, for what it declares (level, tags, paths). Default: as the call says. */
  readonly tool?: Tool;
  /** How long policies may take, in milliseconds. Default 10,000. */
  readonly decideTimeout?: number;
}

/** Why a call is decided as it is. */
export interface Explanation {
  readonly decision: Decision;
  /** The rule, policy or mode that decided. */
  readonly by: string;
  readonly reason?: string;
  /** Every rule and policy that had an opinion. */
  readonly matches: readonly { readonly rule: string; readonly decision: Decision; readonly reason?: string }[];
  /** What would be decided in each mode. */
  readonly modes: { readonly [mode: string]: Decision };
}

/**
 * Says which rule or mode decides about a call, which others had a say, and what every other mode would do.
 *
 * @example
 * const { decision, by } = await explain({ tool: 'write_file', level: 'write', arguments: { path: '.env' } }, { policies: [house] });
 */
export async function explain(call: ExampleCall, options: ExplainOptions = {}): Promise<Explanation> {
  checkOptions('explain', options, ['rules', 'policies', 'modes', 'tool', 'decideTimeout']);
  const { rules: list = [], policies = [], modes, tool, decideTimeout = 10_000 } = options;
  return explainRequest(requestFor(call, 'The call', tool), {
    policies: [rules(list), ...policies],
    modes: createModes(modes),
    decideTimeout: checkFinite(decideTimeout, 'explain({ decideTimeout })'),
  });
}

/** What decides a call. */
export interface Deciders {
  readonly policies: readonly Policy[];
  readonly modes: Modes;
  /** In milliseconds. */
  readonly decideTimeout: number;
  readonly clock?: Clock;
  /** The level that the call needs, where a guard has found out. Default: the tool's. */
  readonly level?: Tool['permission'];
  /** Why a guard has somebody asked, whatever the mode and the rules allow. */
  readonly mustAsk?: string | undefined;
}

/** As {@link explain}, of a request as policies get it. */
export async function explainRequest(request: PolicyRequest, options: Deciders): Promise<Explanation> {
  const { modes, mustAsk, level = request.tool.permission } = options;
  const { mode } = request;
  const byGuard: Ruling | undefined =
    mustAsk === undefined ? undefined : { decision: 'ask', reason: mustAsk, rule: 'guard' };
  const { ruling, matches } = await decided(request, options);
  const inModes: Record<string, Decision> = {};
  for (const other of modes.names) {
    const there = { ...request, mode: other, run: { ...request.run, mode: other } };
    inModes[other] = final((await decided(there, options)).ruling, other).decision;
  }
  const { decision, rule, reason } = final(ruling, mode);
  return { decision, by: rule ?? 'policy', ...(reason !== undefined && { reason }), matches, modes: inModes };

  function final(found: Ruling | undefined, where: string): Ruling {
    const preset = modes.defaultFor(where, level);
    if (preset === undefined) return { decision: 'deny', rule: `mode ${where}`, reason: 'there is no such mode' };
    const byMode: Ruling = { decision: preset, rule: `mode ${where}` };
    const decided = (found?.doubtful ? stricter(found, byMode) : found) ?? byMode;
    return stricter(decided, byGuard) ?? decided;
  }
}

async function decided(
  request: PolicyRequest,
  { policies, decideTimeout, clock }: Deciders,
): Promise<{ ruling: Ruling | undefined; matches: Explanation['matches'] }> {
  const found: Ruling[] = [];
  for (const policy of policies) {
    if (isRuleList(policy)) {
      for (const rule of policy.rules) {
        const ruling = rule.concerns(request.tool) ? await apply(rule, request) : undefined;
        if (ruling !== undefined) found.push(ruling);
      }
      continue;
    }
    const ruling = await judge([policy], request, decideTimeout, clock);
    if (ruling !== undefined) found.push({ ...ruling, rule: ruling.rule ?? policy.name ?? 'policy' });
  }
  const matches = found.map(({ rule = 'policy', decision, reason }) => ({
    rule,
    decision,
    ...(reason !== undefined && { reason }),
  }));
  return { ruling: found.reduce<Ruling | undefined>(stricter, undefined), matches };
}
