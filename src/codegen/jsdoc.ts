import type { Node, Source } from './backend.ts';

/** One block tag, such as `@minimum limit 1`: its name, and the text up to the next tag. */
export interface DocTag {
  readonly name: string;
  readonly text: string;
  /** Where its `@` stands in the source, in UTF-16 code units. */
  readonly position: number;
}

export interface Doc {
  readonly description: string;
  readonly tags: readonly DocTag[];
}

const noDoc: Doc = { description: '', tags: [] };

/**
 * The documentation comment that stands last before a node.
 *
 * Read from the text instead of the compiler's nodes: compilers differ in how they join lines and flatten links, and the
 * text is the same for all of them.
 */
export function docOf(node: Node, source: Source): Doc {
  const trivia = source.text.slice(node.pos, node.getStart(source));
  let found: RegExpExecArray | undefined;
  for (const comment of trivia.matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g)) {
    if (comment[0].startsWith('/**') && comment[0].length > 4) found = comment;
  }
  return found ? parseDoc(found[0], node.pos + found.index) : noDoc;
}

interface Block {
  readonly name: string;
  readonly position: number;
  readonly lines: string[];
}

/** Parses `comment`, which starts at `offset` of its source. */
export function parseDoc(comment: string, offset: number): Doc {
  const body = comment.slice(3, -2);
  const blocks: Block[] = [{ name: '', position: offset, lines: [] }];
  // On a line of its own a tag must come first; a comment of one line has its tags behind the description.
  const tagStart = body.includes('\n') ? /^()@([A-Za-z]+)(?![\w.])[ \t]?/ : /(^|.*?\s)@([A-Za-z]+)(?![\w.])[ \t]?/y;
  let fenced = false;
  let position = offset + 3;
  for (const raw of body.split('\n')) {
    const margin = /^\s*(?:\*(?!\/) ?)?\s*?/.exec(raw)?.[0].length ?? 0;
    let text = raw.slice(margin).trimEnd();
    if (text.trimStart().startsWith('```')) fenced = !fenced;
    const indent = text.length - text.trimStart().length;
    let at = position + margin + indent;
    let rest = text.trimStart();
    for (let tag = fenced ? null : match(tagStart, rest); tag; tag = match(tagStart, rest)) {
      const before = tag[1] ?? '';
      if (before.trim()) blocks.at(-1)?.lines.push(before.trim());
      blocks.push({ name: tag[2] ?? '', position: at + before.length, lines: [] });
      at += tag[0].length;
      rest = rest.slice(tag[0].length);
      text = rest;
      if (!tagStart.sticky) break;
    }
    blocks.at(-1)?.lines.push(text);
    position += raw.length + 1;
  }
  const [main, ...tags] = blocks.map(({ name, position: at, lines }) => ({
    name,
    position: at,
    text: withoutLinks(lines.join('\n').trim()),
  }));
  return { description: main?.text ?? '', tags };
}

function match(pattern: RegExp, text: string): RegExpExecArray | null {
  pattern.lastIndex = 0;
  return pattern.exec(text);
}

/** `{@link target text}` reads as its text. */
function withoutLinks(text: string): string {
  return text.replace(/\{@link(?:code|plain)?\s+([^\s|}]+)\s*\|?\s*([^}]*)\}/g, (_, target: string, label: string) =>
    label.trim() === '' ? target : label.trim(),
  );
}

/** `@param name - text`, also with a `{type}` before the name, brackets around it, and dots in it. */
export function readParam(tag: DocTag): { readonly path: string; readonly text: string } | undefined {
  const parts =
    /^(?:\{[^}]*\}\s*)?(?:\[\s*([\w$.]+(?:\[\])?)[^\]]*\]|([\w$.]+(?:\[\])?))\s*(?:[-–—:]\s*)?([\s\S]*)$/.exec(
      tag.text,
    );
  const path = parts?.[1] ?? parts?.[2];
  return path === undefined ? undefined : { path, text: (parts?.[3] ?? '').trim() };
}
