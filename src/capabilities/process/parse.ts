import { suspiciousCharacters } from '../fs/names.ts';

/** A program with its arguments, as it will be started. */
export type Argv = readonly [program: string, ...args: readonly string[]];

/** Commands of which each reads what the one before it writes. */
interface Pipeline {
  /** When it runs, by how the pipeline before it ended: `&&`, `||`, or in any case. */
  readonly when: 'always' | 'success' | 'failure';
  readonly commands: readonly Argv[];
}

/** A command line of the strict subset, read to the end. */
export type CommandList = readonly Pipeline[];

const maxBytes = 4096;
const maxCommands = 32;

// Blanks, separators, and the three forms of a part of a word. What none of them takes is not of the subset.
const tokens = /( +)|(\n|&&|\|\||;|\|(?!&))|([A-Za-z0-9_./:=@%+,^\p{L}-]+)|'([^'\n]*)'|"([^"$`\\!\n]*)"/uy;
const foreignBlankOrSign = /[\u0080-\u00a0]/;
const assignment = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;

/** Words that a shell obeys itself in the place of a program's name. They mean nothing without a shell. */
const shellWords: ReadonlySet<string> = new Set(
  (
    'if then elif else fi for while until do done case esac in function select time coproc ' +
    'alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown enable eval exec ' +
    'exit export fc fg getopts hash help history jobs let local logout mapfile popd pushd read readarray readonly return ' +
    'set shift shopt source suspend trap type typeset ulimit umask unalias unset wait . :'
  ).split(' '),
);

/**
 * Reads a command line of the strict subset: words of `A-Z a-z 0-9 _ . / : = @ % + , ^ -` and letters beyond ASCII,
 * `'...'`, `"..."` without `` $ ` \ ! ``, joined by `&& || ; |` and line ends; at most 4,096 bytes and 32 commands.
 *
 * In such a line a shell would expand nothing, redirect nothing and evaluate nothing, so that the argument lists given
 * here are what it means, and running them needs no shell. `undefined` for every other line: also for one that is
 * merely suspected of meaning more.
 */
export function parseCommand(text: string): CommandList | undefined {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) return undefined;
  const list: { when: Pipeline['when']; commands: Argv[] }[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let commands: Argv[] = [];
  let when: Pipeline['when'] = 'always';
  let joint = '';
  let count = 0;

  const endWord = (): boolean => {
    if (word === undefined) return true;
    // A shell takes a quoted name of one of its own commands for that command all the same.
    if (words.length === 0 && (word === '' || shellWords.has(word) || assignment.test(word))) return false;
    words.push(word);
    word = undefined;
    return true;
  };
  const endCommand = (): boolean => {
    if (words.length === 0) return false;
    commands.push(words as unknown as Argv);
    words = [];
    return ++count <= maxCommands;
  };
  const endPipeline = (): void => {
    list.push({ when, commands });
    commands = [];
  };

  tokens.lastIndex = 0;
  while (tokens.lastIndex < text.length) {
    const token = tokens.exec(text);
    if (token === null) return undefined;
    const [, blanks, separator, bare, single, double] = token;
    if (blanks !== undefined) {
      if (!endWord()) return undefined;
    } else if (separator !== undefined) {
      if (!endWord()) return undefined;
      // Line ends after a joint and before the first command are blanks.
      if (separator === '\n' && words.length === 0 && commands.length === 0) continue;
      if (separator === '\n' && words.length === 0 && joint === '|') continue;
      if (!endCommand()) return undefined;
      joint = separator;
      if (separator === '|') continue;
      endPipeline();
      when = separator === '&&' ? 'success' : separator === '||' ? 'failure' : 'always';
    } else {
      const part = bare ?? single ?? double ?? '';
      if (!isPrintable(part)) return undefined;
      word = (word ?? '') + part;
    }
  }
  if (!endWord()) return undefined;
  if (words.length > 0) {
    if (!endCommand()) return undefined;
    endPipeline();
  } else if (joint === '|' || joint === '&&' || joint === '||') {
    return undefined;
  }
  return list.length === 0 ? undefined : list;
}

function isPrintable(part: string): boolean {
  return suspiciousCharacters(part) === undefined && !foreignBlankOrSign.test(part);
}
