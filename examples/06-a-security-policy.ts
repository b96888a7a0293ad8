// Who may do what: modes give the defaults, rules and policies make exceptions, the strictest wins, and a guard has
// found out what a call really touches before anybody judges it.
import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouter } from 'callgate';
import { deny, policy } from 'callgate/policy';
import { readFile, writeFile as writeFileTool } from 'callgate/tools';

const workspace = await mkdtemp(join(tmpdir(), 'callgate-policy-'));
await writeFile(join(workspace, 'notes.md'), 'buy milk');
await symlink('/etc', join(workspace, 'evil'));

// A policy is a function: a verdict, or nothing when it has no opinion. One that throws denies.
const officeHours = policy(function officeHours({ tool, state }) {
  const { hour } = state as { hour: number };
  return tool.permission === 'write' && (hour < 8 || hour > 18) ? deny('nobody is at work') : undefined;
});

const asked: unknown[] = [];
const router = createRouter({
  tools: [readFile, writeFileTool],
  roots: [workspace],
  mode: 'ask',
  state: { hour: 12 },
  rules: [
    { decision: 'deny', tool: 'write_*', when: ({ arguments: args }) => JSON.stringify(args).includes('password') },
  ],
  policies: [officeHours],
  approve: async ({ effects, arguments: args }) => {
    asked.push(effects[0]?.kind);
    // An approver may edit the arguments; they pass validation and the guards again.
    return { decision: 'allow', arguments: { ...(args as object), content: 'buy oat milk' } };
  },
});

const code = async (name: string, args: object, state = { hour: 12 }) => {
  const result = await router.call({ name, arguments: args }, { state });
  return result.ok ? 'ok' : `${result.code}: ${result.effect}`;
};

try {
  assert.equal(await code('read_file', { path: 'notes.md' }), 'ok');
  // What leads out of the root is stopped, however well the call is formed.
  assert.equal(await code('read_file', { path: '../../etc/passwd' }), 'path_denied: none');
  assert.equal(await code('read_file', { path: 'evil/passwd' }), 'path_denied: none');

  assert.equal(await code('write_file', { path: 'notes.md', content: 'buy milk' }), 'ok');
  assert.deepEqual(asked, ['fs.write']);
  const read = await router.call({ name: 'read_file', arguments: { path: 'notes.md' } });
  assert.match(JSON.stringify(read.data), /buy oat milk/);

  assert.equal(await code('write_file', { path: 'notes.md', content: 'password' }), 'denied: none');
  assert.equal(await code('write_file', { path: 'notes.md', content: 'x' }, { hour: 23 }), 'denied: none');

  // A mode changes the defaults, and never a denial.
  router.mode = 'trusted';
  assert.equal(await code('write_file', { path: 'notes.md', content: 'x' }), 'ok');
  assert.equal(await code('write_file', { path: 'notes.md', content: 'x' }, { hour: 23 }), 'denied: none');
} finally {
  await rm(workspace, { recursive: true });
}
