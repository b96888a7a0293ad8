import { Writable } from 'node:stream';
import { commandLine } from '../../src/cli/command-line.ts';
import type { Io } from '../../src/cli/io.ts';
import { lineAt, type Markdown } from './markdown.ts';

/** A command line that a document shows. */
export interface Shown {
  readonly document: string;
  readonly line: number;
  /** The words behind `callgate`. */
  readonly words: readonly string[];
}

/**
 * The command lines of callgate in a document: in blocks and indented code, in code within a sentence, and where an MCP client's
 * settings start it. `[...]` around what may be left out does not count; of `one | another` each is a command line.
 */
export function commandLinesIn({ name: document, blocks, prose }: Markdown): Shown[] {
  const shown: Shown[] = [];
  const add = (line: number, text: string): void => {
    const [[, ...words] = [], ...others] = text.replaceAll(/[[\]]/g, '').split(' | ').map(wordsOf);
    const [command = ''] = words;
    for (const each of [words, ...others.map((more) => [command, ...more])])
      shown.push({ document, line, words: each });
  };
  for (const { line, language, text } of blocks) {
    if (language === 'json') {
      const [, args] = /\/callgate",\s*"args": (\[[^\]]*\])/.exec(text) ?? [];
      if (args !== undefined) shown.push({ document, line, words: JSON.parse(args) });
      continue;
    }
    for (const [index, said] of text.split('\n').entries()) {
      const found = /^(?:npx )?(callgate .*?)(?: {2,}.*)?$/.exec(said)?.[1];
      if (found !== undefined) add(line + index, found);
    }
  }
  for (const found of prose.matchAll(/^ {4}(?:npx )?(callgate .*?)(?: {2,}.*)?$|`(?:npx )?(callgate [^`]+)`/gm)) {
    add(lineAt(prose, found.index), (found[1] ?? found[2] ?? '').replaceAll(/\s+/g, ' '));
  }
  return shown;
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}

/** The options that a document names by themselves, in code within a sentence. */
export function optionsIn({ name, prose }: Markdown): { readonly place: string; readonly option: string }[] {
  return [...prose.matchAll(/`(--[a-z][\w-]*)[^`]*`/g)].map(({ index, 1: option = '' }) => {
    return { place: `${name}:${lineAt(prose, index)}`, option };
  });
}

/**
 * What callgate's own command line has against it; `undefined` if nothing. Help is asked for as well, which is answered
 * once all options have been read, and before anything is done.
 */
export async function faultOf({ words }: Pick<Shown, 'words'>): Promise<string | undefined> {
  const end = words.indexOf('--');
  const [own, server] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)];
  const { status, said } = await run([...own, '--help', ...server]);
  if (status !== 0) return said;
  // `policy` looks at what is to be done only after its options.
  const [command, action] = own;
  const usage = said.split('\n', 1)[0] ?? '';
  return command === 'policy' && action !== undefined && !usage.includes(` ${action}`) ? usage : undefined;
}

/** The options of all commands, as their help has them. */
export async function allOptions(): Promise<ReadonlySet<string>> {
  const helps = await Promise.all(
    ['', 'run', 'call', 'tools', 'describe', 'policy', 'gen', 'mcp serve', 'mcp wrap', 'mcp inspect'].map((command) =>
      run([...wordsOf(command), '--help']),
    ),
  );
  return new Set(helps.flatMap(({ said }) => said.match(/--[a-z][\w-]*/g) ?? []));
}

async function run(words: readonly string[]): Promise<{ readonly status: number; readonly said: string }> {
  let said = '';
  const output = new Writable({
    write(chunk, _encoding, done) {
      said += chunk;
      done();
    },
  });
  const io: Io = { stdin: process.stdin, stdout: output, stderr: output, env: {}, cwd: '/' };
  return { status: await commandLine(words, io), said };
}
