import { type Argv, parseCommand } from '../capabilities/process/parse.ts';
import { every, type Match, matchOf, some } from './match.ts';
import { foldText } from './names.ts';

/**
 * Programs that run what their arguments say. An `allow` for one of these holds for the whole argument list and never
 * for what might follow it: `["find", "."]` does not allow `find . -exec ...`.
 */
const evaluators: ReadonlySet<string> = new Set(
  (
    'sh bash dash zsh fish ksh pwsh powershell cmd python python3 node deno bun npx npm pnpm yarn perl ruby php lua awk ' +
    'gawk mawk sed xargs env find fd tar git make cmake ninja ssh scp rsync vi vim nvim emacs ed man less more tee dd ' +
    'cp mv ln install sudo doas su nohup nice timeout time watch parallel docker podman kubectl go cargo pip uv java ' +
    'osascript start open xdg-open busybox eval exec source command builtin script expect gdb strace crontab at'
  ).split(' '),
);

/** Programs among these whose arguments are, or hold, another command. */
const wrappers: ReadonlySet<string> = new Set(
  (
    'sh bash dash zsh fish ksh pwsh powershell cmd env find fd xargs sudo doas su nohup nice timeout time watch parallel ' +
    'busybox eval exec command builtin script expect strace ssh start python python3 node perl ruby php'
  ).split(' '),
);

/**
 * A test for commands by their first words: `["git", "log"]` covers `git log --oneline` and not `git logout`.
 *
 * Judges an argument list, or a command line of the strict subset (see `parseCommand`), of which it must cover every
 * command. Any other line is not judged, so that no rule allows what it cannot read. A `wide` test, as rules need that
 * forbid or ask, says yes when one command of a line matches, also one that another program is told to run, or when the
 * program's name occurs anywhere in a line that cannot be read.
 *
 * With `whole`, an `allow` needs these words and no more.
 */
export function commandMatcher(
  prefixes: readonly (readonly string[])[],
  wide: boolean,
  whole = false,
): (command: unknown) => Match {
  const judge = (words: Argv): Match =>
    matchOf(prefixes.some((prefix) => (wide ? beginsWidely(words, prefix) : begins(words, prefix, whole))));
  const judgeLine = (line: string): Match => {
    const list = parseCommand(line);
    if (list !== undefined) {
      const matches = list.flatMap(({ commands }) => commands.map(judge));
      return wide ? some(matches) : every(matches);
    }
    return wide && prefixes.some(([program]) => occurs(program ?? '', line)) ? 'yes' : 'unsure';
  };
  return (command) => {
    if (typeof command === 'string') return judgeLine(command);
    const words = argumentList(command);
    if (words === undefined) return 'unsure';
    const text = wide ? shellText(words) : undefined;
    return text === undefined ? judge(words) : some([judge(words), judgeLine(text)]);
  };
}

/** The words of a line of one command without quotes; `undefined` for any other. */
export function plainWords(line: string): Argv | undefined {
  const [pipeline, ...others] = parseCommand(line) ?? [];
  const [words, ...joined] = pipeline?.commands ?? [];
  return others.length > 0 || joined.length > 0 || /['"]/.test(line) ? undefined : words;
}

function argumentList(value: unknown): Argv | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((word) => typeof word === 'string') ? (value as unknown as Argv) : undefined;
}

/** The text that a shell is given to run. */
function shellText([program, option, text]: Argv): string | undefined {
  return option === '-c' && /^(?:ba|da|z|k)?sh$/.test(programName(program)) ? text : undefined;
}

function begins(words: readonly string[], prefix: readonly string[], whole: boolean): boolean {
  if ((whole || isEvaluator(prefix[0] ?? '')) && words.length !== prefix.length) return false;
  return words.length >= prefix.length && prefix.every((word, at) => words[at] === word);
}

/** Whether a program runs what its arguments say; `python3.11` is `python`. */
export function isEvaluator(program: string): boolean {
  const name = programName(program);
  return evaluators.has(name) || evaluators.has(name.replace(/[\d.-]+$/, ''));
}

function beginsWidely(words: Argv, prefix: readonly string[]): boolean {
  const [program, ...rest] = words;
  if (programName(program) === programName(prefix[0] ?? '')) {
    return prefix.slice(1).every((word, at) => rest[at] === word);
  }
  return wrappers.has(programName(program)) && prefix.every((word) => rest.some((argument) => occurs(word, argument)));
}

function occurs(program: string, line: string): boolean {
  const name = programName(program);
  return (
    name !== '' &&
    foldText(line)
      .split(/[^\p{L}\p{N}_.+-]+/u)
      .includes(name)
  );
}

function programName(program: string): string {
  const name = foldText(program).split(/[\\/]/).at(-1) ?? '';
  return name.replace(/\.(exe|cmd|bat|com|ps1)$/, '');
}
