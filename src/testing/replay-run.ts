import { AssertionError } from 'node:assert';
import { checkOptions } from '../basics/options.ts';
import type { Approve } from '../policy/approval.ts';
import type { ToolResult } from '../result.ts';
import type { Router } from '../router.ts';
import { differences } from './differences.ts';
import { listed } from './expectations.ts';
import type { RecordedCall, Recording } from './recording.ts';

export interface ReplayOptions {
  /** What may differ: JSON pointers into a result, such as `/meta` or `/data/date`. Default: nothing. */
  readonly ignore?: readonly string[];
  /** Makes all calls at once, in place of one after the other. Default false. */
  readonly together?: boolean;
}

/**
 * Makes the calls of a recording again, with their ids and runs, and asserts that each gives the result that it gave.
 * Throws an AssertionError that shows, call by call, where the results differ. Gives the results. Calls that had not been
 * answered when the recording stopped are left out.
 *
 * @example
 * await replayRun(readRun(text), createRouter({ tools, mode: 'auto' }), { ignore: ['/data/fetchedAt'] });
 */
export async function replayRun(
  recording: Recording,
  router: Pick<Router, 'call'>,
  options: ReplayOptions = {},
): Promise<ToolResult[]> {
  checkOptions('replayRun', options, ['ignore', 'together']);
  const { ignore = [], together = false } = options;
  const calls = recording.calls.filter(({ result }) => result !== undefined);
  const make = ({ id, name, arguments: args, run }: RecordedCall): Promise<ToolResult> =>
    router.call({ id, name, arguments: args }, { run });
  const results: ToolResult[] = [];
  if (together) results.push(...(await Promise.all(calls.map(make))));
  else for (const call of calls) results.push(await make(call));

  const found = calls.flatMap(({ serial, id, name, result }, at) => {
    const lines = differences(result, results[at], ignore);
    return lines.length === 0 ? [] : [`call ${serial}, ${name} (${id}):`, ...lines.map((line) => `  ${line}`)];
  });
  if (found.length === 0) return results;
  throw new AssertionError({
    message: listed('The run did not go as it was recorded', found),
    actual: results,
    expected: calls.map(({ result }) => result),
    operator: 'replayRun',
    stackStartFn: replayRun,
  });
}

/**
 * An approver that answers as whoever was asked did in a recording, by the ids of calls: edits included. A call that was
 * not asked about then is not answered: it fails with `approval_required`.
 *
 * @example
 * createRouter({ tools, approve: recordedApprover(recording) });
 */
export function recordedApprover({ calls }: Recording): Approve {
  const left = calls.flatMap((call) =>
    call.decisions.filter(({ asked }) => asked).map((decision) => ({ call, decision })),
  );
  return ({ callId, tool }) => {
    const at = left.findIndex(({ call }) => call.id === callId && call.name === tool);
    const next = left[at];
    if (next === undefined) return undefined;
    left.splice(at, 1);
    const { decision, edited, remembered, reason } = next.decision;
    if (decision === 'ask') return undefined;
    if (decision === 'deny') return { decision, ...(reason !== undefined && { reason }) };
    if (remembered !== undefined) return { decision, always: { scope: remembered } };
    return edited ? { decision, arguments: next.call.ran } : true;
  };
}
