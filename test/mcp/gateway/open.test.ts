import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfigError } from '../../../src/mcp/gateway/config.ts';
import { openGateway } from '../../../src/mcp/gateway/open.ts';
import { parseGatewayConfig } from '../../../src/mcp/gateway/read-config.ts';
import { folderWith } from '../../cli/run-cli.ts';
import { script } from './serve.ts';

it('what a configuration names and no server has is told of; guards of other servers are not', async () => {
  const lines: string[] = [];
  const server = { command: process.execPath, args: [script] };
  const text = JSON.stringify({
    mcpServers: { a: server, b: server },
    guards: {
      'a.pid': { permission: 'read' },
      'b.*': { permission: 'read' },
      'b.*pdi': { permission: 'read' },
      'c.*': {},
    },
    stages: {
      concurrency: { perTool: { 'a.pid': 1, 'a.pdi': 1 } },
      retry: { safe: ['b.h*', 'b.hagn'] },
      rateLimit: { perHour: 1, tools: ['a.*', 'd.*'] },
    },
  });
  const config = parseGatewayConfig(text, { name: 'callgate.json', folder: folderWith({}), environment: process.env });
  const gateway = await openGateway(config, { report: (line) => lines.push(line) });
  await gateway.close();
  expect(lines.sort()).toEqual([
    '"c.*" of guards is for a server that is not there',
    '[b] No tool matches "b.*pdi" of guards, which guards nothing. Did you mean b.pid?',
    'a: 4 tools',
    'b: 4 tools',
    'concurrency({ perTool }) names "a.pdi", which stands for none of the tools. Did you mean a.pid?',
    'rateLimit.tools names "d.*", which stands for none of the tools.',
    'retry.safe names "b.hagn", which stands for none of the tools. Did you mean b.hang?',
  ]);
});

it('a guard that does not fit keeps everything from being started, and all of them are told of', async () => {
  const diary = join(folderWith({}), 'diary');
  const tools = [{ name: 'read', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }];
  const server = { command: process.execPath, args: [script, JSON.stringify({ tools, diary })] };
  const guards = { 'a.raed': {}, 'b.read': { paths: { pth: 'read' }, permission: 'read' } };
  const text = JSON.stringify({ mcpServers: { a: server, b: server, c: server }, guards });
  const config = parseGatewayConfig(text, { name: 'callgate.json', folder: folderWith({}), environment: process.env });
  await expect(openGateway(config, { report: () => {} })).rejects.toThrow(
    new ConfigError(
      'No tool matches "a.raed" of guards, which guards nothing. Did you mean a.read? No tool that "b.read" of guards ' +
        'matches has an argument "pth": its parameters have no such property. They are: path. Did you mean path? ' +
        'Nothing was started.',
    ),
  );
  expect(readFileSync(diary, 'utf8')).toBe('end\nend\nend\n');
});

it('guards for a server that is not there are told of, with the name that was meant', async () => {
  const lines: string[] = [];
  const server = { command: process.execPath, args: [script] };
  const guards = { 'everythnig.*': {}, pid: {}, 'everythign.pid': {}, 'other.pid': {}, '*.pdi': {} };
  const text = JSON.stringify({ mcpServers: { everything: server }, guards });
  const config = parseGatewayConfig(text, { name: 'callgate.json', folder: folderWith({}), environment: process.env });
  const gateway = await openGateway(config, { report: (line) => lines.push(line) });
  await gateway.close();
  expect(lines.sort()).toEqual([
    '"everythign.pid" of guards is for a server that is not there; did you mean everything.pid?',
    '"everythnig.*" of guards is for a server that is not there; did you mean everything.*?',
    '"other.pid" of guards is for a server that is not there',
    '"pid" of guards is for a server that is not there; did you mean everything.pid?',
    '[everything] No tool matches "*.pdi" of guards, which guards nothing.',
    'everything: 4 tools',
  ]);
});

it('a gateway that is closed answers the calls under way, and takes no more', async () => {
  const text = JSON.stringify({ mcpServers: { s: { command: process.execPath, args: [script] } }, mode: 'trusted' });
  const config = parseGatewayConfig(text, { name: 'callgate.json', folder: folderWith({}), environment: process.env });
  const gateway = await openGateway(config, { report: () => {} });
  const { router } = gateway;
  const underWay = router.call({ name: 's.hang' });
  expect(await router.call({ name: 's.pid' })).toMatchObject({ ok: true });
  const closed = gateway.close();
  expect(await router.call({ name: 's.pid' })).toMatchObject({
    error: 'This router has been closed and takes no more calls.',
  });
  expect(await underWay).toMatchObject({
    code: 'aborted',
    error: 'The call was stopped, since its router was closed.',
  });
  await closed;
  await gateway.close();
});
