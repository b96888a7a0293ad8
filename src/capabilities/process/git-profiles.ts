import type { Profile } from './profile.ts';

/** Subcommands of git that only look, each with its own profile. */
export const gitProfiles: ReadonlyMap<string, Profile> = new Map<string, Profile>([
  [
    'status',
    {
      flags: 'bsvz',
      long: '--short --branch --show-stash --porcelain --porcelain= --long --verbose --untracked-files --untracked-files= --ignored --column --no-column --ahead-behind --no-ahead-behind --renames --no-renames',
    },
  ],
  ['log', logProfile('')],
  ['show', logProfile('')],
  ['diff', { ...logProfile('--cached --staged --merge-base'), flags: 'abpRuwzMC' }],
  [
    'shortlog',
    {
      flags: 'censw',
      operands: 'text',
      long: '--numbered --summary --email --committer --no-merges --since= --until= --all',
    },
  ],
  [
    'blame',
    {
      flags: 'bcefklnpstwCM',
      valued: 'L',
      long: '--date= --show-name --show-number --show-email --porcelain --line-porcelain --root',
    },
  ],
  [
    'branch',
    {
      flags: 'arv',
      operands: 'text',
      most: 0,
      long: '--all --remotes --verbose --show-current --list --no-color --color=',
    },
  ],
  ['tag', { flags: 'l', operands: 'text', most: 0, long: '--list --sort=' }],
  ['remote', { flags: 'v', operands: 'text', most: 0, long: '--verbose' }],
  [
    'rev-parse',
    {
      flags: 'q',
      operands: 'text',
      long: '--abbrev-ref --short --short= --verify --show-toplevel --show-prefix --is-inside-work-tree --symbolic-full-name --quiet',
    },
  ],
  ['rev-list', { ...logProfile('--count --objects'), operands: 'text' }],
  [
    'describe',
    {
      operands: 'text',
      long: '--tags --always --long --all --abbrev= --match= --exclude= --first-parent --exact-match',
    },
  ],
  [
    'ls-files',
    {
      flags: 'cdmokstuvz',
      valued: 'x',
      long: '--cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude= --exclude-standard --full-name --error-unmatch',
    },
  ],
  [
    'ls-tree',
    { flags: 'drtlz', operands: 'text', long: '--name-only --name-status --long --full-name --full-tree --abbrev=' },
  ],
  ['cat-file', { flags: 'tsep', operands: 'text' }],
  ['merge-base', { flags: 'a', operands: 'text', long: '--all --octopus --is-ancestor --fork-point' }],
]);

function logProfile(further: string): Profile {
  return {
    flags: 'abcgimpqruwzMC',
    valued: 'nGSLU',
    numbers: true,
    operands: 'text',
    long:
      '--oneline --graph --all --branches --tags --remotes --stat --stat= --shortstat --numstat --dirstat --summary --patch ' +
      '--no-patch --patch-with-stat --name-only --name-status --decorate --decorate= --no-decorate --abbrev-commit ' +
      '--no-abbrev-commit --abbrev= --pretty --pretty= --format= --date= --relative-date --since= --after= --until= ' +
      '--before= --author= --committer= --grep= --max-count= --skip= --merges --no-merges --first-parent --reverse ' +
      '--topo-order --date-order --author-date-order --follow --full-history --cherry --cherry-pick --left-right ' +
      '--color --color= --no-color --word-diff --word-diff= --color-words --minimal --patience --histogram --unified= ' +
      '--ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol --find-renames --find-copies ' +
      '--no-renames --diff-filter= --diff-algorithm= --check --raw --full-index --binary --relative --exit-code --quiet ' +
      '--function-context --no-ext-diff --no-textconv --no-prefix --pickaxe-all --pickaxe-regex --no-walk --walk-reflogs ' +
      '--source --no-notes --root --cc --boundary --simplify-by-decoration --invert-grep --regexp-ignore-case ' +
      further,
  };
}
