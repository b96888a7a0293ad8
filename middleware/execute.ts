import { isContent } from '../src/content.ts';
import { settleable } from '../src/deadline.ts';
import { toFailure } from '../src/failure.ts';
import { HandlerContext } from '../src/handler-context.ts';
import { checkOptions } from '../src/options.ts';
import type { Failure, ToolResult } from '../src/result.ts';
import type { SchemaEngine } from '../src/schema/engine.ts';
import type { JsonSchemaObject } from '../src/schema/json-schema.ts';
import { isThenable, toPromise } from '../src/thenable.ts';
import type { Tool, ToolContext } from '../src/tool.ts';
import { withTraits } from '../src/traits.ts';
import type { Maybe, Ready, Stage } from '../src/types.ts';

export interface ExecuteOptions {
  /** What checks data against the tool's `output` schema. Default: Ajv, loaded with the first tool that has one. */
  readonly engine?: SchemaEngine;
}

/**
 * Runs the tool's handler: synchronous, asynchronous, or a generator, whose yields are progress and whose return value
 * is the data (without one, the last yield). Checks the data against the tool's `output` schema;
 * of content that has some, the structured content.
 *
 * @example
 * pipeline.use('execute', execute())
 *
 * Fails with: `tool_error`, `invalid_output`, `internal`.
 */
export function execute(options: ExecuteOptions = {}): Stage<Ready> {
  checkOptions('execute', options, ['engine']);
  const { engine } = options;
  return withTraits(
    function execute(ctx: Ready): Maybe<ToolResult> {
      const { tool } = ctx;
      const missing = missingCapability(ctx);
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
      } catch (error) {
        return failed(ctx, error);
      }
      return later(ctx, toPromise(pending), engine);
    },
    { needs: ['tool', 'args'], ends: true, total: true },
  );
}

// By itself, so that a synchronous handler does not pay for what only these closures need.
function later(ctx: Ready, pending: Promise<unknown>, engine: SchemaEngine | undefined): Promise<ToolResult> {
  const fail = (error: unknown): Failure => failed(ctx, error);
  if (ctx.tool.output !== undefined) return pending.then((data) => ended(ctx, data, engine), fail);
  return settleable(pending, (data) => succeeded(ctx, data), fail);
}

function succeeded(ctx: Ready, data: unknown): ToolResult {
  ctx.ended();
  return ctx.ok(data);
}

function ended(ctx: Ready, data: unknown, engine: SchemaEngine | undefined): Maybe<ToolResult> {
  ctx.ended();
  const { output } = ctx.tool;
  return output === undefined ? ctx.ok(data) : fitting(ctx, output, data, engine);
}

function failed(ctx: Ready, error: unknown): Failure {
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
    const engine = given ?? (await import('../src/schema/engine.ts')).createSchemaEngine();
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
function missingCapability(ctx: Ready): Failure | undefined {
  const { tool } = ctx;
  const missing =
    (tool.paths !== undefined && ctx.fs === undefined && 'paths') ||
    (tool.urls !== undefined && ctx.fetch === undefined && 'urls') ||
    (tool.commands !== undefined && ctx.exec === undefined && 'commands');
  if (!missing) return undefined;
  return ctx.fail('internal', `"${tool.name}" declares ${missing}, but no guard for them ran before it.`);
}

type Generator = Iterator<unknown, unknown> | AsyncIterator<unknown, unknown>;

/** Generators only: a stream or a list that happens to be iterable is data, and not the handler still at work. */
function isGenerator(value: unknown): value is Generator {
  if (typeof value !== 'object' || value === null) return false;
  const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  return (tag === 'AsyncGenerator' || tag === 'Generator') && typeof (value as Generator).next === 'function';
}

/** How long a generator may go on without a turn of the event loop, in milliseconds: a deadline needs one to pass. */
const longestStretch = 10;

async function drain(ctx: Ready, generator: Generator): Promise<unknown> {
  let last: unknown;
  let ended = false;
  let turnAt = performance.now();
  try {
    while (!ctx.aborted) {
      const { done, value } = await generator.next();
      ended = done === true;
      if (ended) return value === undefined ? last : value;
      last = await value;
      ctx.progress(last);
      if (performance.now() - turnAt > longestStretch) {
        await new Promise((resolve) => setImmediate(resolve));
        turnAt = performance.now();
      }
    }
    // How far it had come is not what it was asked for.
    throw ctx.signal.reason;
  } finally {
    // Lets the generator's own `finally` run.
    if (!ended) await generator.return?.(undefined);
  }
}
