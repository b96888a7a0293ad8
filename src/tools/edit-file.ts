import type { ScopedFs } from '../capabilities/fs/types.ts';
import { defineTool } from '../define-tool.ts';
import { ToolError } from '../errors.ts';
import { unifiedDiff } from '../output/unified-diff.ts';
import type { Tool } from '../tool.ts';
import { applyEdits, type Edit } from './exact-edits.ts';
import { failure } from './failure.ts';
import { inTurn } from './in-turn.ts';
import { decodeText, encodingOf, type TextEncoding } from './text.ts';

const maxBytes = 16_777_216;
const maxTries = 20;

/**
 * Replaces exact pieces of text in a file, all of them or none, and leaves every other byte as it is: line ends,
 * byte order mark, characters of other encodings. An edit of another writer in between is not lost: the file is read
 * again and the edits are applied to what it holds now. At most 16 MiB (16,777,216 bytes).
 *
 * Fails with `tool_error`, and changes nothing: `empty-old`, `no-change`, `not-unique`, `no-match`, `no-edits`,
 * `broken-unicode`, `not-found`, `binary`, `too-large`; with `path_denied`; with `conflict` when other writers changed the
 * file each of 20 times.
 */
export const editFile: Tool = defineTool({
  name: 'edit_file',
  description:
    'Replace exact text in a file. "old" must occur once, or set replace_all. For several changes pass edits, applied in order, all or none. Returns a diff.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'File, relative to the workspace' },
      old: { type: 'string', description: 'Text to replace, exactly as in the file' },
      new: { type: 'string' },
      replace_all: { type: 'boolean', default: false },
      edits: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            old: { type: 'string' },
            new: { type: 'string' },
            replace_all: { type: 'boolean', default: false },
          },
          required: ['old', 'new'],
          additionalProperties: false,
        },
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
  permission: 'write',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  paths: { path: 'write' },
  walks: () => false,
  handler: (args, { fs, signal }) => {
    const edits = editsOf(args);
    // Edits in this process take turns; the etag is for all other writers.
    return inTurn(args.path, async () => {
      for (let tries = 1; ; tries++) {
        signal.throwIfAborted();
        const { etag, before, after, replacements } = await edited(fs, args.path, edits, signal);
        try {
          await fs.writeText(args.path, after.bytes, { ifMatch: etag });
          return { path: args.path, replacements, diff: unifiedDiff(before, after.text, args.path) };
        } catch (error) {
          if (!(error instanceof ToolError && error.code === 'conflict') || tries === maxTries) throw error;
        }
      }
    });
  },
  preview: async (args, { fs, signal }) => {
    const { before, after } = await edited(fs, args.path, editsOf(args), signal);
    return unifiedDiff(before, after.text, args.path);
  },
});

interface EditArguments {
  readonly old?: string;
  readonly new?: string;
  readonly replace_all?: boolean;
  readonly edits?: readonly Edit[];
}

function editsOf(args: EditArguments): readonly Edit[] {
  const { old, edits } = args;
  const single = old !== undefined || args.new !== undefined;
  if (single === (edits !== undefined)) {
    throw failure('Pass either old and new, or edits.', 'no-edits');
  }
  if (edits !== undefined) return edits;
  if (old === undefined || args.new === undefined) {
    throw failure('old and new belong together: pass both. To delete text, pass an empty new.', 'no-edits');
  }
  return [{ old, new: args.new, replace_all: args.replace_all ?? false }];
}

interface Edited {
  readonly etag: string;
  readonly before: string;
  readonly after: { readonly text: string; readonly bytes: Buffer };
  readonly replacements: number;
}

async function edited(fs: ScopedFs, path: string, edits: readonly Edit[], signal: AbortSignal): Promise<Edited> {
  const { bytes, etag, size, truncated } = await fs.readBytes(path, { maxBytes });
  if (truncated) throw failure(`The file is too large to edit (${size} bytes; at most ${maxBytes}).`, 'too-large');
  const encoding: TextEncoding | undefined = encodingOf(bytes);
  if (encoding === undefined) throw failure(`This is a binary file (${size} bytes) and not text.`, 'binary');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const { result, replacements } = await applyEdits(text, edits, encoding, signal);
  const changed = Buffer.from(result, 'latin1');
  return {
    etag,
    before: decodeText(bytes, encoding),
    after: { bytes: changed, text: decodeText(changed, encoding) },
    replacements,
  };
}
