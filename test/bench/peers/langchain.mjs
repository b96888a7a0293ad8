import { tool } from '@langchain/core/tools';
import { z } from 'zod';

/** A ToolCall goes in and a ToolMessage comes out; its content is text. */
export async function contender({ description, handler }) {
  const add = tool((input) => handler(input), {
    name: 'add',
    description,
    schema: z.object({ a: z.number(), b: z.number() }).strict(),
  });
  return {
    call: ({ id, name, arguments: args }) => add.invoke({ type: 'tool_call', id, name, args }),
    pick: (result) => Number(result.content),
  };
}
