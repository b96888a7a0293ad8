import { defineTool } from '../define-tool.ts';
import { ToolError } from '../errors.ts';
import type { Tool } from '../tool.ts';

/** The product of two numbers. Fails with `tool_error` when it is too large for a number of JSON. */
export const multiply: Tool = defineTool({
  name: 'multiply',
  description: 'Multiply two numbers.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  permission: 'read',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  handler: ({ a, b }) => {
    const product = a * b;
    if (Number.isFinite(product)) return product;
    throw new ToolError('The product is too large for a number. Use smaller numbers.');
  },
});
