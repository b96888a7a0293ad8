import { defineTool } from '../define-tool.ts';
import { ToolError } from '../errors.ts';
import type { Tool } from '../tool.ts';

/** The sum of two numbers. Fails with `tool_error` when it is too large for a number of JSON. */
export const add: Tool = defineTool({
  name: 'add',
  description: 'Add two numbers.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  permission: 'read',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  handler: ({ a, b }) => {
    const sum = a + b;
    if (Number.isFinite(sum)) return sum;
    throw new ToolError('The sum is too large for a number. Use smaller numbers.');
  },
});
