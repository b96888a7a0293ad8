import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as bench from '../lib/callgate.mjs';
import { inChild, run } from '../lib/child.mjs';
import { compare, gives } from '../lib/measure.mjs';
import { ratioRow } from '../lib/rows.mjs';
import * as work from '../lib/work.mjs';

/** Other libraries at the same work, each in a process of its own beside the floor and callgate. */
export const title = 'peers';

const folder = fileURLToPath(new URL('../peers/', import.meta.url));

/** `input`: whether the library takes the arguments as an object or as JSON text; callgate and the floor get the same. */
export const peers = {
  mastra: { what: 'Mastra createTool().execute', module: '@mastra/core', file: 'mastra.mjs', input: 'object', goal: 3 },
  'ai-sdk': { what: 'AI SDK 6 parse and execute (zod)', module: 'ai', file: 'ai-sdk.mjs', input: 'text', goal: 4 },
  'ai-sdk-ajv': {
    what: 'AI SDK 6 parse and execute (jsonSchema and Ajv)',
    module: 'ai',
    file: 'ai-sdk.mjs',
    input: 'text',
    goal: 4,
    variant: 'ajv',
  },
  openai: {
    what: 'OpenAI Agents tool.invoke',
    module: '@openai/agents',
    file: 'openai-agents.mjs',
    input: 'text',
    goal: 4,
  },
  'openai-timeout': {
    what: 'OpenAI Agents tool.invoke, timeoutMs',
    module: '@openai/agents',
    file: 'openai-agents.mjs',
    input: 'text',
    goal: 4,
    variant: 'timeout',
  },
  langchain: {
    what: 'LangChain tool.invoke',
    module: '@langchain/core',
    file: 'langchain.mjs',
    input: 'object',
    goal: 4,
  },
  mcp: {
    what: 'MCP client and server, in memory',
    module: '@modelcontextprotocol/sdk',
    file: 'mcp.mjs',
    input: 'object',
    goal: 4,
  },
  koa: {
    what: 'koa-compose, six stages, p-timeout and AbortController',
    module: 'koa-compose',
    file: 'koa-compose.mjs',
    input: 'object',
    goal: 4,
  },
};

/** Whether a package of the peers' folder is there. */
export function installed(module) {
  return existsSync(`${folder}node_modules/${module}/package.json`);
}

/** Installs the peers, at the versions of their own lock file, without running their install scripts. */
export async function install() {
  const npm = process.env.npm_execpath;
  if (npm === undefined) throw new Error('Run through npm: `npm run bench -- --install`.');
  const { status, text } = await run([npm, 'ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']);
  if (status !== 0) throw new Error(`Installing the peers failed:\n${text}`);
}

async function measure({ file, input, variant }, { entry, ...pace }) {
  const { contender } = await import(new URL(`../peers/${file}`, import.meta.url).href);
  const peer = await contender(work, variant);
  const callgate = await bench.load(entry);
  const router = bench.defaultRouter(callgate);
  const byHand = work.floor();
  const make = input === 'text' ? work.textCall : work.objectCall;
  const data = gives((result) => result.data, 5);
  return compare(
    [
      { name: 'floor', call: () => byHand(make()), check: data },
      { name: 'callgate', call: () => router.call(make()), check: data },
      { name: 'peer', call: () => peer.call(make()), check: gives(peer.pick, 5) },
    ],
    pace,
  );
}

export const cases = Object.fromEntries(
  Object.entries(peers).map(([key, peer]) => [key, (options) => measure(peer, options)]),
);

export async function* rows(options) {
  const group = title;
  for (const [key, { what, module, goal, input }] of Object.entries(peers)) {
    const row = { group, key, what: `${what}, ${input}`, against: 'callgate', atLeast: goal };
    if (!installed(module)) {
      yield { ...row, skipped: 'peer not installed; add --install' };
      continue;
    }
    const samples = await inChild(import.meta.url, key, options);
    yield ratioRow(samples, 'peer', 'callgate', row);
    yield ratioRow(samples, 'peer', 'floor', {
      group,
      key: `${key}.floor`,
      what: `${what}, ${input}`,
      against: 'floor',
    });
  }
}
