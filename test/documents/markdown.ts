import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const project: string = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of a document. */
export interface Block {
  readonly document: string;
  /** Of its first line of text, from 1. */
  readonly line: number;
  /** What stands behind the fence, such as `ts`. */
  readonly language: string;
  /** The heading above it. */
  readonly section: string;
  readonly text: string;
}

/** A document in Markdown, taken apart. */
export interface Markdown {
  readonly name: string;
  readonly blocks: readonly Block[];
  /** The document with empty lines in the place of its blocks. */
  readonly prose: string;
  readonly headings: readonly string[];
}

/** The documents of the project, by their paths in it. */
export function documents(): readonly string[] {
  const within = (folder: string, recursive = false): string[] =>
    readdirSync(join(project, folder), { recursive, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name));
  return [...within('.'), ...within('docs', true), ...within('examples', true), ...within('test/bench')];
}

/** Reads a document. */
export function readMarkdown(name: string): Markdown {
  const blocks: Block[] = [];
  const prose: string[] = [];
  const headings: string[] = [];
  let open: { line: number; language: string; lines: string[] } | undefined;
  for (const [index, text] of readFileSync(join(project, name), 'utf8').split('\n').entries()) {
    const fence = /^\s*```\s*(\S*)/.exec(text);
    if (open === undefined && fence !== null) open = { line: index + 2, language: fence[1] ?? '', lines: [] };
    else if (open !== undefined && fence !== null) {
      const { lines, ...place } = open;
      blocks.push({ document: name, ...place, section: headings.at(-1) ?? '', text: lines.join('\n') });
      open = undefined;
    } else if (open !== undefined) open.lines.push(text);
    else {
      const heading = /^#+ (.*)$/.exec(text)?.[1];
      if (heading !== undefined) headings.push(heading);
      prose.push(text);
      continue;
    }
    prose.push('');
  }
  if (open !== undefined) throw new Error(`${name}:${open.line}: this block is never closed.`);
  return { name, blocks, prose: prose.join('\n'), headings };
}

/** The line, from 1, on which a place in a text is. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
