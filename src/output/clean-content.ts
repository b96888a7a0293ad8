import type { Content, ContentBlock } from '../content.ts';
import type { Cleaner, Notes } from './clean.ts';

/**
 * Content blocks, fit to leave the router. Texts are cleaned like all other text. Base64 stays whole, as half an image is
 * none; once the blocks have more than `maxBinary` characters of it together, a text says so in the place of the rest.
 */
export function cleanContent(content: Content, cleaner: Cleaner, maxBinary: number, notes: Notes): Content {
  let left = maxBinary;
  const blocks = content.content.map((block): ContentBlock => {
    const { binary, rest } = apart(block);
    const clean = cleaner.value(rest, notes) as ContentBlock;
    if (binary === undefined) return clean;
    if (binary.length > left) {
      notes.truncated = Math.max(notes.truncated, binary.length);
      return { type: 'text', text: tooLarge(block, binary.length, maxBinary) };
    }
    left -= binary.length;
    return together(clean, binary);
  });
  return { type: 'content', content: blocks };
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
