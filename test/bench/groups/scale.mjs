import assert from 'node:assert/strict';
import * as bench from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import { compare, gives } from '../lib/measure.mjs';
import { ratioRow } from '../lib/rows.mjs';
import * as work from '../lib/work.mjs';

/** Many tools: registering them, calling one of them, listing them. */
export const title = 'scale';

const many = 100_000;

function plainTools(count, permission = 'read') {
  return Array.from({ length: count }, (_, i) => ({
    name: `tool_${i}`,
    description: `Adds two numbers, way ${i}.`,
    parameters: { ...work.parameters, properties: { ...work.parameters.properties, [`c${i}`]: { type: 'string' } } },
    permission,
    handler: work.handler,
  }));
}

function timed(act) {
  globalThis.gc();
  const cpu = process.cpuUsage();
  const wall = performance.now();
  const kept = act();
  const spent = process.cpuUsage(cpu);
  const report = { cpu: (spent.user + spent.system) / 1000, wall: performance.now() - wall };
  assert.ok(kept.get(`tool_${many - 1}`) !== undefined);
  return report;
}

/** The record that any router keeps of a tool. */
function registerInMap(tools) {
  const map = new Map();
  for (const tool of tools) {
    map.set(tool.name, {
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      permission: tool.permission,
      handler: tool.handler,
      validate: undefined,
    });
  }
  return map;
}

async function registerInRegistry(tools, entry) {
  const { createRegistry } = await bench.load(entry);
  return timed(() => {
    const registry = createRegistry();
    for (const tool of tools) registry.add(tool);
    return registry;
  });
}

async function registerInRouter(tools, entry) {
  const { createRouter } = await bench.load(entry);
  return timed(() => createRouter({ tools, mode: 'trusted' }).registry);
}

async function lookup({ entry, ...pace }) {
  const callgate = await bench.load(entry);
  const routerWith = (count) => {
    const tools = [...plainTools(count - 1), bench.addTool(callgate)];
    return callgate.createRouter({ tools, mode: 'trusted' });
  };
  const ten = routerWith(10);
  const all = routerWith(many);
  const check = gives((result) => result.data, 5);
  return compare(
    [
      { name: 'ten', call: () => ten.call(work.objectCall()), check },
      { name: 'many', call: () => all.call(work.objectCall()), check },
    ],
    pace,
  );
}

/** A registry that changed has to build its list anew; one that did not gives the list it has. */
async function listing({ entry, provider, ...pace }) {
  const callgate = await bench.load(entry);
  const tools = plainTools(1000);
  const router = callgate.createRouter({ tools, mode: 'trusted' });
  if (typeof router.schemas !== 'function') return { skipped: 'this build has no router.schemas' };
  const check = (list) => assert.equal((list.length ?? list.tools?.length ?? list[0]?.tools?.length) >= 1, true);
  const last = tools.at(-1);
  return compare(
    [
      { name: 'cached', call: () => router.schemas(provider), check },
      {
        name: 'rebuilt',
        call: () => {
          router.registry.add(last);
          return router.schemas(provider);
        },
        check,
      },
      {
        name: 'by hand',
        call: () =>
          tools.map((tool) => ({
            type: 'function',
            function: { name: tool.name, description: tool.description, parameters: tool.parameters },
          })),
        check,
      },
    ],
    pace,
  );
}

export const cases = {
  bare: () => {
    const tools = plainTools(many);
    return timed(() => registerInMap(tools));
  },
  registry: ({ entry }) => registerInRegistry(plainTools(many), entry),
  router: ({ entry }) => registerInRouter(plainTools(many), entry),
  lookup,
  listing,
};

async function samplesOf(names, options) {
  const samples = Object.fromEntries(names.map((name) => [name, { cpu: [], wall: [] }]));
  for (let round = 0; round < options.processes; round++) {
    for (const name of names) {
      const spent = await inChild(import.meta.url, name, options, ['--expose-gc']);
      samples[name].cpu.push(spent.cpu);
      samples[name].wall.push(spent.wall);
    }
  }
  return samples;
}

export async function* rows(options) {
  const group = title;
  const samples = await samplesOf(['bare', 'registry', 'router'], options);
  const against = 'a Map of records';
  yield ratioRow(samples, 'registry', 'bare', {
    group,
    key: 'registry',
    what: 'registry.add, 100,000 tools',
    against,
    atMost: 1.5,
  });
  yield ratioRow(samples, 'router', 'bare', { group, key: 'router', what: 'createRouter with 100,000 tools', against });
  const called = await inChild(import.meta.url, 'lookup', options);
  yield ratioRow(called, 'many', 'ten', {
    group,
    key: 'lookup',
    what: 'a call among 100,000 tools',
    against: 'among ten',
    atMost: 1.15,
  });
  for (const provider of ['openai', 'anthropic', 'mcp']) {
    const listed = await inChild(import.meta.url, 'listing', { ...options, provider });
    const what = `${provider} list of 1,000 tools`;
    if (listed.skipped !== undefined) {
      yield { group, key: `list.${provider}`, what, skipped: listed.skipped };
      continue;
    }
    yield ratioRow(listed, 'cached', 'by hand', {
      group,
      key: `list.${provider}.cached`,
      what: `${what}, cached`,
      against: 'a map() by hand',
      atMost: 1,
    });
    yield ratioRow(listed, 'rebuilt', 'by hand', {
      group,
      key: `list.${provider}.rebuilt`,
      what: `${what}, after a change`,
      against: 'a map() by hand',
    });
  }
}
