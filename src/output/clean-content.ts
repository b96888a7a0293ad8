import type { Content, ContentBlock } from '../content.ts';
import type { JsonSchemaObject } from '../schema/json-schema.ts';
import type { Cleaner, Notes } from './clean.ts';
import { jsonLength } from './fit-text.ts';

/** The most that all blocks have together. */
export interface ContentLimits {
  /** In characters of base64. */
  readonly maxBinary: number;
  /** Of everything else, in characters of JSON text. */
  readonly maxCharacters: number;
}

/**
 * Content blocks, fit to leave the router. Texts are cleaned like all other text. Base64 stays whole, as half an image is
 * none; once the blocks have more than `maxBinary` characters of it together, a text says so in the place of the rest.
 * Once the rest of them has more than `maxCharacters`, the blocks that follow are left out, and a last one says so.
 * Structured content is data by itself, which `schema` describes.
 */
export function cleanContent(
  content: Content,
  cleaner: Cleaner,
  limits: ContentLimits,
  notes: Notes,
  schema?: JsonSchemaObject,
): Content {
  const { maxBinary } = limits;
  let left = maxBinary;
  let leftCharacters = limits.maxCharacters;
  const blocks: ContentBlock[] = [];
  for (const [index, block] of content.content.entries()) {
    const { binary, rest } = apart(block);
    const clean = cleaner.value(rest, notes) as ContentBlock;
    // The first one was shortened to the limit by itself, so that something always is left.
    leftCharacters -= jsonLength(clean);
    if (leftCharacters < 0 && index > 0) {
      notes.truncated = Math.max(notes.truncated, limits.maxCharacters - leftCharacters);
      blocks.push({ type: 'text', text: `[${content.content.length - index} more blocks left out.]` });
      break;
    }
    if (binary === undefined) {
      blocks.push(clean);
    } else if (binary.length > left) {
      notes.truncated = Math.max(notes.truncated, binary.length);
      blocks.push({ type: 'text', text: tooLarge(block, binary.length, maxBinary) });
    } else {
      left -= binary.length;
      blocks.push(together(clean, binary));
    }
  }
  const { structuredContent, _meta } = content;
  return {
    type: 'content',
    content: blocks,
    ...(structuredContent !== undefined && { structuredContent: cleaner.value(structuredContent, notes, schema) }),
    ...(_meta !== undefined && { _meta: cleaner.value(_meta, notes) as NonNullable<Content['_meta']> }),
  };
}

/** A block's base64, and the block without it. */
function apart(block: ContentBlock): { binary: string | undefined; rest: ContentBlock } {
  if (block.type === 'image' || block.type === 'audio') return { binary: block.data, rest: { ...block, data: '' } };
  if (block.type === 'resource' && block.resource.blob !== undefined) {
    const { blob } = block.resource;
    return { binary: blob, rest: { ...block, resource: { ...block.resource, blob: '' } } };
  }
  return { binary: undefined, rest: block };
}

function together(block: ContentBlock, binary: string): ContentBlock {
  if (block.type === 'resource') return { ...block, resource: { ...block.resource, blob: binary } };
  return { ...block, data: binary } as ContentBlock;
}

function tooLarge(block: ContentBlock, length: number, limit: number): string {
  const kind = block.type === 'resource' ? 'resource' : block.type;
  return (
    `[${kind} left out: it has ${length.toLocaleString('en-US')} characters of base64; ` +
    `all blocks together may have ${limit.toLocaleString('en-US')}. Ask for a smaller one.]`
  );
}
