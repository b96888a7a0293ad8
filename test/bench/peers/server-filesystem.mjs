import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const server = fileURLToPath(
  new URL('./node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url),
);

/** The reference file server in a process of its own, over stdio, as agents use it. */
export async function connect(root) {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, root], stderr: 'ignore' }));
  return {
    read: async (path) => {
      const result = await client.callTool({ name: 'read_text_file', arguments: { path } });
      return result.content[0].text;
    },
    close: () => client.close(),
  };
}
