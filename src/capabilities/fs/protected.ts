import { foldPath, foldPathWithoutStreams } from './names.ts';

// All lower-case: they are compared with folded names.
const names: ReadonlySet<string> = new Set([
  // shells and terminals
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.login', '.cshrc'],
  ...['.xinitrc', '.xprofile', '.xsession', '.xsessionrc', '.pam_environment', '.forward', '.screenrc', '.wezterm.lua'],
  ...['.tcshrc', '.kshrc', '.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.envrc', '.inputrc', '.tmux.conf'],
  // programs that read a start-up file from where they run or from the home folder
  ...['.vimrc', '.gvimrc', '.exrc', '.nvimrc', '.emacs', '.dir-locals.el', '.gdbinit', '.lldbinit', '.irbrc', '.pryrc'],
  ...['.pythonrc', 'sitecustomize.py', 'usercustomize.py', '.rprofile', '.ripgreprc', '.wgetrc', '.curlrc', '.netrc'],
  ...['_vimrc', '_gvimrc', '_netrc', '.ideavimrc', '.psqlrc', '.sqliterc', '.my.cnf', '.gemrc', '.condarc', 'pip.conf'],
  // version control and package managers
  ...['.git', '.gitconfig', '.gitmodules', '.hgrc', '.pre-commit-config.yaml', 'lefthook.yml', '.lefthook.yml'],
  ...[
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.pnpmfile.cjs',
    '.pnp.cjs',
    '.pnp.loader.mjs',
    '.pnpmfile.mjs',
    'bunfig.toml',
    '.bazelrc',
    '.tool-versions',
    '.pypirc',
    '.mise.toml',
    'mise.toml',
  ],
  // agents
  ...['.mcp.json', '.claude.json', '.aider.conf.yml', '.cursorrules', '.windsurfrules', '.clinerules'],
  // what says what agents may do here
  ...['callgate.rules.json', 'callgate.rules.json.lock'],
  ...['callgate.config.mjs', 'callgate.config.js', 'callgate.config.ts', 'callgate.config.mts'],
  // continuous integration
  ...['.gitlab-ci.yml', '.gitlab-ci.yaml', '.travis.yml', '.drone.yml', 'jenkinsfile', 'azure-pipelines.yml'],
  ...[
    'azure-pipelines.yaml',
    'bitbucket-pipelines.yml',
    '.cirrus.yml',
    'appveyor.yml',
    '.appveyor.yml',
    '.woodpecker.yml',
  ],
]);

const folders: readonly string[] = [
  ...['.git', '.hg', '.svn', '.husky', '.githooks'],
  ...['.vscode', '.idea', '.cursor', '.windsurf', '.zed', '.fleet', '.devcontainer', '.vim', '.nvim', '.emacs.d'],
  ...[
    '.claude',
    '.codex',
    '.gemini',
    '.continue',
    '.roo',
    '.kiro',
    '.amazonq',
    '.qwen',
    '.opencode',
    '.callgate',
    '.junie',
    '.codeium',
  ],
  ...[
    '.ssh',
    '.gnupg',
    '.direnv',
    '.config',
    '.cargo',
    '.mvn',
    '.bundle',
    '.mise',
    '.ipython',
    '.jupyter',
    '.yarn/plugins',
    '.yarn/releases',
  ],
  ...['.github/workflows', '.github/actions', '.gitea/workflows', '.forgejo/workflows', '.circleci', '.buildkite'],
  ...['.woodpecker', '.teamcity'],
];

const folderPattern = new RegExp(
  `(?:^|/)(?:${folders.map((folder) => folder.replaceAll('.', '\\.')).join('|')})(?:/|$)`,
);
// Workspaces and projects of editors, which hold settings and commands under any name.
const suffixes = /\.(?:code-workspace|sublime-project)$/;

// Where a disk has short names, as FAT and NTFS do, `GIT~1` is `.git` on every system.
const shortForm = /^([^~]{1,6})~[0-9]{1,6}(?:\.[^.]{0,3})?$/;
const shortBases: ReadonlySet<string> = new Set(
  [...names, ...folders.map((folder) => folder.split('/', 1)[0] as string)].map((name) =>
    name.replace(/^\./, '').replace(/\..*$/, '').slice(0, 6),
  ),
);

/**
 * Whether other programs obey or execute what stands at this path: repository hooks and settings, shell start-up
 * files, editor, agent and package manager settings, workflows. Also when it does not exist yet, at any depth, and
 * in any spelling of the name that some file system takes for the same.
 *
 * @param rel relative to the root, separated by `/`
 */
export function isProtected(rel: string): boolean {
  return matches(foldPath(rel)) || (rel.includes(':') && matches(foldPathWithoutStreams(rel)));
}

function matches(folded: string): boolean {
  const name = folded.slice(folded.lastIndexOf('/') + 1);
  if (names.has(name) || suffixes.test(name) || folderPattern.test(folded)) return true;
  return folded.includes('~') && folded.split('/').some((part) => shortBases.has(shortForm.exec(part)?.[1] ?? ''));
}
