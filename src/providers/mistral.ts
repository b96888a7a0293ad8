import { randomBytes } from 'node:crypto';
import { chatCallReader, readChatCalls } from './chat-calls.ts';
import { chatDefinitions, type OpenAIChatTool } from './openai-chat.ts';
import { pairResults } from './pairing.ts';
import { contentOf, type Piece } from './pieces.ts';
import type { ProviderFormat } from './types.ts';

export type MistralTool = OpenAIChatTool;

export type MistralResultPart = { type: 'text'; text: string } | { type: 'image_url'; imageUrl: string };

export interface MistralToolMessage {
  role: 'tool';
  toolCallId: string;
  name: string;
  content: string | MistralResultPart[];
}

/**
 * Mistral, as its SDK spells it (`toolCalls`, `toolCallId`); responses are also read in the spelling of its HTTP API. It
 * demands ids of nine letters and digits, so that is what a call gets that came without one. Results take text and
 * images. It has no error flag; a failure is the text `{"error": "..."}`.
 */
export const mistral: ProviderFormat<MistralTool[], MistralToolMessage[]> = {
  name: 'mistral',
  definitions: chatDefinitions,
  readCalls: (response, offer) => readChatCalls(response, { offer, makeId }),
  createCallReader: (offer) => chatCallReader({ offer, makeId }),
  writeResults: (calls, results) =>
    pairResults(calls, results).map(({ id, name, result }) => ({
      role: 'tool',
      toolCallId: id ?? result.call_id,
      name,
      content: contentOf(result, partOf),
    })),
};

const alphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function makeId(): string {
  return Array.from(randomBytes(9), (byte) => alphanumeric[byte % alphanumeric.length]).join('');
}

function partOf(piece: Piece): MistralResultPart {
  if (piece.kind === 'text') return { type: 'text', text: piece.text };
  if (!/^image\/(png|jpeg|gif|webp)$/.test(piece.mimeType)) return { type: 'text', text: piece.note };
  return { type: 'image_url', imageUrl: `data:${piece.mimeType};base64,${piece.data}` };
}
