// A whole loop with OpenAI's SDK, streamed, against a model that is played on this machine. The calls of a turn start
// while the model still writes; its mistake is an answer that it corrects.
import assert from 'node:assert/strict';
import { createRouter, defineTool, ToolError, type ToolResult } from 'callgate';
import { openaiChat } from 'callgate/providers';
import OpenAI from 'openai';
import { playModel, type Reply, type Sent } from './model-server.ts';

const degrees: { readonly [city: string]: number } = { Bonn: 21, Oslo: 14 };

const getWeather = defineTool({
  name: 'weather.get',
  description: 'The temperature in a city, now.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'], default: 'c' } },
    required: ['city'],
    additionalProperties: false,
  },
  permission: 'read',
  handler: ({ city, unit }) => {
    const celsius = degrees[city];
    if (celsius === undefined) throw new ToolError(`There is no city ${city}. The cities are Bonn and Oslo.`);
    return unit === 'c' ? `${celsius} °C` : `${celsius * 1.8 + 32} °F`;
  },
});

const router = createRouter({ tools: [getWeather] });
// The API takes no dots in names, and in strict mode no optional arguments: the offer knows how to undo both.
const offer = await router.offer('openai', { strict: true });
assert.equal(offer.tools[0]?.function.name, 'weather__get');

const server = await playModel(scriptedModel);
const client = new OpenAI({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Is Bonn warmer than Oslo?' }];
let answer = '';
for (let turn = 0; turn < 5 && answer === ''; turn++) {
  const stream = client.chat.completions.stream({ model: 'played', messages, tools: offer.tools });
  const reader = openaiChat.createCallReader(offer);
  const running: Promise<ToolResult>[] = [];
  for await (const chunk of stream) {
    for (const call of reader.push(chunk)) running.push(router.call(call));
  }
  const { message } = (await stream.finalChatCompletion()).choices[0]!;
  messages.push(message, ...openaiChat.writeResults(reader.end(), await Promise.all(running)));
  if (running.length === 0) answer = message.content ?? '';
}
server.close();

assert.equal(answer, 'Yes: Bonn has 21 °C, Oslo 14 °C.');
assert.equal(server.requests.length, 3);

/** Plays the model: what it says next depends on the results it was given. */
function scriptedModel({ messages, stream }: Sent): Reply {
  assert.equal(stream, true);
  const results = messages.filter(({ role }: Sent) => role === 'tool');
  if (results.length === 0) {
    return streamed([
      call(0, 'call_bonn', '{"city":"Bonn","unit":null}'),
      call(1, 'call_oslo', '{"city":"Olso","unit":null}'),
    ]);
  }
  const last = results.at(-1);
  if (last.content.includes('There is no city Olso')) {
    return streamed([call(0, 'call_again', '{"city":"Oslo","unit":null}')]);
  }
  const bonn = results.find(({ tool_call_id }: Sent) => tool_call_id === 'call_bonn');
  return streamed([{ content: `Yes: Bonn has ${bonn.content}, Oslo ${last.content}.` }], 'stop');
}

/** A call in pieces, as the API streams it. */
function call(index: number, id: string, args: string): object[] {
  const pieces = [args.slice(0, 7), args.slice(7)];
  const start = { index, id, type: 'function', function: { name: 'weather__get', arguments: '' } };
  return [start, ...pieces.map((text) => ({ index, function: { arguments: text } }))].map((piece) => ({
    tool_calls: [piece],
  }));
}

function streamed(deltas: readonly (object | object[])[], finish_reason = 'tool_calls'): Reply {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'played',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const chunks = deltas.flat().map((delta) => chunk(delta));
  return { events: [chunk({ role: 'assistant' }), ...chunks, chunk({}, finish_reason)] };
}
