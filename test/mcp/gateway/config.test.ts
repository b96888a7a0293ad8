import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/mcp/gateway/config.ts';
import { lineAndColumn, placeIn } from '../../../src/mcp/gateway/place.ts';
import { parseGatewayConfig, readGatewayConfig } from '../../../src/mcp/gateway/read-config.ts';
import { valueAt } from '../../../src/schema/pointer.ts';

const folder = mkdtempSync(join(tmpdir(), 'callgate-gateway-config-'));
writeFileSync(
  join(folder, 'rules.json'),
  '{"rules": [{"decision": "deny", "tool": "x"}], "modes": {"careful": {"default": "deny"}}}',
);

const environment = { TOKEN: 'hunter2-and-more', EMPTY: '', HOME: '/home/ada' };
const parse = (config: unknown) =>
  parseGatewayConfig(typeof config === 'string' ? config : JSON.stringify(config, null, 2), {
    name: 'callgate.json',
    folder,
    environment,
  });
const fs = { command: 'npx', args: ['-y', 'server-filesystem'] };

describe('a configuration of a gateway', () => {
  it('takes servers in the shape that clients have, relative to its folder', () => {
    const { servers, mode, roots, secrets } = parse({
      mcpServers: {
        fs: { ...fs, type: 'stdio', env: { DEBUG: '1' }, required: true },
        web: { url: 'https://example.com/mcp', headers: { Authorization: `Bearer \${TOKEN}` } },
        old: { command: 'gone', disabled: true },
      },
      roots: ['.'],
    });
    expect(servers).toEqual([
      { name: 'fs', required: true, source: { ...fs, env: { DEBUG: '1' }, cwd: folder } },
      {
        name: 'web',
        required: false,
        source: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer hunter2-and-more' } },
      },
    ]);
    expect(mode).toBe('ask');
    expect(roots).toEqual([folder]);
    expect(secrets).toEqual(['hunter2-and-more']);
  });

  it('puts variables in args, env, headers, in the forms that clients know', () => {
    const { servers } = parse({
      mcpServers: {
        fs: {
          command: 'node',
          args: [
            `\${TOKEN}`,
            `\${env:TOKEN}`,
            `\${NONE:-instead}`,
            `\${EMPTY:-instead}`,
            `$HOME \${ HOME }`,
            `\${NONE:-}`,
          ],
          env: { A: `x\${TOKEN}y` },
        },
      },
    });
    expect(servers[0]?.source).toMatchObject({
      args: ['hunter2-and-more', 'hunter2-and-more', 'instead', 'instead', `$HOME \${ HOME }`, ''],
      env: { A: 'xhunter2-and-morey' },
    });
  });

  it('keeps what servers are given as keys from ever leaving, and what is named', () => {
    const { secrets } = parse({
      mcpServers: { fs: { ...fs, env: { GITHUB_TOKEN: 'ghp_0123456789', LANG: 'C' } } },
      secrets: ['HOME'],
    });
    expect(secrets).toEqual(['ghp_0123456789', '/home/ada']);
  });

  it('takes a policy from a file, with its modes, or inline', () => {
    expect(parse({ mcpServers: { fs }, policy: 'rules.json', mode: 'careful' })).toMatchObject({
      policy: { rules: [{ decision: 'deny' }] },
      policyFile: join(folder, 'rules.json'),
      mode: 'careful',
    });
    const inline = parse({ mcpServers: { fs }, policy: { rules: [{ decision: 'ask' }] } });
    expect(inline.policy?.rules).toHaveLength(1);
    expect(inline.policyFile).toBeUndefined();
  });

  it('places the audit file', () => {
    expect(parse({ mcpServers: { fs }, stages: { audit: 'audit.jsonl' } }).stages.audit).toEqual({
      file: join(folder, 'audit.jsonl'),
    });
  });
});

describe('a configuration that cannot be used', () => {
  const rows: [problem: string, config: unknown, message: RegExp][] = [
    ['is no JSON', '{\n  "mcpServers": {,}\n}', /^callgate\.json:2:18 is not JSON: /],
    ['has a key twice', '{"mcpServers": {"a": {}, "a": {}}}', /^callgate\.json:1:26: the key "a" stands twice/],
    ['has no servers', {}, /^callgate\.json:1:1: \/mcpServers is required/],
    ['has an empty list of servers', { mcpServers: {} }, /^callgate\.json:2:3: "mcpServers" has no server/],
    ['has only disabled servers', { mcpServers: { a: { ...fs, disabled: true } } }, /has no server/],
    ['has an unknown key', { mcpServers: { fs }, guard: {} }, /json:\d+:3: .*guard.*did you mean "guards"\?/],
    ['is of another program', { servers: { fs } }, /mcpServers/],
    ['has rules in no policy', { mcpServers: { fs }, rules: [] }, /rules stand in "policy"/],
    ['has an unknown key in a server', { mcpServers: { fs: { comand: 'x' } } }, /json:4:7: .*did you mean "command"\?/],
    ['approves by itself', { mcpServers: { fs: { ...fs, autoApprove: [] } } }, /write a rule in "policy"/],
    ['has a server that is nowhere', { mcpServers: { fs: {} } }, /:3:5: a server has either a "command".* or a "url"/],
    ['has a server in two places', { mcpServers: { fs: { ...fs, url: 'http://a' } } }, /either a "command"/],
    ['has headers for a program', { mcpServers: { fs: { ...fs, headers: {} } } }, /"headers" has no effect/],
    ['has args for a URL', { mcpServers: { a: { url: 'http://a', args: [] } } }, /"args" has no effect/],
    ['contradicts itself', { mcpServers: { fs: { ...fs, type: 'http' } } }, /of the type "http" has a "url"/],

    ['has a URL of no use', { mcpServers: { a: { url: 'file:///etc/passwd' } } }, /one with http: or https:/],
    ['has a name with a dot', { mcpServers: { 'a.b': fs } }, /"a\.b" is no name for a server/],
    ['has a name with a terminal sequence', { mcpServers: { '\u001b[2J': fs } }, /no name for a server/],
    [
      'needs a variable that is not set',
      { mcpServers: { a: { ...fs, env: { A: `\${NONE}` } } } },
      /variable NONE is not/,
    ],
    ['inherits a variable', { mcpServers: { a: { ...fs, env: { A: `\${constructor}` } } } }, /constructor is not set/],
    ['keeps a secret that is not there', { mcpServers: { fs }, secrets: ['TOKN'] }, /TOKN is not set/],
    ['has a mistyped mode', { mcpServers: { fs }, mode: 'plann' }, /no mode "plann"\. Did you mean "plan"\?/],
    ['names a policy that is not there', { mcpServers: { fs }, policy: 'rule.json' }, /no policy rule\.json/],
    ['has a mistyped rule', { mcpServers: { fs }, policy: { rules: [{ decison: 'deny' }] } }, /decison/],
    ['has a root that is not there', { mcpServers: { fs }, roots: ['./gone'] }, /no folder \.\/gone/],
    [
      'has a guard of no use',
      { mcpServers: { fs }, guards: { '*': { paths: { path: 'reed' } } } },
      /must be one of "read"/,
    ],
    [
      'has a mistyped guard',
      { mcpServers: { fs }, guards: { '*': { path: { path: 'read' } } } },
      /did you mean "paths"/,
    ],
    ['has a timeout of 0', { mcpServers: { fs }, timeout: 0 }, /\/timeout must be/],
    ['has a stage that does not exist', { mcpServers: { fs }, stages: { audi: 'a' } }, /did you mean "audit"\?/],
  ];

  it.each(rows)('one that %s says where', (_problem, config, message) => {
    expect(() => parse(config)).toThrow(ConfigError);
    expect(() => parse(config)).toThrow(message);
  });

  it('is refused when the file is missing', () => {
    expect(() => readGatewayConfig(join(folder, 'none.json'), {})).toThrow('There is no configuration');
  });
});

it('a place in a text is where its pointer leads', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(), (value, spaces) => {
      const text = JSON.stringify(value, null, spaces % 4);
      const pointers: string[] = [];
      const visit = (inner: unknown, at: string): void => {
        pointers.push(at);
        if (typeof inner !== 'object' || inner === null) return;
        for (const [key, each] of Object.entries(inner)) {
          if (key !== '__proto__') visit(each, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
        }
      };
      visit(JSON.parse(text), '');
      for (const pointer of pointers) {
        const begins = text.slice(placeIn(text, pointer));
        const name = pointer.split('/').at(-1)?.replaceAll('~1', '/').replaceAll('~0', '~');
        const holder = valueAt(JSON.parse(text), pointer.slice(0, pointer.lastIndexOf('/')));
        const isMember = pointer !== '' && !Array.isArray(holder);
        const key = isMember ? JSON.stringify(name) : (JSON.stringify(valueAt(JSON.parse(text), pointer))[0] as string);
        expect(begins.startsWith(key)).toBe(true);
      }
    }),
    { numRuns: 100 },
  );
  expect(lineAndColumn('a\nbc', 3)).toBe('2:2');
});

it('the example in docs/mcp.md can be used as it is', () => {
  const docs = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');
  const example = [...docs.matchAll(/```json\n([\s\S]*?)```/g)]
    .map(([, text = '']) => text)
    .find((text) => text.includes('"$schema"'));
  const there = mkdtempSync(join(tmpdir(), 'callgate-gateway-docs-'));
  mkdirSync(join(there, 'notes'));
  const origin = { name: 'callgate.json', folder: there, environment: { WEB_TOKEN: 'secret-of-the-web' } };
  const { servers, roots, secrets, stages } = parseGatewayConfig(example ?? '', origin);
  expect(servers.map(({ name, required }) => [name, required])).toEqual([
    ['fs', true],
    ['web', false],
  ]);
  expect({ roots, secrets, audit: stages.audit?.file }).toEqual({
    roots: [join(there, 'notes')],
    secrets: ['secret-of-the-web'],
    audit: join(there, 'audit.jsonl'),
  });
});
