import { defineTool } from '../define-tool.ts';
import type { Tool } from '../tool.ts';

/** Gives back the text that it is sent: for trying out that calls arrive. Fails with nothing of its own. */
export const echo: Tool = defineTool({
  name: 'echo',
  description: 'Return the given text unchanged.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  permission: 'read',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  handler: ({ text }) => text,
});
