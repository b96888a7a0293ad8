import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { createRegistry, createRouter } from '../../../src/index.ts';
import { type McpLog, type McpServerConnection, type McpToolsOptions, mcpTools } from '../../../src/mcp/index.ts';
import type { Registry } from '../../../src/registry.ts';
import type { ToolResult } from '../../../src/result.ts';
import { fakeClock } from '../../../src/testing/fake-clock.ts';
import { isAlive } from '../../is-alive.ts';

const program = fileURLToPath(new URL('../../fixtures/mcp-odd-server.mjs', import.meta.url));
const parent = fileURLToPath(new URL('../../fixtures/mcp-parent.ts', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-mcp-')));
const open: McpServerConnection[] = [];
afterAll(async () => {
  await Promise.all(open.map((connection) => connection.close()));
  rmSync(folder, { recursive: true });
});

interface Started {
  readonly registry: Registry;
  readonly connection: McpServerConnection;
  readonly logs: McpLog[];
  call(name: string, args?: object, options?: object): Promise<ToolResult>;
}

async function start(manner: string, more: Partial<McpToolsOptions> = {}, source: object = {}): Promise<Started> {
  const registry = createRegistry();
  const logs: McpLog[] = [];
  const args = [program, ...manner.split(' ')];
  const connection = await mcpTools(
    { command: process.execPath, args, ...source },
    { name: 'odd', registry, onLog: (log) => logs.push(log), ...more },
  );
  open.push(connection);
  const router = createRouter({ registry, mode: 'trusted' });
  const call: Started['call'] = (name, args = {}, options) =>
    router.call({ name: `odd.${name}`, arguments: args }, options);
  return { registry, connection, logs, call };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.concurrent('a server that is a program', () => {
  test('gets a small environment, and the folder that it is told', async () => {
    process.env['CALLGATE_TEST_SECRET'] = 'hush';
    const { call } = await start('plain', {}, { env: { GIVEN: 'yes' }, cwd: folder });
    const { data } = await call('env');
    const names = Object.keys(JSON.parse(data as string) as object).sort();
    expect(names).toContain('GIVEN');
    expect(names).toContain('PATH');
    expect(names.filter((name) => !/^(GIVEN|HOME|LOGNAME|PATH|SHELL|TERM|USER)$/.test(name))).toEqual([]);
    expect((await call('cwd')).data).toBe(folder);
  });

  test('may print what it likes', async () => {
    const { call, connection, logs } = await start('plain');
    expect(await call('noise')).toMatchObject({ ok: true, data: 'noisy' });
    await until(() => connection.stderr.includes('larm'));
    expect(connection.stderr).toContain('a line that is no JSON');
    expect(logs.some(({ level }) => level === 'stderr')).toBe(true);
  });

  test('is heard to the last step of its progress', async () => {
    const { call, registry } = await start('plain');
    const told: unknown[] = [];
    const router = createRouter({ registry, mode: 'trusted' });
    router.on('progress', ({ data }) => told.push(data));
    await router.call({ name: 'odd.steps' });
    expect(told).toEqual([{ progress: 1 }, { progress: 2 }, { progress: 3 }]);
    expect(await call('echo', { value: 'ok' })).toMatchObject({ data: 'ok' });
  });

  test('may flood us with messages, and still gets its answer through', async () => {
    const { call, logs } = await start('plain');
    expect(await call('flood')).toMatchObject({ ok: true, data: 'flooded' });
    expect(logs.filter(({ level }) => level === 'info')).toHaveLength(3_000);
  });

  test('is ended when a message is too long', async () => {
    const { call, connection } = await start('plain', { maxMessageBytes: 10_000, restart: false });
    expect(await call('long', { bytes: 9_000 })).toMatchObject({ ok: true });
    expect(await call('long', { bytes: 11_000 })).toMatchObject({ code: 'unavailable', effect: 'unknown' });
    expect(connection.status).toBe('failed');
  });

  test('may be slow to read: what waits for it has an end, and is answered once it is read', async () => {
    const { call, connection } = await start('plain', { maxQueuedBytes: 100_000 });
    expect(await call('deaf', { ms: 500 })).toMatchObject({ data: 'deaf' });
    const value = 'x'.repeat(50_000);
    // The system keeps some of it as well.
    const calls = Array.from({ length: 20 }, () => call('echo', { value }));
    const results = await Promise.all(calls);
    const refused = results.filter(({ ok }) => !ok);
    expect(refused.length).toBeGreaterThan(5);
    expect(refused.length).toBeLessThan(20);
    expect(refused[0]).toMatchObject({
      code: 'unavailable',
      effect: 'none',
      retryable: true,
      error: expect.stringContaining('more than 100000 bytes wait for the server to read them'),
    });
    expect(await call('echo', { value: 1 })).toMatchObject({ data: '1' });
    expect(connection.status).toBe('connected');
  });

  test('that asks for ever and reads no answer is ended', async () => {
    const { call, connection, logs } = await start('plain', { maxQueuedBytes: 100_000, restart: false });
    expect(await call('nag')).toMatchObject({ code: 'unavailable', effect: 'unknown' });
    expect(connection.status).toBe('failed');
    expect(logs.map(({ data }) => data)).toContain('The server asks again and again and does not read the answers.');
  });

  test('that says nothing any more is ended', async () => {
    const { call, connection } = await start('plain', { restart: false });
    const pid = Number((await call('pid')).data);
    expect(await call('mute')).toMatchObject({ code: 'unavailable', effect: 'unknown' });
    await until(() => !isAlive(pid));
    expect(connection.status).toBe('failed');
  });

  test('may answer with what is nested deeper than anything can follow', async () => {
    const { call } = await start('plain');
    const deep = await call('deep');
    expect(deep.ok || deep.code).not.toBe('unknown_tool');
    expect(await call('echo', { value: 1 })).toMatchObject({ data: '1' });
  });

  test('is told the roots that the host names, and refused everything else', async () => {
    const { call } = await start('plain', { roots: [folder] });
    expect(JSON.parse((await call('roots')).data as string)).toEqual({
      roots: [{ uri: `file://${folder}`, name: expect.any(String) }],
    });
    expect((await call('sample')).data).toContain('-32601');
    const none = await start('plain');
    expect((await none.call('roots')).data).toContain('-32601');
  });

  test.each(['"method":"ping","params":[]', '"method":"ping","x":1', '"method":"roots/list","params":{"_meta":[]}'])(
    'is answered at once also when what it asks is no request (%s)',
    async (members) => {
      const { call } = await start('plain');
      expect((await call('rubbish', { members })).data).toContain('-32600');
    },
  );

  test('that ends when it is asked before it is greeted is greeted at once', async () => {
    const { call } = await start('strict');
    expect(await call('echo', { value: 1 })).toMatchObject({ data: '1' });
  });

  test.each([
    ['crash', 'cannot read the configuration'],
    ['silent', 'was not ready within 300 ms'],
    ['slow', 'was not ready within 300 ms'],
  ])('that cannot be greeted says why (%s), and is not left behind', async (manner, said) => {
    const registry = createRegistry();
    const starting = start(manner, { registry, connectTimeout: manner === 'crash' ? 10_000 : 300 });
    await expect(starting).rejects.toThrow(said);
    expect(registry.size).toBe(0);
  });

  test('that does not exist says so', async () => {
    await expect(start('plain', {}, { command: '/no/such/program' })).rejects.toThrow('ENOENT');
  });

  test('ends with its connection, and everything that it has started', async () => {
    const { call, connection } = await start('plain');
    const pids = [(await call('pid')).data, (await call('child')).data].map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    await connection.close();
    await until(() => !pids.some(isAlive));
    expect(connection.status).toBe('closed');
  });

  test('ends with its connection also when it does not want to', async () => {
    const { call, connection } = await start('stubborn');
    const pid = Number((await call('pid')).data);
    await connection.close();
    expect(isAlive(pid)).toBe(false);
  });

  test('ends with this process also when that is killed', async () => {
    const host = spawn(process.execPath, ['--import', 'tsx', parent, program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    host.stdout.on('data', (chunk) => {
      said += chunk;
    });
    await until(() => said.includes('\n'));
    const pid = Number(said);
    expect(isAlive(pid)).toBe(true);
    host.kill('SIGKILL');
    await until(() => !isAlive(pid));
  });
});

describe('a server that dies', () => {
  test('fails the calls under way, is away for a while, and comes back', async () => {
    const clock = fakeClock();
    const { call, connection, registry } = await start('plain', { clock });
    const first = (await call('pid')).data;
    const pending = call('hang');
    const killing = call('die');
    expect(await pending).toMatchObject({ code: 'unavailable', effect: 'unknown', retryable: true });
    expect(await killing).toMatchObject({ code: 'unavailable', effect: 'unknown' });
    expect(connection.status).toBe('reconnecting');
    expect(await call('echo')).toMatchObject({
      code: 'unavailable',
      effect: 'none',
      retryable: true,
      error: 'odd.echo is not available now: its server "odd" has ended and is being started again; try again later.',
    });
    const { version } = registry;
    await clock.advance(499);
    expect(connection.status).toBe('reconnecting');
    await clock.advance(1);
    await until(() => connection.status === 'connected');
    expect(registry.version).toBe(version);
    const second = (await call('pid')).data;
    expect(second).not.toBe(first);
    await connection.close();
    await until(() => !isAlive(Number(second)));
  });

  test('again and again is waited for longer and longer, and then given up', async () => {
    const clock = fakeClock();
    const file = join(folder, 'mortal');
    const { call, connection, logs } = await start(`mortal ${file}`, {
      clock,
      restart: { attempts: 3, maxDelay: 900 },
    });
    await call('die');
    for (const wait of [500, 900, 900]) {
      await until(() => logs.at(-1)?.data === `It has ended; it is started again in ${wait} ms.`);
      logs.length = 0;
      await clock.advance(wait);
    }
    await until(() => connection.status === 'failed');
    expect(connection.stderr).toContain('configuration');
    expect(await call('echo')).toMatchObject({ code: 'unavailable', effect: 'none', retryable: false });
    expect(clock.pending()).toEqual([]);
  });

  test('is not started again once its connection is closed, at whatever moment', async () => {
    const clock = fakeClock();
    const waiting = await start('plain', { clock });
    await waiting.call('die');
    await waiting.connection.close();
    expect(clock.pending()).toEqual([]);
    const starting = await start('plain', { clock });
    await starting.call('die');
    await clock.advance(500);
    await starting.connection.close();
    expect(starting.registry.size).toBe(0);
    expect(starting.connection.status).toBe('closed');
  });
});
