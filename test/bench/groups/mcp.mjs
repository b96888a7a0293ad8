import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { builtEntry } from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import { wallRow } from '../lib/rows.mjs';

/** The gateway beside a bare pass-through proxy on the same SDK, each in front of the same server, over stdio. */
export const title = 'mcp';

const calls = 1000;
const file = (path) => fileURLToPath(new URL(path, import.meta.url));

const servers = {
  everything: {
    what: 'the official server "everything"',
    args: [file('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js')],
  },
  smallest: { what: 'the smallest server there can be', args: [file('../mcp/echo.mjs')] },
};

async function connect(args) {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  const { name } = tools.find((tool) => /(?:^|\.)echo$/.test(tool.name));
  return { client, name };
}

/** 1,000 calls, so many at a time; milliseconds a call. */
async function round({ client, name }, width) {
  let left = calls;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (left-- > 0) {
        const { content } = await client.callTool({ name, arguments: { message: 'hello' } });
        if (content[0].text !== 'Echo: hello') throw new Error(`it answers ${JSON.stringify(content)}`);
      }
    }),
  );
  return (performance.now() - begun) / calls;
}

async function measure({ entry = builtEntry, server, rounds }) {
  const folder = await mkdtemp(join(tmpdir(), 'callgate-bench-mcp-'));
  const { args } = servers[server];
  const config = join(folder, 'callgate.json');
  await writeFile(
    config,
    JSON.stringify({
      mcpServers: { s: { command: process.execPath, args } },
      mode: 'ask',
      guards: { 's.*': { permission: 'read' } },
    }),
  );
  const gate = fileURLToPath(new URL('./cli/main.js', entry));
  const ways = {
    proxy: await connect([file('../mcp/proxy.mjs'), process.execPath, ...args]),
    gateway: await connect([gate, 'mcp', 'serve', '--config', config]),
  };
  try {
    const samples = {};
    for (const width of [1, 64]) {
      samples[width] = Object.fromEntries(Object.keys(ways).map((name) => [name, { cpu: [], wall: [] }]));
      for (let count = -3; count < rounds; count++) {
        const names = count % 2 === 0 ? Object.keys(ways) : Object.keys(ways).reverse();
        for (const name of names) {
          const wall = await round(ways[name], width);
          if (count >= 0) samples[width][name].wall.push(wall);
        }
      }
    }
    return samples;
  } finally {
    for (const { client } of Object.values(ways)) await client.close();
    await rm(folder, { recursive: true });
  }
}

export const cases = { measure };

export async function* rows({ entry, rounds }) {
  for (const [server, { what }] of Object.entries(servers)) {
    const samples = await inChild(import.meta.url, 'measure', { entry, server, rounds: Math.min(rounds, 15) });
    for (const [width, how] of [
      [1, 'one at a time'],
      [64, '64 in flight'],
    ]) {
      yield wallRow(samples[width], 'gateway', 'proxy', {
        group: title,
        key: `${server}.${width}`,
        what: `gateway before ${what}, 1,000 calls ${how}: wall`,
        against: 'bare proxy',
        atMost: 1.2,
      });
    }
  }
}
