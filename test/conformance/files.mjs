import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouter } from 'callgate';
import { fileTools } from 'callgate/tools';
import { checked, lasting, line, withoutFolder } from './support.mjs';

/** The file tools over a folder with links of every kind: reading, writing, listing, searching, and what may not be reached. */
export default async function* run(random) {
  const base = mkdtempSync(join(tmpdir(), 'callgate-conformance-'));
  try {
    const root = makeTree(base);
    const routers = [
      createRouter({ tools: fileTools, mode: 'trusted', roots: [root] }),
      createRouter({
        tools: fileTools,
        mode: 'ask',
        roots: [root],
        approve: () => true,
        pathGuard: { symlinks: 'deny', strict: true },
      }),
      createRouter({
        tools: fileTools,
        mode: 'trusted',
        roots: [root, join(base, 'other')],
        pathGuard: { deny: ['**/*.key', 'sub/deep/**'] },
      }),
      createRouter({ tools: fileTools, mode: 'ask', roots: [root] }),
    ];
    for (let number = 0; number < 700; number++) {
      const call = { id: `f${number}`, ...callFor(random) };
      const result = lasting(checked(await random.pick(routers).call(call, { run: { id: 'run_1' } }), call));
      // What waits for somebody shows that person, and nobody else, where on this machine it would happen.
      const text = JSON.stringify([result.error, result.data]);
      if (text.includes(base)) throw new Error(`a path of the host got out: ${text}`);
      if (JSON.stringify(result).includes('TOP-SECRET')) throw new Error(`what lies outside got out: ${text}`);
      yield line(call.name, [call.arguments, withoutFolder(result, base)]);
    }
    yield line('left', everything(base));
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function makeTree(base) {
  const files = {
    'root/README.md': '# Read me\n\nSee notes.\n',
    'root/.gitignore': '*.log\nbuild/\n',
    'root/sub/a.txt': 'one\ntwo\r\nthree\n',
    'root/sub/deep/b.txt': `${'needle and hay\n'.repeat(40)}`,
    'root/sub/c.log': 'ignored',
    'root/build/out.js': 'void 0;',
    'root/.env': 'TOKEN=abc',
    'root/id.key': 'key',
    'root/straße/İ.txt': 'Grüße aus İstanbul, ΣΊΣΥΦΟΣ, ſ and K\n',
    'root/cafe\u0301.txt': 'decomposed',
    'root/caf\u00e9.txt': 'composed',
    'root/empty.txt': '',
    'root/long.txt': `${'x'.repeat(3_000)}\n`.repeat(60),
    'root/bom.txt': '\ufeffwith a mark\n',
    'root/sp ace\u200b.txt': 'odd name',
    'other/o.txt': 'other',
    'out/s.txt': 'TOP-SECRET',
    'out/h.txt': 'of two names',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(base, name, '..'), { recursive: true });
    writeFileSync(join(base, name), text);
  }
  const root = join(base, 'root');
  writeFileSync(join(root, 'binary.bin'), Buffer.from([0, 1, 2, 255, 0]));
  writeFileSync(join(root, 'latin1.txt'), Buffer.from('Gr\u00fc\u00dfe', 'latin1'));
  writeFileSync(join(root, 'utf16.txt'), Buffer.from('\ufeffGr\u00fc\u00dfe\n', 'utf16le'));
  writeFileSync(join(root, 'dot.png'), Buffer.from('89504e470d0a1a0a0000', 'hex'));
  const links = {
    in: 'sub',
    file: 'sub/a.txt',
    evil: '../out',
    leaf: '../out/s.txt',
    abs: '/etc',
    gone: 'nowhere',
    self: 'self/x',
    l1: 'l2',
    l2: 'l1',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  linkSync(join(base, 'out', 'h.txt'), join(root, 'hard'));
  try {
    execFileSync('mkfifo', [join(root, 'pipe')]);
  } catch {
    // Not on this system; then it is missing under every release.
  }
  return root;
}

const paths = [
  ...[
    'README.md',
    'sub/a.txt',
    'sub/deep/b.txt',
    './sub/../README.md',
    'sub',
    '.',
    '',
    'new/folder/file.txt',
    'n1.txt',
    'n2.txt',
    'sub/n3.txt',
  ],
  ...[
    'straße/İ.txt',
    'STRASSE/İ.txt',
    'cafe\u0301.txt',
    'caf\u00e9.txt',
    'empty.txt',
    'long.txt',
    'bom.txt',
    'binary.bin',
    'latin1.txt',
    'utf16.txt',
  ],
  ...[
    'dot.png',
    'in/a.txt',
    'file',
    'evil/s.txt',
    'leaf',
    'abs/passwd',
    'gone',
    'self',
    'l1',
    'hard',
    'pipe',
    '.env',
    '.git/config',
    'id.key',
  ],
  ...[
    '../out/s.txt',
    '/etc/passwd',
    '~/.ssh/id_rsa',
    'sub/a.txt/x',
    'absent.txt',
    'a\0b',
    'a\nb',
    'C:\\x',
    'sub\\a.txt',
    'x'.repeat(300),
    'ä/'.repeat(30),
  ],
  ...[
    'sp ace\u200b.txt',
    'README.md/',
    'con',
    'n1.txt ',
    '%2e%2e/out',
    'file:///etc/passwd',
    '\ud800.txt',
    'sub//a.txt',
    'sub/./a.txt',
    'new',
  ],
];

const names = ['read_file', 'read_file', 'write_file', 'edit_file', 'list_files', 'search_files'];

function callFor(random) {
  const name = random.pick(names);
  const path = random.pick(paths);
  const may = (probability, member) => (random.chance(probability) ? member : {});
  switch (name) {
    case 'read_file':
      return {
        name,
        arguments: {
          path,
          ...may(0.3, { offset: random.pick([1, 2, 30, 1000]), limit: random.pick([1, 5, 100]) }),
          ...may(0.1, { line_numbers: true }),
        },
      };
    case 'write_file':
      return { name, arguments: { path, content: random.text(), ...may(0.3, { overwrite: random.chance(0.5) }) } };
    case 'edit_file':
      return {
        name,
        arguments: {
          path,
          old: random.pick(['one', 'needle', 'hay\n', '', 'Grüße', 'See notes.', 'absent', '\n']),
          new: random.text(),
          ...may(0.4, { replace_all: true }),
        },
      };
    case 'list_files':
      return {
        name,
        arguments: {
          ...may(0.6, { path }),
          ...may(0.5, { glob: random.pick(['**/*.txt', '*.md', '{a,b}*', '**', '[', 'sub/**', '*\u0301*']) }),
          ...may(0.3, { depth: 2 }),
          ...may(0.2, { ignored: true }),
          ...may(0.2, { limit: 3 }),
        },
      };
    default:
      return {
        name,
        arguments: {
          pattern: random.pick([
            'needle',
            'n.*e',
            '^t',
            '(',
            'Grüße',
            'σίσυφος',
            'İ',
            '\\p{Lu}',
            'a{2,1}',
            '',
            '(a+)+$',
            'K',
          ]),
          ...may(0.5, { path }),
          ...may(0.3, { ignore_case: true }),
          ...may(0.2, { literal: true }),
          ...may(0.2, { limit: 2 }),
        },
      };
  }
}

/** All names below a folder, in one order everywhere, with what the files hold. */
function everything(folder, below = '') {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const name = join(below, entry.name);
      if (entry.isDirectory()) return [name, ...everything(folder, name)];
      return [entry.isFile() ? [name, readFileSync(join(folder, name), 'base64').slice(0, 2_000)] : name];
    });
}
