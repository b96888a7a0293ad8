import { assembler } from './assembler.ts';
import { callMaker } from './calls.ts';
import { descriptionOf, makeOffer, mutable, openaiSchema } from './offer.ts';
import { openaiNames } from './openai-chat.ts';
import { pairResults } from './pairing.ts';
import { contentOf, type Piece } from './pieces.ts';
import { asObject, asObjects, asText } from './shape.ts';
import type { CallReader, ProviderCall, ProviderFormat, ReadOffer } from './types.ts';

export interface OpenAIResponsesTool {
  type: 'function';
  name: string;
  description: string;
  parameters: { [keyword: string]: unknown };
  strict: boolean;
}

export type OpenAIResponsesPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; file_data: string; filename: string };

export interface OpenAIResponsesOutput {
  type: 'function_call_output';
  call_id: string;
  output: string | OpenAIResponsesPart[];
}

/**
 * OpenAI Responses. Results take text, images and files. It has no error flag; a failure is the text
 * `{"error": "..."}`.
 */
export const openaiResponses: ProviderFormat<OpenAIResponsesTool[], OpenAIResponsesOutput[]> = {
  name: 'openai-responses',
  definitions: (tools, options = {}) =>
    makeOffer(
      tools,
      openaiNames,
      (tool) => openaiSchema(tool, options),
      (offered): OpenAIResponsesTool => ({
        type: 'function',
        name: offered.alias,
        description: descriptionOf(offered),
        parameters: mutable(offered.schema),
        strict: offered.strict,
      }),
      (definitions) => definitions,
      ({ strict }) => strict,
    ),
  readCalls,
  createCallReader,
  writeResults: (calls, results) =>
    pairResults(calls, results).map(({ id, result }) => ({
      type: 'function_call_output',
      call_id: id ?? result.call_id,
      output: contentOf(result, partOf),
    })),
};

function readCalls(response: unknown, offer?: ReadOffer): readonly ProviderCall[] {
  const make = callMaker({ offer });
  const items = asObjects(Array.isArray(response) ? response : asObject(response)['output']);
  const cut = asObject(response)['status'] === 'incomplete';
  return items.flatMap((item, index) => {
    if (item['type'] !== 'function_call') return [];
    const last = index === items.length - 1;
    return [
      make(
        { id: item['call_id'], name: item['name'], arguments: item['arguments'] },
        item['status'] === 'incomplete' || (cut && last),
      ),
    ];
  });
}

function createCallReader(offer?: ReadOffer): CallReader {
  const calls = assembler({ offer });
  return {
    push(event) {
      const { type, item, item_id, output_index, delta, arguments: args, response } = asObject(event);
      const key = output_index ?? item_id;
      switch (type) {
        case 'response.output_item.added':
        case 'response.output_item.done': {
          const { type: kind, call_id, name, arguments: whole, status } = asObject(item);
          if (kind !== 'function_call') return [];
          calls.begin(key, asText(call_id), asText(name));
          if (type === 'response.output_item.added') return [];
          if (typeof whole === 'string') calls.replace(key, whole);
          return status === 'incomplete' ? [] : calls.close(key);
        }
        case 'response.function_call_arguments.delta':
          if (typeof delta === 'string') calls.append(key, delta);
          return [];
        case 'response.function_call_arguments.done':
          if (typeof args === 'string') calls.replace(key, args);
          return [];
        case 'response.completed':
          return calls.finish(false);
        case 'response.incomplete':
        case 'response.failed':
          return calls.finish(asObject(response)['status'] !== 'completed');
        default:
          return [];
      }
    },
    end: () => calls.end(),
  };
}

function partOf(piece: Piece): OpenAIResponsesPart {
  if (piece.kind === 'text') return { type: 'input_text', text: piece.text };
  const url = `data:${piece.mimeType};base64,${piece.data}`;
  if (/^image\/(png|jpeg|gif|webp)$/.test(piece.mimeType))
    return { type: 'input_image', image_url: url, detail: 'auto' };
  if (piece.mimeType === 'application/pdf') return { type: 'input_file', file_data: url, filename: piece.name };
  return { type: 'input_text', text: piece.note };
}
