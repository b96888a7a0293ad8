import { existsSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { ended, folderWith, main, start } from '../../cli/run-cli.ts';
import { connect, overStdio } from './clients.ts';
import { script } from './serve.ts';

function folder(): string {
  const server = { command: process.execPath, args: [script] };
  return folderWith({ 'callgate.json': JSON.stringify({ mcpServers: { s: server, t: server }, mode: 'trusted' }) });
}

const pidIn = (result: Record<string, unknown>): number => Number(JSON.stringify(result['content']).match(/\d+/)?.[0]);
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}/stat`);

async function gone(pids: readonly number[]): Promise<boolean> {
  for (const begun = Date.now(); Date.now() - begun < 10_000; ) {
    if (!pids.some(isAlive)) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

/** What ends a process; each of them takes its time. */
const signals: readonly NodeJS.Signals[] =
  process.env['CALLGATE_FULL'] === undefined ? ['SIGTERM'] : ['SIGTERM', 'SIGINT', 'SIGKILL'];

it.skipIf(process.platform !== 'linux').each(signals)(
  'ended by %s, as a process, it leaves no server behind',
  async (signal) => {
    const transport = overStdio('2.x', { command: process.execPath, args: [main, 'mcp', 'serve'], cwd: folder() });
    const driver = await connect('2.x', transport);
    const pids = [pidIn(await driver.call('s.pid')), pidIn(await driver.call('t.pid'))];
    const hanging = driver.call('s.hang').catch(() => {});
    process.kill(transport.pid as number, signal);
    await hanging;
    expect(await gone([...pids, transport.pid as number])).toBe(true);
    await driver.close();
  },
);

it('serves over HTTP, with a token, until it is told to end', async () => {
  const env = { GATE_TOKEN: 'a-token-of-more-than-sixteen-letters' };
  const child = start(['mcp', 'serve', '--http', '--token-env', 'GATE_TOKEN'], { cwd: folder(), env });
  const done = ended(child);
  const url = await new Promise<string>((resolve, reject) => {
    void done.then(({ stderr }) => reject(new Error(stderr)));
    child.stderr.on('data', (text: string) => {
      const found = /serving on (\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const headers = { Authorization: `Bearer ${env.GATE_TOKEN}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  const pid = pidIn(await client.callTool({ name: 's.pid', arguments: {} }));
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  await client.close();
  child.kill('SIGTERM');
  expect((await done).status).toBe(143);
  expect(await gone([pid])).toBe(true);
});

it('what cannot be served ends with 2 and says why, with no server left', async () => {
  const env = { GATE_TOKEN: 'short' };
  const child = start(['mcp', 'serve', '--http', '--token-env', 'GATE_TOKEN'], { cwd: folder(), env });
  expect(await ended(child)).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/cannot be served: .*16 characters/),
  });
  const open = start(['mcp', 'serve', '--http', '--host', '0.0.0.0'], { cwd: folder() });
  expect(await ended(open)).toMatchObject({ status: 2, stderr: expect.stringMatching(/only with a token/) });
});
