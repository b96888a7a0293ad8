import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lineAt, type Markdown, project, readMarkdown } from './markdown.ts';

/** The relative links of a document that lead to no file, or to no heading in it. */
export function deadLinksIn({ name, prose, headings }: Markdown): string[] {
  const dead: string[] = [];
  for (const { index, groups } of prose.matchAll(/\]\((?<target>[^)\s]+)\)/g)) {
    const target = groups?.['target'] ?? '';
    if (/^[a-z]+:/.test(target)) continue;
    const [path = '', anchor] = target.split('#', 2);
    const file = path === '' ? name : join(dirname(name), path);
    const known =
      path === ''
        ? headings
        : file.endsWith('.md') && existsSync(join(project, file))
          ? readMarkdown(file).headings
          : [];
    if (!existsSync(join(project, file)) || (anchor !== undefined && !known.map(anchorOf).includes(anchor))) {
      dead.push(`${name}:${lineAt(prose, index)}: ${target}`);
    }
  }
  return dead;
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/** The files of the project that a document names in code, and that do not exist. */
export function missingFilesIn({ name, prose }: Markdown): string[] {
  return [...prose.matchAll(/`((?:src|middleware|test|docs|examples)\/[\w./-]*)`/g)]
    .filter(([, path = '']) => !existsSync(join(project, path)))
    .map(({ index, 1: path }) => `${name}:${lineAt(prose, index)}: ${path}`);
}

/** The scripts that a document runs by npm, and that package.json does not have. */
export function missingScriptsIn({ name }: Markdown): string[] {
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { scripts: object };
  const text = readFileSync(join(project, name), 'utf8');
  return [...text.matchAll(/npm (?:run )?(?:--\S+ )?(start|test|run (\S+?))(?=[\s`)]|$)/g)]
    .map(({ index, 1: script = '', 2: named }) => ({ index, script: named ?? script }))
    .filter(({ script }) => !Object.hasOwn(scripts, script))
    .map(({ index, script }) => `${name}:${lineAt(text, index)}: npm run ${script}`);
}
