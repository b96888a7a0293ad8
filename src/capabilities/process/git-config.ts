/** Settings of a repository with which git does nothing beyond reading and showing it. */
const harmless: { readonly [section: string]: ReadonlySet<string> } = {
  core: words(
    'repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf quotepath abbrev',
  ),
  remote: words('url fetch pushurl tagopt prune'),
  branch: words('remote merge rebase description'),
  submodule: words('url active'),
  user: words('name email'),
  init: words('defaultbranch'),
  pull: words('rebase ff'),
  push: words('default autosetupremote followtags'),
  fetch: words('prune'),
  merge: words('conflictstyle ff'),
  rebase: words('autostash autosquash'),
  color: words('ui status diff branch'),
  gc: words('auto'),
};

/**
 * Whether a repository's own settings are all known to be harmless. Others can make even `git status` run programs
 * (`core.fsmonitor`, filters, external diffs), or read settings from elsewhere (`include`).
 */
export function isHarmlessGitConfig(text: string): boolean {
  let keys: ReadonlySet<string> | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    // A line that goes on in the next one could hide a setting from this reader.
    if (line.endsWith('\\')) return false;
    const section = /^\[([A-Za-z][A-Za-z0-9-]*)(?: "[^"\\\]]*")?\]$/.exec(line);
    if (section !== null) {
      const name = (section[1] as string).toLowerCase();
      keys = Object.hasOwn(harmless, name) ? harmless[name] : undefined;
      if (keys === undefined) return false;
      continue;
    }
    const setting = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=.*)?$/.exec(line);
    if (setting === null || keys?.has((setting[1] as string).toLowerCase()) !== true) return false;
  }
  return true;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
