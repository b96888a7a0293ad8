import { type Enacted, enact, enactLater } from '../src/policy/enact.ts';
import type { Explanation } from '../src/policy/explain.ts';
import { levelOf, requestOf } from '../src/policy/judged-call.ts';
import type { LintFinding } from '../src/policy/lint.ts';
import { offered } from '../src/policy/offered.ts';
import { judge } from '../src/policy/policy.ts';
import { unasked, unknownMode } from '../src/policy/refusals.ts';
import { isRuleList } from '../src/policy/rules.ts';
import { type PermissionOptions, permissionSettings } from '../src/policy/settings.ts';
import type { Tool } from '../src/tool.ts';
import { type Guard, guard, makesStages, step } from '../src/traits.ts';
import type { Maybe, Ready, Stage } from '../src/types.ts';

export type { PermissionOptions };

/** The stage, which also knows what is worth offering to a model. */
export type PermissionStage = Stage<Ready> &
  Guard & {
    /** The names of the modes it knows; absent where it knows none. */
    readonly modes?: readonly string[];
    /** Whether a tool can be allowed at all in a mode; see `offered`. */
    offers(tool: Tool, mode: string): boolean;
    /** Which rule, policy or mode decides about a call, and what the other modes would do. Nothing is asked or kept. */
    explain(ctx: Ready): Promise<Explanation>;
    /** Rules that can never matter, or mean more than they seem to, given the tools there are. */
    lint(tools: Iterable<Tool>): Promise<readonly LintFinding[]>;
    /** How many rules there are for `lint` to look at. */
    readonly ruleCount: number;
  };

/**
 * Lets a call through, stops it, or asks somebody, by the rules and policies and otherwise by the mode of the run.
 *
 * Fails with `denied` and `approval_required`, and with `aborted` when the call is withdrawn while somebody is asked.
 *
 * @example
 * permission({
 *   rules: [{ decision: 'deny', tool: 'run_*', tag: 'production', reason: 'production is changed by people' }],
 *   approve: async ({ tool, arguments: args }) => confirm(`Run ${tool} with ${JSON.stringify(args)}?`),
 * })
 */
export function permission(options: PermissionOptions = {}): PermissionStage {
  const settings = permissionSettings(options);
  const { policies, modes, decideTimeout, clock } = settings;

  function permission(ctx: Ready): Maybe<Enacted> {
    const { mode } = ctx.run;
    const preset = modes.defaultFor(mode, levelOf(ctx));
    if (policies.length === 0 && preset === 'allow' && ctx.mustAsk === undefined) {
      ctx.tell?.('decision', unasked({ decision: 'allow', rule: `mode ${mode}` }));
      return undefined;
    }
    if (preset === undefined) return unknownMode(ctx, modes);
    if (policies.length === 0) return enact(ctx, undefined, settings);
    const ruling = judge(policies, requestOf(ctx), decideTimeout, clock);
    if (!(ruling instanceof Promise)) return enact(ctx, ruling, settings);
    return enactLater(ctx, ruling, settings);
  }

  const stage = guard(step(permission), { needs: ['tool', 'args'] }) as Stage<Ready> & Guard;
  return Object.assign(stage, {
    modes: modes.names,
    ruleCount: settings.lasting.reduce((count, policy) => count + (isRuleList(policy) ? policy.rules.length : 0), 0),
    offers: (tool: Tool, mode: string) => offered(tool, mode, { policies, modes }),
    // What tools are known to be is kept by deciding, and explaining must keep nothing.
    explain: async (ctx: Ready) => {
      const { explainRequest } = await import('../src/policy/explain.ts');
      const { level, mustAsk } = ctx;
      const deciders = {
        policies: settings.lasting,
        modes,
        decideTimeout,
        clock,
        mustAsk,
        ...(level !== undefined && { level }),
      };
      return explainRequest(requestOf(ctx), deciders);
    },
    lint: async (tools: Iterable<Tool>) => {
      const { lintPolicies } = await import('../src/policy/lint.ts');
      return lintPolicies(settings.lasting, { tools, ...(options.modes !== undefined && { modes: options.modes }) });
    },
  });
}
makesStages(permission);

/**
 * Lets every call through. For `replace('permission', allowAll())`, so that switching permission off can be searched for.
 *
 * Fails with nothing.
 *
 * @example
 * defaultPipeline({ roots }).replace('permission', allowAll());
 */
export function allowAll(): PermissionStage {
  function allowAll(): undefined {
    return undefined;
  }
  const stage = guard(step(allowAll), { needs: ['tool', 'args'] }) as Stage<Ready> & Guard;
  const modes = { plan: 'allow', ask: 'allow', auto: 'allow', trusted: 'allow' } as const;
  return Object.assign(stage, {
    offers: () => true,
    explain: async () => ({ decision: 'allow' as const, by: 'allowAll', matches: [], modes }),
    lint: async () => [],
    ruleCount: 0,
  });
}
makesStages(allowAll);
