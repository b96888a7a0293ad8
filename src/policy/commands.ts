import type { Match } from './match.ts';
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

/**
 * A test for commands by their first words: `["git", "log"]` covers `git log --oneline` and not `git logout`.
 *
 * Judges an argument list, or a command line of plain words only. A command line with anything that a shell would
 * interpret is not judged, so that no rule allows what it cannot read; a `wide` test, as rules need that forbid or ask,
 * also says yes when the program's name occurs anywhere in it.
 *
 * With `whole`, an `allow` needs these words and no more.
 */
export function commandMatcher(
  prefixes: readonly (readonly string[])[],
  wide: boolean,
  whole = false,
): (command: unknown) => Match {
  return (command) => {
    const words = typeof command === 'string' ? plainWords(command) : argumentList(command);
    if (words !== undefined) {
      return prefixes.some((prefix) => (wide ? beginsWidely(words, prefix) : begins(words, prefix, whole)))
        ? 'yes'
        : 'no';
    }
    if (wide && typeof command === 'string' && prefixes.some(([program]) => occurs(program ?? '', command)))
      return 'yes';
    return 'unsure';
  };
}

function argumentList(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((word) => typeof word === 'string') ? value : undefined;
}

/** The words of a command line in which nothing is left for a shell to interpret; `undefined` for any other. */
export function plainWords(line: string): readonly string[] | undefined {
  if (!/^[A-Za-z0-9_./:=@%+,^ -]+$/.test(line)) return undefined;
  const words = line.split(' ').filter((word) => word !== '');
  // `NAME=value program` sets a variable for a program; the first word is then not what runs.
  return words.length === 0 || words[0]?.includes('=') ? undefined : words;
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

function beginsWidely(words: readonly string[], prefix: readonly string[]): boolean {
  if (programName(words[0] ?? '') !== programName(prefix[0] ?? '')) return false;
  return prefix.slice(1).every((word, at) => words[at + 1] === word);
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
