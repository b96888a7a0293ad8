/** Variables that make a program load, run or obey something; they are never handed on, whoever lists them. */
const obeyed =
  /^(?:LD_|DYLD_|GIT_(?!AUTHOR_|COMMITTER_)|NODE_OPTIONS$|NODE_REPL|BASH_ENV$|ENV$|BASH_FUNC_|SHELLOPTS$|BASHOPTS$|PS4$|PROMPT_COMMAND$|IFS$|CDPATH$|PYTHON(?:STARTUP|PATH|HOME|INSPECT)$|PERL5?(?:OPT|LIB|DB)$|RUBYOPT$|RUBYLIB$|JAVA_TOOL_OPTIONS$|_JAVA_OPTIONS$|RIPGREP_CONFIG_PATH$|LESSOPEN$|LESSCLOSE$)/i;

/** Settings of git that would have it run something, set so that they do not; they beat the repository's own. */
const harmlessGit: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.attributesFile', '/dev/null'],
  ['diff.ignoreSubmodules', 'all'],
  ['safe.bareRepository', 'explicit'],
  ['gpg.program', 'false'],
];

/**
 * The environment of a program: built, not inherited, so that no secret and no setting of this process is in it.
 *
 * @param path folders with programs
 * @param home an empty folder
 * @param more the host's own variables; throws a TypeError for such as make programs run something
 */
export function buildEnvironment(
  path: readonly string[],
  home: string,
  more: { readonly [name: string]: string } = {},
): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: path.join(process.platform === 'win32' ? ';' : ':'),
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    PAGER: 'cat',
    NO_COLOR: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    GIT_CONFIG_COUNT: String(harmlessGit.length),
  };
  for (const [index, [key, value]] of harmlessGit.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  if (process.platform === 'win32') {
    // Windows programs do not start without these.
    for (const name of ['SystemRoot', 'windir']) environment[name] = process.env[name] ?? 'C:\\Windows';
  }
  checkEnvironment(more);
  return { ...environment, ...more };
}

/** Throws a TypeError for variables that no command may be given. */
export function checkEnvironment(more: { readonly [name: string]: string }): void {
  for (const [name, value] of Object.entries(more)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || typeof value !== 'string' || value.includes('\0')) {
      throw new TypeError(`commandGuard({ env }): ${name} must be the name of a variable, with a text.`);
    }
    if (/^path$/i.test(name) || obeyed.test(name)) {
      throw new TypeError(`commandGuard({ env }): ${name} cannot be set, as it would change what programs run.`);
    }
  }
}
