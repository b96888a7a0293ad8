import { CallContext } from '../../src/call/context.ts';
import type { Host } from '../../src/call/host.ts';
import type { PolicyRequest } from '../../src/policy/policy.ts';
import { createRegistry, type Registry } from '../../src/registry.ts';
import type { ToolResult } from '../../src/result.ts';
import type { Tool } from '../../src/tool.ts';
import { type StepFunction, traitsOf } from '../../src/traits.ts';
import type { Effect, Maybe, Ready } from '../../src/types.ts';

/** A tool that echoes, with whatever a test wants of it. */
export function toolOf(over: Partial<Tool> = {}): Tool {
  return Object.freeze({
    name: 'write_file',
    description: 'Writes a file.',
    parameters: { type: 'object' },
    handler: (args: unknown) => args,
    ...over,
  } satisfies Tool);
}

export interface Situation {
  tool?: Tool;
  args?: unknown;
  effects?: readonly Effect[];
  mode?: string;
  id?: string;
  registry?: Registry;
  /** What a restart does; without it, it is a fault of the test. */
  restart?: (ctx: CallContext) => Maybe<ToolResult>;
}

/** The context as permission finds it: after lookup, validation and the guards. */
export function readyFor(situation: Situation = {}): Ready & CallContext {
  const { tool = toolOf(), args = {}, effects, mode = 'ask', id = 'c1', registry = createRegistry([tool]) } = situation;
  const host: Host = {
    restart: situation.restart ?? ((ctx) => ctx.fail('internal', 'nobody expected a restart')),
    progress: () => {},
    late: () => {},
  };
  const ctx = new CallContext(
    host,
    { id, name: tool.name, arguments: args },
    registry,
    { id: 'run_1', mode },
    undefined,
  );
  Object.assign(ctx, { tool, args, effects });
  return ctx as Ready & CallContext;
}

/** Runs a stage that is a step: what it adds, what it answers, or nothing. */
export function look(
  stage: unknown,
  ctx: Ready,
): Maybe<(ToolResult & { args?: undefined }) | { args: unknown } | undefined> {
  return (traitsOf(stage).step as StepFunction)(ctx) as ReturnType<typeof look>;
}

/** A request as permission makes it. */
export function requestOf(over: Partial<PolicyRequest> = {}): PolicyRequest {
  return {
    tool: toolOf(),
    arguments: {},
    effects: [],
    mode: 'ask',
    run: { id: 'run_1', mode: 'ask' },
    callId: 'c1',
    state: undefined,
    ...over,
  };
}
