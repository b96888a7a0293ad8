import type { PermissionStage } from '../../../middleware/permission.ts';
import type { RouterPipeline } from '../../pipeline.ts';
import type { Explanation } from '../../policy/explain.ts';
import type { LintFinding } from '../../policy/lint.ts';
import type { ToolResult } from '../../result.ts';
import { createRouter, type Router } from '../../router.ts';
import { guard } from '../../traits.ts';
import type { Effect, Ready, ToolCall } from '../../types.ts';
import { Unusable } from '../errors.ts';

/** What would become of a call. Nothing runs, nobody is asked. */
export interface Judgement {
  /** Absent when a stage before permission stops the call. */
  readonly explanation?: Explanation;
  /** After validation and the guards. */
  readonly arguments?: unknown;
  readonly effects?: readonly Effect[];
  /** What the stage that stops the call answers, and its name. */
  readonly stopped?: { readonly stage: string; readonly result: ToolResult };
}

/** A pipeline's permission, to be looked into. */
export interface Judge {
  judge(call: ToolCall, mode: string): Promise<Judgement>;
  /** Throws {@link Unusable} where there are no rules. */
  lint(): Promise<readonly LintFinding[]>;
}

/**
 * Makes a judge of a router: its calls pass the same stages as far as permission, which then says what it would decide
 * instead of deciding. Throws {@link Unusable} when the pipeline has no permission that can say so.
 */
export function judgeOf(router: Router): Judge {
  const { entries } = router.pipeline;
  const found = entries.find((entry) => 'explain' in entry.stage && 'lint' in entry.stage);
  const pipeline = router.pipeline as RouterPipeline<unknown> & { replace?: (...entry: unknown[]) => typeof pipeline };
  if (found === undefined || pipeline.replace === undefined) {
    throw new Unusable('The pipeline of the configuration has no permission stage whose rules could be looked at.');
  }
  const permission = found.stage as unknown as PermissionStage;
  const judgements = new Map<string, Judgement>();
  const explaining = guard(
    async (ctx: Ready) => {
      const { args, effects = [] } = ctx;
      judgements.set(ctx.call.id, { explanation: await permission.explain(ctx), arguments: args, effects });
      return ctx.fail('denied', 'The call is only being explained.');
    },
    { needs: ['tool', 'args'] },
  );
  const explainer = createRouter({ registry: router.registry, pipeline: pipeline.replace(found.name, explaining) });
  let count = 0;

  return {
    async lint() {
      // Rules that were lost must not pass for rules without a fault.
      if (permission.ruleCount === 0) {
        throw new Unusable(
          'There are no rules to look at. Give some in the configuration (rules, policy), or --rules FILE.',
        );
      }
      return permission.lint(router.registry.list());
    },
    async judge(call, mode) {
      // A run of its own, so that what counts calls takes each for the first.
      const id = `explained ${++count}`;
      let stage: string | undefined;
      const stop = explainer.on('stage', (event) => {
        if (event.call.id === id && event.outcome === 'answered') stage ??= event.stage;
      });
      const result = await explainer.call({ ...call, id }, { run: { ...router.run, id, mode } });
      stop();
      const judgement = judgements.get(id);
      judgements.delete(id);
      return judgement ?? { stopped: { stage: stage ?? 'a stage', result } };
    },
  };
}
