import { compileModelGlob } from '../capabilities/fs/globs.ts';
import { showName } from '../capabilities/fs/names.ts';
import { defineTool } from '../define-tool.ts';
import type { Tool } from '../tool.ts';
import { failure } from './failure.ts';
import { type WalkedEntry, walk } from './walk.ts';

const deepest = 64;
const maxVisited = 200_000;

/**
 * Lists a folder, one entry a line, as paths that the other tools take: folders end in `/`, links are marked and not
 * followed. Leaves out what a `.gitignore` names, unless asked.
 *
 * Fails with `path_denied`: `not-dir`; `tool_error`: `not-found`, `bad-glob`.
 */
export const listFiles: Tool = defineTool({
  name: 'list_files',
  description: 'List files and folders, one path a line; folders end in "/".',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', default: '.', description: 'Folder, relative to the workspace' },
      glob: { type: 'string', description: 'Only what matches below the folder, such as **/*.ts' },
      depth: {
        type: 'integer',
        minimum: 1,
        maximum: deepest,
        description: 'Levels to go down; default 1, with a glob all',
      },
      limit: { type: 'integer', minimum: 1, maximum: 10_000, default: 500 },
      ignored: { type: 'boolean', default: false, description: 'Also what .gitignore excludes' },
    },
    additionalProperties: false,
  },
  permission: 'read',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  paths: { path: 'read' },
  walks: ({ depth, glob }) => (depth ?? (glob ? deepest : 1)) > 1,
  handler: async ({ path, glob, depth, limit, ignored }, { fs, signal }) => {
    const matches = globMatcher(glob);
    const lines: string[] = [];
    let visited = 0;
    for await (const entry of walk(fs, path, { depth: depth ?? (matches ? deepest : 1), ignored, signal })) {
      if (++visited > maxVisited)
        return `${lines.join('\n')}\n[Stopped after ${maxVisited} entries; name a subfolder.]`;
      if (matches && !matches(entry.rel)) continue;
      if (lines.length === limit) {
        return `${lines.join('\n')}\n[More follows after ${limit} entries; name a subfolder, a glob or a higher limit.]`;
      }
      lines.push(render(entry));
    }
    return lines.length > 0 ? lines.join('\n') : '[No entries.]';
  },
});

/** The matcher of a model's glob. Fails with `tool_error`, `bad-glob`, for one that is too long or intricate. */
export function globMatcher(glob: string | undefined): ((rel: string) => boolean) | undefined {
  if (glob === undefined || glob === '') return undefined;
  const matches = compileModelGlob(glob);
  if (matches) return matches;
  throw failure('The glob is too long or intricate: at most 256 characters and three {groups}.', 'bad-glob');
}

function render({ path, type }: WalkedEntry): string {
  // A name may hold line ends and escape sequences; quoted, it cannot pass for several entries.
  const shown = showName(path);
  const name = shown === `"${path}"` ? path : shown;
  return type === 'dir'
    ? `${name}/`
    : type === 'file'
      ? name
      : `${name} (${type === 'link' ? 'link' : 'special file'})`;
}
