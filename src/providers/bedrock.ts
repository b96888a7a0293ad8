import { isRecord } from '../basics/plain-object.ts';
import { isContent } from '../content.ts';
import { toModelText } from '../model-text.ts';
import type { ToolResult } from '../result.ts';
import type { NameRule } from './aliases.ts';
import { assembler } from './assembler.ts';
import { callMaker } from './calls.ts';
import { bedrockSchema } from './dialects/bedrock.ts';
import { descriptionOf, makeOffer } from './offer.ts';
import { pairResults } from './pairing.ts';
import { type Piece, piecesOf, someText } from './pieces.ts';
import { asObject, asObjects, asText } from './shape.ts';
import type { CallReader, ProviderCall, ProviderFormat, ReadOffer } from './types.ts';

/** JSON as Bedrock's SDK types it. */
export type BedrockJson = null | boolean | number | string | BedrockJson[] | { [key: string]: BedrockJson };

export interface BedrockTool {
  toolSpec: { name: string; description?: string; inputSchema: { json: BedrockJson } };
}

export type BedrockResultPart =
  | { json: BedrockJson }
  | { text: string }
  | { image: { format: BedrockImageFormat; source: { bytes: Uint8Array } } }
  | { document: { format: BedrockDocumentFormat; name: string; source: { bytes: Uint8Array } } };

export type BedrockImageFormat = 'png' | 'jpeg' | 'gif' | 'webp';
export type BedrockDocumentFormat = 'pdf' | 'csv' | 'doc' | 'docx' | 'xls' | 'xlsx' | 'html' | 'txt' | 'md';

export interface BedrockUserMessage {
  role: 'user';
  content: { toolResult: { toolUseId: string; content: BedrockResultPart[]; status: 'success' | 'error' } }[];
}

/** A letter, then `[a-zA-Z0-9_-]`, 64 characters at most. */
const names: NameRule = { limit: 64, characters: /[a-zA-Z0-9_-]/, first: /[a-zA-Z]/ };

/** Ends of a message after which its last block may be incomplete. */
const cutShort: ReadonlySet<unknown> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'content_filtered',
  'guardrail_intervened',
  'malformed_model_output',
  'malformed_tool_use',
]);

/**
 * Bedrock Converse; the tools go into `toolConfig.tools`. Results are one user message; they take text, JSON, images and
 * documents, as bytes, and say `status: 'error'` for a failure.
 */
export const bedrock: ProviderFormat<BedrockTool[], BedrockUserMessage[]> = {
  name: 'bedrock',
  definitions: (tools) =>
    makeOffer(
      tools,
      names,
      (tool) => bedrockSchema(tool.parameters),
      (offered): BedrockTool => {
        // An empty description is refused.
        const description = descriptionOf(offered);
        return {
          toolSpec: {
            name: offered.alias,
            ...(description !== '' && { description }),
            inputSchema: { json: offered.schema as BedrockJson },
          },
        };
      },
      (definitions) => definitions,
    ),
  readCalls,
  createCallReader,
  writeResults(calls, results) {
    const content = pairResults(calls, results).map(({ id, result }) => ({
      toolResult: {
        toolUseId: id ?? result.call_id,
        content: contentOf(result),
        status: result.ok ? ('success' as const) : ('error' as const),
      },
    }));
    return content.length === 0 ? [] : [{ role: 'user', content }];
  },
};

function readCalls(response: unknown, offer?: ReadOffer): readonly ProviderCall[] {
  const make = callMaker({ offer });
  const { output, stopReason } = asObject(response);
  const message = asObject(output)['message'] ?? response;
  const blocks = asObjects(asObject(message)['content']);
  return blocks.flatMap((block, index) => {
    if (block['toolUse'] === undefined) return [];
    const { toolUseId, name, input } = asObject(block['toolUse']);
    const cut = cutShort.has(stopReason) && index === blocks.length - 1;
    return [make({ id: toolUseId, name, arguments: input }, cut)];
  });
}

function createCallReader(offer?: ReadOffer): CallReader {
  const calls = assembler({ offer });
  return {
    push(event) {
      const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop } = asObject(event);
      if (contentBlockStart !== undefined) {
        const { contentBlockIndex, start } = asObject(contentBlockStart);
        const { toolUseId, name } = asObject(asObject(start)['toolUse']);
        if (name !== undefined) calls.begin(contentBlockIndex, asText(toolUseId), asText(name));
      }
      if (contentBlockDelta !== undefined) {
        const { contentBlockIndex, delta } = asObject(contentBlockDelta);
        const text = asText(asObject(asObject(delta)['toolUse'])['input']);
        if (text !== undefined) calls.append(contentBlockIndex, text);
      }
      if (contentBlockStop !== undefined) {
        const { contentBlockIndex } = asObject(contentBlockStop);
        return calls.openKeys().includes(contentBlockIndex) ? calls.close(contentBlockIndex) : [];
      }
      return messageStop === undefined ? [] : calls.finish(cutShort.has(asObject(messageStop)['stopReason']));
    },
    end: () => calls.end(),
  };
}

function contentOf(result: ToolResult): BedrockResultPart[] {
  if (!result.ok) return [{ text: someText(result.error) }];
  const { data } = result;
  if (isContent(data)) return piecesOf(result).map(partOf);
  // The API takes an object where it takes JSON, and nothing else.
  return isRecord(data) ? [{ json: data as BedrockJson }] : [{ text: someText(toModelText(result)) }];
}

const documents: { readonly [mimeType: string]: BedrockDocumentFormat } = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
};

function partOf(piece: Piece): BedrockResultPart {
  if (piece.kind === 'text') return { text: someText(piece.text) };
  const image = /^image\/(png|jpeg|gif|webp)$/.exec(piece.mimeType)?.[1];
  const source = { bytes: new Uint8Array(Buffer.from(piece.data, 'base64')) };
  if (image !== undefined) return { image: { format: image as BedrockImageFormat, source } };
  const format = Object.hasOwn(documents, piece.mimeType) ? documents[piece.mimeType] : undefined;
  if (format === undefined) return { text: piece.note };
  // Names of documents: letters, digits, blanks, hyphens, round and square brackets.
  const name = piece.name.replace(/[^A-Za-z0-9()[\]-]+/g, ' ').trim() || 'file';
  return { document: { format, name, source } };
}
