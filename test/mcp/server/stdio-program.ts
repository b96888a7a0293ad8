import { createRouter, defineTool } from '../../../src/index.ts';
import { serveMcpStdio } from '../../../src/mcp/index.ts';

// A server as people write them: its tool prints, and its answer takes a moment.
const noisy = defineTool({
  name: 'noisy',
  description: 'Prints what must not get into the protocol.',
  permission: 'read',
  parameters: { type: 'object', properties: {} },
  handler: async () => {
    console.log('printed by console.log');
    console.table([{ printed: 'by console.table' }]);
    process.stdout.write('printed by process.stdout\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    return 'quiet';
  },
});

const serving = await serveMcpStdio(createRouter({ tools: [noisy] }));
await serving.closed;
console.log('printed after the end');
