import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

export async function contender({ description, handler }) {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('add', { description, inputSchema: { a: z.number(), b: z.number() } }, async (input) => ({
    content: [{ type: 'text', text: String(await handler(input)) }],
  }));
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return {
    call: ({ name, arguments: args }) => client.callTool({ name, arguments: args }),
    pick: (result) => Number(result.content[0].text),
  };
}
