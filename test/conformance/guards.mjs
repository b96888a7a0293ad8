import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouter, defineTool } from 'callgate';
import { fetchUrl, runPython, runShell } from 'callgate/tools';
import { checked, lasting, line, withoutFolder } from './support.mjs';

/** What the guards find in command lines and URLs. Everything is asked about and nobody answers: nothing runs, nothing connects. */
export default async function* run(random) {
  const root = mkdtempSync(join(tmpdir(), 'callgate-conformance-'));
  writeFileSync(join(root, 'a.txt'), 'a');
  try {
    const tools = [
      runShell,
      runPython,
      fetchUrl,
      defineTool({
        name: 'links',
        description: 'Reads links.',
        parameters: { type: 'object', properties: { urls: { type: 'array', items: { type: 'string' } } } },
        urls: ['/urls/*'],
        permission: 'network',
        handler: () => null,
      }),
    ];
    const rules = [{ decision: 'ask', tool: '*', reason: 'all are shown' }];
    const routers = [
      createRouter({ tools, rules, roots: [root] }),
      createRouter({
        tools,
        rules: [
          ...rules,
          { decision: 'deny', tool: 'run_shell(rm *)' },
          { decision: 'deny', tool: 'fetch_url(domain:*.example.com)' },
        ],
        roots: [root],
        urls: { allow: ['example.com', '*.example.com', '*.xn--bcher-kva.example', '8.8.8.8'], ports: [443, 8443] },
        commands: { sandbox: 'unsandboxed' },
      }),
    ];
    for (let number = 0; number < 800; number++) {
      const call = { id: `u${number}`, ...callFor(random) };
      const result = lasting(checked(await routers[number % 2].call(call, { run: { id: 'run_1' } }), call));
      yield line(call.name, [call.arguments, withoutFolder(result, root)]);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function callFor(random) {
  const kind = random.below(4);
  if (kind < 2)
    return {
      name: 'run_shell',
      arguments: {
        command:
          random.list(3, () => random.pick(commands)).join(random.pick([' | ', ' && ', '; ', ' || ', '\n', ' '])) ||
          'ls',
      },
    };
  if (kind === 2)
    return { name: 'fetch_url', arguments: { url: random.chance(0.8) ? random.pick(urls) : urlFor(random) } };
  return {
    name: 'links',
    arguments: { urls: random.list(3, () => (random.chance(0.5) ? random.pick(urls) : urlFor(random))) },
  };
}

function urlFor(random) {
  const scheme = random.pick(['https://', 'http://', 'HTTPS:\\\\', '//', 'https:', 'ftp://', 'javascript:']);
  const user = random.chance(0.1) ? 'u:p@' : '';
  const port = random.chance(0.3) ? random.pick([':443', ':80', ':8443', ':22', ':0', ':65536', ':', ':4e2']) : '';
  return `${scheme}${user}${random.pick(hosts)}${port}/${random.word()}`;
}

const commands = [
  ...[
    'ls',
    'ls -la',
    'cat a.txt',
    "cat 'a b.txt'",
    'cat "a$HOME"',
    'echo $(id)',
    'echo `id`',
    'rm -rf /',
    'rm a.txt',
    'git log',
    'git push',
  ],
  ...[
    'grep -r x .',
    'rg x',
    'find . -name x',
    'find . -exec rm {} +',
    'sed -i s/a/b/ a.txt',
    'cat a.txt > b.txt',
    'cat < a.txt',
    '2>&1',
    'x=1 ls',
  ],
  ...[
    'cat ../x',
    'cat /etc/passwd',
    'head -n1 a.txt',
    'wc -l a.txt',
    'sort -o b a',
    'env',
    'sudo ls',
    "'",
    '"',
    '\\',
    'ls \u00a0 x',
    'l\\s',
    'ls #c',
  ],
  ...[
    'echo {a,b}',
    'echo *',
    'echo ~',
    'echo [a-z]*',
    'echo !x',
    'cat <<E\nx\nE',
    'for i in 1; do ls; done',
    'if x; then y; fi',
    'ls &',
    '(ls)',
    '{ ls; }',
  ],
  ...[
    'python3 -c 1',
    'node -e 1',
    'xargs rm',
    'tee x',
    'echo Straße',
    'ｌｓ',
    'ls\u2028x',
    'cat a\0b',
    'ls \ud800',
    'a'.repeat(9_000),
    '',
    '   ',
    'ls;;',
    '|',
  ],
];

const hosts = [
  ...[
    'example.com',
    'EXAMPLE.com.',
    'sub.example.com',
    'bücher.example',
    'BÜCHER.example',
    'a.xn--bcher-kva.example',
    'faß.de',
    'xn--zca.de',
    'ſ.com',
  ],
  ...[
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '8.8.8.8',
    '10.0.0.1',
    '169.254.169.254',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[fe80::1]',
  ],
  ...[
    'localhost',
    'LOCALHOST',
    'a.localhost',
    'x.internal',
    'x.local',
    '例え.テスト',
    '☃.net',
    'a_b.com',
    '-a.com',
    'a..b',
    '',
    'ex ample.com',
    'ex%61mple.com',
  ],
  ...[
    'ｅｘａｍｐｌｅ.com',
    'example。com',
    'exa\u00admple.com',
    '1.2.3',
    '0',
    'xn--',
    'xn--a',
    `${'a'.repeat(64)}.com`,
    '👩‍👩‍👧.ws',
    '１２７.0.0.1',
    'ⅷ.com',
    'K.com',
  ],
];

const urls = [
  ...hosts.map((host) => `https://${host}/`),
  ...[
    '',
    'https://',
    'https:example.com',
    'data:text/plain,x',
    'file:///etc/passwd',
    'https://example.com:443/a/../b?q=ü#ä',
    ' https://example.com/ ',
  ],
  ...[
    'https://user:pw@example.com/',
    'https://example.com@evil.example/',
    'https://example.com\\@evil.example/',
    'https://exam\tple.com/',
    'HTTPS://EXAMPLE.COM/%2e%2e/',
  ],
];
