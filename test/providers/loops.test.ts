import Anthropic from '@anthropic-ai/sdk';
import { createRouter, defineTool, type Router, ToolError } from 'callgate';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { type ModelServer, playModel, type Reply, type Sent } from '../../examples/model-server.ts';
import { anthropic, openaiChat, openaiResponses } from '../../src/providers/index.ts';

const files = new Map<string, string>();

const writeNote = defineTool({
  name: 'notes.write',
  description: 'Keeps a note.',
  parameters: {
    type: 'object',
    properties: { name: { type: 'string' }, text: { type: 'string' }, append: { type: 'boolean' } },
    required: ['name', 'text'],
    additionalProperties: false,
  },
  permission: 'read',
  handler: ({ name, text, append }) => {
    if (name.includes('/')) throw new ToolError('A name has no slash.');
    files.set(name, append ? (files.get(name) ?? '') + text : text);
    return `${name} has ${files.get(name)!.length} characters`;
  },
});

let server: ModelServer | undefined;
afterEach(() => {
  server?.close();
  files.clear();
});

function routerHere(): Router {
  return createRouter({ tools: [writeNote] });
}

/** Plays a model that gives these replies one after the other and looks at nothing. */
async function play(...replies: Reply[]): Promise<ModelServer> {
  server = await playModel(() => replies.shift() ?? { json: { error: 'the script is over' } });
  return server;
}

const completion = (message: object, finish_reason = 'tool_calls') => ({
  json: {
    id: 'x',
    object: 'chat.completion',
    created: 0,
    model: 'played',
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
  },
});
const chatCall = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'notes__write', arguments: args },
});

async function chatLoop(router: Router, url: string): Promise<string> {
  const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 });
  const offer = await router.offer('openai');
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Keep this.' }];
  for (let turn = 0; turn < 6; turn++) {
    const response = await client.chat.completions.create({ model: 'played', messages, tools: offer.tools });
    const calls = openaiChat.readCalls(response, offer);
    messages.push(response.choices[0]!.message);
    if (calls.length === 0) return response.choices[0]!.message.content ?? '';
    messages.push(...openaiChat.writeResults(calls, await router.callAll(calls)));
  }
  return 'gave up';
}

const toolMessages = (sent: Sent) => sent.messages.filter(({ role }: Sent) => role === 'tool');

describe('a loop with the OpenAI SDK, Chat Completions', () => {
  it('answers a call that the token limit cut with an error, and keeps what there was', async () => {
    files.set('skill', 'keep me');
    const { url, requests } = await play(
      completion({ tool_calls: [chatCall('c1', '{"name":"skill","text":"# Tit')] }, 'length'),
      completion({ tool_calls: [chatCall('c2', '{"name":"skill","text":"# Ti","append":false}')] }),
      completion({ content: 'Done.' }, 'stop'),
    );
    expect(await chatLoop(routerHere(), url)).toBe('Done.');
    const [first] = toolMessages(requests[1]);
    expect(first).toMatchObject({ tool_call_id: 'c1', content: expect.stringMatching(/not valid JSON.*cut off/) });
    expect(toolMessages(requests[2])[1]).toMatchObject({ tool_call_id: 'c2', content: 'skill has 4 characters' });
  });

  it('runs parallel calls that share one id, each once, and answers them in order', async () => {
    const calls = ['a', 'b', 'c'].map((name) => chatCall('same', JSON.stringify({ name, text: name.repeat(3) })));
    const { url, requests } = await play(completion({ tool_calls: calls }), completion({ content: 'Done.' }, 'stop'));
    expect(await chatLoop(routerHere(), url)).toBe('Done.');
    expect([...files]).toEqual([
      ['a', 'aaa'],
      ['b', 'bbb'],
      ['c', 'ccc'],
    ]);
    expect(toolMessages(requests[1]).map(({ tool_call_id, content }: Sent) => [tool_call_id, content])).toEqual([
      ['same', 'a has 3 characters'],
      ['same', 'b has 3 characters'],
      ['same', 'c has 3 characters'],
    ]);
  });

  it('lets the model correct a wrong name, wrong arguments and a failure', async () => {
    const { url, requests } = await play(
      completion({
        tool_calls: [
          { ...chatCall('c1', '{}'), function: { name: 'notes_write', arguments: '{}' } },
          chatCall('c2', '{"title":"x"}'),
          chatCall('c3', '{"name":"a/b","text":""}'),
        ],
      }),
      completion({ tool_calls: [chatCall('c4', '{"name":"ab","text":"x"}')] }),
      completion({ content: 'Done.' }, 'stop'),
    );
    expect(await chatLoop(routerHere(), url)).toBe('Done.');
    expect(toolMessages(requests[1]).map(({ content }: Sent) => content)).toEqual([
      expect.stringContaining('unknown tool'),
      expect.stringContaining('name'),
      '{"error":"A name has no slash."}',
    ]);
    expect([...files]).toEqual([['ab', 'x']]);
  });
});

describe('a loop with the OpenAI SDK, Responses', () => {
  const item = (call_id: string, args: string) => ({
    type: 'function_call',
    id: `fc_${call_id}`,
    call_id,
    name: 'notes__write',
    arguments: args,
    status: 'completed',
  });
  const response = (output: object[]) => ({
    id: 'r',
    object: 'response',
    created_at: 0,
    model: 'played',
    status: 'completed',
    output,
  });

  it('streams parallel calls, undoes strict nulls, and answers by call_id', async () => {
    const items = [
      item('c1', '{"name":"a","text":"1","append":null}'),
      item('c2', '{"name":"a/b","text":"2","append":null}'),
    ];
    const events = items.flatMap((each, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...each, arguments: '', status: 'in_progress' } },
      {
        type: 'response.function_call_arguments.delta',
        output_index,
        item_id: each.id,
        delta: each.arguments.slice(0, 9),
      },
      {
        type: 'response.function_call_arguments.delta',
        output_index,
        item_id: each.id,
        delta: each.arguments.slice(9),
      },
      {
        type: 'response.function_call_arguments.done',
        output_index,
        item_id: each.id,
        name: each.name,
        arguments: each.arguments,
      },
      { type: 'response.output_item.done', output_index, item: each },
    ]);
    const done = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
    };
    const { url, requests } = await play(
      {
        events: [
          { type: 'response.created', response: response([]) },
          ...events,
          { type: 'response.completed', response: response(items) },
        ],
      },
      { json: response([done]) },
    );
    const router = routerHere();
    const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 });
    const offer = await router.offer('openai-responses', { strict: true });
    expect(offer.tools[0]).toMatchObject({ strict: true, parameters: { required: ['name', 'text', 'append'] } });
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Keep this.' }];

    const reader = openaiResponses.createCallReader(offer);
    const stream = await client.responses.create({ model: 'played', input, tools: offer.tools, stream: true });
    for await (const event of stream) {
      reader.push(event);
      if (event.type === 'response.completed') input.push(...(event.response.output as OpenAI.Responses.ResponseInput));
    }
    const calls = reader.end();
    expect(calls.map(({ arguments: args }) => args)).toEqual([
      { name: 'a', text: '1' },
      { name: 'a/b', text: '2' },
    ]);
    input.push(...openaiResponses.writeResults(calls, await router.callAll(calls)));
    const last = await client.responses.create({ model: 'played', input, tools: offer.tools });
    expect(last.output_text).toBe('Done.');
    expect(requests[1].input.filter(({ type }: Sent) => type === 'function_call_output')).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: 'a has 1 characters' },
      { type: 'function_call_output', call_id: 'c2', output: '{"error":"A name has no slash."}' },
    ]);
  });
});

describe('a loop with the Anthropic SDK', () => {
  const message = (stop_reason: string | null, content: object[]) => ({
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'played',
    content,
    stop_reason,
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  const cutStream: Reply = {
    events: [
      { type: 'message_start', message: message(null, []) },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't1', name: 'notes__write', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"name":"skill","text":"# Ti"' },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ],
  };

  it('does not run what the SDK has made of a call that was cut', async () => {
    files.set('skill', 'keep me');
    const { url } = await play(cutStream, cutStream);
    const router = routerHere();
    const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 });
    const offer = await router.offer('anthropic');
    const request = {
      model: 'played',
      max_tokens: 10,
      messages: [{ role: 'user' as const, content: 'x' }],
      tools: offer.tools,
    };

    const reader = anthropic.createCallReader(offer);
    const stream = client.messages.stream(request);
    for await (const event of stream) expect(reader.push(event).filter(({ truncated }) => !truncated)).toEqual([]);
    const streamed = reader.end();
    // The SDK's own parser has closed the braces: a smaller call, which looks complete.
    const finished = await client.messages.stream(request).finalMessage();
    expect(finished.content[0]).toMatchObject({ input: { name: 'skill', text: '# Ti' } });
    const whole = anthropic.readCalls(finished, offer);

    for (const calls of [streamed, whole]) {
      expect(calls).toMatchObject([{ id: 't1', name: 'notes.write', truncated: true }]);
      const results = await router.callAll(calls);
      expect(results).toMatchObject([{ ok: false, code: 'invalid_json', effect: 'none' }]);
      expect(anthropic.writeResults(calls, results)[0]!.content).toMatchObject([{ tool_use_id: 't1', is_error: true }]);
    }
    expect(files.get('skill')).toBe('keep me');
  });
});
