import { type Validated, type ValidateOptions, validate } from '../../middleware/validate.ts';
import type { Failure, ToolResult } from '../../src/result.ts';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';
import type { Tool } from '../../src/tool.ts';
import type { Found, Maybe } from '../../src/types.ts';

export function toolWith(parameters: JsonSchemaObject, more: Partial<Tool> = {}): Tool {
  return { name: 'add', description: 'For tests.', parameters, handler: (args) => args, ...more };
}

/** Just enough of a context for the validate stage. */
export function contextFor(tool: Tool, args: unknown): Found {
  const call = { id: 'c1', name: tool.name, arguments: args };
  const fail: Found['fail'] = (code, error, more) => ({
    ok: false,
    tool_name: tool.name,
    data: null,
    error,
    call_id: 'c1',
    meta: {},
    code,
    retryable: false,
    effect: 'none',
    ...(more?.details !== undefined && { details: more.details }),
  });
  return { call, tool, fail } as Found;
}

export interface Outcome {
  /** What the stage handed on; absent when it answered itself. */
  readonly args?: unknown;
  readonly failure?: Failure;
}

/** Runs the stage alone, as a stage with `next`. */
export async function run(tool: Tool, args: unknown, options?: ValidateOptions): Promise<Outcome> {
  let handed: Validated | undefined;
  const done: ToolResult = { ok: true, tool_name: tool.name, data: null, error: null, call_id: 'c1', meta: {} };
  const answer: Maybe<ToolResult> = validate(options)(contextFor(tool, args), (adds: Validated) => {
    handed = adds;
    return done;
  });
  const result = await answer;
  return result.ok ? { args: handed?.args } : { failure: result };
}
