import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import * as batches from './groups/batches.mjs';
import * as chain from './groups/chain.mjs';
import * as commands from './groups/commands.mjs';
import * as counts from './groups/counts.mjs';
import * as files from './groups/files.mjs';
import * as gen from './groups/gen.mjs';
import * as imports from './groups/import.mjs';
import * as isolation from './groups/isolation.mjs';
import * as mcp from './groups/mcp.mjs';
import * as memory from './groups/memory.mjs';
import * as peers from './groups/peers.mjs';
import * as policy from './groups/policy.mjs';
import * as scale from './groups/scale.mjs';
import * as stages from './groups/stages.mjs';
import * as types from './groups/types.mjs';
import * as urls from './groups/urls.mjs';
import { load } from './lib/callgate.mjs';
import { markdown, met } from './lib/table.mjs';

const groups = [
  counts,
  memory,
  chain,
  stages,
  batches,
  peers,
  files,
  commands,
  urls,
  policy,
  scale,
  imports,
  gen,
  types,
  mcp,
  isolation,
];

const usage = `npm run bench -- [options]

  --only GROUP   one group, more than once for several: ${groups.map(({ title }) => title).join(', ')}
  --quick        few and short rounds: for a look, not for a claim
  --json         the rows as JSON instead of a table
  --package FILE measures another build, by the path of its src/index.js
  --install      installs the peers first, into test/bench/peers`;

/** `rounds` of `sliceMs` each in one process, or `processes` fresh ones. */
const paces = {
  full: { rounds: 31, sliceMs: 8, warmMs: 800, processes: 11 },
  quick: { rounds: 9, sliceMs: 4, warmMs: 300, processes: 3 },
};

function chosen(only = []) {
  for (const name of only) {
    if (!groups.some(({ title }) => title === name)) throw new Error(`There is no group ${name}.\n\n${usage}`);
  }
  return only.length === 0 ? groups : groups.filter(({ title }) => only.includes(title));
}

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      package: { type: 'string' },
      install: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const picked = chosen(values.only);
  const entry = values.package === undefined ? undefined : pathToFileURL(resolve(values.package)).href;
  await load(entry);
  if (values.install) await peers.install();
  const rows = [];
  for (const group of picked) {
    process.stderr.write(`${group.title} `);
    try {
      for await (const row of group.rows({ ...(values.quick ? paces.quick : paces.full), entry })) {
        rows.push(row);
        process.stderr.write('.');
      }
    } catch (error) {
      // One group that cannot run must not lose the others' figures.
      rows.push({
        group: group.title,
        key: 'group',
        what: `the rest of ${group.title}`,
        skipped: error.message.split('\n', 4).join(' '),
      });
      process.exitCode = 1;
    }
    process.stderr.write('\n');
  }
  if (values.json)
    return console.log(
      JSON.stringify(
        rows.map((row) => ({ ...row, met: met(row) })),
        null,
        2,
      ),
    );
  console.log(markdown(rows));
  const missed = rows.filter((row) => met(row) === false);
  const goals = rows.filter((row) => met(row) !== undefined);
  console.log(`\nNode ${process.version}; ${goals.length - missed.length} of ${goals.length} goals met.`);
}

await main();
