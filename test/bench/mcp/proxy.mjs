// A bare pass-through proxy on the official SDK, as one would write it: lists, calls, cancellation and progress pass, and
// nothing is looked at. What any gateway over stdio costs at least when it is built on it.
// node proxy.mjs COMMAND ARGS...
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'proxy', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));

const server = new Server({ name: 'proxy', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler('tools/list', ({ params }, ctx) =>
  client.request({ method: 'tools/list', params }, { signal: ctx.mcpReq.signal }),
);
server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken;
  const onprogress = (progress) =>
    mcpReq.notify({ method: 'notifications/progress', params: { ...progress, progressToken } });
  return client.request(
    { method: 'tools/call', params },
    { signal: mcpReq.signal, ...(progressToken !== undefined && { onprogress }) },
  );
});
server.onclose = () => client.close();
await server.connect(new StdioServerTransport());
