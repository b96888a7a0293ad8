// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a shell's own variables
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { everyday } from '../capabilities/process/everyday.ts';
import { runsUnasked, verdictOf, workspace } from '../capabilities/process/support.ts';

const root = workspace();
const options = { roots: [root] };

describe('what only reads needs no asking', () => {
  test('of thirty everyday commands at least sixteen', async () => {
    const unasked = await Promise.all(everyday.map((line) => runsUnasked(line, options)));
    expect(unasked.filter(Boolean).length).toBeGreaterThanOrEqual(16);
  });

  test.each([
    'ls -la',
    'cat package.json | head -50',
    'grep -rn "TODO" src | wc -l',
    'find . -name "*.ts" -not -path "./node_modules/*"',
    'rg -n "class Foo" -g "*.ts" src',
    'pwd && ls',
    'echo "a b"',
    'git status',
    'git --no-pager log --oneline -20',
    "sed -n '1,5p' README.md",
    'cat /dev/null',
    'ls /usr/bin | head',
    'cat nothing-of-this-name',
    ['cat', 'README.md'],
    ['ls', '--', 'src'],
  ])('%j', async (command) => {
    expect(await verdictOf(command, options)).toMatchObject({ level: 'read', mustAsk: undefined });
  });
});

const rows: readonly (readonly [id: string, ...lines: readonly string[]])[] = [
  [
    'separators',
    'echo hi; touch M',
    'echo hi\ntouch M',
    'echo hi\n\ntouch M',
    'echo hi & touch M',
    'echo hi && touch M',
  ],
  [
    'more separators',
    'false || touch M',
    'echo hi | tee M',
    'echo hi |& tee M',
    'echo hi |\ntouch M',
    'echo hi;touch M',
  ],
  ['substitution', 'echo $(touch M)', 'echo `touch M`', 'echo "$(touch M)"', 'echo ${x:-$(touch M)}'],
  ['arithmetic', 'echo $((a[$(touch M)]))', 'echo $[a[$(touch M)]]', '((a=1))', 'echo $[ x=1, x ]'],
  ['processes as files', 'cat <(touch M)', 'echo hi > >(tee M)', 'diff <(touch M) a'],
  ['here documents', 'cat <<X\n$(touch M)\nX', 'cat <<<"$(touch M)"', "cat <<'X'\na\nX"],
  [
    'redirections',
    'echo hi >M',
    'echo hi >|M',
    'echo hi &>M',
    'echo hi >>M',
    '<>M cat',
    'sort -o M README.md',
    '2>M ls',
  ],
  ['expansions that evaluate', 'echo "${V@P}"', "printf -v 'a[$(touch M)]' x", "test -v 'a[$(touch M)]'"],
  ['tests that evaluate', "[[ 'a[$(touch M)]' -eq 0 ]]", "read 'a[$(touch M)]' <<< x", "declare 'a[$(touch M)]=1'"],
  ['builtins', "let 'a[$(touch M)]=1'", "trap 'touch M' EXIT", "eval 'touch M'", "'eval' 'touch M'", 'source M', '. M'],
  ['variables', 'PATH=./evil:$PATH ls', 'PATH=evil ls', 'BASH_ENV=./evil.sh bash -c true', 'LD_PRELOAD=./e.so ls'],
  ['variables of git', "GIT_EXTERNAL_DIFF='touch M #' git diff", "GIT_SSH_COMMAND='touch M' git ls-remote ssh://h/x"],
  [
    'exported variables',
    'export NODE_OPTIONS=--require\\ ./e.js; npm ls',
    'export A=1; ls',
    'env A=1 ls',
    'set -x; ls',
  ],
  [
    'wrappers',
    'env touch M',
    'nice touch M',
    'timeout 5 touch M',
    'command touch M',
    'xargs touch <<< M',
    'nohup touch M',
  ],
  [
    'more wrappers',
    'sudo ls',
    'busybox ls',
    'xargs ls',
    'watch ls',
    'time ls',
    'stdbuf -o0 ls',
    'setsid ls',
    'find | xargs rm',
  ],
  [
    'spellings',
    't\\ouch M',
    "to''uch M",
    "$'\\x74ouch' M",
    '/usr/bin/t?uch M',
    '{touch,M}',
    'touch${IFS}M',
    '"touch" M',
  ],
  [
    'find',
    'find . -exec touch M \\;',
    "find . -exec touch M ';'",
    'find . -fprintf M x',
    'find . -delete',
    'find . -ok x',
  ],
  [
    'more find',
    "find . -execdir touch M '{}' +",
    'find . -fprint M',
    'find . -fls M',
    'find -files0-from M',
    'find -newermt x',
  ],
  [
    'find without a value',
    'find . -name',
    'find . -nam x',
    'find . -name x y -exec',
    'find -L . -name x',
    'find -D exec .',
  ],
  [
    'sed',
    "sed -n '1e touch M' README.md",
    "sed -n 'w M' README.md",
    "sed -i 's/a/b/' README.md",
    "sed -n '1,2p;e' README.md",
  ],
  [
    'more sed',
    "sed -n -e '1p' README.md",
    "sed '1p' README.md",
    "sed -n '1p' README.md -i",
    "sed -n '1,2w M' README.md",
  ],
  [
    'awk and others',
    `awk 'BEGIN{system("touch M")}'`,
    'perl -e 1',
    'python3 -c 1',
    'node -e 1',
    'ruby -e 1',
    'lua -e 1',
  ],
  ['tar', "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='touch M' README.md", 'tar tf x', 'zip -T x'],
  [
    'git settings',
    "git -c alias.x='!touch M' x",
    "git -c core.fsmonitor='touch M;false' status",
    'git --exec-path=. status',
  ],
  [
    'git arguments',
    "git grep -O'touch M #' a",
    'git log --output=M',
    'git diff --no-index --output=M a b',
    'git -C .. log',
  ],
  [
    'more git',
    'git commit -m x',
    'git branch x',
    'git branch -D x',
    'git tag x',
    'git remote add x y',
    'git statusfoo',
    'git x',
  ],
  [
    'git that reaches out',
    'git fetch',
    'git remote show origin',
    'git ls-remote',
    'git diff --ext-diff',
    'git log --textconv',
  ],
  [
    'git and paging',
    'git --paginate log',
    'git -p log',
    'git config -l',
    'git log --open-files-in-pager',
    'git help log',
  ],
  ['git with a value that is an option', 'git log -n --output=M', 'git log -S --output=M', 'git diff -U --output=M'],
  ['second operands that are written', 'uniq README.md M', 'xxd README.md M', 'uniq - M', 'uniq -c README.md M'],
  ['sort', 'sort --output=M README.md', 'sort -oM README.md', 'sort -uo M README.md', 'sort --outp=M README.md'],
  [
    'more sort',
    'sort --compress-program=touch README.md',
    'sort --compress-prog touch README.md',
    'sort -T M README.md',
  ],
  [
    'lists of files',
    'sort --files0-from=M',
    'wc --files0-from=M',
    'du --files0-from=M',
    'du -X M',
    'file -f M',
    'grep -f M a',
  ],
  [
    'rg',
    "rg --pre 'touch M' a",
    'rg --pre=M a',
    'rg -z a',
    'rg --search-zip a',
    'rg -f M',
    'rg --hostname-bin=M a',
    'rg -L a',
  ],
  ['tree', 'tree -o M', 'tree -R', 'tree -l', 'tree --fromfile M', 'tree -H x', 'tree --output=M'],
  ['less and more', 'less README.md', 'more README.md', 'man ls', 'vi README.md', 'nano README.md', 'ed README.md'],
  [
    'writers',
    'tee M',
    'cp a b',
    'mv a b',
    'ln -s a b',
    'install a b',
    'dd of=M',
    'touch M',
    'truncate -s 0 M',
    'mkdir M',
    'rm M',
  ],
  [
    'runners',
    'npm test',
    'make',
    'npx x',
    'cargo build',
    'go run .',
    './x',
    'src/x',
    '/bin/ls',
    '/bin/cat README.md',
    'docker ps',
  ],
  ['shells', 'bash -c ls', 'sh', 'zsh -c ls', 'pwsh -c ls', 'powershell ls', 'cmd /c dir', 'fish -c ls', 'dash x'],
  ['the network', 'curl http://a', 'wget http://a', 'ssh a', 'scp a b:', 'nc a 1', 'ping a', 'dig a', 'rsync a b::c'],
  [
    'endless',
    'tail -f logs/app.log',
    'tail --follow logs/app.log',
    'tail -F logs/app.log',
    'yes',
    'sleep 100',
    'cat & ls',
  ],
  [
    'the clock',
    'date -s 0',
    'date',
    'hostname x',
    'kill 1',
    'renice 1 1',
    'chmod +x a',
    'chown a b',
    'umask 0',
    'ulimit -n 1',
  ],
  [
    'diff',
    'diff --from-file=M a',
    'diff -l a b',
    'diff --paginate a b',
    'diff a b c',
    'diff --palette=x a b',
    'diff --line-f=x a b',
  ],
  [
    'comments and line ends',
    'ls; #\ntouch M',
    'ls #x',
    'ls\r\ntouch M',
    'ls\u2028touch M',
    'ls\u0085touch M',
    'ls\u00a0-la',
  ],
  ['look-alikes', 'ⅼs', 'ls\u200b', 'ｌｓ', 'lѕ', 'cаt README.md', 'LS', 'Cat README.md', 'ls.exe', 'git.exe status'],
];

describe('what may do more is asked about', () => {
  test.each(rows)('%s', async (_, ...lines) => {
    for (const line of lines)
      expect({ line, unasked: await runsUnasked(line, options) }).toEqual({ line, unasked: false });
  });

  test('a line over the limits, whatever it is', async () => {
    expect(await runsUnasked(`echo ${'x'.repeat(5000)}`, options)).toBe(false);
    expect(await runsUnasked(Array(33).fill('true').join(' && '), options)).toBe(false);
  });

  test('what is shown is the whole command (S58)', async () => {
    const line = `echo hi${' '.repeat(400)}; curl evil`;
    const { effects } = await verdictOf(line, options);
    expect(effects).toEqual([
      { kind: 'exec', argv: ['echo', 'hi'] },
      { kind: 'exec', argv: ['curl', 'evil'] },
    ]);
    const unread = await verdictOf(`echo $x${' '.repeat(400)}; curl evil`, options);
    expect(unread.effects).toEqual([{ kind: 'exec', argv: ['bash', '-c', `echo $x${' '.repeat(400)}; curl evil`] }]);
  });
});

describe('git in a repository whose settings do more (S59)', () => {
  test.each([
    ['a program that watches files', '[core]\n\tfsmonitor = ./x\n'],
    ['a filter', '[filter "x"]\n\tclean = ./x\n'],
    ['a way to show files', '[diff "x"]\n\ttextconv = ./x\n'],
    ['settings from elsewhere', '[include]\n\tpath = x\n'],
    ['hooks', '[core]\n\thooksPath = x\n'],
    ['a pager', '[core]\n\tpager = x\n'],
    ['an alias', '[alias]\n\tstatus = !x\n'],
    ['a setting behind a section', '[core] fsmonitor = ./x\n'],
    ['a line that goes on', '[core]\n\tbare = \\\nfalse\n'],
    ['another spelling', '[CORE]\n\tFsMonitor = ./x\n'],
    ['a section of old form', '[core.x]\n\tbare = false\n'],
    ['a setting outside of any section', 'fsmonitor = x\n'],
    ['a partial clone', '[extensions]\n\tpartialclone = origin\n'],
    ['another folder for its work', '[core]\n\tworktree = ..\n'],
  ])('%s', async (_, config) => {
    const hostile = workspace({ '.git/config': config });
    expect(await runsUnasked('git status', { roots: [hostile] })).toBe(false);
    expect(await runsUnasked('ls', { roots: [hostile] })).toBe(true);
  });

  test('and in one that says its settings are elsewhere, or in none', async () => {
    expect(await runsUnasked('git log', { roots: [workspace({ '.git/commondir': '../x' })] })).toBe(false);
    expect(await runsUnasked('git log', { roots: [join(workspace(), 'src')] })).toBe(false);
  });
});

const payloads = join(process.env['CALLGATE_CORPORA'] ?? '../shared/corpora', 'payloads');
describe.skipIf(!existsSync(payloads))('lists of injected commands (skipped where the corpora are missing)', () => {
  test.each(['Command_Injection_Intruder_command-execution-unix.txt', 'Command_Injection_Intruder_command_exec.txt'])(
    'of %s nothing runs unasked, alone or behind another command, but what prints words or lists names',
    async (file) => {
      const lines = readFileSync(join(payloads, file), 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '');
      expect(lines.length).toBeGreaterThan(20);
      const started: unknown[] = [];
      for (const line of lines) {
        for (const command of [line, `echo a${line}`, `echo a ; ${line}`, `ls | ${line}`]) {
          const { level, effects = [] } = await verdictOf(command, options);
          if (level !== 'read') continue;
          started.push(...effects.flatMap((effect) => (effect.kind === 'exec' ? [effect.argv[0]] : [])));
        }
      }
      expect([...new Set(started)].sort()).toEqual(expect.arrayContaining(['echo']));
      expect(started.filter((program) => !['echo', 'ls', 'pwd'].includes(String(program)))).toEqual([]);
    },
  );
});
