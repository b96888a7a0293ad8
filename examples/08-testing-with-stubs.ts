// Testing what you build on tools: registering a name again puts a stub in its place, and the chain stays the real one.
import assert from 'node:assert/strict';
import { createRegistry, createRouter, defineTool, ToolError } from 'callgate';

const price = defineTool({
  name: 'price',
  description: 'The price of a share.',
  parameters: {
    type: 'object',
    properties: { symbol: { type: 'string', pattern: '^[A-Z]{1,5}$' } },
    required: ['symbol'],
  },
  permission: 'read',
  handler: async () => {
    throw new Error('the real one would ask the network');
  },
});

const registry = createRegistry([price]);
const router = createRouter({ registry });

/** What is under test. */
async function describeShare(symbol: string): Promise<string> {
  const result = await router.call({ name: 'price', arguments: { symbol } });
  if (result.ok) return `${symbol} costs ${result.data}`;
  return result.retryable ? 'try again later' : `cannot tell: ${result.code}`;
}

registry.add({ ...price, handler: () => 12.5 });
assert.equal(await describeShare('ACME'), 'ACME costs 12.5');

registry.add({
  ...price,
  handler: () => Promise.reject(new ToolError('The exchange is closed.', { code: 'unavailable' })),
});
assert.equal(await describeShare('ACME'), 'try again later');

// The stub is called through validation like the real one, so a wrong argument is caught in the test as well.
assert.equal(await describeShare('acme'), 'cannot tell: invalid_arguments');

// Schemas are compiled on first use; a start-up check or a test compiles them all.
assert.deepEqual(await registry.verify(), []);
