import fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRegistry, createRouter } from '../../../src/index.ts';
import { type GuardDeclarations, guessGuards, mcpTools } from '../../../src/mcp/index.ts';
import { toMcpResult } from '../../../src/mcp/results.ts';
import type { Router } from '../../../src/router.ts';

const require = createRequire(import.meta.url);
const programs = {
  everything: require.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  filesystem: require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
  memory: require.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
  'sequential-thinking': require.resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js'),
};

const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'callgate-official-')));
const outside = join(root, '..', `${root.split('/').at(-1)}-secret`);
const clients: Client[] = [];
beforeAll(() => {
  fs.mkdirSync(join(root, 'notes'));
  fs.writeFileSync(join(root, 'notes', 'a.txt'), 'first\nsecond\n');
  fs.writeFileSync(join(root, 'dot.png'), Buffer.from('iVBORw0KGgo=', 'base64'));
  fs.writeFileSync(outside, 'secret');
  fs.symlinkSync(outside, join(root, 'out'));
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  fs.rmSync(root, { recursive: true });
  fs.rmSync(outside);
});

/** An official server, its tools behind a router, and the bare connection to it. */
async function official(
  name: keyof typeof programs,
  args: string[],
  guards?: GuardDeclarations,
): Promise<{ client: Client; router: Router }> {
  const client = new Client({ name: 'test', version: '1' });
  const env = { MEMORY_FILE_PATH: join(root, 'memory.json') };
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [programs[name], ...args],
      cwd: root,
      env,
      stderr: 'ignore',
    }),
  );
  clients.push(client);
  const registry = createRegistry();
  await mcpTools(client, { name, registry, ...(guards && { guards }) });
  return { client, router: createRouter({ registry, roots: [root], mode: 'trusted' }) };
}

/** What the same call gives with and without a router in between. */
async function both(
  { client, router }: { client: Client; router: Router },
  server: string,
  tool: string,
  args: Record<string, unknown> = {},
): Promise<[unknown, unknown]> {
  const bare = await client.callTool({ name: tool, arguments: args });
  const result = await router.call({ name: `${server}.${tool}`, arguments: args });
  return [toMcpResult(result), bare];
}

describe.concurrent('the official servers answer through a router what they answer without', () => {
  test('everything', async () => {
    const server = await official('everything', ['stdio']);
    const calls: [string, Record<string, unknown>?][] = [
      ['echo', { message: 'hi' }],
      ['get-sum', { a: 2, b: 3 }],
      ['get-tiny-image'],
      ['get-structured-content', { location: 'Chicago' }],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      ['get-resource-links', { count: 3 }],
      ['trigger-long-running-operation', { duration: 0.02, steps: 2 }],
    ];
    for (const [tool, args] of calls) {
      const [through, bare] = await both(server, 'everything', tool, args);
      expect(through).toEqual(bare);
    }
    // What the server would answer to with an error is known here before it is asked.
    expect(await server.router.call({ name: 'everything.get-sum', arguments: { a: 'x' } })).toMatchObject({
      code: 'invalid_arguments',
      effect: 'none',
    });
  }, 60_000);

  test('memory', async () => {
    const server = await official('memory', []);
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes'] }];
    expect(await server.router.call({ name: 'memory.create_entities', arguments: { entities } })).toMatchObject({
      ok: true,
      data: { structuredContent: { entities } },
    });
    for (const [tool, args] of [
      ['read_graph', {}],
      ['search_nodes', { query: 'Ada' }],
      ['open_nodes', { names: ['none'] }],
      ['add_observations', { observations: [{ entityName: 'none', contents: [] }] }],
    ] as const) {
      const [through, bare] = await both(server, 'memory', tool, args);
      expect(through).toEqual(bare);
    }
  }, 60_000);

  test('sequential-thinking', async () => {
    const server = await official('sequential-thinking', []);
    const thought = { thought: 'so', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    const result = await server.router.call({ name: 'sequential-thinking.sequentialthinking', arguments: thought });
    expect(result).toMatchObject({
      ok: true,
      data: { structuredContent: { thoughtNumber: 1, thoughtHistoryLength: 1 } },
    });
  }, 60_000);

  test('filesystem, and nothing that leads out of the root reaches it', async () => {
    const server = await official('filesystem', [root], {
      'filesystem.*': { paths: { path: 'read', '/paths/*': 'read', source: 'write', destination: 'write' } },
      'filesystem.write_file': { paths: { path: 'write' } },
      'filesystem.edit_file': { paths: { path: 'write' } },
      'filesystem.create_directory': { paths: { path: 'write' } },
    });
    const { router } = server;
    const absolute = (path: string) => join(root, path);
    for (const [tool, args] of [
      ['read_text_file', { path: absolute('notes/a.txt') }],
      ['read_text_file', { path: absolute('notes/a.txt'), head: 1 }],
      ['read_media_file', { path: absolute('dot.png') }],
      ['read_multiple_files', { paths: [absolute('notes/a.txt'), absolute('notes/a.txt')] }],
      ['list_directory', { path: root }],
      ['directory_tree', { path: root }],
      ['search_files', { path: root, pattern: '*.txt' }],
      ['get_file_info', { path: absolute('notes/a.txt') }],
      ['write_file', { path: absolute('new.txt'), content: 'x' }],
      ['edit_file', { path: absolute('notes/a.txt'), edits: [{ oldText: 'first', newText: 'First' }], dryRun: true }],
      ['list_allowed_directories', {}],
    ] as [string, Record<string, unknown>][]) {
      const [through, bare] = await both(server, 'filesystem', tool, args);
      expect([tool, through]).toEqual([tool, bare]);
    }
    // Relative paths belong to the root, wherever the server's own folder is.
    expect(
      await router.call({ name: 'filesystem.read_text_file', arguments: { path: 'notes/../notes/a.txt' } }),
    ).toMatchObject({
      data: { structuredContent: { content: 'first\nsecond\n' } },
    });
    for (const path of [
      outside,
      '../../etc/passwd',
      'out',
      '/etc/passwd',
      '~/.ssh/id_rsa',
      'notes/\u0000',
      '/proc/self/environ',
    ]) {
      const read = await router.call({ name: 'filesystem.read_text_file', arguments: { path } });
      expect([path, read.ok || read.code]).toEqual([path, 'path_denied']);
      const several = await router.call({
        name: 'filesystem.read_multiple_files',
        arguments: { paths: ['notes/a.txt', path] },
      });
      expect([path, several.ok || several.code]).toEqual([path, 'path_denied']);
    }
    const move = await router.call({
      name: 'filesystem.move_file',
      arguments: { source: 'new.txt', destination: '../moved.txt' },
    });
    expect(move).toMatchObject({ ok: false, code: 'path_denied', effect: 'none' });
    expect(
      await router.call({ name: 'filesystem.write_file', arguments: { path: '.git/config', content: '' } }),
    ).toMatchObject({
      code: 'path_denied',
      details: { reason: 'protected' },
    });
  }, 60_000);
});

test('guesses for the filesystem server name every argument that is a path, with what is done there', async () => {
  const { router } = await official('filesystem', [root]);
  const { guesses, guards } = guessGuards(router.registry.list());
  expect(guesses.every(({ kind, reason }) => kind === 'path' && reason !== '')).toBe(true);
  const read = { paths: { path: 'read' } };
  const write = { paths: { path: 'write' } };
  expect(guards).toEqual({
    'filesystem.read_file': read,
    'filesystem.read_text_file': read,
    'filesystem.read_media_file': read,
    'filesystem.read_multiple_files': { paths: { '/paths/*': 'read' } },
    'filesystem.write_file': write,
    'filesystem.edit_file': write,
    'filesystem.create_directory': write,
    'filesystem.list_directory': read,
    'filesystem.list_directory_with_sizes': read,
    'filesystem.directory_tree': read,
    'filesystem.move_file': { paths: { source: 'write', destination: 'write' } },
    'filesystem.search_files': read,
    'filesystem.get_file_info': read,
  });
}, 60_000);
