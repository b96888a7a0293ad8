import { type ContentBlock, isContent } from '../../content.ts';
import { forLog } from '../../output/control-characters.ts';

/** More than any terminal shows in one line; longer text need not be looked at. */
const mostCharacters = 4_000;

/** A value in one line that is safe to show: text as it is, all else as JSON. */
export function preview(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : (jsonOf(value) ?? String(value));
  return forLog(text.slice(0, mostCharacters));
}

/** The data of a result in one line: as {@link preview}, and images and the like are named and not spelled out. */
export function dataPreview(data: unknown): string {
  if (isContent(data)) return data.content.map(blockPreview).join(' ');
  return typeof data === 'string' ? textPreview(data) : preview(data);
}

/** Text whose lines are meant to be lines: easier on the eye than escapes. */
function textPreview(text: string): string {
  const lines = text.slice(0, mostCharacters).trimEnd().split(/\r?\n/);
  return lines
    .filter((line) => line.trim() !== '')
    .map(forLog)
    .join(' ⏎ ');
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function blockPreview(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return textPreview(block.text);
    case 'image':
    case 'audio':
      return forLog(`[${block.type} ${block.mimeType}, ${Buffer.byteLength(block.data, 'base64')} bytes]`);
    case 'resource':
      return forLog(`[resource ${block.resource.uri}]`);
    case 'resource_link':
      return forLog(`[link ${block.uri}]`);
  }
}
