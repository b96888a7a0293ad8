import { generateText, type ModelMessage, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { createRouter, defineTool } from 'callgate';
import { describe, expect, it } from 'vitest';
import { aiSdk } from '../../src/providers/index.ts';

const finished = (unified: 'tool-calls' | 'stop') => ({ unified, raw: undefined });
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const add = defineTool({
  name: 'math.add',
  description: 'Adds two numbers.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  permission: 'read',
  handler: ({ a, b }) => a + b,
});

describe('a loop with the AI SDK', () => {
  it('hands calls to the router and results back, an error among them', async () => {
    const router = createRouter({ tools: [add] });
    const offer = aiSdk.definitions(router.registry.list());
    const turns = [
      [
        { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'math__add', input: '{"a":2,"b":3}' },
        { type: 'tool-call' as const, toolCallId: 'c2', toolName: 'math__add', input: '{"a":"x","b":3}' },
      ],
      [{ type: 'text' as const, text: 'Done.' }],
    ];
    const model = new MockLanguageModelV3({
      doGenerate: async () => {
        const content = turns.shift()!;
        return { content, finishReason: finished(content.length > 1 ? 'tool-calls' : 'stop'), usage, warnings: [] };
      },
    });
    const messages: ModelMessage[] = [{ role: 'user', content: 'Add.' }];
    const first = await generateText({ model, tools: offer.tools, messages, stopWhen: stepCountIs(1) });
    const calls = aiSdk.readCalls(first, offer);
    expect(calls.map(({ id, name }) => [id, name])).toEqual([
      ['c1', 'math.add'],
      ['c2', 'math.add'],
    ]);
    messages.push(...first.response.messages, ...aiSdk.writeResults(calls, await router.callAll(calls)));
    const second = await generateText({ model, tools: offer.tools, messages });
    expect(second.text).toBe('Done.');

    const [shown, later] = model.doGenerateCalls;
    expect(shown!.tools).toMatchObject([
      {
        type: 'function',
        name: 'math__add',
        description: 'Adds two numbers.',
        inputSchema: { type: 'object', required: ['a', 'b'] },
      },
    ]);
    const answers = later!.prompt.flatMap((message): unknown[] => (message.role === 'tool' ? message.content : []));
    expect(answers).toMatchObject([
      { type: 'tool-result', toolCallId: 'c1', toolName: 'math__add', output: { type: 'json', value: 5 } },
      { type: 'tool-result', toolCallId: 'c2', output: { type: 'error-text', value: expect.stringContaining('/a') } },
    ]);
  });
});
