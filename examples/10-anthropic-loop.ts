// A whole loop with Anthropic's SDK against a model that is played on this machine: the first turn is streamed, the
// others come at once. Parallel calls, a failure with its flag, an image among the results.
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { content, createRouter, defineTool, ToolError } from 'callgate';
import { anthropic } from 'callgate/providers';
import { playModel, type Reply, type Sent } from './model-server.ts';

const pages = new Map([['home', 'Welcome.']]);

const readPage = defineTool({
  name: 'pages.read',
  description: 'The text of a page.',
  parameters: {
    type: 'object',
    properties: { page: { type: 'string' } },
    required: ['page'],
    additionalProperties: false,
  },
  permission: 'read',
  handler: ({ page }) => {
    const text = pages.get(page);
    if (text === undefined)
      throw new ToolError(`There is no page ${page}. The pages are: ${[...pages.keys()].join(', ')}.`);
    return text;
  },
});

const screenshot = defineTool({
  name: 'pages.screenshot',
  description: 'A picture of a page.',
  parameters: {
    type: 'object',
    properties: { page: { type: 'string' } },
    required: ['page'],
    additionalProperties: false,
  },
  permission: 'read',
  handler: ({ page }) => content([`The page ${page}:`, { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }]),
});

const router = createRouter({ tools: [readPage, screenshot] });
const offer = await router.offer('anthropic');

const server = await playModel(scriptedModel);
const client = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'What does the start page say, and show?' }];
const request = { model: 'played', max_tokens: 1000, messages, tools: offer.tools };

// Streamed: each call runs as soon as its block is complete.
const reader = anthropic.createCallReader(offer);
const stream = client.messages.stream(request);
const running = [];
for await (const event of stream) {
  for (const call of reader.push(event)) running.push(router.call(call));
}
messages.push({ role: 'assistant', content: (await stream.finalMessage()).content });
messages.push(...anthropic.writeResults(reader.end(), await Promise.all(running)));

// At once: read, run, write.
let answer = '';
for (let turn = 0; turn < 5 && answer === ''; turn++) {
  const response = await client.messages.create(request);
  messages.push({ role: 'assistant', content: response.content });
  const calls = anthropic.readCalls(response, offer);
  if (calls.length > 0) messages.push(...anthropic.writeResults(calls, await router.callAll(calls)));
  else answer = response.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
server.close();

assert.equal(answer, 'It says: Welcome. And I have seen the picture.');
assert.equal(server.requests.length, 3);

/** Plays the model: what it says next depends on the results it was given. */
function scriptedModel({ messages, tools }: Sent): Reply {
  assert.deepEqual(
    tools.map(({ name }: Sent) => name),
    ['pages__read', 'pages__screenshot'],
  );
  const results = messages.flatMap(({ content }: Sent) => (Array.isArray(content) ? content : [])).filter(isResult);
  if (results.length === 0) {
    return streamed(['tool_1', 'pages__read', '{"page":"start"}'], ['tool_2', 'pages__screenshot', '{"page":"home"}']);
  }
  const last = results.at(-1);
  if (results.length === 2) {
    // Both results in one message, in order; the failure says which pages there are.
    const [failed, shown] = results;
    assert.equal(failed.is_error, true);
    assert.match(failed.content, /The pages are: home/);
    assert.equal(shown.content[1].source.media_type, 'image/png');
    const input = { page: 'home' };
    return at('tool_use', [{ type: 'tool_use', id: 'tool_3', name: 'pages__read', input }]);
  }
  return at('end_turn', [{ type: 'text', text: `It says: ${last.content} And I have seen the picture.` }]);
}

function isResult({ type }: Sent): boolean {
  return type === 'tool_result';
}

function message(stop_reason: string | null, blocks: readonly object[]): object {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'played', content: blocks, stop_reason, usage };
}

function at(stop_reason: string, blocks: readonly object[]): Reply {
  return { json: message(stop_reason, blocks) };
}

function streamed(...calls: readonly (readonly [id: string, name: string, args: string])[]): Reply {
  const events = calls.flatMap(([id, name, args], index) => [
    { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
    { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: args.slice(0, 6) } },
    { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: args.slice(6) } },
    { type: 'content_block_stop', index },
  ]);
  return {
    events: [
      { type: 'message_start', message: message(null, []) },
      ...events,
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ],
  };
}
