import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../src/cli/command-line.ts';
import type { Io } from '../../src/cli/io.ts';
import { serverNameOf } from '../../src/mcp/gateway/server-name.ts';
import { folderWith } from './run-cli.ts';

/** Runs a command line in this process. */
async function callgate(cwd: string, ...argv: string[]) {
  const [stdout, stderr] = [new PassThrough().setEncoding('utf8'), new PassThrough().setEncoding('utf8')];
  const io: Io = { stdin: new PassThrough(), stdout, stderr, env: { EMPTY: '' }, cwd };
  const status = await commandLine(argv, io);
  return { status, stdout: (stdout.read() as string | null) ?? '', stderr: (stderr.read() as string | null) ?? '' };
}

const files = {
  'callgate.json': JSON.stringify({ mcpServers: { fs: { command: 'node' } }, mode: 'plan' }),
  'broken.json': '{\n  "mcpServers": {\n',
  'guards.json': '{"guards": {"*": {"paths": {"path": "reed"}}}}',
  'rules.json': '{"rules": [{"decison": "deny"}]}',
};

describe('a command line that cannot be used starts nothing and says why', () => {
  const rows: [argv: string[], message: RegExp][] = [
    [['mcp'], /Say what to do: serve, wrap, inspect/],
    [['mcp', 'serv'], /mcp cannot serv\. Did you mean serve\?/],
    [['mcp', 'serve', '--confg', 'x'], /no option --confg\. Did you mean --config\?/],
    [['mcp', 'serve', '--config', 'none.json'], /There is no configuration none\.json/],
    [['mcp', 'serve', '--config', 'broken.json'], /broken\.json:3:1 is not JSON/],
    [['mcp', 'serve', 'fs'], /serve takes no argument fs/],
    [['mcp', 'serve', '--http', '99999'], /--http takes a port from 0 to 65535; it got "99999"/],
    [['mcp', 'serve', '--http=x'], /--http takes a port/],
    [['mcp', 'serve', '--http', '--token-env', 'EMPTY'], /variable EMPTY is not set/],
    [['mcp', 'serve', '--token-env', 'TOKEN'], /--token-env goes with --http/],
    [['mcp', 'wrap'], /Give the command of the server after --/],
    [['mcp', 'wrap', 'npx', 'server'], /command stands after --; got npx before it/],
    [['mcp', 'wrap', '--root', '.', '--', 'node'], /--root guards arguments that are declared as paths, and none is/],
    [['mcp', 'wrap', '--mode', 'aks', '--', 'node'], /no mode "aks"\. Did you mean "ask"\?/],
    [['mcp', 'wrap', '--guards', 'none.json', '--', 'node'], /There are no guards none\.json/],
    [['mcp', 'wrap', '--guards', 'guards.json', '--', 'node'], /paths\/path must be one of "read", "write"/],
    [['mcp', 'wrap', '--guards', 'broken.json', '--', 'node'], /broken\.json:3:1 is not JSON/],
    [['mcp', 'wrap', '--policy', 'rules.json', '--', 'node'], /decison/],
    [['mcp', 'wrap', '--accept-guesses', '--root', 'gone', '--', 'node'], /no folder .*gone/],
    [['mcp', 'inspect'], /Say which server/],
    [['mcp', 'inspect', 'fss'], /no server "fss"\. Did you mean fs\?/],
    [['mcp', 'inspect', 'fs', 'web'], /One server at a time/],
    [['mcp', 'inspect', 'fs', '--', 'node'], /One server at a time/],
    [['mcp', 'inspect', 'fs', '--mode', 'auto'], /--mode stands in the configuration/],
    [['mcp', 'inspect', '--'], /Give the command of the server/],
  ];

  it.each(rows)('%j', async (argv, message) => {
    const { status, stdout, stderr } = await callgate(folderWith(files), ...argv);
    expect(stderr).toMatch(message);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });

  it('a folder without a configuration says how to name one', async () => {
    const folder = folderWith({});
    expect((await callgate(folder, 'mcp', 'serve')).stderr).toMatch(/no callgate\.json in this folder/);
    expect((await callgate(folder, 'mcp', 'inspect', 'fs')).stderr).toMatch(/callgate mcp inspect -- fs/);
  });
});

it.each([[['mcp', '--help']], [['mcp', 'serve', '-h']], [['mcp', 'wrap', '-h']], [['mcp', 'inspect', '-h']]])(
  '%j prints how it is used',
  async (argv) => {
    const { status, stdout } = await callgate('/', ...argv);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: callgate mcp /);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(125);
  },
);

it.each([
  ['server-filesystem', ['npx', '-y', '@modelcontextprotocol/server-filesystem@2026.8.31', '/data']],
  ['server-git', ['uvx', 'mcp-run/server-git']],
  ['mcp-server-fetch', ['uv', 'tool', 'run', 'mcp-server-fetch']],
  ['server', ['node', '/home/ada/server/dist/index.js', '--port', '1']],
  ['tool', ['/opt/tool.sh']],
  ['node', ['node']],
  ['server', []],
])('a server is called %s when it is started by %j', (name, command) => {
  expect(serverNameOf(command)).toBe(name);
});
