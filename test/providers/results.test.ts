import { describe, expect, it } from 'vitest';
import { content } from '../../src/content.ts';
import {
  type AnsweredCall,
  aiSdk,
  anthropic,
  bedrock,
  gemini,
  mcp,
  mistral,
  ollama,
  openaiChat,
  openaiResponses,
  type ProviderName,
  providerOf,
  providers,
} from '../../src/providers/index.ts';
import { failure, pdf, png, success } from './tools.ts';

const call = (id: string, name = 'get_weather'): AnsweredCall => ({ id, name, origin: { id, name } });
const one = [call('c1')];
const chart = success(
  'c1',
  content([
    'The chart:',
    { type: 'image', data: png, mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///reports/june report.pdf', mimeType: 'application/pdf', blob: pdf } },
    { type: 'audio', data: png, mimeType: 'audio/wav' },
  ]),
);

describe('text, data and failures', () => {
  it('go to OpenAI Chat as text, an error as JSON that says so', () => {
    expect(openaiChat.writeResults(one, [success('c1', { celsius: 21 })])).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: '{"celsius":21}' },
    ]);
    expect(openaiChat.writeResults(one, [failure('c1')])[0]!.content).toBe('{"error":"No such city."}');
  });

  it('go to OpenAI Responses as text', () => {
    expect(openaiResponses.writeResults(one, [failure('c1')])).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: '{"error":"No such city."}' },
    ]);
  });

  it('go to Anthropic in one user message, failures with its flag', () => {
    const results = [success('a', 'sunny'), failure('b')];
    expect(anthropic.writeResults([call('a'), call('b')], results)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'sunny' },
          { type: 'tool_result', tool_use_id: 'b', content: 'No such city.', is_error: true },
        ],
      },
    ]);
  });

  it('go to Gemini one for each call, also of one name, under output or error', () => {
    const calls = [
      { id: 'a', name: 'get_weather', origin: { name: 'get_weather' } },
      { id: 'b', name: 'get_weather', origin: { name: 'get_weather' } },
    ];
    expect(gemini.writeResults(calls, [success('a', 1), failure('b')])).toEqual([
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'get_weather', response: { output: 1 } } },
          { functionResponse: { name: 'get_weather', response: { error: 'No such city.' } } },
        ],
      },
    ]);
  });

  it('go to Gemini as text where the data holds $ref, which it would take for a reference', () => {
    const [written] = gemini.writeResults(one, [success('c1', { schema: { $ref: '#/x' } })]);
    expect(written!.parts[0]!.functionResponse.response).toEqual({ output: '{"schema":{"$ref":"#/x"}}' });
  });

  it('go to Bedrock as JSON or text, with a status', () => {
    const results = [success('a', { n: 1 }), success('b', [1]), success('c', ''), failure('d')];
    expect(
      bedrock.writeResults(
        ['a', 'b', 'c', 'd'].map((id) => call(id)),
        results,
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'a', content: [{ json: { n: 1 } }], status: 'success' } },
          { toolResult: { toolUseId: 'b', content: [{ text: '[1]' }], status: 'success' } },
          { toolResult: { toolUseId: 'c', content: [{ text: '(no output)' }], status: 'success' } },
          { toolResult: { toolUseId: 'd', content: [{ text: 'No such city.' }], status: 'error' } },
        ],
      },
    ]);
  });

  it('go to Mistral and Ollama by name', () => {
    expect(mistral.writeResults(one, [success('c1', 'x')])).toEqual([
      { role: 'tool', toolCallId: 'c1', name: 'get_weather', content: 'x' },
    ]);
    expect(ollama.writeResults(one, [failure('c1')])).toEqual([
      { role: 'tool', tool_name: 'get_weather', content: '{"error":"No such city."}' },
    ]);
  });

  it('go to the AI SDK as text, JSON, an error or a denial', () => {
    const results = [
      success('a', 'x'),
      success('b', { n: 1 }),
      failure('c'),
      failure('d', 'Not today.', { code: 'denied' }),
    ];
    const [message] = aiSdk.writeResults(
      ['a', 'b', 'c', 'd'].map((id) => call(id)),
      results,
    );
    expect(message!.content.map(({ output }) => output)).toEqual([
      { type: 'text', value: 'x' },
      { type: 'json', value: { n: 1 } },
      { type: 'error-text', value: 'No such city.' },
      { type: 'execution-denied', reason: 'Not today.' },
    ]);
  });

  it('go to MCP as text and structure, failures with isError', () => {
    const results = [success('a', { total: 3 }), success('b', 'x'), failure('c')];
    expect(
      mcp.writeResults(
        ['a', 'b', 'c'].map((id) => call(id)),
        results,
      ),
    ).toEqual([
      { content: [{ type: 'text', text: '{"total":3}' }], structuredContent: { total: 3 } },
      { content: [{ type: 'text', text: 'x' }] },
      { content: [{ type: 'text', text: 'No such city.' }], isError: true },
    ]);
  });
});

describe('images and files', () => {
  it('go to OpenAI Responses as parts, and a note stands for what it does not take', () => {
    const [written] = openaiResponses.writeResults(one, [chart]);
    expect(written!.output).toEqual([
      { type: 'input_text', text: 'The chart:' },
      { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
      { type: 'input_file', file_data: `data:application/pdf;base64,${pdf}`, filename: 'june report.pdf' },
      { type: 'input_text', text: '[audio: audio/wav, 8 bytes]' },
    ]);
  });

  it('go to Anthropic as blocks', () => {
    const [written] = anthropic.writeResults(one, [chart]);
    expect(written!.content[0]!.content).toEqual([
      { type: 'text', text: 'The chart:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: pdf },
        title: 'june report.pdf',
      },
      { type: 'text', text: '[audio: audio/wav, 8 bytes]' },
    ]);
  });

  it('go to Gemini as parts of the response', () => {
    const [written] = gemini.writeResults(one, [chart]);
    expect(written!.parts[0]!.functionResponse.parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: png } },
      { inlineData: { mimeType: 'application/pdf', data: pdf } },
    ]);
  });

  it('go to Bedrock as bytes, under a name that it takes', () => {
    const [written] = bedrock.writeResults(one, [chart]);
    expect(written!.content[0]!.toolResult.content).toEqual([
      { text: 'The chart:' },
      { image: { format: 'png', source: { bytes: new Uint8Array(Buffer.from(png, 'base64')) } } },
      {
        document: {
          format: 'pdf',
          name: 'june report pdf',
          source: { bytes: new Uint8Array(Buffer.from(pdf, 'base64')) },
        },
      },
      { text: '[audio: audio/wav, 8 bytes]' },
    ]);
  });

  it('go to Mistral, Ollama, the AI SDK and MCP in the form of each', () => {
    expect(mistral.writeResults(one, [chart])[0]!.content).toContainEqual({
      type: 'image_url',
      imageUrl: `data:image/png;base64,${png}`,
    });
    expect(ollama.writeResults(one, [chart])[0]!.images).toEqual([png]);
    expect(aiSdk.writeResults(one, [chart])[0]!.content[0]!.output).toMatchObject({
      type: 'content',
      value: [
        { type: 'text' },
        { type: 'image-data' },
        { type: 'file-data', filename: 'june report.pdf' },
        { type: 'file-data' },
      ],
    });
    expect(mcp.writeResults(one, [chart])[0]!.content).toHaveLength(4);
  });

  it('are a note in OpenAI Chat, which takes none', () => {
    expect(openaiChat.writeResults(one, [chart])[0]!.content).toContain('[image: image/png, 8 bytes]');
  });
});

describe.each(Object.keys(providers) as ProviderName[])('the pairing of %s', (name) => {
  const write = (calls: readonly AnsweredCall[], results: Parameters<typeof openaiChat.writeResults>[1]) =>
    JSON.stringify(providerOf(name).writeResults(calls, results));

  it('answers a call that has no result with an error, since no call may stay open', () => {
    expect(write([call('a'), call('b')], [success('b', 'fine')])).toMatch(/was not run.*fine/);
  });

  it('refuses a result that belongs to no call', () => {
    expect(() => write(one, [success('c1', 1), success('other', 2)])).toThrow(/"other" belongs to none/);
  });

  it('writes nothing for no calls', () => {
    expect(write([], [])).toBe('[]');
  });
});
