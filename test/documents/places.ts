import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lineAt, type Markdown, project, readMarkdown } from './markdown.ts';

/** The relative links of a document that lead to no file, or to no heading in it. */
export function deadLinksIn({ name, prose }: Markdown): string[] {
  const dead: string[] = [];
  for (const { index, groups } of prose.matchAll(/\]\((?<target>[^)\s]+)\)/g)) {
    const target = groups?.['target'] ?? '';
    if (/^[a-z]+:/.test(target)) continue;
    const [path = '', anchor] = target.split('#', 2);
    const file = path === '' ? name : join(dirname(name), path);
    if (!existsSync(join(project, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor))) {
      dead.push(`${name}:${lineAt(prose, index)}: ${target}`);
    }
  }
  return dead;
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  return readMarkdown(file).headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}

/** The files of the project that a document names in code, and that do not exist. */
export function missingFilesIn({ name, prose }: Markdown): string[] {
  return [...prose.matchAll(/`((?:src|middleware|test|docs|examples)\/[\w./-]*)`/g)]
    .filter(([, path = '']) => !existsSync(join(project, path)))
    .map(({ index, 1: path }) => `${name}:${lineAt(prose, index)}: ${path}`);
}

/** The files that a document at the top of the project links to, and that an installed package does not have. */
export function unshippedLinksIn({ prose }: Markdown): string[] {
  const { files } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { files: readonly string[] };
  const isShipped = (path: string): boolean => files.some((file) => path === file || path.startsWith(`${file}/`));
  return [...prose.matchAll(/\]\(([^)\s#]+)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target) && !isShipped(target));
}

/** The scripts that a text runs by npm, and that package.json does not have. */
export function missingScriptsIn(text: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { scripts: object };
  return [...text.matchAll(/\bnpm (?:run (?:--\S+ )*([\w:-]+)|(start|test)\b)/g)]
    .map(([, named, script = '']) => named ?? script)
    .filter((script) => !Object.hasOwn(scripts, script));
}
