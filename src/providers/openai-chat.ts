import { toModelText } from '../model-text.ts';
import type { NameRule } from './aliases.ts';
import { chatCallReader, readChatCalls } from './chat-calls.ts';
import { descriptionOf, makeOffer, mutable, openaiSchema } from './offer.ts';
import { pairResults } from './pairing.ts';
import type { ProviderFormat } from './types.ts';

export interface OpenAIChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: { [keyword: string]: unknown }; strict?: boolean };
}

export interface OpenAIChatToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** `[A-Za-z0-9_-]`, 64 characters at most. */
export const openaiNames: NameRule = { limit: 64, characters: /[A-Za-z0-9_-]/, first: /[A-Za-z0-9_-]/ };

/** Tools as Chat Completions takes them, and others after it. */
export const chatDefinitions: ProviderFormat<OpenAIChatTool[], unknown>['definitions'] = (tools, options = {}) =>
  makeOffer(
    tools,
    openaiNames,
    (tool) => openaiSchema(tool, options),
    (offered): OpenAIChatTool => ({
      type: 'function',
      function: {
        name: offered.alias,
        description: descriptionOf(offered),
        parameters: mutable(offered.schema),
        ...(offered.strict && { strict: true }),
      },
    }),
    (definitions) => definitions,
    ({ strict }) => strict,
  );

/**
 * OpenAI Chat Completions, and the many servers that imitate it. Results are text: the API takes no images in tool
 * messages, so a note stands in their place. It has no error flag; a failure is the text `{"error": "..."}`.
 */
export const openaiChat: ProviderFormat<OpenAIChatTool[], OpenAIChatToolMessage[]> = {
  name: 'openai',
  definitions: chatDefinitions,
  readCalls: (response, offer) => readChatCalls(response, { offer }),
  createCallReader: (offer) => chatCallReader({ offer }),
  writeResults: (calls, results) =>
    pairResults(calls, results).map(({ id, result }) => ({
      role: 'tool',
      tool_call_id: id ?? result.call_id,
      content: toModelText(result),
    })),
};
