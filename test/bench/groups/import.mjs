import { fileURLToPath } from 'node:url';
import { builtEntry } from '../lib/callgate.mjs';
import { run } from '../lib/child.mjs';
import { ratioRow } from '../lib/rows.mjs';

/** What starting costs, in fresh processes; the whole process counts, Node's own start included. */
export const title = 'import';

const script = fileURLToPath(new URL('../lib/start.mjs', import.meta.url));
const scenarios = ['bare', 'import', 'call'];

async function start(scenario, entry) {
  const { report, text } = await run([script, scenario, entry]);
  if (report === undefined) throw new Error(text);
  return JSON.parse(report);
}

export async function* rows({ entry = builtEntry, processes }) {
  const group = title;
  const samples = Object.fromEntries(scenarios.map((name) => [name, { cpu: [], wall: [] }]));
  for (let round = 0; round < processes * 2; round++) {
    for (const name of scenarios) {
      const { cpu, wall } = await start(name, entry);
      samples[name].cpu.push(cpu);
      samples[name].wall.push(wall);
    }
  }
  const against = 'bare node';
  yield ratioRow(samples, 'import', 'bare', {
    group,
    key: 'import',
    what: 'import of the package',
    against,
    atMost: 1.3,
  });
  yield ratioRow(samples, 'call', 'bare', { group, key: 'first', what: 'import, 20 tools, first call', against });
}
