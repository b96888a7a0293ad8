import type { DataOf } from '../define-tool.ts';
import { ownMembers } from '../define-tool.ts';
import { checkTool } from '../definition/check-tool.ts';
import { ToolError } from '../errors.ts';
import { copied } from '../observing/observers.ts';
import type { Tool, ToolContext } from '../tool.ts';
import type { Maybe } from '../types.ts';

/** One call that a stub got. */
export interface StubCall<Args = unknown> {
  /** A copy of the arguments, as the handler was given them: validated, with defaults. */
  readonly args: Args;
  readonly callId: string;
}

/** A tool that gives what a test says, and remembers how it was called. */
export interface StubTool<Args = unknown> extends Tool {
  /** The calls so far, the first one first. Calls that the pipeline stopped are not among them. */
  readonly calls: readonly StubCall<Args>[];
  /** Forgets the calls, and begins anew with the first answer. */
  reset(): void;
}

type ArgsOf<T> = T extends Tool<infer Args, never> ? Args : unknown;

/** What a stub answers with: data for one call after the other, an error to be thrown, or what a handler would do. */
export type StubAnswers<T> =
  | readonly (DataOf<T> | Error)[]
  | ((args: ArgsOf<T>, context: ToolContext) => Maybe<DataOf<T>> | AsyncGenerator<unknown, DataOf<T>>);

/**
 * Makes a tool that stands in for another. A list holds the answer of one call after the other, where errors are thrown;
 * when it is used up, further calls fail with `tool_error`. A function is the handler itself.
 *
 * In place of a real tool it keeps all that the tool declares but its handler and where that runs, so that calls pass
 * validation and guards as ever; the arguments and answers have the real one's types. Under a name alone it takes any
 * arguments, with the level `read`.
 *
 * @example
 * const stub = stubTool(weather, [{ celsius: 3 }, new ToolError('No connection.', { code: 'unavailable' })]);
 * const router = createRouter({ tools: [stub] });
 * // ...
 * assert.deepEqual(stub.calls.map(({ args }) => args.city), ['Bonn', 'Berlin']);
 */
export function stubTool<T extends AnyTool>(tool: T, answers: StubAnswers<T>): StubTool<ArgsOf<T>>;
export function stubTool(name: string, answers: StubAnswers<Tool>): StubTool;
export function stubTool(tool: AnyTool | string, answers: StubAnswers<Tool>): StubTool {
  if (!Array.isArray(answers) && typeof answers !== 'function') {
    throw new TypeError('stubTool() takes a list of answers, or a function that answers.');
  }
  const { isolate, ...real } = typeof tool === 'string' ? untyped(tool) : (ownMembers(tool) as Tool);
  checkTool({ ...real, handler: () => undefined });
  let calls: StubCall[] = [];

  function handler(args: unknown, context: ToolContext): unknown {
    const at = calls.push({ args: copied(args), callId: context.call.id }) - 1;
    if (typeof answers === 'function') return answers(args, context);
    if (at >= answers.length) {
      const text = `The stub for ${real.name} has ${answers.length} answers, and this is call ${at + 1}.`;
      throw new ToolError(text, { details: { reason: 'no_answer_left' } });
    }
    const answer: unknown = answers[at];
    if (answer instanceof Error) throw answer;
    return answer;
  }

  return Object.freeze({
    ...real,
    handler,
    get calls() {
      return calls;
    },
    reset() {
      calls = [];
    },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments, whose context may hold more
type AnyTool = Tool<any, any>;

function untyped(name: string): Tool {
  return {
    name,
    description: `Stands in for ${name}.`,
    parameters: { type: 'object' },
    permission: 'read',
    handler: () => undefined,
  };
}
