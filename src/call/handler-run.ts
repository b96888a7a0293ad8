import { isThenable, toPromise } from '../basics/thenable.ts';
import { isContent } from '../content.ts';
import { toFailure } from '../failure.ts';
import type { Failure, ToolResult } from '../result.ts';
import type { SchemaEngine } from '../schema/engine.ts';
import type { JsonSchemaObject } from '../schema/json-schema.ts';
import type { Tool, ToolContext } from '../tool.ts';
import type { Maybe, Ready } from '../types.ts';
import { drain, isGenerator } from './generator.ts';
import { HandlerContext } from './handler-context.ts';
import { PendingAnswer } from './pending-answer.ts';

/**
 * Runs the call's handler in this thread: synchronous, asynchronous, or a generator. Neither throws nor rejects. A tool that
 * is to run elsewhere is refused: where nothing could stop it, it must not start.
 */
export function runHandler(ctx: Ready, engine: SchemaEngine | undefined): Maybe<ToolResult> {
  const { tool } = ctx;
  const missing = tool.isolate === undefined ? missingCapability(ctx) : notIsolated(ctx);
  if (missing !== undefined) return missing;
  let pending: unknown;
  try {
    ctx.began();
  } catch (error) {
    return toFailure(ctx, error);
  }
  try {
    const data = tool.handler(ctx.args, new HandlerContext(ctx) as ToolContext);
    pending = isGenerator(data) ? drain(ctx, data) : data;
    if (!isThenable(pending)) return ended(ctx, pending, engine);
    // Also within the try: a promise may have a `then` of its own, which throws.
    return later(ctx, toPromise(pending), engine);
  } catch (error) {
    return failed(ctx, error);
  }
}

// By itself, so that a synchronous handler does not pay for what only these closures need.
function later(ctx: Ready, pending: Promise<unknown>, engine: SchemaEngine | undefined): Promise<ToolResult> {
  if (ctx.tool.output === undefined) return PendingAnswer.from(ctx, pending, succeeded, failed).promise;
  return pending.then(
    (data) => ended(ctx, data, engine),
    (error: unknown) => failed(ctx, error),
  );
}

function succeeded(ctx: Ready, data: unknown): ToolResult {
  ctx.ended();
  return ctx.ok(data);
}

export function ended(ctx: Ready, data: unknown, engine: SchemaEngine | undefined): Maybe<ToolResult> {
  ctx.ended();
  const { output } = ctx.tool;
  return output === undefined ? ctx.ok(data) : fitting(ctx, output, data, engine);
}

export function failed(ctx: Ready, error: unknown): Failure {
  ctx.ended();
  return toFailure(ctx, error);
}

/** Rarely needed, so what checks a schema is loaded with the first tool that declares its output. */
async function fitting(
  ctx: Ready,
  output: JsonSchemaObject,
  data: unknown,
  given: SchemaEngine | undefined,
): Promise<ToolResult> {
  try {
    const engine = given ?? (await import('../schema/engine.ts')).createSchemaEngine();
    const structured = isContent(data) && data.structuredContent !== undefined ? data.structuredContent : data;
    const violations = engine.compile(output, { defaults: false })(structured);
    if (violations === undefined) return ctx.ok(data);
    return ctx.fail('invalid_output', outputMessage(ctx.tool, violations), { details: { violations } });
  } catch (error) {
    return toFailure(ctx, error);
  }
}

function outputMessage(tool: Tool, violations: readonly { message: string }[]): string {
  const what = violations.map(({ message }) => message).join('; ');
  return `"${tool.name}" ran, but what it gave does not fit its own output schema: ${what}. This is a fault of the tool.`;
}

/** A tool that was lent nothing must not run: a guard left out breaks the tool and opens no hole. */
export function missingCapability(ctx: Ready): Failure | undefined {
  const { tool } = ctx;
  const missing =
    (tool.paths !== undefined && ctx.fs === undefined && 'paths') ||
    (tool.urls !== undefined && ctx.fetch === undefined && 'urls') ||
    (tool.commands !== undefined && ctx.exec === undefined && 'commands');
  if (!missing) return undefined;
  return ctx.fail('internal', `"${tool.name}" declares ${missing}, but no guard for them ran before it.`);
}

function notIsolated(ctx: Ready): Failure {
  const { name, isolate } = ctx.tool;
  return ctx.fail(
    'internal',
    `"${name}" is to run in a ${isolate} of its own, and this pipeline has no stage that does so: put isolate() in the place of ` +
      'execute(), or give createRouter({ isolation: {} }).',
  );
}
