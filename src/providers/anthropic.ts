import type { ToolResult } from '../result.ts';
import type { JsonSchemaObject } from '../schema/json-schema.ts';
import type { Tool } from '../tool.ts';
import type { NameRule } from './aliases.ts';
import { assembler } from './assembler.ts';
import { callMaker } from './calls.ts';
import { anthropicSchema } from './dialects/anthropic.ts';
import { grammarOf } from './dialects/limits.ts';
import { anthropicStrictSchema, type StrictlyConverted } from './dialects/strict.ts';
import { asksStrict, descriptionOf, makeOffer, mutable, strictOrOpen } from './offer.ts';
import { pairResults } from './pairing.ts';
import { contentOf, type Piece, someText } from './pieces.ts';
import { asObject, asObjects, asText, type Loose } from './shape.ts';
import type { CallReader, DefinitionOptions, ProviderCall, ProviderFormat, ReadOffer } from './types.ts';

export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; [keyword: string]: unknown };
  strict?: boolean;
}

type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

export type AnthropicResultPart =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string }; title: string };

export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: string | AnthropicResultPart[];
  is_error?: true;
}

export interface AnthropicUserMessage {
  role: 'user';
  content: AnthropicToolResult[];
}

/** `[a-zA-Z0-9_-]`, 128 characters at most. */
const names: NameRule = { limit: 128, characters: /[a-zA-Z0-9_-]/, first: /[a-zA-Z0-9_-]/ };

/** Ends of a message after which its last block may be incomplete. */
const cutShort: ReadonlySet<unknown> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal']);

/**
 * Anthropic Messages. Results are one user message, as parallel calls demand; they take text, images and PDF files, and
 * failures carry `is_error`.
 */
export const anthropic: ProviderFormat<AnthropicTool[], AnthropicUserMessage[]> = {
  name: 'anthropic',
  definitions(tools, options = {}) {
    const convert = converter(options);
    return makeOffer(
      tools,
      names,
      convert,
      (offered): AnthropicTool => ({
        name: offered.alias,
        description: descriptionOf(offered),
        input_schema: mutable(offered.schema) as AnthropicTool['input_schema'],
        ...(offered.strict && { strict: true }),
      }),
      (definitions) => definitions,
    );
  },
  readCalls,
  createCallReader,
  writeResults(calls, results) {
    const content = pairResults(calls, results).map(({ id, result }) => blockOf(id ?? result.call_id, result));
    return content.length === 0 ? [] : [{ role: 'user', content }];
  },
};

// One grammar is compiled for all strict tools of a request, within these bounds.
const budget = { tools: 20, optional: 24, unions: 16 };

function converter(options: DefinitionOptions) {
  const left = { ...budget };
  const strictly = (schema: JsonSchemaObject): StrictlyConverted => {
    const converted = anthropicStrictSchema(schema);
    const { optional, unions } = grammarOf(converted.schema);
    if (left.tools < 1 || left.optional < optional || left.unions < unions) {
      const reason = `a request takes ${budget.tools} strict tools with ${budget.optional} optional parameters and ${budget.unions} unions`;
      return { ...converted, impossible: [{ pointer: '', keyword: 'strict', kind: 'dropped', reason }] };
    }
    if (converted.impossible.length === 0) {
      left.tools -= 1;
      left.optional -= optional;
      left.unions -= unions;
    }
    return converted;
  };
  return (tool: Tool) => strictOrOpen(asksStrict(options, tool), tool.parameters, strictly, anthropicSchema);
}

function readCalls(response: unknown, offer?: ReadOffer): readonly ProviderCall[] {
  const make = callMaker({ offer });
  const blocks = asObjects(Array.isArray(response) ? response : asObject(response)['content']);
  const cut = cutShort.has(asObject(response)['stop_reason']);
  return blocks.flatMap((block, index) =>
    block['type'] === 'tool_use'
      ? [make({ id: block['id'], name: block['name'], arguments: block['input'] }, cut && index === blocks.length - 1)]
      : [],
  );
}

function createCallReader(offer?: ReadOffer): CallReader {
  const calls = assembler({ offer });
  return {
    push(event) {
      const { type, index, content_block, delta } = asObject(event);
      switch (type) {
        case 'content_block_start': {
          const block = asObject(content_block);
          if (block['type'] !== 'tool_use') return [];
          calls.begin(index, asText(block['id']), asText(block['name']));
          if (Object.keys(asObject(block['input'])).length > 0) calls.replace(index, block['input']);
          return [];
        }
        case 'content_block_delta': {
          const { type: kind, partial_json } = asObject(delta);
          if (kind === 'input_json_delta' && typeof partial_json === 'string') calls.append(index, partial_json);
          return [];
        }
        case 'content_block_stop':
          return calls.openKeys().includes(index) ? calls.close(index) : [];
        case 'message_delta':
          return finish(asObject(delta));
        case 'message_stop':
          return calls.finish(false);
        default:
          return [];
      }
    },
    end: () => calls.end(),
  };

  function finish({ stop_reason }: Loose): readonly ProviderCall[] {
    return typeof stop_reason === 'string' ? calls.finish(cutShort.has(stop_reason)) : [];
  }
}

function blockOf(id: string, result: ToolResult): AnthropicToolResult {
  const content = result.ok ? contentOf(result, partOf) : result.error;
  return { type: 'tool_result', tool_use_id: id, content, ...(!result.ok && { is_error: true }) };
}

function partOf(piece: Piece): AnthropicResultPart {
  if (piece.kind === 'text') return { type: 'text', text: someText(piece.text) };
  const { mimeType, data } = piece;
  if (isImage(mimeType)) return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
  if (mimeType === 'application/pdf') {
    return { type: 'document', source: { type: 'base64', media_type: mimeType, data }, title: piece.name };
  }
  return { type: 'text', text: piece.note };
}

function isImage(mimeType: string): mimeType is ImageType {
  return /^image\/(jpeg|png|gif|webp)$/.test(mimeType);
}
