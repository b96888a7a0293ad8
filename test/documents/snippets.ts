import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Block, project } from './markdown.ts';

/** Code that a document shows. */
export interface Snippet {
  readonly document: string;
  /** Of its first line, from 1. */
  readonly line: number;
  readonly language: 'ts' | 'js';
  /** Where earlier code may be gone on with: under the same heading. Code in docstrings stands alone. */
  readonly section: string | undefined;
  readonly text: string;
}

const languages: Readonly<Record<string, Snippet['language']>> = {
  ts: 'ts',
  typescript: 'ts',
  js: 'js',
  mjs: 'js',
  javascript: 'js',
};

/** The snippets among a document's blocks. */
export function snippetsAmong(blocks: readonly Block[]): Snippet[] {
  return blocks.flatMap(({ language, ...block }) => {
    const known = languages[language];
    return known === undefined ? [] : [{ ...block, language: known }];
  });
}

/** The examples in the docstrings of the sources. */
export function docstringExamples(): Snippet[] {
  return ['src', 'middleware'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .flatMap((entry) => examplesIn(relative(project, join(entry.parentPath, entry.name)))),
  );
}

/** An example goes on until the next tag, or the end of its docstring. */
function examplesIn(document: string): Snippet[] {
  const found: Snippet[] = [];
  let open: { line: number; lines: string[] } | undefined;
  for (const [index, text] of readFileSync(join(project, document), 'utf8').split('\n').entries()) {
    if (open !== undefined && /^\s*\*(\/| @\w)/.test(text)) {
      found.push({ document, line: open.line, language: 'ts', section: undefined, text: open.lines.join('\n') });
      open = undefined;
    }
    if (/^\s*\* @example\b/.test(text)) open = { line: index + 2, lines: [] };
    else open?.lines.push(text.replace(/^\s*\* ?/, ''));
  }
  return found;
}
