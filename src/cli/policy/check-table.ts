import type { Decision } from '../../policy/verdict.ts';
import type { Judge, Judgement } from './judge.ts';
import type { Expectation } from './table.ts';

/** What came of one line of a table. */
export interface Checked {
  readonly expectation: Expectation;
  readonly mode: string;
  /** What would be decided; a code where the call does not get as far as a decision. */
  readonly decision: string;
  readonly by: string;
  readonly reason?: string;
  readonly holds: boolean;
}

/** Codes by which a stage before permission says no; any other code is a fault of the line. */
const denials: ReadonlySet<string> = new Set(['denied', 'path_denied', 'url_denied', 'command_denied']);

/** Holds a line of a table against what would be decided. */
export async function checkLine(judge: Judge, expectation: Expectation, preset: string): Promise<Checked> {
  const mode = expectation.mode ?? preset;
  const found = verdictOf(await judge.judge(expectation.call, mode));
  const { expect, by } = expectation;
  return { expectation, mode, ...found, holds: found.decision === expect && (by === undefined || found.by === by) };
}

/** The verdict in a judgement, and who gives it. */
export function verdictOf(judgement: Judgement): { decision: Decision | string; by: string; reason?: string } {
  const { explanation, stopped } = judgement;
  if (explanation !== undefined) {
    const { decision, by, reason } = explanation;
    return { decision, by, ...(reason !== undefined && { reason }) };
  }
  const result = stopped?.result;
  if (stopped === undefined || result === undefined || result.ok) return { decision: 'nothing', by: 'a stage' };
  return { decision: denials.has(result.code) ? 'deny' : result.code, by: stopped.stage, reason: result.error };
}
