// Many calls at once, some of which touch the same: they take turns where they must, and only there.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { createRouter, defineTool } from 'callgate';

const balances = new Map([
  ['ann', 100],
  ['bob', 100],
  ['cid', 100],
]);

// Reads, lets others run, and writes: without turns, payments would be lost.
const pay = defineTool({
  name: 'pay',
  description: 'Moves money from one account to another.',
  parameters: {
    type: 'object',
    properties: { from: { type: 'string' }, to: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
    required: ['from', 'to', 'amount'],
  },
  permission: 'write',
  // What a call touches. Both accounts are taken together, so that no two payments ever wait for each other.
  locks: ({ from, to }) => [
    { key: `account/${from}`, mode: 'write' },
    { key: `account/${to}`, mode: 'write' },
  ],
  handler: async ({ from, to, amount }, { progress }) => {
    const source = balances.get(from) ?? 0;
    const target = balances.get(to) ?? 0;
    progress('both accounts read');
    await turn();
    balances.set(from, source - amount);
    balances.set(to, target + amount);
    return { [from]: source - amount };
  },
});

// Reading `account` means all accounts: it waits for nobody below, but whoever writes `account` itself would wait for all.
const total = defineTool({
  name: 'total',
  description: 'All the money there is.',
  parameters: { type: 'object' },
  permission: 'read',
  locks: () => [...balances.keys()].map((name) => ({ key: `account/${name}`, mode: 'read' as const })),
  handler: async () => {
    let sum = 0;
    for (const name of balances.keys()) {
      sum += balances.get(name) ?? 0;
      await turn();
    }
    return sum;
  },
});

const router = createRouter({
  tools: [pay, total],
  mode: 'auto',
  // Beside turns, limits: so many at work, so many waiting, and a clear answer to whoever comes then.
  limits: { total: 8, perTool: { total: 2 }, queue: 1_000 },
});

const names = [...balances.keys()];
const calls = Array.from({ length: 300 }, (_, at) => {
  const from = names[at % 3] as string;
  const to = names[(at + 1) % 3] as string;
  return at % 10 === 9 ? { name: 'total' } : { name: 'pay', arguments: { from, to, amount: 1 } };
});

// One result a call, in the order of the calls.
const results = await router.callAll(calls, { deadline: 30_000 });
assert.ok(results.every(({ ok }) => ok));
assert.ok(results.filter(({ tool_name }) => tool_name === 'total').every(({ data }) => data === 300));
assert.equal(
  [...balances.values()].reduce((sum, balance) => sum + balance, 0),
  300,
);

// Or as they come, with what the tools say on the way.
let said = 0;
for await (const event of router.stream(calls.slice(0, 9))) if (event.type === 'progress') said++;
assert.equal(said, 9);

// What is under way is finished; from now on every call is refused, as a result like any other.
const last = router.call({ name: 'total' });
await router.close({ drain: 5_000 });
assert.equal((await last).data, 300);
const refused = await router.call({ name: 'total' });
assert.equal(!refused.ok && refused.code, 'unavailable');
