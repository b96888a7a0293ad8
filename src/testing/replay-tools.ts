import { canonicalJson } from '../basics/canonical-json.ts';
import { ToolError } from '../errors.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { differences } from './differences.ts';
import type { RecordedCall, Recording } from './recording.ts';
import { stubTool } from './stub-tool.ts';

/** Tools that answer as they did in a recording. */
export interface RecordedTools {
  readonly tools: readonly Tool[];
  /** The recorded calls that have not been asked for again. */
  unused(): readonly RecordedCall[];
}

/**
 * Makes tools that answer as in a recording, without doing anything: for testing an agent, or a pipeline, without the world.
 * Each recorded answer is given once, to a call of that tool with the same arguments as the model sent; any other call
 * fails with `tool_error` and says where its arguments differ. What the pipeline itself had answered (denials, wrong
 * arguments) is not repeated: that is the pipeline's part again.
 *
 * `tools` are the real ones, for what they declare; without them the tools take any arguments, with the level `read`.
 *
 * @example
 * const { tools, unused } = replayTools(readRun(text), [weather, notes]);
 * await agent.run(createRouter({ tools }));
 * assert.deepEqual(unused(), []);
 */
export function replayTools({ calls }: Recording, tools: Iterable<Tool> = []): RecordedTools {
  // A failure that left nothing behind came from before the handler.
  const left = calls.filter(({ result }) => result !== undefined && (result.ok || result.effect === 'unknown'));
  const real = new Map([...tools].map((tool) => [tool.name, tool]));
  const names = new Set([...real.keys(), ...left.map(({ name }) => name)]);

  function answer(name: string, args: unknown): unknown {
    const same = left.filter((call) => call.name === name);
    const found = same.find((call) => keyOf(sentTo(call)) === keyOf(args));
    if (found === undefined) throw unknownCall(name, args, same);
    left.splice(left.indexOf(found), 1);
    const { result } = found;
    if (result === undefined || result.ok) return result?.data;
    const { error, code, retryable, effect, details } = result;
    throw new ToolError(error, { code, retryable, effect, details });
  }

  function recorded(name: string): Tool {
    const declared = real.get(name);
    const give = (_: unknown, context: ToolContext): unknown => answer(name, context.call.arguments);
    return declared === undefined ? stubTool(name, give) : stubTool(declared, give);
  }

  return {
    tools: [...names].map(recorded),
    unused: () => [...left],
  };
}

/** The arguments with which the handler was called: those of an approver's edit, where there was one. */
function sentTo({ ran, arguments: args }: RecordedCall): unknown {
  return ran ?? args;
}

function unknownCall(name: string, args: unknown, same: readonly RecordedCall[]): ToolError {
  const [nearest] = same
    .map((call) => differences(parsed(sentTo(call)), parsed(args)))
    .sort((one, other) => one.length - other.length);
  const why = nearest === undefined ? 'None is left.' : `The nearest that is left differs at ${nearest.join('; ')}.`;
  return new ToolError(`No call of ${name} with these arguments was recorded. ${why}`, {
    details: { reason: 'not_recorded' },
  });
}

function keyOf(args: unknown): string {
  return canonicalJson(parsed(args) ?? {});
}

/** Arguments may be text, and say the same with other blanks. */
function parsed(args: unknown): unknown {
  if (typeof args !== 'string') return args;
  try {
    return args.trim() === '' ? undefined : JSON.parse(args);
  } catch {
    return args;
  }
}
