import { reasonOf } from '../capabilities/fs/refusal.ts';
import type { ScopedFs } from '../capabilities/fs/types.ts';
import { defineTool } from '../define-tool.ts';
import { unifiedDiff } from '../output/unified-diff.ts';
import type { Tool } from '../tool.ts';
import { failure } from './failure.ts';
import { decodeText, encodingOf } from './text.ts';

const maxPreviewBytes = 1_048_576;

/**
 * Writes a whole text file, making missing folders: a new file, or in place of an old one at once. An old file keeps
 * its permission bits. An approver is shown the difference.
 *
 * Fails with `path_denied`; with `tool_error`: `broken-unicode`; with `conflict` when `overwrite` is false and the file exists.
 */
export const writeFile: Tool = defineTool({
  name: 'write_file',
  description: 'Write a whole text file; missing folders are made. To change a part of a file, use edit_file.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'File, relative to the workspace' },
      content: { type: 'string' },
      overwrite: { type: 'boolean', default: true, description: 'false: fail if the file exists' },
    },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  permission: 'write',
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  paths: { path: 'write' },
  walks: () => false,
  handler: async ({ path, content, overwrite }, { fs }) => {
    if (/\p{Surrogate}/u.test(content)) {
      throw failure(
        'The content holds half of a surrogate pair, which no file can hold. Send the whole character.',
        'broken-unicode',
      );
    }
    const bytes = Buffer.from(content);
    const { created } = await fs.writeText(path, bytes, { mkdirs: true, ...(!overwrite && { ifMatch: null }) });
    return { path, created, bytes: bytes.length };
  },
  preview: async ({ path, content }, { fs }) => unifiedDiff(await present(fs, path), content, path),
});

/** What stands there now, or nothing when there is no file. */
async function present(fs: ScopedFs, path: string): Promise<string | undefined> {
  try {
    const { bytes, truncated } = await fs.readBytes(path, { maxBytes: maxPreviewBytes });
    const encoding = encodingOf(bytes);
    if (encoding === undefined) return '(binary content)\n';
    return decodeText(bytes, encoding) + (truncated ? '\n(and more)\n' : '');
  } catch (error) {
    if (reasonOf(error) === 'not-found') return undefined;
    throw error;
  }
}
