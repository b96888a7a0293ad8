import { createRegistry, createRouter, defaultPipeline } from 'callgate';
import { serveMcpHttp, serveMcpStdio, strayPaths } from 'callgate/mcp';
import { audit, budget, commandGuard, isolate, normalize, pathGuard, permission, urlGuard } from 'callgate/middleware';
import { fileStore, resume, rules, type SignedDecision, signDecision } from 'callgate/policy';
import { echo } from 'callgate/tools';
import { describe, expect, test } from 'vitest';
import { mcpTools } from '../src/mcp/client/mcp-tools.ts';

// What a program without type checks, or with a `!`, gives: the value of a variable that is not set.
const unset = process.env['CALLGATE_TEST_IS_NEVER_SET'] as never;
const roots = ['./test'];
const registry = createRegistry();
const server = { command: 'false' };

describe('what closes something is not left open by a value that is missing', () => {
  const whole = { createRouter, defaultPipeline };
  const options = ['rules', 'policies', 'identities', 'secrets', 'pathGuard', 'urls'];

  test.each<[string, string, () => unknown]>([
    ...Object.entries(whole).flatMap(([name, make]) =>
      options.map((option): [string, string, () => unknown] => [name, option, () => make({ [option]: unset })]),
    ),
    ['createRouter', 'allowed', () => createRouter({ allowed: unset })],
    ['registry.add', 'source', () => registry.add(echo, { source: unset })],
    ['permission', 'rules', () => permission({ rules: unset })],
    ['permission', 'policies', () => permission({ policies: unset })],
    ['permission', 'identities', () => permission({ identities: unset })],
    ['normalize', 'secrets', () => normalize({ secrets: unset })],
    ['normalize', 'patterns', () => normalize({ patterns: unset })],
    ['audit', 'secrets', () => audit(console.error, { secrets: unset })],
    ['urlGuard', 'allow', () => createRouter({ urls: { allow: unset } })],
    ['urlGuard', 'deny', () => urlGuard({ deny: unset })],
    ['pathGuard', 'allow', () => createRouter({ roots, pathGuard: { allow: unset } })],
    ['pathGuard', 'deny', () => pathGuard({ roots, deny: unset })],
    ['commandGuard', 'deny', () => commandGuard({ roots, deny: unset })],
    ['strayPaths', 'deny', () => strayPaths({ roots, deny: unset })],
    ['budget', 'calls', () => budget({ calls: unset })],
    ['budget', 'perTool', () => budget({ calls: 1, perTool: unset })],
    ['isolate', 'launcher', () => isolate({ launcher: unset })],
    ['mcpTools', 'allow', () => mcpTools(server, { name: 'a', registry, allow: unset })],
    ['mcpTools', 'deny', () => mcpTools(server, { name: 'a', registry, deny: unset })],
    ['mcpTools', 'guards', () => mcpTools(server, { name: 'a', registry, guards: unset })],
    ['serveMcpHttp', 'token', () => serveMcpHttp(createRouter({}), { token: unset })],
  ])('%s({ %s })', async (owner, option, make) => {
    await expect((async () => make())()).rejects.toThrow(`${owner}({ ${option} }) is undefined`);
  });

  test.each<[string, () => unknown]>([
    ['Every entry of `secrets` must be a text', () => createRouter({ secrets: [unset] })],
    ['"send_mail" must be a whole number', () => budget({ perTool: { send_mail: unset } })],
    ['A token of serveMcpHttp()', () => serveMcpHttp(createRouter({}), { token: { ada: unset } })],
    ['A token of serveMcpHttp()', () => serveMcpHttp(createRouter({}), { token: '' })],
    ['must name at least one folder', () => pathGuard({ roots: unset })],
    ['env.TOKEN must be a text', () => mcpTools({ ...server, env: { TOKEN: unset } }, { name: 'a', registry })],
    [
      'headers.Authorization must be a text',
      () => mcpTools({ url: 'http://127.0.0.1:1', headers: { Authorization: unset } }, { name: 'a', registry }),
    ],
    ['at least 32 bytes', () => signDecision({} as never, 'allow', unset)],
  ])('%s', async (message, make) => {
    await expect((async () => make())()).rejects.toThrow(message);
  });

  test.each([
    'tool',
    'tag',
    'level',
    'source',
    'annotations',
    'mode',
    'arguments',
    'only',
    'identity',
    'effects',
    'when',
  ])('a condition of a rule: %s', (condition) => {
    const rule = { decision: 'allow' as const, [condition]: unset };
    expect(() => rules([rule])).toThrow(`Rule 0: ${condition} is undefined`);
  });

  test('a decision is looked at only with a key', async () => {
    const result = await resume(createRouter({}), {} as SignedDecision, { store: fileStore('.'), key: unset });
    expect(result).toMatchObject({ code: 'internal', error: expect.stringContaining('at least 32 bytes') });
  });
});

test('what is safe by itself may be undefined', async () => {
  createRouter({ roots: unset, mode: unset, approve: unset, approvals: unset, timeout: unset, principal: unset });
  urlGuard({ privateAddresses: unset, ports: unset });
  pathGuard({ roots, allowProtected: unset, symlinks: unset });
  rules([{ decision: 'deny', tool: 'send', reason: unset, name: unset }]);
  const serving = await serveMcpStdio(createRouter({}), { approvals: unset });
  await serving.close();
});
