// The shortest program: one tool, one router, one call as a model emits it.
import assert from 'node:assert/strict';
import { createRouter, defineTool, toModelText } from 'callgate';

const multiply = defineTool({
  name: 'multiply',
  description: 'Multiply two numbers.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  permission: 'read',
  handler: ({ a, b }) => a * b,
});

const router = createRouter({ tools: [multiply] });

const result = await router.call({ id: 'c1', name: 'multiply', arguments: '{"a": 6, "b": 7}' });
assert.deepEqual(result, { ok: true, tool_name: 'multiply', data: 42, error: null, call_id: 'c1', meta: {} });
assert.equal(toModelText(result), '42');

// A model gets names and arguments wrong. That costs it one round, and never the run: the answer says what to do.
const unknown = await router.call({ id: 'c2', name: 'divide', arguments: '{"a": 6, "b": 7}' });
assert.equal(unknown.ok, false);
assert.match(unknown.error, /^unknown tool: divide\./);

const invalid = await router.call({ id: 'c3', name: 'multiply', arguments: '{"a": "six"}' });
assert.equal(invalid.ok, false);
assert.equal(!invalid.ok && invalid.code, 'invalid_arguments');
console.log(unknown.error);
console.log(invalid.error);
