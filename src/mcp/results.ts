import { isRecord } from '../basics/plain-object.ts';
import { type Content, type ContentBlock, isContent } from '../content.ts';
import { ToolError } from '../errors.ts';
import { toModelText } from '../model-text.ts';
import type { Failure, ToolResult } from '../result.ts';

/*
 * Results of tools/call, both ways. What comes from a server and goes out to a client again is the same:
 * toMcpResult after fromMcpResult gives what fromMcpResult was given.
 */

/** The result of `tools/call`. */
export interface McpCallResult {
  content: ContentBlock[];
  /** An object; any JSON value from revision 2026-07-28 on. */
  structuredContent?: unknown;
  isError?: true;
  _meta?: { [name: string]: unknown };
}

/** In a failure's details: the server itself said that its tool failed. */
const saidSo = 'is_error';
/** A block that nobody knows is shown as JSON up to this length, in characters. */
const longestOdd = 10_000;
/** So many blocks are looked at; more are no answer that anybody reads. */
const mostBlocks = 10_000;
/** What concerns one connection only, and not the answer. */
const ofConnection = 'io.modelcontextprotocol/';

/**
 * The data of an answer of an MCP server. One plain text is that text. An object without blocks is that object. All
 * else is content, with `structuredContent` and `_meta` where the server sent them; blocks that are none of the protocol's
 * become text.
 *
 * Throws a ToolError: `tool_error` with the server's words where it says that the tool failed, `invalid_output` for
 * something that is no result.
 */
export function fromMcpResult(result: unknown, tool: string): unknown {
  if (!isRecord(result)) throw notAResult(tool);
  const { content: sent, structuredContent: structured, isError } = result;
  if (sent === undefined && structured === undefined && isError !== true) {
    // What the protocol's first revision called it.
    if ('toolResult' in result) return result['toolResult'];
    throw notAResult(tool);
  }
  if (sent !== undefined && !Array.isArray(sent)) throw notAResult(tool);
  const blocks = (sent ?? []).slice(0, mostBlocks).map(asBlock);
  const more = (sent?.length ?? 0) - mostBlocks;
  if (more > 0) blocks.push(textOf(`[${more} more blocks left out.]`));
  const meta = metaOf(result['_meta']);
  if (isError === true) throw failureOf(tool, blocks, structured, meta);
  const [first] = blocks;
  if (structured === undefined && meta === undefined && blocks.length === 1 && isPlainText(first)) return first.text;
  const alone = blocks.length === 0 && meta === undefined;
  if (alone && isRecord(structured) && !isContent(structured)) return structured;
  // Whoever reads only the blocks must not be told that there was nothing.
  if (blocks.length === 0 && structured !== undefined) blocks.push(textOf(jsonOf(structured)));
  return {
    type: 'content',
    content: blocks,
    ...(structured !== undefined && { structuredContent: structured }),
    ...(meta !== undefined && { _meta: meta }),
  } satisfies Content;
}

/**
 * A result as the answer to `tools/call`. Content goes as it is; text as one block; an object as text and as structured
 * content; other data as JSON text; a failure as its text, with `isError`.
 */
export function toMcpResult(result: ToolResult): McpCallResult {
  if (!result.ok) return fromFailure(result);
  const { data } = result;
  if (isContent(data)) {
    const { content, structuredContent, _meta } = data;
    return {
      content: [...content],
      ...(structuredContent !== undefined && { structuredContent }),
      ...(_meta !== undefined && { _meta: { ..._meta } }),
    };
  }
  const content = [textOf(toModelText(result))];
  return isRecord(data) ? { content, structuredContent: data } : { content };
}

function failureOf(
  tool: string,
  blocks: readonly ContentBlock[],
  structured: unknown,
  meta: { [name: string]: unknown } | undefined,
): ToolError {
  const texts = blocks.flatMap((block) => (block.type === 'text' && block.text.trim() !== '' ? [block.text] : []));
  const text = texts.join('\n') || (structured === undefined ? '' : jsonOf(structured));
  const [first] = blocks;
  const isWhole = blocks.length === 1 && isPlainText(first) && first.text === text;
  const details = {
    reason: saidSo,
    ...(!isWhole && { content: blocks }),
    ...(structured !== undefined && { structuredContent: structured }),
    ...(meta !== undefined && { _meta: meta }),
  };
  return new ToolError(text || `${tool} failed, and its server does not say why.`, { code: 'tool_error', details });
}

function fromFailure({ code, error, details }: Failure): McpCallResult {
  const said = isRecord(details) && code === 'tool_error' && details['reason'] === saidSo ? details : {};
  const { content: blocks, structuredContent, _meta } = said;
  // On its way it was shortened like other data, and may be no content any more.
  const whole = { type: 'content', content: blocks };
  return {
    content: isContent(whole) ? [...whole.content] : [textOf(error)],
    isError: true,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isRecord(_meta) && { _meta: { ..._meta } }),
  };
}

function asBlock(block: unknown): ContentBlock {
  const candidate = { type: 'content', content: [mended(block)] };
  if (isContent(candidate)) return candidate.content[0] as ContentBlock;
  const type = isRecord(block) && typeof block['type'] === 'string' ? block['type'].slice(0, 40) : 'unknown';
  const json = jsonOf(block);
  return textOf(json.length > longestOdd ? `[${type}: a block of a form that is not known, left out]` : json);
}

/** Base64 may be broken into lines, and some servers forget the kind of an image. */
function mended(block: unknown): unknown {
  if (!isRecord(block)) return block;
  const { type, data, mimeType } = block;
  if ((type !== 'image' && type !== 'audio') || typeof data !== 'string') return block;
  if (typeof mimeType === 'string' && !/\s/.test(data)) return block;
  return { ...block, data: data.replaceAll(/\s+/g, ''), mimeType: mimeType ?? 'application/octet-stream' };
}

function isPlainText(block: ContentBlock | undefined): block is ContentBlock & { type: 'text' } {
  return block?.type === 'text' && Object.keys(block).length === 2;
}

/** As JSON text, unless that is too deep to be written. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '[nested too deeply to be shown]';
  }
}

function textOf(text: string): ContentBlock {
  return { type: 'text', text };
}

function metaOf(meta: unknown): { [name: string]: unknown } | undefined {
  if (!isRecord(meta)) return undefined;
  const kept = Object.entries(meta).filter(([name]) => !name.startsWith(ofConnection) && name !== 'progressToken');
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function notAResult(tool: string): ToolError {
  return new ToolError(`${tool} ran, but what its server sent is no result of a tool. This is a fault of the server.`, {
    code: 'invalid_output',
  });
}
