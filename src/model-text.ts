import { bytesOf, type ContentBlock, isContent } from './content.ts';
import { toJsonSafe } from './output/json-safe.ts';
import type { ToolResult } from './result.ts';

/**
 * The text of a tool message for the model, always a string: text data as it is, other data as JSON (`null` for a tool
 * that gave nothing), content as its texts with a note for each block that is no text, a failure as `{"error": "..."}`.
 *
 * @example
 * const message = { role: 'tool', tool_call_id: result.call_id, content: toModelText(result) };
 */
export function toModelText(result: ToolResult): string {
  if (!result.ok) return JSON.stringify({ error: result.error });
  const { data } = result;
  if (typeof data === 'string') return data;
  if (isContent(data)) return data.content.map(blockText).join('\n');
  // A result that has passed normalize is JSON-safe already, and costs no more than the text itself.
  try {
    return JSON.stringify(data) ?? JSON.stringify(toJsonSafe(data));
  } catch {
    return JSON.stringify(toJsonSafe(data));
  }
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}: ${block.mimeType}, ${inBytes(bytesOf(block.data))}]`;
    case 'resource_link': {
      const size = block.size === undefined ? '' : `, ${inBytes(block.size)}`;
      return `[resource: ${block.name}, ${block.uri}${size}]`;
    }
    case 'resource': {
      const { uri, mimeType, text, blob } = block.resource;
      if (text !== undefined) return text;
      return `[resource: ${uri}${mimeType === undefined ? '' : `, ${mimeType}`}, ${inBytes(bytesOf(blob ?? ''))}]`;
    }
  }
}

function inBytes(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`;
}
