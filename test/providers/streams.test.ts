import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aiSdk,
  anthropic,
  bedrock,
  type CallReader,
  gemini,
  mistral,
  ollama,
  openaiChat,
  openaiResponses,
} from '../../src/providers/index.ts';
import { parseArguments } from '../../src/schema/parse.ts';

function readAll(reader: CallReader, events: readonly unknown[]) {
  const early = events.flatMap((event) => reader.push(event));
  return { early, all: reader.end() };
}

const chat = (tool_calls: unknown, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: { tool_calls }, finish_reason }],
});
const piece = (index: number, text: string, id?: string, name?: string) => ({
  index,
  ...(id && { id, type: 'function' }),
  function: { ...(name && { name }), arguments: text },
});

describe('a stream of OpenAI Chat', () => {
  it('gives one call where a server repeats the arguments or ends with empty ones', () => {
    const whole = '{"x": 3, "y": 2}';
    for (const again of ['', whole]) {
      const events = [chat([piece(0, whole, 'call_1', 'multiply')]), chat([piece(0, again)]), chat([], 'tool_calls')];
      const { early, all } = readAll(openaiChat.createCallReader(), events);
      expect(all).toEqual([
        { id: 'call_1', name: 'multiply', arguments: whole, origin: { id: 'call_1', name: 'multiply' } },
      ]);
      expect(early).toEqual(all);
    }
  });

  it('puts any cut of the arguments of parallel calls together', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(7)), { maxLength: 40 }), (cuts) => {
        const texts = [0, 1, 2].map((n) => JSON.stringify({ n, text: `"quoted" {${n}} \n` }));
        const sent = [0, 0, 0];
        const events = texts.map((_, n) => chat([piece(n, '', `id${n}`, `tool${n}`)]));
        for (const [n, length] of [...cuts, [0, 999], [1, 999], [2, 999]] as [number, number][]) {
          events.push(chat([piece(n, texts[n]!.slice(sent[n], sent[n]! + length))]));
          sent[n]! += length;
        }
        const { early, all } = readAll(openaiChat.createCallReader(), [...events, chat([], 'tool_calls')]);
        expect(all.map(({ arguments: text }) => text)).toEqual(texts);
        expect(early).toHaveLength(3);
      }),
    );
  });

  it('hands a call out as soon as the next begins', () => {
    const reader = openaiChat.createCallReader();
    expect(reader.push(chat([piece(0, '{"a":1}', 'c0', 't')]))).toEqual([]);
    expect(reader.push(chat([piece(1, '', 'c1', 't')]))).toMatchObject([{ id: 'c0' }]);
  });

  it('tells parallel calls apart that all have index 0, or none', () => {
    for (const index of [{ index: 0 }, {}]) {
      const begin = (id: string, city: string) => ({
        ...index,
        id,
        function: { name: 't', arguments: `{"city":"${city}"` },
      });
      const more = { ...index, function: { arguments: '}' } };
      const events = [
        chat([begin('a', 'NYC')]),
        chat([more]),
        chat([begin('b', 'SF')]),
        chat([more]),
        chat([], 'tool_calls'),
      ];
      const { all } = readAll(openaiChat.createCallReader(), events);
      expect(all.map(({ id, arguments: text }) => [id, text])).toEqual([
        ['a', '{"city":"NYC"}'],
        ['b', '{"city":"SF"}'],
      ]);
    }
  });

  it('takes id and name that come with every chunk for one call', () => {
    const events = [chat([piece(0, '{"a"', 'c', 't')]), chat([piece(0, ':1}', 'c', 't')]), chat([], 'tool_calls')];
    expect(readAll(openaiChat.createCallReader(), events).all).toMatchObject([
      { id: 'c', name: 't', arguments: '{"a":1}' },
    ]);
  });

  it('reports a call that the token limit cut, and one whose stream just stopped', () => {
    for (const end of [[chat([], 'length')], []]) {
      const events = [
        chat([piece(0, '{"a":1}', 'c0', 't')]),
        chat([piece(1, '{"path":"a","content":"x', 'c1', 't')]),
        ...end,
      ];
      const { early, all } = readAll(openaiChat.createCallReader(), events);
      expect(all.map(({ truncated = false }) => truncated)).toEqual([false, true]);
      expect(parseArguments(all[1]!.arguments)).toMatchObject({ code: 'invalid_json', reason: 'truncated' });
      expect(early[0]).toMatchObject({ id: 'c0' });
    }
  });

  it('does not run a call whose arguments had not begun when the stream broke off', () => {
    const { all } = readAll(openaiChat.createCallReader(), [chat([piece(0, '', 'c', 'delete_all')])]);
    expect(all[0]).toMatchObject({ truncated: true });
    expect(parseArguments(all[0]!.arguments)).toMatchObject({ code: 'invalid_json' });
  });

  it('lets a call without arguments through that ended properly', () => {
    const { all } = readAll(openaiChat.createCallReader(), [chat([piece(0, '', 'c', 'now')]), chat([], 'tool_calls')]);
    expect(all[0]).not.toHaveProperty('truncated');
    expect(parseArguments(all[0]!.arguments)).toEqual({});
  });
});

it('reads a stream of OpenAI Responses, whose last events repeat the whole', () => {
  const item = { type: 'function_call', id: 'fc', call_id: 'c', name: 't', arguments: '' };
  const { early, all } = readAll(openaiResponses.createCallReader(), [
    { type: 'response.output_item.added', output_index: 1, item },
    { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc', delta: '{"a"' },
    { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc', delta: ':1}' },
    { type: 'response.function_call_arguments.done', output_index: 1, item_id: 'fc', arguments: '{"a":1}' },
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: { ...item, arguments: '{"a":1}', status: 'completed' },
    },
    { type: 'response.completed', response: { status: 'completed' } },
  ]);
  expect(all).toMatchObject([{ id: 'c', name: 't', arguments: '{"a":1}' }]);
  expect(early).toEqual(all);
});

it('reports the call of an incomplete stream of OpenAI Responses', () => {
  const item = { type: 'function_call', id: 'fc', call_id: 'c', name: 't', arguments: '' };
  const { all } = readAll(openaiResponses.createCallReader(), [
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"a":"b' },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...item, arguments: '{"a":"b', status: 'incomplete' },
    },
    { type: 'response.incomplete', response: { status: 'incomplete' } },
  ]);
  expect(all).toMatchObject([{ truncated: true, arguments: '{"a":"b' }]);
});

describe('a stream of Anthropic', () => {
  const start = (index: number, id: string) => ({
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id, name: 't', input: {} },
  });
  const delta = (index: number, partial_json: string) => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json },
  });
  const stop = (index: number) => ({ type: 'content_block_stop', index });
  const end = (stop_reason: string) => [{ type: 'message_delta', delta: { stop_reason } }, { type: 'message_stop' }];

  it('gives each call when its block ends', () => {
    const reader = anthropic.createCallReader();
    for (const event of [start(1, 'a'), delta(1, ''), delta(1, '{"x":'), delta(1, '1}')])
      expect(reader.push(event)).toEqual([]);
    expect(reader.push(stop(1))).toMatchObject([{ id: 'a', arguments: '{"x":1}' }]);
  });

  it('waits for the end of the message with a block that is empty, or was cut', () => {
    const empty = readAll(anthropic.createCallReader(), [start(0, 'a'), stop(0), ...end('tool_use')]);
    expect(empty.all).toMatchObject([{ id: 'a' }]);
    expect(empty.all[0]).not.toHaveProperty('truncated');
    for (const text of ['', '{"path":"a","con']) {
      const cut = readAll(anthropic.createCallReader(), [start(0, 'a'), delta(0, text), stop(0), ...end('max_tokens')]);
      expect(cut.all).toMatchObject([{ id: 'a', truncated: true }]);
      expect(parseArguments(cut.all[0]!.arguments)).toMatchObject({ code: 'invalid_json' });
    }
  });
});

describe('a stream of Gemini', () => {
  const chunk = (parts: unknown[], finishReason?: string) => ({
    candidates: [{ content: { parts }, ...(finishReason && { finishReason }) }],
  });

  it('gives whole calls, two of one name too', () => {
    const call = (n: number) => ({ functionCall: { name: 'get_weather', args: { n } } });
    const { all } = readAll(gemini.createCallReader(), [chunk([call(1), call(2)]), chunk([{ text: '' }], 'STOP')]);
    expect(all.map((each) => each.arguments)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('puts arguments together that come value by value', () => {
    const { all } = readAll(gemini.createCallReader(), [
      chunk([{ functionCall: { id: 'a', name: 'write', willContinue: true } }]),
      chunk([
        {
          functionCall: {
            partialArgs: [{ jsonPath: '$.path', stringValue: 'notes', willContinue: true }],
            willContinue: true,
          },
        },
      ]),
      chunk([
        {
          functionCall: {
            partialArgs: [
              { jsonPath: '$.path', stringValue: '.md' },
              { jsonPath: '$.opts.tags[0]', stringValue: 'x' },
            ],
            willContinue: true,
          },
        },
      ]),
      chunk([
        {
          functionCall: {
            partialArgs: [
              { jsonPath: '$.opts.tags[1]', stringValue: 'y' },
              { jsonPath: '$.n', numberValue: 3 },
              { jsonPath: '$.__proto__', boolValue: true },
              { jsonPath: '$.z', nullValue: 'NULL_VALUE' },
            ],
            willContinue: true,
          },
        },
      ]),
      chunk([{ functionCall: {} }]),
      chunk([{ functionCall: { name: 'read', args: {} } }], 'STOP'),
    ]);
    expect(all.map(({ name }) => name)).toEqual(['write', 'read']);
    expect(all[0]!.arguments).toBe('{"path":"notes.md","opts":{"tags":["x","y"]},"n":3,"__proto__":true,"z":null}');
  });

  it('reports a call in pieces that never ended', () => {
    const { all } = readAll(gemini.createCallReader(), [
      chunk([{ functionCall: { name: 'write', willContinue: true } }]),
      chunk(
        [{ functionCall: { partialArgs: [{ jsonPath: '$.path', stringValue: 'a' }], willContinue: true } }],
        'MAX_TOKENS',
      ),
    ]);
    expect(all).toMatchObject([{ name: 'write', truncated: true }]);
  });
});

it('reads a stream of Bedrock', () => {
  const { early, all } = readAll(bedrock.createCallReader(), [
    { messageStart: { role: 'assistant' } },
    { contentBlockStart: { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'c', name: 't' } } } },
    { contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input: '{"a":' } } } },
    { contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input: '1}' } } } },
    { contentBlockStop: { contentBlockIndex: 1 } },
    { messageStop: { stopReason: 'tool_use' } },
  ]);
  expect(all).toMatchObject([{ id: 'c', name: 't', arguments: '{"a":1}' }]);
  expect(early).toEqual(all);
});

it('reads a stream of Mistral, whose events wrap the chunk and whose arguments may be an object', () => {
  const { all } = readAll(mistral.createCallReader(), [
    {
      data: {
        choices: [
          {
            index: 0,
            delta: { toolCalls: [{ id: 'abcdefghi', index: 0, function: { name: 't', arguments: { a: 1 } } }] },
            finishReason: 'tool_calls',
          },
        ],
      },
    },
  ]);
  expect(all).toMatchObject([{ id: 'abcdefghi', name: 't', arguments: { a: 1 } }]);
});

it('reads a stream of Ollama', () => {
  const chunk = (city: string, done = false) => ({
    done,
    message: { tool_calls: [{ function: { name: 't', arguments: { city } } }] },
  });
  const { all } = readAll(ollama.createCallReader(), [chunk('a'), chunk('b', true)]);
  expect(all.map((call) => call.arguments)).toEqual([{ city: 'a' }, { city: 'b' }]);
  expect(new Set(all.map(({ id }) => id)).size).toBe(2);
});

it('reads a stream of the AI SDK', () => {
  const { all } = readAll(aiSdk.createCallReader(), [
    { type: 'tool-input-start', id: 'c', toolName: 't' },
    { type: 'tool-input-delta', id: 'c', delta: '{"a":1}' },
    { type: 'tool-input-end', id: 'c' },
    { type: 'tool-call', toolCallId: 'c', toolName: 't', input: { a: 1 } },
    { type: 'finish', finishReason: 'tool-calls' },
  ]);
  expect(all).toMatchObject([{ id: 'c', name: 't', arguments: '{"a":1}' }]);
});
