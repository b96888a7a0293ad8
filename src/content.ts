/*
 * Content blocks in the form of the Model Context Protocol, revision 2025-06-18.
 * https://modelcontextprotocol.io/specification/2025-06-18/server/tools#tool-result
 */

interface BlockBase {
  /** Hints for the client, such as `{ audience: ['user'] }`. */
  readonly annotations?: { readonly [name: string]: unknown };
  readonly _meta?: { readonly [name: string]: unknown };
}

export interface TextBlock extends BlockBase {
  readonly type: 'text';
  readonly text: string;
}

/** An image or sound; `data` is base64. */
export interface MediaBlock extends BlockBase {
  readonly type: 'image' | 'audio';
  readonly data: string;
  /** Such as `image/png`. */
  readonly mimeType: string;
}

/** A reference to something that the client may read. */
export interface ResourceLinkBlock extends BlockBase {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** In bytes. */
  readonly size?: number;
}

/** A resource itself: as text, or as base64 in `blob`. */
export interface ResourceBlock extends BlockBase {
  readonly type: 'resource';
  readonly resource: {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
    readonly _meta?: { readonly [name: string]: unknown };
  };
}

export type ContentBlock = TextBlock | MediaBlock | ResourceLinkBlock | ResourceBlock;

/** A block as it may be written: bytes instead of base64, and bare text instead of a text block. */
export type ContentInput =
  | string
  | ContentBlock
  | (Omit<MediaBlock, 'data'> & { readonly data: Uint8Array })
  | (Omit<ResourceBlock, 'resource'> & {
      readonly resource: Omit<ResourceBlock['resource'], 'blob'> & { readonly blob: Uint8Array };
    });

/**
 * Data made of content blocks. It is told from other data by its form alone, so that it is still content after a cache, a
 * queue or another process has carried it as JSON.
 */
export interface Content {
  readonly type: 'content';
  readonly content: readonly ContentBlock[];
  /** The same as data, for programs: it is what the tool's `output` schema describes. From a tool of an MCP server. */
  readonly structuredContent?: unknown;
  /** What an MCP server said beside its answer. */
  readonly _meta?: { readonly [name: string]: unknown };
}

const contentMembers: ReadonlySet<string> = new Set(['type', 'content', 'structuredContent', '_meta']);

/**
 * Makes a tool's data out of text, images, audio and resources, which pass whole: they are not cut like other data, and
 * each provider gets them in its own form.
 *
 * @throws TypeError for a block that is not of one of the five kinds or lacks what its kind needs.
 *
 * @example
 * const chart = content(['The chart of the last week:', { type: 'image', data: png, mimeType: 'image/png' }]);
 */
export function content(blocks: readonly ContentInput[]): Content {
  const written = blocks.map(asBlock);
  for (const [index, block] of written.entries()) {
    if (!isBlock(block)) {
      throw new TypeError(
        `Block ${index} of content([...]) must be text, or have type text (text), image or audio (data in base64 or bytes, ` +
          'mimeType), resource (resource with uri, and text or blob), or resource_link (uri, name).',
      );
    }
  }
  return { type: 'content', content: written as ContentBlock[] };
}

/** Whether `value` is what {@link content} makes. */
export function isContent(value: unknown): value is Content {
  if (typeof value !== 'object' || value === null || (value as { type?: unknown }).type !== 'content') return false;
  const { content: blocks } = value as { content?: unknown };
  return Array.isArray(blocks) && Object.keys(value).every((key) => contentMembers.has(key)) && blocks.every(isBlock);
}

function asBlock(block: ContentInput): unknown {
  if (typeof block === 'string') return { type: 'text', text: block };
  if (typeof block !== 'object' || block === null) return block;
  const { data } = block as { data?: unknown };
  if (data instanceof Uint8Array) return { ...block, data: Buffer.from(data).toString('base64') };
  const { resource } = block as { resource?: { blob?: unknown } };
  if (resource?.blob instanceof Uint8Array) {
    return { ...block, resource: { ...resource, blob: Buffer.from(resource.blob).toString('base64') } };
  }
  return block;
}

function isBlock(block: unknown): block is ContentBlock {
  if (typeof block !== 'object' || block === null) return false;
  const members = block as Record<string, unknown>;
  switch (members['type']) {
    case 'text':
      return typeof members['text'] === 'string';
    case 'image':
    case 'audio':
      return isBase64(members['data']) && typeof members['mimeType'] === 'string';
    case 'resource_link':
      return typeof members['uri'] === 'string' && typeof members['name'] === 'string';
    case 'resource':
      return isResource(members['resource']);
    default:
      return false;
  }
}

function isResource(resource: unknown): boolean {
  if (typeof resource !== 'object' || resource === null) return false;
  const { uri, text, blob } = resource as Record<string, unknown>;
  if (typeof uri !== 'string') return false;
  return blob === undefined ? typeof text === 'string' : isBase64(blob) && text === undefined;
}

/** Nothing else may pass as binary data, which is neither redacted nor cut. */
function isBase64(data: unknown): data is string {
  return typeof data === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(data);
}

/** How many bytes base64 stands for. */
export function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}
