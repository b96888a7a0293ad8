import { noMeta, type ToolResult } from '../result.ts';
import type { AnsweredCall } from './types.ts';

/** One call beside its result, under the id and the name that the provider knows. */
export interface Answer {
  readonly id: string | undefined;
  readonly name: string;
  readonly result: ToolResult;
}

/** Finds the result of each call, in the order of the calls; see {@link ProviderFormat.writeResults}. */
export function pairResults(calls: readonly AnsweredCall[], results: readonly ToolResult[]): readonly Answer[] {
  const waiting = new Map<string, ToolResult[]>();
  for (const result of results) waiting.set(result.call_id, [...(waiting.get(result.call_id) ?? []), result]);
  const answers = calls.map((call, index): Answer => {
    const id = call.id ?? results[index]?.call_id ?? '';
    const result = waiting.get(id)?.shift() ?? unanswered(call, id);
    const origin = call.origin ?? { id: call.id, name: call.name };
    return { id: origin.id, name: origin.name, result };
  });
  for (const [id, left] of waiting) {
    if (left.length > 0)
      throw new TypeError(`The result with call_id ${JSON.stringify(id)} belongs to none of the calls.`);
  }
  return answers;
}

function unanswered(call: AnsweredCall, id: string): ToolResult {
  return {
    ok: false,
    tool_name: call.name,
    data: null,
    error: 'This call was not run: there is no result for it. Call the tool again if you still need it.',
    call_id: id,
    meta: noMeta,
    code: 'internal',
    retryable: false,
    effect: 'none',
  };
}
