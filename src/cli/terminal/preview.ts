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
  const blocks = blocksOf(data);
  return blocks === undefined ? preview(data) : blocks.map(blockPreview).join(' ');
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

interface Block {
  readonly type: string;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly uri?: unknown;
}

const blockTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

function blocksOf(data: unknown): readonly Block[] | undefined {
  const list: unknown = Array.isArray(data) ? data : (data as { content?: unknown } | null | undefined)?.content;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return list.every((block) => blockTypes.has((block as Partial<Block> | null)?.type)) ? (list as Block[]) : undefined;
}

function blockPreview({ type, text, data, mimeType, uri }: Block): string {
  if (type === 'text') return preview(text);
  const size = typeof data === 'string' ? `${Math.floor((data.length * 3) / 4)} bytes` : undefined;
  return forLog(`[${[type, mimeType, uri, size].filter((part) => typeof part === 'string').join(' ')}]`);
}
