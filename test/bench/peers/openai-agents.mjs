import { invokeFunctionTool, RunContext, tool } from '@openai/agents';
import { z } from 'zod';

export async function contender({ description, handler, deadline }, variant) {
  const add = tool({
    name: 'add',
    description,
    parameters: z.object({ a: z.number(), b: z.number() }).strict(),
    execute: (input) => handler(input),
    ...(variant === 'timeout' && { timeoutMs: deadline }),
  });
  const runContext = new RunContext({});
  // With a deadline, the runner goes through invokeFunctionTool, which is what races the call.
  if (variant === 'timeout') {
    return {
      call: (call) => invokeFunctionTool({ tool: add, runContext, input: call.arguments }),
      pick: (result) => result,
    };
  }
  return { call: (call) => add.invoke(runContext, call.arguments), pick: (result) => result };
}
