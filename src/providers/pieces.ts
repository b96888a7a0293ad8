import { type ContentBlock, isContent } from '../content.ts';
import { toModelText } from '../model-text.ts';
import type { Success, ToolResult } from '../result.ts';

/** A part of a result as providers know parts: text, or a file with a type, and the text in its place. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'media';
      readonly mimeType: string;
      /** Standard base64. */
      readonly data: string;
      readonly name: string;
      /** For a provider that does not take it. */
      readonly note: string;
    };

/** The parts of a result. Everything but content blocks is one text. */
export function piecesOf(result: ToolResult): readonly Piece[] {
  if (!result.ok || !isContent(result.data)) return [{ kind: 'text', text: toModelText(result) }];
  return result.data.content.map((block) => pieceOf(block, result));
}

/** Whether a result holds anything but text. */
function hasMedia(result: ToolResult): boolean {
  return result.ok && isContent(result.data) && piecesOf(result).some(({ kind }) => kind === 'media');
}

/** A result as text, or as the parts that a provider has for it where it holds more than text. */
export function contentOf<Part>(result: ToolResult, partOf: (piece: Piece) => Part): string | Part[] {
  return hasMedia(result) ? piecesOf(result).map(partOf) : toModelText(result);
}

/** Text that is never empty, for providers that refuse an empty block. */
export function someText(text: string): string {
  return text === '' ? '(no output)' : text;
}

/** The part of a media type before any parameter, in lower case. */
function essence(mimeType: string): string {
  return mimeType.split(';')[0]!.trim().toLowerCase();
}

function pieceOf(block: ContentBlock, result: Success): Piece {
  const note = toModelText({ ...result, data: { type: 'content', content: [block] } });
  if (block.type === 'image' || block.type === 'audio') {
    return { kind: 'media', mimeType: essence(block.mimeType), data: standard(block.data), name: block.type, note };
  }
  if (block.type === 'resource' && block.resource.blob !== undefined) {
    const { uri, blob, mimeType = 'application/octet-stream' } = block.resource;
    const name = uri.split(/[/\\]/).pop() || 'file';
    return { kind: 'media', mimeType: essence(mimeType), data: standard(blob), name, note };
  }
  return { kind: 'text', text: note };
}

// Blocks may come in the URL-safe alphabet; data URLs and most APIs know the standard one only.
function standard(base64: string): string {
  const bare = base64.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
}
