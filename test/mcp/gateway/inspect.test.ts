import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../src/cli/command-line.ts';
import type { Io } from '../../../src/cli/io.ts';
import type { Inspection } from '../../../src/mcp/gateway/inspect.ts';
import { parseGatewayConfig } from '../../../src/mcp/gateway/read-config.ts';
import { folderWith } from '../../cli/run-cli.ts';
import { officialServers } from './clients.ts';
import { script } from './serve.ts';

async function inspected(argv: readonly string[], cwd = '/') {
  const [stdout, stderr] = [new PassThrough().setEncoding('utf8'), new PassThrough().setEncoding('utf8')];
  const io: Io = { stdin: new PassThrough(), stdout, stderr, env: { PATH: process.env['PATH'] }, cwd };
  const status = await commandLine(['mcp', 'inspect', ...argv], io);
  return { status, stdout: (stdout.read() as string | null) ?? '', stderr: (stderr.read() as string | null) ?? '' };
}

const command = (says: object): readonly string[] => ['--', process.execPath, script, JSON.stringify(says)];

describe('callgate mcp inspect', () => {
  it('shows what the mode and the policy would do with each tool, and what it cannot know', async () => {
    const root = realpathSync(folderWith({}));
    const config = {
      mcpServers: { fs: officialServers.filesystem(root), other: { command: '/nowhere' } },
      roots: [root],
      mode: 'plan',
      guards: { 'fs.read_*': { paths: { path: 'read' }, permission: 'read' }, 'fs.edit_file': { permission: 'write' } },
      policy: {
        rules: [
          { decision: 'deny', tool: 'fs.read_media_file', name: 'text only' },
          { decision: 'allow', tool: 'fs.edit_file', arguments: { path: { path: 'notes/**' } } },
        ],
      },
    };
    const cwd = folderWith({ 'callgate.json': JSON.stringify(config) });
    const { stdout, status } = await inspected(['fs', '--json'], cwd);
    expect(status).toBe(0);
    const inspection = JSON.parse(stdout) as Inspection;
    const tools = Object.fromEntries(inspection.tools.map((tool) => [tool.name, tool]));
    expect(tools['fs.read_text_file']).toMatchObject({
      offered: true,
      decision: 'allow',
      by: 'mode plan',
      depends: false,
      arguments: ['path', 'tail', 'head'],
      annotations: { readOnly: true },
      guards: { paths: { path: 'read' }, permission: 'read' },
    });
    expect(tools['fs.read_media_file']).toMatchObject({ offered: false, decision: 'deny', by: 'text only' });
    expect(tools['fs.edit_file']).toMatchObject({ offered: true, decision: 'deny', by: 'mode plan', depends: true });
    expect(tools['fs.write_file']).toMatchObject({ offered: false, decision: 'deny', by: 'mode plan' });
    expect(Object.keys(tools).some((name) => name.startsWith('other.'))).toBe(false);
    // What is declared already is not proposed again, argument by argument.
    expect(inspection.guards['fs.read_text_file']).toBeUndefined();
    expect(inspection.guards).toMatchObject({
      'fs.read_multiple_files': { paths: { '/paths/*': 'read' } },
      'fs.edit_file': { paths: { path: 'write' } },
      'fs.move_file': { paths: { source: 'write', destination: 'write' }, permission: 'dangerous' },
      'fs.list_allowed_directories': { permission: 'read' },
    });
  });

  it('prints a block of guards that a configuration takes as it is', async () => {
    const { stdout } = await inspected(['--', ...commandOf(officialServers.filesystem('/'))]);
    expect(stdout).toMatch(/^server-filesystem secure-filesystem-server .*: 14 tools, mode ask\n/);
    expect(stdout).toMatch(/write_file +path +path, to write +likely +it is called "path"/);
    const { guards } = JSON.parse(stdout.slice(stdout.indexOf('{\n  "guards"'))) as { guards: object };
    const config = JSON.stringify({ mcpServers: { fs: { command: 'node' } }, guards });
    expect(parseGatewayConfig(config, { name: 'x', folder: '/', environment: {} }).guards).toEqual(guards);
  });

  it('with the guesses accepted, shows what would be decided then, and has nothing left to propose', async () => {
    const root = realpathSync(folderWith({}));
    const { args } = officialServers.filesystem(root);
    const shown = async (...options: string[]) => {
      const { status, stdout } = await inspected([
        '--root',
        root,
        '--json',
        ...options,
        '--',
        process.execPath,
        ...args,
      ]);
      expect(status).toBe(0);
      const { tools, guesses, guards } = JSON.parse(stdout) as Inspection;
      return { tool: (name: string) => tools.find((tool) => tool.name === name), guesses, guards };
    };
    const before = await shown();
    const after = await shown('--accept-guesses');
    expect(before.tool('write_file')).toMatchObject({ decision: 'ask', by: 'mode ask', guards: {} });
    expect(before.tool('read_text_file')).toMatchObject({ decision: 'ask', guards: {} });
    const levels = {
      read_text_file: ['allow', 'read'],
      edit_file: ['ask', 'dangerous'],
      write_file: ['ask', 'dangerous'],
    };
    for (const [name, [decision, permission]] of Object.entries(levels)) {
      const guards = { ...before.guards[name], permission };
      expect(after.tool(name)).toMatchObject({ decision, guards });
    }
    expect(before.guesses.length).toBeGreaterThan(10);
    expect(after).toMatchObject({ guesses: [], guards: {} });
  });

  it('shows guards that do not fit as faults, beside the tools, and ends with 2', async () => {
    const tools = [{ name: 'read', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }];
    const guards = { read: { paths: { pth: 'read' }, permission: 'read' }, raed: {} };
    const argv = ['--guards', join(folderWith({ 'guards.json': JSON.stringify(guards) }), 'guards.json')];
    const { status, stdout } = await inspected([...argv, ...command({ tools })]);
    expect(status).toBe(2);
    expect(stdout).toMatch(/^read +deny +no roots +read +pth +path$/m);
    expect(stdout).toMatch(
      /would be started:\n.*No tool matches "raed" of guards.*Did you mean read\?\n.*"pth".*Did you mean path\?/,
    );
    const { faults } = JSON.parse((await inspected(['--json', ...argv, ...command({ tools })])).stdout) as Inspection;
    expect(faults).toHaveLength(2);
  });

  it('says the same of roots that are not given as the log does, and nothing against guards for many tools', async () => {
    const server = officialServers.filesystem('/');
    const { stdout, stderr } = await inspected(['--accept-guesses', '--json', '--', ...commandOf(server)]);
    const { tools } = JSON.parse(stdout) as Inspection;
    const denied = tools.filter(({ decision, by }) => decision === 'deny' && by === 'no roots');
    expect(stderr).toContain(`14 tools; ${denied.length} are denied, since they take paths or commands and no roots`);
    expect(tools.filter((tool) => !denied.includes(tool))).toMatchObject([
      { name: 'list_allowed_directories', decision: 'allow' },
    ]);
    const guards = {
      'fs.read_*': { paths: { path: 'read' }, permission: 'read' },
      'fs.read_multiple_files': { paths: { '/paths/*': 'read' } },
    };
    // What is for other servers is not told of as if there were none.
    const config = {
      mcpServers: { fs: server, web: { command: '/nowhere', required: true } },
      guards: { ...guards, 'web.fetch': { urls: ['url'] } },
      policy: { rules: [{ decision: 'deny', tool: 'web.post' }] },
      stages: { rateLimit: { tools: ['web.*'], perHour: 1 } },
    };
    const named = await inspected(['fs'], folderWith({ 'callgate.json': JSON.stringify(config) }));
    expect(named.status).toBe(0);
    expect(named.stderr).not.toContain('web');
    expect(named.stdout).not.toMatch(/Schemas|do not fit/);
  });

  it.each([
    ['save.get', { path: { type: 'string' } }],
    ['get', { x: { type: 'string', description: `${'x'.repeat(3_000)} a file path` } }],
    ['run', { command: { type: 'str' }, url: {}, files: { type: 'list' } }],
  ])('proposes for %s %j what is declared when guesses are accepted', async (name, properties) => {
    const says = { tools: [{ name, inputSchema: { type: 'object', properties } }] };
    const shown = async (...options: string[]) =>
      JSON.parse((await inspected(['--json', ...options, ...command(says)])).stdout) as Inspection;
    const { guards = {} } = (await shown('--accept-guesses')).tools.find((tool) => tool.name === name) ?? {};
    const { commands, ...others } = guards;
    const listed = commands && { commands: Object.keys(commands) };
    expect((await shown()).guards[name] ?? {}).toEqual({ ...others, ...listed });
  });

  it('says what is wrong with schemas, and which tools are left out', async () => {
    const tools = [
      { name: 'odd', inputSchema: { type: 'object', propertis: { a: { type: 'string' } } } },
      { name: 'dict', inputSchema: { type: 'object', properties: { a: { type: 'dict' } } } },
      { name: 'pid', inputSchema: { type: 'object' } },
    ];
    const { stdout } = await inspected(command({ tools }));
    expect(stdout).toMatch(/Left out:\n +pid: it is listed twice/);
    expect(stdout).toMatch(/Schemas:[\s\S]* odd: .*propertis/);
    expect(stdout).toMatch(/ dict: parameters\/properties\/a: .*dict/);
  });

  it('lets nothing that a server says act on the terminal, nor look like something else', async () => {
    const acting = '\u001b[2J\u001b]0;owned\u0007\nwould  allow';
    const evil = `${acting}\u202Ecod.exe`;
    const tools = [
      { name: `a${evil}`, inputSchema: { type: 'object' } },
      {
        name: 'b',
        description: evil,
        inputSchema: { type: 'object', properties: { [`path${acting}`]: { type: 'string' } } },
      },
      { name: 'c', inputSchema: { type: 'object', properties: { [`path${evil}`]: { type: 'string' } } } },
    ];
    const { stdout, stderr } = await inspected(command({ name: evil, tools }));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).not.toMatch(/^would {2}allow/m);
    const { guards } = JSON.parse(stdout.slice(stdout.indexOf('{\n  "guards"'))) as {
      guards: Record<string, { paths: object }>;
    };
    expect(Object.keys(guards['b']?.paths ?? {})).toEqual([`path${acting}`]);
    expect(stdout).toMatch(/^ +c: its schema has names or values with characters that act or are hidden/m);
  });

  it('ends with 2 for a server that does not start, and says why', async () => {
    const dead = [process.execPath, '-e', 'console.error("no licence found"); process.exit(3)'];
    const { status, stderr, stdout } = await inspected(['--', ...dead]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('no licence found');
  });
});

function commandOf({ command: program, args }: { command: string; args: readonly string[] }): readonly string[] {
  return [program, ...args];
}
