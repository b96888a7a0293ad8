// The tools of an MCP server behind a router: its path arguments are checked as if they were our own, its results come as
// every other, and what it says of itself counts for nothing until somebody has agreed.
import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegistry, createRouter } from 'callgate';
import { guessGuards, mcpTools } from 'callgate/mcp';
import { memoryIdentities } from 'callgate/policy';

const workspace = await realpath(await mkdtemp(join(tmpdir(), 'callgate-example-')));
await writeFile(join(workspace, 'plan.txt'), 'Buy bread.\n');
await symlink('/etc/hostname', join(workspace, 'shortcut'));

// Any server will do; in a project of yours this is { command: 'npx', args: ['-y', 'some-server', './workspace'] }.
const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

const registry = createRegistry();
const files = await mcpTools(
  { command: process.execPath, args: [program, workspace] },
  {
    name: 'fs',
    registry,
    allow: ['read_text_file', 'write_file', 'list_directory'],
    guards: {
      'fs.*': { paths: { path: 'read' }, permission: 'read' },
      'fs.write_file': { paths: { path: 'write' }, permission: 'write' },
    },
  },
);
assert.deepEqual(files.tools, ['fs.read_text_file', 'fs.write_file', 'fs.list_directory']);

// Guesses say which arguments want a guard; they are for a person to look at.
assert.deepEqual(guessGuards(registry.list()).guards['fs.write_file'], { paths: { path: 'write' } });

const asked: string[] = [];
const router = createRouter({
  registry,
  roots: [workspace],
  identities: { store: memoryIdentities(), firstUse: 'trust' },
  approve: ({ tool, effects }) => {
    asked.push(`${tool} ${effects.map((effect) => effect.kind)}`);
    return true;
  },
});

// The model writes a path of the workspace; the server, which has a folder of its own, gets an absolute one.
const read = await router.call({ name: 'fs.read_text_file', arguments: { path: './plan.txt' } });
assert.ok(read.ok);
assert.deepEqual((read.data as { structuredContent: unknown }).structuredContent, { content: 'Buy bread.\n' });

// What leads out never reaches the server, whatever that would have done with it.
for (const path of ['../../etc/passwd', '/etc/passwd', 'shortcut', '~/.ssh/id_rsa']) {
  const refused = await router.call({ name: 'fs.read_text_file', arguments: { path } });
  assert.equal(refused.ok || refused.code, 'path_denied');
}

// Writing asks, and the question names the real file.
const written = await router.call({ name: 'fs.write_file', arguments: { path: 'done.txt', content: 'Bread bought.' } });
assert.ok(written.ok);
assert.deepEqual(asked, ['fs.write_file fs.write']);

// What the server itself says went wrong is an ordinary failure.
const missing = await router.call({ name: 'fs.read_text_file', arguments: { path: 'none.txt' } });
assert.equal(missing.ok || missing.code, 'tool_error');

await files.close();
assert.equal(registry.size, 0);
await rm(workspace, { recursive: true });
console.log('guarded:', files.serverInfo?.name);
