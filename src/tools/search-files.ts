import { isRevocation } from '../capabilities/fs/refusal.ts';
import type { ScopedFs } from '../capabilities/fs/types.ts';
import { defineTool } from '../define-tool.ts';
import { ToolError } from '../errors.ts';
import type { Tool } from '../tool.ts';
import { failure } from './failure.ts';
import { globMatcher } from './list-files.ts';
import { type LineMatch, RegexWorker } from './regex-worker.ts';
import { decodeText, encodingOf } from './text.ts';
import { walk } from './walk.ts';

const deepest = 64;
const maxFileBytes = 4_194_304;
const maxFiles = 50_000;
const maxShownLine = 300;
const maxPatternLength = 1000;
const patternMilliseconds = 5000;

/**
 * Searches text files for lines that match, and gives `path:line: text`. A pattern without special characters, or with
 * `literal`, is searched for as it stands; any other is a JavaScript regular expression, which runs in a thread of its
 * own for at most 5,000 ms. Links are not followed; binary files, files over 4 MiB (4,194,304 bytes) and what a
 * `.gitignore` names are left out, and a note says how many were.
 *
 * Regular expressions do not go to a search program, even where one is installed: it would open files by their names,
 * past the access that was checked and past the rules.
 *
 * Fails with `tool_error`: `empty-pattern`, `invalid-pattern`, `slow-pattern`, `bad-glob`; with `path_denied`.
 */
export const searchFiles: Tool = defineTool({
  name: 'search_files',
  description: 'Search file contents by regular expression or literal text. Gives matching lines as path:line: text.',
  parameters: {
    type: 'object',
    properties: {
      pattern: { type: 'string', description: 'JavaScript regular expression, applied to single lines' },
      path: { type: 'string', default: '.', description: 'Folder or file, relative to the workspace' },
      glob: { type: 'string', description: 'Only files that match, such as *.ts or src/**/*.md' },
      literal: { type: 'boolean', default: false, description: 'Take the pattern as plain text' },
      ignore_case: { type: 'boolean', default: false },
      limit: { type: 'integer', minimum: 1, maximum: 2000, default: 100, description: 'Most lines to give' },
      ignored: { type: 'boolean', default: false, description: 'Also in what .gitignore excludes' },
    },
    required: ['pattern'],
    additionalProperties: false,
  },
  permission: 'read',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  paths: { path: 'read' },
  handler: async (args, { fs, signal }) => {
    const searcher = searcherFor(args.pattern, args.literal, args.ignore_case);
    const matches = globMatcher(args.glob);
    const lines: string[] = [];
    let skipped = 0;
    let files = 0;
    const notes = () => (skipped > 0 ? [`${skipped} binary, too large or unreadable files were left out.`] : []);
    try {
      for await (const { path, rel } of filesBelow(fs, args.path, args.ignored, signal)) {
        if (matches && !matches(rel)) continue;
        if (++files > maxFiles)
          return report(lines, [`Stopped after ${maxFiles} files; name a subfolder.`, ...notes()]);
        const text = await textOf(fs, path);
        if (text === undefined) {
          skipped++;
          continue;
        }
        for (const match of await searcher.search(text, args.limit + 1 - lines.length, signal)) {
          if (lines.length === args.limit) {
            return report(lines, [
              `Only the first ${args.limit} lines; make the pattern or the path narrower.`,
              ...notes(),
            ]);
          }
          lines.push(`${path}:${match.line}: ${shorten(match.text)}`);
        }
      }
    } finally {
      searcher.close();
    }
    return report(lines, lines.length === 0 ? ['No matches.', ...notes()] : notes());
  },
});

interface Searcher {
  search(text: string, limit: number, signal: AbortSignal): Promise<readonly LineMatch[]> | readonly LineMatch[];
  close(): void;
}

function searcherFor(pattern: string, literal: boolean, ignoreCase: boolean): Searcher {
  if (pattern === '')
    throw failure('The pattern is empty and would match every line. Name what to look for.', 'empty-pattern');
  if (pattern.length > maxPatternLength) {
    throw failure(`The pattern is too long: at most ${maxPatternLength} characters.`, 'invalid-pattern');
  }
  if (literal || !/[\\^$.*+?()[\]{}|]/.test(pattern)) return literalSearcher(pattern, ignoreCase);
  return new RegexWorker(expressionOf(pattern, ignoreCase ? 'i' : ''), patternMilliseconds);
}

/** With full Unicode where the pattern allows it; patterns that escape more than they need are fine without. */
function expressionOf(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    try {
      return new RegExp(pattern, flags);
    } catch (error) {
      const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : '';
      throw failure(`Invalid pattern: ${why}. Set literal to search for it as plain text.`, 'invalid-pattern');
    }
  }
}

function literalSearcher(pattern: string, ignoreCase: boolean): Searcher {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const wanted = fold(pattern);
  return {
    search: (text, limit) => {
      if (!fold(text).includes(wanted)) return [];
      const found: LineMatch[] = [];
      for (const [index, line] of text.split(/\r?\n/).entries()) {
        if (fold(line).includes(wanted) && found.push({ line: index + 1, text: line }) === limit) break;
      }
      return found;
    },
    close: () => {},
  };
}

/** The file that the path names, or the files below the folder that it names. */
async function* filesBelow(
  fs: ScopedFs,
  path: string,
  ignored: boolean,
  signal: AbortSignal,
): AsyncGenerator<{ path: string; rel: string }, void, undefined> {
  const { type } = await fs.stat(path);
  if (type === 'file') {
    yield { path, rel: path.slice(path.lastIndexOf('/') + 1) };
    return;
  }
  for await (const entry of walk(fs, path, { depth: deepest, ignored, signal })) {
    if (entry.type === 'file') yield entry;
  }
}

async function textOf(fs: ScopedFs, path: string): Promise<string | undefined> {
  try {
    const { bytes, truncated } = await fs.readBytes(path, { maxBytes: maxFileBytes });
    const encoding = truncated ? undefined : encodingOf(bytes);
    return encoding && decodeText(bytes, encoding);
  } catch (error) {
    // A file that vanished or may not be read is counted as left out; the end of access ends the search.
    if (!(error instanceof ToolError) || isRevocation(error)) throw error;
    return undefined;
  }
}

function shorten(line: string): string {
  return line.length > maxShownLine ? `${line.slice(0, maxShownLine)} [line cut]` : line;
}

function report(lines: readonly string[], notes: readonly string[]): string {
  return [...lines, ...(notes.length > 0 ? [`[${notes.join(' ')}]`] : [])].join('\n');
}
