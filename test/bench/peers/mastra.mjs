import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

/** Mastra's tool: validates with zod, then runs. It has no registry, no deadline and no envelope. */
export async function contender({ description, handler }) {
  const add = createTool({
    id: 'add',
    description,
    inputSchema: z.object({ a: z.number(), b: z.number() }).strict(),
    execute: ({ context }) => handler(context),
  });
  return { call: (call) => add.execute({ context: call.arguments }), pick: (result) => result };
}
