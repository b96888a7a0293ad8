import type Anthropic from '@anthropic-ai/sdk';
import type { Message as BedrockMessage, Tool as BedrockSdkTool } from '@aws-sdk/client-bedrock-runtime';
import type { Content, Tool as GeminiSdkTool } from '@google/genai';
import type { Tool as MistralSdkTool } from '@mistralai/mistralai/models/components/tool.js';
import type { ToolMessage } from '@mistralai/mistralai/models/components/toolmessage.js';
import type { ModelMessage, ToolSet } from 'ai';
import type { Message as OllamaMessage, Tool as OllamaSdkTool } from 'ollama';
import type OpenAI from 'openai';
import { describe, expectTypeOf, it } from 'vitest';
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
  toolSchemas,
} from '../../src/providers/index.ts';
import type { ToolCall } from '../../src/types.ts';

describe('definitions fit the types of the SDK', () => {
  it('of OpenAI', () => {
    const chat = openaiChat.definitions([]).tools;
    expectTypeOf(chat).toExtend<OpenAI.Chat.ChatCompletionTool[]>();
    const responses = openaiResponses.definitions([]).tools;
    expectTypeOf(responses).toExtend<OpenAI.Responses.Tool[]>();
  });

  it('of Anthropic', () => {
    expectTypeOf(anthropic.definitions([]).tools).toExtend<Anthropic.ToolUnion[]>();
  });

  it('of Gemini', () => {
    expectTypeOf(gemini.definitions([]).tools).toExtend<GeminiSdkTool[]>();
  });

  it('of Bedrock', () => {
    expectTypeOf(bedrock.definitions([]).tools).toExtend<BedrockSdkTool[]>();
  });

  it('of Mistral', () => {
    expectTypeOf(mistral.definitions([]).tools).toExtend<MistralSdkTool[]>();
  });

  it('of Ollama', () => {
    expectTypeOf(ollama.definitions([]).tools).toExtend<OllamaSdkTool[]>();
  });

  it('of the AI SDK', () => {
    expectTypeOf(aiSdk.definitions([]).tools).toExtend<ToolSet>();
  });

  it('by the name of the provider', () => {
    expectTypeOf(toolSchemas('anthropic', [])).toEqualTypeOf(anthropic.definitions([]).tools);
    expectTypeOf(toolSchemas('openai', [])).toEqualTypeOf(openaiChat.definitions([]).tools);
    // @ts-expect-error there is no such provider
    toolSchemas('opnai', []);
  });
});

describe('results fit the types of the SDK', () => {
  it('of OpenAI', () => {
    expectTypeOf(openaiChat.writeResults([], [])).toExtend<OpenAI.Chat.ChatCompletionMessageParam[]>();
    expectTypeOf(openaiResponses.writeResults([], [])).toExtend<OpenAI.Responses.ResponseInput>();
  });

  it('of Anthropic', () => {
    expectTypeOf(anthropic.writeResults([], [])).toExtend<Anthropic.MessageParam[]>();
  });

  it('of Gemini', () => {
    expectTypeOf(gemini.writeResults([], [])).toExtend<Content[]>();
  });

  it('of Bedrock', () => {
    expectTypeOf(bedrock.writeResults([], [])).toExtend<BedrockMessage[]>();
  });

  it('of Mistral', () => {
    expectTypeOf(mistral.writeResults([], [])).toExtend<ToolMessage[]>();
  });

  it('of Ollama', () => {
    expectTypeOf(ollama.writeResults([], [])).toExtend<OllamaMessage[]>();
  });

  it('of the AI SDK', () => {
    expectTypeOf(aiSdk.writeResults([], [])).toExtend<ModelMessage[]>();
  });
});

it('reads calls that the router takes', () => {
  expectTypeOf<ProviderCall>().toExtend<ToolCall>();
  expectTypeOf(mcp.readCalls({})).toExtend<readonly ToolCall[]>();
});
