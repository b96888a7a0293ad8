import { gitProfiles } from './git-profiles.ts';
import type { Argv } from './parse.ts';
import type { Profile } from './profile.ts';
import { profiles } from './profiles.ts';

/** What a command reads that is known to do nothing else. */
export interface Reading {
  /** Its path operands, as they were written. */
  readonly paths: readonly string[];
  /** Whether it also reads what lies below them. */
  readonly walks: boolean;
  /** Whether it is git, which obeys the repository's own settings. */
  readonly git: boolean;
}

/**
 * What a command reads, if its program and every one of its options are known only to read; `undefined` otherwise.
 * Options are compared exactly, for the programs themselves accept abbreviations and bundles.
 */
export function readingOf([program, ...args]: Argv): Reading | undefined {
  switch (program) {
    case 'find':
      return findReading(args);
    case 'sed':
      return sedReading(args);
    case 'git':
      return gitReading(args);
  }
  const profile = profiles.get(program);
  return profile === undefined ? undefined : reading(profile, args);
}

function reading(profile: Profile, args: readonly string[]): Reading | undefined {
  const { operands: kind = 'paths', most = Number.POSITIVE_INFINITY, here = false, walks: walking } = profile;
  if (kind === 'anything') return { paths: [], walks: false, git: false };
  const read = readOptions(profile, args);
  if (read === undefined) return undefined;
  const { operands, given } = read;
  const patternGiven = given.has('-e') || given.has('--regexp') || given.has('--files') || given.has('--type-list');
  const paths = kind === 'text' ? [] : kind === 'pattern' && !patternGiven ? operands.slice(1) : operands;
  if (operands.length > most) return undefined;
  const walks =
    walking === 'always' || (walking !== undefined && (given.has(`-${walking}`) || given.has('--recursive')));
  const files = paths.filter((path) => path !== '-');
  return { paths: paths.length === 0 && (here || walks) ? ['.'] : files, walks, git: false };
}

interface Options {
  readonly operands: readonly string[];
  /** The names of the options that were given, without values. */
  readonly given: ReadonlySet<string>;
}

function readOptions(profile: Profile, args: readonly string[]): Options | undefined {
  const { flags = '', valued = '', numbers = false } = profile;
  const long = longOptions(profile);
  const operands: string[] = [];
  const given = new Set<string>();
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string;
    if (word === '--') return { operands: [...operands, ...args.slice(at + 1)], given };
    if (word === '-' || !word.startsWith('-')) {
      operands.push(word);
      continue;
    }
    let takesNext = false;
    if (word.startsWith('--')) {
      const equals = word.indexOf('=');
      const name = equals < 0 ? word : word.slice(0, equals);
      if (equals < 0 && long.has(name)) takesNext = false;
      else if (long.has(`${name}=`)) takesNext = equals < 0;
      else return undefined;
      given.add(name);
    } else if (!(numbers && /^-\d+$/.test(word))) {
      for (let letter = 1; letter < word.length; letter++) {
        const option = word[letter] as string;
        given.add(`-${option}`);
        if (valued.includes(option)) {
          takesNext = letter === word.length - 1;
          break;
        }
        if (!flags.includes(option)) return undefined;
      }
    }
    if (takesNext) {
      const value = args[++at];
      // What looks like an option may be taken for one, whatever stands before it.
      if (value === undefined || value.startsWith('-')) return undefined;
    }
  }
  return { operands, given };
}

const sets = new WeakMap<Profile, ReadonlySet<string>>();

function longOptions(profile: Profile): ReadonlySet<string> {
  let set = sets.get(profile);
  if (set === undefined) {
    set = new Set(profile.long?.split(' '));
    sets.set(profile, set);
  }
  return set;
}

/** Tests and actions of `find` that only look; with `=` at the end those that take a value. */
const findWords: ReadonlySet<string> = new Set(
  (
    '-name= -iname= -path= -ipath= -wholename= -iwholename= -regex= -iregex= -regextype= -type= -xtype= -maxdepth= ' +
    '-mindepth= -mtime= -mmin= -atime= -amin= -ctime= -cmin= -size= -perm= -user= -group= -uid= -gid= -links= -inum= ' +
    '-lname= -ilname= -not -a -and -o -or ! ( ) , -print -print0 -ls -prune -empty -true -false -readable -writable ' +
    '-executable -quit -depth -d -xdev -mount -daystart -noleaf -nouser -nogroup -P'
  ).split(' '),
);

/** Starting points come first; then every word must be a known test, or the value of one. */
function findReading(args: readonly string[]): Reading | undefined {
  const paths: string[] = [];
  let at = args[0] === '-P' ? 1 : 0;
  for (; at < args.length; at++) {
    const word = args[at] as string;
    if (word.startsWith('-') || word === '(' || word === '!' || word === ',' || word === ')') break;
    paths.push(word);
  }
  for (; at < args.length; at++) {
    const word = args[at] as string;
    if (findWords.has(word)) continue;
    if (!findWords.has(`${word}=`) || ++at >= args.length) return undefined;
  }
  return { paths: paths.length === 0 ? ['.'] : paths, walks: true, git: false };
}

/** Only `sed -n N,Mp`: all else in a script can write files or run programs. */
function sedReading(args: readonly string[]): Reading | undefined {
  const [option, script, ...paths] = args;
  if (option !== '-n' || script === undefined || !/^\d+(?:,(?:\d+|\$))?p$/.test(script)) return undefined;
  if (paths.some((path) => path.startsWith('-'))) return undefined;
  return { paths, walks: false, git: false };
}

function gitReading(args: readonly string[]): Reading | undefined {
  const [subcommand, ...rest] = args[0] === '--no-pager' ? args.slice(1) : args;
  const profile = gitProfiles.get(subcommand ?? '');
  if (profile === undefined) return undefined;
  // The history holds every file, also those that a rule keeps from being read.
  return reading({ ...profile, operands: 'text' }, rest) && { paths: [], walks: true, git: true };
}
