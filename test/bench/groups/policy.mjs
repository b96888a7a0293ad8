import assert from 'node:assert/strict';
import * as bench from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import { compare } from '../lib/measure.mjs';
import { median } from '../lib/statistics.mjs';

/** What a decision costs: by a list of rules, short and long, and by Cedar. */
export const title = 'policy';

/** A list in which four rules are about the tool of the call, and all others about other tools. */
function listOf(count) {
  return [
    ...Array.from({ length: count - 4 }, (_, i) => ({
      decision: i % 2 === 0 ? 'allow' : 'deny',
      tool: `tool_${i}`,
      arguments: { path: { path: `d${i}/**` } },
    })),
    { decision: 'deny', tool: 'write_*', arguments: { path: { path: 'secrets/**' } } },
    { decision: 'allow', tool: 'write_file', arguments: { path: { path: 'notes/**' } } },
    { decision: 'deny', level: 'dangerous' },
    { decision: 'ask', tool: '*', arguments: { path: { path: '**/*.key' } } },
  ];
}

const forbidden = Array.from(
  { length: 20 },
  (_, i) =>
    `forbid(principal, action, resource == Tool::"tool_${i}") when { context.arguments has path && context.arguments.path like "d${i}/*" };`,
);

async function decide({ entry = bench.builtEntry, ...pace }) {
  const { rules } = await import(new URL('./policy/index.js', entry).href);
  const { cedarPolicy } = await import(new URL('./policy/cedar.js', entry).href);
  const tool = {
    name: 'write_file',
    description: '',
    parameters: { type: 'object' },
    permission: 'write',
    handler() {},
  };
  const requests = Array.from({ length: 64 }, (_, i) => ({
    tool,
    arguments: { path: `notes/${i}/a.txt`, content: 'hello' },
    effects: [{ kind: 'fs.write', path: `/w/notes/${i}/a.txt` }],
    mode: 'ask',
    run: { id: 'run', mode: 'ask' },
    callId: 'c',
    state: undefined,
  }));
  const deciding = (name, policy) => {
    let at = 0;
    return {
      name,
      call: () => policy.decide(requests[at++ & 63]),
      check: ({ decision }) => assert.equal(decision, 'allow'),
    };
  };
  return compare(
    [
      deciding('rules100', rules(listOf(100))),
      deciding('rules1000', rules(listOf(1_000))),
      deciding('cedar', cedarPolicy({ policies: ['permit(principal, action, resource);', ...forbidden].join('\n') })),
    ],
    pace,
  );
}

export const cases = { decide };

export async function* rows(options) {
  const group = title;
  const samples = await inChild(import.meta.url, 'decide', options);
  const row = (key, what, more) => ({ group, key, what, value: median(samples[key].cpu) / 1000, unit: 'us', ...more });
  yield row('rules100', 'a decision by 100 rules: CPU', { atMost: 5 });
  yield row('rules1000', 'a decision by 1,000 rules: CPU', { atMost: 5 });
  yield row('cedar', 'a decision by 21 Cedar policies: CPU', { atMost: 300 });
}
