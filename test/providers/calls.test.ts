import { describe, expect, it } from 'vitest';
import {
  aiSdk,
  anthropic,
  bedrock,
  gemini,
  mcp,
  mistral,
  ollama,
  openaiChat,
  openaiResponses,
  type ProviderCall,
  type ProviderName,
  providerOf,
  providers,
} from '../../src/providers/index.ts';
import { parseArguments } from '../../src/schema/parse.ts';
import { getWeather, success, toolNamed } from './tools.ts';

const args = { city: 'Bonn' };
const text = JSON.stringify(args);

/** One response of each provider that calls `get_weather` once, with id `c1` where the provider has ids. */
const responses: { readonly [Name in ProviderName]: unknown } = {
  openai: {
    choices: [
      {
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: text } }],
        },
      },
    ],
  },
  'openai-responses': {
    status: 'completed',
    output: [
      { type: 'reasoning', id: 'r1', summary: [] },
      { type: 'function_call', id: 'fc1', call_id: 'c1', name: 'get_weather', arguments: text, status: 'completed' },
    ],
  },
  anthropic: {
    stop_reason: 'tool_use',
    content: [
      { type: 'text', text: 'I will look.' },
      { type: 'tool_use', id: 'c1', name: 'get_weather', input: args },
    ],
  },
  gemini: {
    candidates: [
      {
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts: [{ text: 'I will look.' }, { functionCall: { id: 'c1', name: 'get_weather', args } }],
        },
      },
    ],
  },
  bedrock: {
    stopReason: 'tool_use',
    output: {
      message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'get_weather', input: args } }] },
    },
  },
  mistral: {
    choices: [
      {
        finishReason: 'tool_calls',
        message: { toolCalls: [{ id: 'c1', function: { name: 'get_weather', arguments: text } }] },
      },
    ],
  },
  ollama: {
    done: true,
    message: { role: 'assistant', content: '', tool_calls: [{ function: { name: 'get_weather', arguments: args } }] },
  },
  'ai-sdk': {
    finishReason: 'tool-calls',
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'get_weather', input: args }],
  },
  mcp: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_weather', arguments: args } },
};

function argumentsOf(call: ProviderCall): unknown {
  return parseArguments(call.arguments);
}

describe.each(Object.keys(providers) as ProviderName[])('a response of %s', (name) => {
  const format = providerOf(name);

  it('gives its calls, with name, arguments and an id', () => {
    const calls = format.readCalls(responses[name]);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ name: 'get_weather', origin: { name: 'get_weather' } });
    expect(argumentsOf(calls[0]!)).toEqual(args);
    expect(calls[0]!.id).toMatch(/^\w+$/);
  });

  it.each([
    undefined,
    null,
    'text',
    7,
    [],
    {},
    { choices: 'x' },
    { content: [null, 3] },
    { candidates: [{}] },
    { output: {} },
  ])('gives no calls and no exception for %j', (response) => {
    expect(format.readCalls(response)).toEqual([]);
    const reader = format.createCallReader();
    expect(reader.push(response)).toEqual([]);
    expect(reader.end()).toEqual([]);
  });
});

describe('names', () => {
  it('come back as canonical names, whatever the provider was shown, and results go out under the alias', () => {
    const tool = toolNamed('weather.get');
    const offer = openaiChat.definitions([tool]);
    expect(offer.tools[0]!.function.name).toBe('weather__get');
    const message = {
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather__get', arguments: '{}' } }],
    };
    expect(openaiChat.readCalls(message, offer)[0]!.name).toBe('weather.get');

    const parts = [{ functionCall: { name: 'weather__get', args: {} } }];
    const shown = gemini.definitions([toolNamed('weather/get')]);
    const calls = gemini.readCalls({ candidates: [{ content: { parts } }] }, shown);
    expect(calls[0]!.name).toBe('weather/get');
    const [written] = gemini.writeResults(calls, [success(calls[0]!.id, 1, 'weather/get')]);
    expect(written!.parts[0]!.functionResponse.name).toBe('weather__get');
  });

  it('that are unknown pass untouched, so that lookup can answer them', () => {
    const offer = openaiChat.definitions([getWeather]);
    const message = { tool_calls: [{ id: 'c', function: { name: 'multi_tool_use.parallel', arguments: '{}' } }] };
    expect(openaiChat.readCalls(message, offer)[0]!.name).toBe('multi_tool_use.parallel');
  });
});

describe('call ids', () => {
  const cities = ['NYC', 'SF', 'LA'];
  const sameId = {
    choices: [
      {
        message: {
          tool_calls: cities.map((city) => ({
            id: 'get_weather',
            function: { name: 'get_weather', arguments: JSON.stringify({ city }) },
          })),
        },
      },
    ],
  };

  it('that are used three times are made three, and answered as they were sent', () => {
    const calls = openaiChat.readCalls(sameId);
    expect(calls.map(({ id }) => id)).toEqual(['get_weather', 'get_weather~2', 'get_weather~3']);
    expect(calls.map(({ arguments: sent }) => JSON.parse(sent as string).city)).toEqual(cities);
    const shuffled = [calls[2]!, calls[0]!, calls[1]!].map(({ id }) => success(id, `sunny for ${id}`));
    const messages = openaiChat.writeResults(calls, shuffled);
    expect(messages.map(({ tool_call_id }) => tool_call_id)).toEqual(['get_weather', 'get_weather', 'get_weather']);
    expect(messages.map(({ content }) => content)).toEqual([
      'sunny for get_weather',
      'sunny for get_weather~2',
      'sunny for get_weather~3',
    ]);
  });

  it('that are missing are made, and differ from each other and from response to response', () => {
    const parts = cities.map((city) => ({ functionCall: { name: 'get_weather', args: { city } } }));
    const read = () => gemini.readCalls({ candidates: [{ content: { parts } }] }).map(({ id }) => id);
    expect(new Set([...read(), ...read()]).size).toBe(6);
  });

  it('are nine letters and digits for Mistral', () => {
    const [call] = mistral.readCalls({
      choices: [{ message: { toolCalls: [{ function: { name: 't', arguments: {} } }] } }],
    });
    expect(call!.id).toMatch(/^[A-Za-z0-9]{9}$/);
  });

  it('survive storage: a call is plain JSON', () => {
    const calls = openaiChat.readCalls(sameId);
    expect(JSON.parse(JSON.stringify(calls))).toEqual(calls);
  });
});

describe('a response that was cut short', () => {
  const cut = '{"path":"SKILL.md","content":"# Tit';

  it.each<[string, readonly ProviderCall[]]>([
    [
      'openai',
      openaiChat.readCalls({
        choices: [
          {
            finish_reason: 'length',
            message: { tool_calls: [{ id: 'c', function: { name: 'write_file', arguments: cut } }] },
          },
        ],
      }),
    ],
    [
      'openai, before the first argument',
      openaiChat.readCalls({
        choices: [
          {
            finish_reason: 'length',
            message: { tool_calls: [{ id: 'c', function: { name: 'write_file', arguments: '' } }] },
          },
        ],
      }),
    ],
    [
      'openai-responses',
      openaiResponses.readCalls({
        status: 'incomplete',
        output: [{ type: 'function_call', call_id: 'c', name: 'write_file', arguments: cut, status: 'incomplete' }],
      }),
    ],
    [
      'anthropic',
      anthropic.readCalls({
        stop_reason: 'max_tokens',
        content: [{ type: 'tool_use', id: 'c', name: 'write_file', input: { path: 'SKILL.md' } }],
      }),
    ],
    [
      'anthropic, before the first argument',
      anthropic.readCalls({
        stop_reason: 'max_tokens',
        content: [{ type: 'tool_use', id: 'c', name: 'write_file', input: {} }],
      }),
    ],
    [
      'gemini',
      gemini.readCalls({
        candidates: [
          {
            finishReason: 'MAX_TOKENS',
            content: { parts: [{ functionCall: { name: 'write_file', args: { path: 'SKILL.md' } } }] },
          },
        ],
      }),
    ],
    [
      'bedrock',
      bedrock.readCalls({
        stopReason: 'max_tokens',
        output: {
          message: { content: [{ toolUse: { toolUseId: 'c', name: 'write_file', input: { path: 'SKILL.md' } } }] },
        },
      }),
    ],
    [
      'mistral',
      mistral.readCalls({
        choices: [
          {
            finishReason: 'length',
            message: { toolCalls: [{ id: 'c', function: { name: 'write_file', arguments: cut } }] },
          },
        ],
      }),
    ],
    [
      'ollama',
      ollama.readCalls({
        done_reason: 'length',
        message: { tool_calls: [{ function: { name: 'write_file', arguments: { path: 'SKILL.md' } } }] },
      }),
    ],
    [
      'ai-sdk',
      aiSdk.readCalls({
        finishReason: 'length',
        content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'write_file', input: { path: 'SKILL.md' } }],
      }),
    ],
  ])('never leaves a smaller call: %s', (_, calls) => {
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ name: 'write_file', truncated: true });
    expect(parseArguments(calls[0]!.arguments)).toMatchObject({ code: 'invalid_json' });
  });

  it('leaves the calls alone that were complete', () => {
    const calls = anthropic.readCalls({
      stop_reason: 'max_tokens',
      content: [
        { type: 'tool_use', id: 'a', name: 't', input: { whole: true } },
        { type: 'tool_use', id: 'b', name: 't', input: { half: 'tr' } },
      ],
    });
    expect(calls.map(({ truncated = false }) => truncated)).toEqual([false, true]);
    expect(calls[0]!.arguments).toEqual({ whole: true });
  });

  it('does not doubt the text of a whole object, after which nothing can follow', () => {
    const [call] = openaiChat.readCalls({
      choices: [
        {
          finish_reason: 'length',
          message: { tool_calls: [{ id: 'c', function: { name: 't', arguments: '{"a":1}' } }] },
        },
      ],
    });
    expect(call).not.toHaveProperty('truncated');
  });
});

describe('strict mode on the way back', () => {
  it('turns null into absent for the tools that were offered strictly, and for no others', () => {
    const other = { ...getWeather, name: 'other' };
    const offer = openaiChat.definitions([getWeather, other], { strict: ['get_weather'] });
    const sent = '{"city":"Bonn","days":null}';
    const message = {
      tool_calls: ['get_weather', 'other'].map((name) => ({ id: name, function: { name, arguments: sent } })),
    };
    const [strict, loose] = openaiChat.readCalls(message, offer);
    expect(strict!.arguments).toEqual({ city: 'Bonn' });
    expect(loose!.arguments).toBe(sent);
  });
});

describe('calls that are not ours', () => {
  it('are left to whom they belong', () => {
    expect(
      aiSdk.readCalls({
        content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'search', input: {}, providerExecuted: true }],
      }),
    ).toEqual([]);
    expect(
      anthropic.readCalls({ content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }] }),
    ).toEqual([]);
    expect(
      openaiChat.readCalls({ tool_calls: [{ id: 'x', type: 'custom', custom: { name: 'c', input: '' } }] }),
    ).toEqual([]);
    expect(mcp.readCalls({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).toEqual([]);
  });
});

it('refuses a provider that does not exist and names those that do', () => {
  expect(() => providerOf('opnai' as 'openai')).toThrow(/Unknown provider "opnai"; there are openai, /);
  expect(() => providerOf('constructor' as 'openai')).toThrow(TypeError);
});
