import { checkKinds, checkOptions } from '../src/basics/options.ts';
import { runHandler } from '../src/call/handler-run.ts';
import type { ToolResult } from '../src/result.ts';
import type { SchemaEngine } from '../src/schema/engine.ts';
import { makesStages, withTraits } from '../src/traits.ts';
import type { Maybe, Ready, Stage } from '../src/types.ts';

export interface ExecuteOptions {
  /** What checks data against the tool's `output` schema. Default: Ajv, loaded with the first tool that has one. */
  readonly engine?: SchemaEngine;
}

/**
 * Runs the tool's handler: synchronous, asynchronous, or a generator, whose yields are progress and whose return value
 * is the data (without one, the last yield). Checks the data against the tool's `output` schema;
 * of content that has some, the structured content. A tool with `isolate` is refused: `isolate()` runs those.
 *
 * Fails with: `tool_error`, `invalid_output`, `internal`.
 *
 * @example
 * pipeline().use('lookup', lookup()).use('validate', validate()).use('execute', execute())
 */
export function execute(options: ExecuteOptions = {}): Stage<Ready> {
  checkOptions('execute', options, ['engine']);
  checkKinds('execute', options, { engine: 'engine' });
  const { engine } = options;
  return withTraits(
    function execute(ctx: Ready): Maybe<ToolResult> {
      return runHandler(ctx, engine);
    },
    { needs: ['tool', 'args'], ends: true, total: true },
  );
}
makesStages(execute);
