// Run as a process of its own by the import group: nothing but the package is loaded before the clock is read.
const [scenario, entry] = process.argv.slice(2);

if (scenario === 'import') await import(entry);
if (scenario === 'call') {
  const { createRouter, defineTool } = await import(entry);
  const tools = Array.from({ length: 20 }, (_, i) =>
    defineTool({
      name: `add_${i}`,
      description: 'Adds two numbers.',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, [`b${i}`]: { type: 'number' } },
        required: ['a'],
      },
      permission: 'read',
      handler: async ({ a }) => a + 1,
    }),
  );
  const result = await createRouter({ tools, mode: 'trusted' }).call({ id: 'c1', name: 'add_7', arguments: { a: 1 } });
  if (result.data !== 2) throw new Error(`the first call does not do the work: ${result.error}`);
}

const { user, system } = process.cpuUsage();
const wall = performance.now();
process.stdout.write(`\u001ereport ${JSON.stringify({ cpu: (user + system) / 1000, wall })}`);
