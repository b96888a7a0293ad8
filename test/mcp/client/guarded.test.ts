import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createRegistry, createRouter } from '../../../src/index.ts';
import { type GuardDeclaration, mcpTools } from '../../../src/mcp/index.ts';
import type { ApprovalRequest } from '../../../src/policy/index.ts';
import { listed, type PlayedServer, play } from './played-server.ts';

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'callgate-guarded-')));
const root = join(base, 'root');
const other = join(base, 'other');
for (const folder of [join(root, 'sub'), other]) fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(join(root, 'a.txt'), 'a');
fs.writeFileSync(join(base, 'secret'), 's');
fs.symlinkSync('../secret', join(root, 'out'));
fs.symlinkSync('a.txt', join(root, 'in'));
fs.symlinkSync(root, join(base, 'link'));
afterAll(() => fs.rmSync(base, { recursive: true }));

type Sent = (args: object) => Promise<unknown>;

/** What the server is sent for a call, or the failure's code and reason. */
async function guarding(
  declaration: GuardDeclaration,
  options: object = {},
  inputSchema: object = { type: 'object' },
): Promise<{ sent: Sent; server: PlayedServer; asked: ApprovalRequest[] }> {
  const registry = createRegistry();
  const server = await play({ tools: [listed('t', { inputSchema })] });
  await mcpTools(server.client, { name: 's', registry, guards: { 's.*': declaration } });
  const asked: ApprovalRequest[] = [];
  const router = createRouter({
    registry,
    mode: 'trusted',
    roots: [root, { path: other, access: 'read' }],
    approve: (request: ApprovalRequest) => {
      asked.push(request);
      return true;
    },
    ...options,
  });
  const sent: Sent = async (args) => {
    server.received.length = 0;
    const result = await router.call({ name: 's.t', arguments: args });
    if (result.ok) return server.received.at(-1)?.params?.['arguments'];
    expect(server.received).toEqual([]);
    return [result.code, (result.details as { reason?: unknown }).reason];
  };
  return { sent, server, asked };
}

describe('a path argument of a foreign tool', () => {
  test.each([
    ['a.txt', 'a.txt'],
    ['./sub/../a.txt', 'a.txt'],
    ['in', 'a.txt'],
    ['.', ''],
    ['sub/none/new.txt', 'sub/none/new.txt'],
    [join(base, 'link', 'a.txt'), undefined],
    [join(root, 'a.txt'), 'a.txt'],
  ])('%s is sent as an absolute and canonical path', async (path, expected) => {
    const { sent } = await guarding({ paths: { path: 'read' } });
    const answer = await sent({ path, other: path });
    if (expected === undefined) expect(answer).toEqual(['path_denied', 'outside']);
    else expect(answer).toEqual({ path: join(root, expected), other: path });
  });

  test.each([
    ['../secret', 'outside'],
    ['out', 'escape'],
    ['/etc/passwd', 'outside'],
    ['file:///etc/passwd', expect.anything()],
    ['~/x', 'tilde'],
    ['a\u0000b', expect.anything()],
    [['a.txt'], expect.anything()],
    [{ toString: 'a.txt' }, expect.anything()],
  ])('%j never reaches the server', async (path, reason) => {
    const { sent } = await guarding({ paths: { path: 'read' } });
    expect(await sent({ path })).toEqual(['path_denied', reason]);
  });

  test('is guarded in lists and below, and also where the schema does not speak of it', async () => {
    const { sent } = await guarding({ paths: { '/paths/*': 'read', '/edits/*/file': 'write' } });
    expect(await sent({ paths: ['a.txt', 'in'], edits: [{ file: 'sub/x', text: '../secret' }] })).toEqual({
      paths: [join(root, 'a.txt'), join(root, 'a.txt')],
      edits: [{ file: join(root, 'sub/x'), text: '../secret' }],
    });
    expect(await sent({ paths: ['a.txt', '../secret'] })).toEqual(['path_denied', 'outside']);
    expect(await sent({ edits: [{ file: 'out' }] })).toEqual(['path_denied', 'symlink-leaf']);
    expect(await sent({})).toEqual({});
    expect(await sent({ paths: null })).toEqual({ paths: null });
  });

  test.each([
    [{ paths: '../secret' }],
    [{ paths: { 0: '../secret' } }],
    [{ edits: '../secret' }],
    [{ edits: ['../secret'] }],
    [{ edits: [[{ file: '../secret' }]] }],
    [{ edits: { file: '../secret' } }],
  ])('that the guard cannot see for its form is not sent: %j', async (args) => {
    const { sent } = await guarding({ paths: { '/paths/*': 'read', '/edits/*/file': 'write' } });
    expect(await sent(args)).toEqual(['path_denied', 'unchecked']);
    const urls = await guarding({ urls: ['/paths/*', '/edits/*/file'] });
    expect(await urls.sent(args)).toEqual(['url_denied', 'unchecked']);
  });

  test('may be written to only where that is allowed', async () => {
    const write = await guarding({ paths: { path: 'write' } });
    expect(await write.sent({ path: 'sub/new' })).toEqual({ path: join(root, 'sub/new') });
    expect(await write.sent({ path: join(other, 'new') })).toEqual(['path_denied', 'read-only']);
    expect(await write.sent({ path: '.bashrc' })).toEqual(['path_denied', 'protected']);
    const read = await guarding({ paths: { path: 'read' } });
    expect(await read.sent({ path: join(other, 'new') })).toEqual({ path: join(other, 'new') });
  });

  test('that has become a link out of the root while somebody was asked is not sent', async () => {
    const file = join(root, 'swapped');
    fs.writeFileSync(file, 'x');
    const { sent } = await guarding(
      { paths: { path: 'read' } },
      {
        mode: 'ask',
        approve: () => {
          fs.rmSync(file);
          fs.symlinkSync('../secret', file);
          return true;
        },
      },
    );
    expect(await sent({ path: 'swapped' })).toEqual(['path_denied', 'escape']);
  });

  test('is shown to whoever is asked, with its effect', async () => {
    const { sent, asked } = await guarding({ paths: { path: 'write' } }, { mode: 'ask' });
    await sent({ path: 'in' });
    expect(asked[0]).toMatchObject({
      arguments: { path: 'a.txt' },
      effects: [{ kind: 'fs.write', path: join(root, 'a.txt') }],
    });
  });
});

describe('a URL argument of a foreign tool', () => {
  test('is sent in canonical form, or not at all', async () => {
    const { sent } = await guarding({ urls: ['url'] }, { urls: { allow: ['example.com'] } });
    expect(await sent({ url: 'HTTPS://EXAMPLE.com:443/a/../b' })).toEqual({ url: 'https://example.com/b' });
    for (const url of [
      'http://127.0.0.1/',
      'http://evil.example/',
      'file:///etc/passwd',
      'http://example.com@evil.example/',
    ]) {
      expect(await sent({ url })).toEqual(['url_denied', expect.anything()]);
    }
  });
});

describe('a command of a foreign tool', () => {
  test('is asked about in every mode and sent as it was written', async () => {
    const { sent, asked } = await guarding({ commands: ['command'] }, { commands: { sandbox: 'unsandboxed' } });
    expect(await sent({ command: 'ls  -l' })).toEqual({ command: 'ls  -l' });
    expect(asked).toMatchObject([{ effects: [{ kind: 'exec', argv: ['ls', '-l'] }] }]);
    // What a shell might read in another way is refused where nothing but its text holds it.
    expect(await sent({ command: 'ls $(id)' })).toEqual(['command_denied', 'unparsed']);
  });
});
