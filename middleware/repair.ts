import { createRequire } from 'node:module';
import { checkOptions } from '../src/basics/options.ts';
import { isThenable, toPromise } from '../src/basics/thenable.ts';
import {
  type Ladder,
  type Repair,
  type RepairStep,
  repairArguments,
  repairSteps,
} from '../src/providers/arguments/ladder.ts';
import { causeOf, rememberCause, type ToolResult } from '../src/result.ts';
import { makesStages, withTraits } from '../src/traits.ts';
import type { Found, Maybe, Next, Stage, ToolCall } from '../src/types.ts';

export type { Repair, RepairStep };

export interface RepairOptions {
  /**
   * Which steps may be taken. Their order is fixed. Default: all, `json-syntax` only where the optional package
   * `jsonrepair` is installed; naming `json-syntax` without it is an error.
   */
  readonly steps?: readonly RepairStep[];
}

type Adds = { call: Required<ToolCall> };

/**
 * Mends arguments as models really send them, before they are validated: see {@link RepairStep} for the ladder. It
 * mends what validation would refuse, never completes text that was cut off, and never puts `{}` in the place of what it
 * cannot read; such arguments go on as they came. Every step taken is noted in `meta.repaired` of the result,
 * as `{ step, pointer }`.
 *
 * It is in no pipeline by default: `pipeline.after('lookup', 'repair', repair())`.
 *
 * Fails with: nothing of its own.
 *
 * @example
 * defaultPipeline({ roots: ['./workspace'] }).after('lookup', 'repair', repair({ steps: ['json-text', 'absent-null'] }))
 */
export function repair(options: RepairOptions = {}): Stage<Found, Adds> {
  const ladder = ladderOf(options);
  return withTraits(
    function repair(ctx: Found, next: Next<Adds>): Maybe<ToolResult> {
      const mended = repairArguments(ctx.tool.parameters, ctx.call.arguments, ladder);
      if (mended.repaired.length === 0) return next({ call: ctx.call });
      const result = next({ call: { ...ctx.call, arguments: mended.arguments } });
      return isThenable(result)
        ? toPromise(result).then((settled) => noted(settled, mended.repaired))
        : noted(result, mended.repaired);
    },
    { needs: ['tool'], adds: ['call'], rewrites: true },
  );
}
makesStages(repair);

function noted(result: ToolResult, repaired: readonly Repair[]): ToolResult {
  const meta = { ...result.meta, repaired };
  return result.ok ? { ...result, meta } : rememberCause({ ...result, meta }, causeOf(result));
}

function ladderOf(options: RepairOptions): Ladder {
  checkOptions('repair', options, ['steps']);
  for (const name of options.steps ?? []) {
    if (repairSteps.includes(name)) continue;
    throw new TypeError(`repair: unknown step "${String(name)}"; the steps are ${repairSteps.join(', ')}.`);
  }
  const steps = new Set(options.steps ?? repairSteps);
  if (!steps.has('json-syntax')) return { steps };
  if (options.steps && !isInstalled()) {
    throw new TypeError('repair: the step "json-syntax" needs the package jsonrepair. Run: npm install jsonrepair');
  }
  return { steps, mend: isInstalled() ? mend : undefined };
}

const requirePackage = createRequire(import.meta.url);

function isInstalled(): boolean {
  try {
    requirePackage.resolve('jsonrepair');
    return true;
  } catch {
    return false;
  }
}

// Loaded with the first text that needs it; most never do.
function mend(text: string): string {
  const { jsonrepair } = requirePackage('jsonrepair') as { jsonrepair: (text: string) => string };
  return jsonrepair(text);
}
