import type { Profile } from './profile.ts';

const sums: Profile = { flags: 'btz', long: '--binary --text --tag --zero' };

/**
 * Programs that can only read. Interpreters, and programs that run or write what their arguments say, are never here,
 * whatever their arguments. Written for the GNU programs, ripgrep, tree and file.
 */
export const profiles: ReadonlyMap<string, Profile> = new Map<string, Profile>([
  [
    'ls',
    {
      flags: 'aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1',
      valued: 'ITw',
      walks: 'R',
      here: true,
      long:
        '--all --almost-all --color --color= --classify --directory --full-time --group-directories-first ' +
        '--human-readable --inode --no-group --numeric-uid-gid --recursive --reverse --size --sort= --time= --time-style= ' +
        '--format= --hide= --ignore= --width= --si',
    },
  ],
  [
    'cat',
    {
      flags: 'AbeEnstTuv',
      long: '--number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank --show-nonprinting',
    },
  ],
  ['tac', { flags: 'b' }],
  ['nl', { valued: 'bdfhilnsvw', flags: 'p' }],
  [
    'head',
    {
      flags: 'qvz',
      valued: 'nc',
      numbers: true,
      long: '--lines= --bytes= --quiet --silent --verbose --zero-terminated',
    },
  ],
  [
    'tail',
    {
      flags: 'qvz',
      valued: 'nc',
      numbers: true,
      long: '--lines= --bytes= --quiet --silent --verbose --zero-terminated',
    },
  ],
  ['wc', { flags: 'clmLw', long: '--bytes --chars --lines --max-line-length --words --total=' }],
  [
    'grep',
    {
      flags: 'abcEFGhHilLnoPqrsTUvVwxyzZ',
      valued: 'ABCem',
      operands: 'pattern',
      walks: 'r',
      numbers: true,
      long:
        '--after-context= --before-context= --context= --color --color= --colour= --count --extended-regexp --fixed-strings ' +
        '--basic-regexp --perl-regexp --regexp= --ignore-case --no-ignore-case --include= --exclude= --exclude-dir= ' +
        '--files-with-matches --files-without-match --line-number --line-buffered --line-regexp --word-regexp --max-count= ' +
        '--no-filename --with-filename --no-messages --null --null-data --only-matching --quiet --silent --recursive ' +
        '--invert-match --text --byte-offset --binary-files= --initial-tab --label=',
    },
  ],
  [
    'rg',
    {
      flags: 'acFhHiIlnNopPqsSuUvVwx0',
      valued: 'ABCEgjmMrtTde',
      operands: 'pattern',
      walks: 'always',
      here: true,
      long:
        '--after-context= --before-context= --context= --case-sensitive --color= --colors= --column --no-column --count ' +
        '--count-matches --crlf --encoding= --files --files-with-matches --files-without-match --fixed-strings --glob= --iglob= ' +
        '--glob-case-insensitive --heading --no-heading --hidden --no-hidden --ignore-case --invert-match --json ' +
        '--line-number --no-line-number --line-regexp --max-columns= --max-count= --max-depth= --maxdepth= --max-filesize= ' +
        '--multiline --multiline-dotall --no-config --no-filename --with-filename --no-ignore --no-ignore-vcs --no-messages ' +
        '--null --one-file-system --only-matching --passthru --pcre2 --pretty --quiet --regexp= --replace= --smart-case ' +
        '--sort= --sortr= --stats --text --threads= --trim --type= --type-not= --type-list --unrestricted --vimgrep ' +
        '--word-regexp',
    },
  ],
  [
    'sort',
    {
      flags: 'bcCdfghiMmnrRsuVz',
      valued: 'kt',
      long:
        '--ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort ' +
        '--ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --sort= --version-sort --check --key= ' +
        '--merge --stable --field-separator= --unique --zero-terminated',
    },
  ],
  [
    'uniq',
    {
      flags: 'cdDiuz',
      valued: 'fsw',
      most: 1,
      long: '--count --repeated --all-repeated --all-repeated= --ignore-case --unique --skip-fields= --skip-chars= --check-chars= --zero-terminated',
    },
  ],
  [
    'cut',
    {
      flags: 'nsz',
      valued: 'bcdf',
      long: '--bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated',
    },
  ],
  ['tr', { flags: 'cCdst', operands: 'text', long: '--complement --delete --squeeze-repeats --truncate-set1' }],
  ['comm', { flags: '123z', long: '--check-order --nocheck-order --output-delimiter= --total --zero-terminated' }],
  ['cmp', { flags: 'bls', valued: 'in', most: 2, long: '--print-bytes --bytes= --verbose --quiet --silent' }],
  [
    'diff',
    {
      flags: 'abBcdeEiNnpqrstTuwyZ',
      valued: 'CFIUWx',
      most: 2,
      walks: 'always',
      long:
        '--brief --color --color= --context --context= --exclude= --expand-tabs --ignore-all-space --ignore-blank-lines ' +
        '--ignore-case --ignore-space-change --minimal --new-file --normal --recursive --report-identical-files ' +
        '--side-by-side --speed-large-files --strip-trailing-cr --suppress-common-lines --text --unified --unified= --width=',
    },
  ],
  ['pwd', { flags: 'LP', operands: 'text', most: 0 }],
  ['echo', { operands: 'anything' }],
  ['true', { operands: 'anything' }],
  ['false', { operands: 'anything' }],
  ['seq', { flags: 'w', valued: 'fs', operands: 'text', long: '--format= --separator= --equal-width' }],
  ['basename', { flags: 'az', valued: 's', operands: 'text', long: '--multiple --suffix= --zero' }],
  ['dirname', { flags: 'z', operands: 'text', long: '--zero' }],
  [
    'realpath',
    {
      flags: 'eLmPqsz',
      long: '--canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --zero',
    },
  ],
  [
    'readlink',
    {
      flags: 'efmnqsvz',
      long: '--canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --zero',
    },
  ],
  ['stat', { flags: 'fLt', valued: 'c', long: '--dereference --file-system --format= --printf= --terse' }],
  [
    'file',
    { flags: 'bhiLNn', long: '--brief --mime --mime-type --mime-encoding --dereference --no-dereference --no-pad' },
  ],
  [
    'du',
    {
      flags: '0abcDhHklmPsSx',
      valued: 'dt',
      walks: 'always',
      here: true,
      long:
        '--all --apparent-size --bytes --total --human-readable --max-depth= --exclude= --one-file-system --si --summarize ' +
        '--separate-dirs --threshold= --time --time-style= --null',
    },
  ],
  [
    'tree',
    {
      flags: 'aCdDfFghinpqQrstuUvxASN',
      valued: 'LIP',
      walks: 'always',
      here: true,
      long:
        '--charset= --dirsfirst --du --filelimit= --gitignore --ignore-case --matchdirs --noreport --prune --si --sort= ' +
        '--timefmt= --inodes',
    },
  ],
  ['md5sum', sums],
  ['sha1sum', sums],
  ['sha256sum', sums],
  ['sha512sum', sums],
]);
