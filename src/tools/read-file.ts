import type { ScopedFs } from '../capabilities/fs/types.ts';
import { type Content, content } from '../content.ts';
import { defineTool } from '../define-tool.ts';
import { ToolError } from '../errors.ts';
import { splitLines } from '../output/lines.ts';
import type { Tool } from '../tool.ts';
import { imageTypeOf } from './image-type.ts';
import { decodeText, encodingOf, isWholeText, type TextEncoding } from './text.ts';

// What one answer may hold; more is read page by page.
const pageBytes = 131_072;
const chunkBytes = 65_536;
const maxImageBytes = 4_194_304;

/**
 * Reads a text file, by default its first 2,000 lines and at most 128 KiB (131,072 bytes) at a time; a note in brackets
 * at the end says how to go on. Without a note the text is exactly the file's. UTF-16 with a byte order mark is
 * decoded; bytes that are no text are shown as U+FFFD, and the note says so.
 * PNG, JPEG, GIF and WebP images up to 4 MiB (4,194,304 bytes) come as an image block.
 *
 * Fails with `tool_error`: `not-found`, `binary` ("binary file (N bytes)"), `too-large`; `path_denied`: `is-dir`.
 */
export const readFile: Tool = defineTool({
  name: 'read_file',
  description:
    'Read a text file or an image. Long files come in pages: pass the offset that the note at the end names.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'File, relative to the workspace' },
      offset: { type: 'integer', minimum: 1, default: 1, description: 'First line' },
      limit: { type: 'integer', minimum: 1, default: 2000, description: 'Number of lines' },
      line_numbers: { type: 'boolean', default: false, description: 'Put the number and a tab before each line' },
    },
    required: ['path'],
    additionalProperties: false,
  },
  permission: 'read',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  paths: { path: 'read' },
  walks: () => false,
  handler: async ({ path, offset, limit, line_numbers: numbered }, { fs }) => {
    const { bytes, size, truncated } = await fs.readBytes(path, { maxBytes: pageBytes });
    const image = imageTypeOf(bytes);
    if (image !== undefined) return imageContent(fs, path, image, size);
    const encoding = encodingOf(bytes);
    if (encoding === undefined) throw binary(size);
    const page = truncated
      ? await pageOfLongFile(fs, path, encoding, offset, limit, size)
      : pageOf(decodeText(bytes, encoding), offset, limit);
    const damaged = truncated ? page.text.includes('\ufffd') : !isWholeText(bytes, encoding);
    return render(page, numbered, damaged, encoding);
  },
});

async function imageContent(fs: ScopedFs, path: string, mimeType: string, size: number): Promise<Content> {
  if (size > maxImageBytes) {
    throw new ToolError(`This image is too large to show (${size} bytes; at most ${maxImageBytes}).`, {
      details: { reason: 'too-large', size },
    });
  }
  const { bytes } = await fs.readBytes(path, { maxBytes: maxImageBytes });
  return content([{ type: 'image', data: bytes, mimeType }]);
}

interface Page {
  readonly text: string;
  /** How many lines that is. */
  readonly count: number;
  /** Number of the first line. */
  readonly first: number;
  /** Of the whole file, as far as it is known. */
  readonly total?: number;
  /** More lines follow. */
  readonly more: boolean;
  /** The last line was too long to be shown whole. */
  readonly cut?: boolean;
}

function pageOf(text: string, first: number, limit: number): Page {
  let total = 0;
  let from = first === 1 ? 0 : text.length;
  let to = text.length;
  for (let start = 0; start < text.length; total++) {
    const end = text.indexOf('\n', start) + 1 || text.length;
    if (total + 1 === first) from = start;
    if (total + 1 === first - 1 + limit) to = end;
    start = end;
  }
  const count = Math.max(Math.min(limit, total - first + 1), 0);
  return { text: text.slice(from, to), count, first, total, more: to < text.length };
}

/** Reads on from the start, line by line, and keeps only what is asked for. */
async function pageOfLongFile(
  fs: ScopedFs,
  path: string,
  encoding: TextEncoding,
  first: number,
  limit: number,
  size: number,
): Promise<Page> {
  const file = await fs.open(path, 'read');
  const lines: string[] = [];
  let number = 1;
  let kept = 0;
  const page = (rest: Partial<Page> & Pick<Page, 'more'>): Page => ({
    text: lines.join(''),
    count: lines.length,
    first,
    ...rest,
  });
  try {
    for await (const line of linesOf(file, encoding, size)) {
      if (number >= first) {
        if (lines.length === limit) return page({ more: true });
        if (kept + line.length > pageBytes) {
          if (lines.length > 0) return page({ more: true });
          return page({ text: line.slice(0, pageBytes), count: 1, more: true, cut: true });
        }
        kept += line.length;
        lines.push(line);
      }
      number++;
    }
    return page({ total: number - 1, more: false });
  } finally {
    await file.close();
  }
}

async function* linesOf(
  file: { read(length: number): Promise<Uint8Array> },
  encoding: TextEncoding,
  size: number,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(encoding === 'utf8' ? 'utf-8' : encoding === 'utf16le' ? 'utf-16le' : 'utf-16be', {
    ignoreBOM: true,
  });
  let rest = '';
  for (;;) {
    const bytes = await file.read(chunkBytes);
    if (encoding === 'utf8' && bytes.includes(0)) throw binary(size);
    const parts = splitLines(rest + decoder.decode(bytes, { stream: bytes.length > 0 }));
    const open = bytes.length > 0 && !parts.at(-1)?.endsWith('\n') ? parts.pop() : undefined;
    yield* parts;
    if (bytes.length === 0) return;
    // What goes beyond a page cannot be shown, so that it need not be kept; the line goes on to its end all the same.
    rest = (open ?? '').slice(0, pageBytes + 1);
  }
}

function binary(size: number): ToolError {
  return new ToolError(`This is a binary file (${size} bytes) and not text.`, { details: { reason: 'binary', size } });
}

function render(page: Page, numbered: boolean, damaged: boolean, encoding: TextEncoding): string {
  const { count, first, total, more, cut } = page;
  const last = first + count - 1;
  const text = numbered
    ? splitLines(page.text)
        .map((line, at) => `${first + at}\t${line}`)
        .join('')
    : page.text;
  const notes: string[] = [];
  if (count === 0 && first > 1) notes.push(`There is no line ${first}: the file has ${total ?? 0} lines.`);
  if (cut) notes.push(`Line ${first} is too long and was cut.`);
  if (more) {
    notes.push(`Lines ${first} to ${last}${total === undefined ? '' : ` of ${total}`}; go on with offset ${last + 1}.`);
  }
  if (damaged) notes.push('Some bytes are not valid UTF-8 and are shown as \ufffd.');
  if (encoding !== 'utf8') notes.push('The file is in UTF-16.');
  if (notes.length === 0) return text;
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}[${notes.join(' ')}]`;
}
