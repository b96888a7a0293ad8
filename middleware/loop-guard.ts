import { canonicalJson } from '../src/basics/canonical-json.ts';
import { checkOptions } from '../src/basics/options.ts';
import { atOnce, isThenable, toPromise } from '../src/basics/thenable.ts';
import { toFailure } from '../src/failure.ts';
import { shortened } from '../src/policy/digest.ts';
import { PerRun } from '../src/policy/per-run.ts';
import type { ToolResult } from '../src/result.ts';
import type { Tool } from '../src/tool.ts';
import { type Guard, guard, makesStages } from '../src/traits.ts';
import type { Maybe, Next, Ready, Stage } from '../src/types.ts';

export interface LoopGuardOptions {
  /** How often a call may give the same result; the next one is stopped. Default 3. */
  readonly repeats?: number;
  /** Tools that are meant to be called again and again. Default: those with the tag `polling`. */
  readonly exempt?: (tool: Tool) => boolean;
}

/**
 * Stops a call that has given the same result again and again, and tells the model so. Same means: the same run (by its id
 * and principal), tool and arguments, and the same data or the same failure, unless that is one that may go away by itself.
 * Where another call has changed something meanwhile (a tool that is not of level `read`, with a result that is new), counting
 * begins anew: tests may be run after every edit.
 *
 * It is in no pipeline by default. Put it between the path guard and permission: then it knows the canonical arguments,
 * and nobody is asked about a call that was declined three times. Remembers the last 256 calls of the 1,000 runs that were
 * used last. Costs the canonical JSON of arguments and data.
 *
 * Fails with `denied`; `details.reason` is `loop`.
 *
 * @example
 * defaultPipeline({ roots: ['./workspace'] }).before('permission', 'loopGuard', loopGuard({ repeats: 3 }))
 */
export function loopGuard(options: LoopGuardOptions = {}): Stage<Ready> & Guard {
  const { repeats, exempt } = checked(options);
  const runs = new PerRun(() => new Calls(), 1_000);

  function loopGuard(ctx: Ready, next: Next): Maybe<ToolResult> {
    const { tool } = ctx;
    const call = atOnce(exempt(tool)) === true ? undefined : textOf([tool.name, ctx.args]);
    if (call === undefined) return next();
    const calls = runs.of(ctx.run);
    if (calls.count(call) >= repeats) {
      const text =
        `This call of ${tool.name} was stopped: with these very arguments it has given the same result ${repeats} times, ` +
        'and will give it again. Use that result, change the arguments, take another way, or tell the user what is missing.';
      return ctx.fail('denied', text, { details: { reason: 'loop', repeats } });
    }
    const note = (result: ToolResult): ToolResult => {
      calls.note(call, outcomeOf(result), tool.permission !== 'read' && result.ok);
      return result;
    };
    const noteThrown = (error: unknown): never => {
      note(toFailure(ctx, error));
      throw error;
    };
    let result: Maybe<ToolResult>;
    try {
      result = next();
    } catch (error) {
      return noteThrown(error);
    }
    return isThenable(result) ? toPromise(result).then(note, noteThrown) : note(result);
  }

  return guard(loopGuard as Stage<Ready>, { needs: ['tool', 'args'] });
}
makesStages(loopGuard);

const mostCalls = 256;

/** The calls of a run: what each gave last, and how often in a row. */
class Calls {
  readonly #known = new Map<string, { readonly outcome: string; readonly count: number }>();

  count(call: string): number {
    return this.#known.get(call)?.count ?? 0;
  }

  note(call: string, outcome: string | undefined, hasChanged: boolean): void {
    const before = this.#known.get(call);
    const isSame = before !== undefined && before.outcome === outcome;
    if (hasChanged && !isSame) this.#known.clear();
    this.#known.delete(call);
    if (outcome !== undefined) this.#known.set(call, { outcome, count: isSame ? before.count + 1 : 1 });
    if (this.#known.size > mostCalls) this.#known.delete(this.#known.keys().next().value as string);
  }
}

/** What came out, for comparison; `undefined` where that cannot be told, and for what may go away by itself. */
function outcomeOf(result: ToolResult): string | undefined {
  if (!result.ok && result.retryable) return undefined;
  return textOf(result.ok ? ['ok', result.data] : [result.code, result.error]);
}

/** As long as two digests. */
const longestText = 128;

function textOf(value: unknown): string | undefined {
  try {
    return shortened(canonicalJson(value), longestText);
  } catch {
    return undefined;
  }
}

function checked(options: LoopGuardOptions): Required<LoopGuardOptions> {
  checkOptions('loopGuard', options, ['repeats', 'exempt'] satisfies (keyof LoopGuardOptions)[]);
  const { repeats = 3, exempt = isPolling } = options;
  if (!Number.isSafeInteger(repeats) || repeats < 1) {
    throw new TypeError(`loopGuard({ repeats }) must be a whole number from 1; it is ${String(repeats)}.`);
  }
  if (typeof exempt !== 'function') throw new TypeError('loopGuard({ exempt }) must be a function of a tool.');
  return { repeats, exempt };
}

function isPolling({ tags }: Tool): boolean {
  return tags?.includes('polling') === true;
}
