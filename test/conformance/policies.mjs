import { createRouter, defaultPipeline, defineTool } from 'callgate';
import { budget, loopGuard } from 'callgate/middleware';
import {
  builtInModes,
  callDigest,
  canonicalJson,
  explain,
  lint,
  memoryStore,
  parsePolicy,
  rules,
  signDecision,
  toolDigest,
} from 'callgate/policy';
import { attempt, checked, lasting, line } from './support.mjs';

const modes = ['plan', 'ask', 'auto', 'trusted'];
const key = 'a key of thirty-two bytes or more';

/** Modes, rules, approvals that come at once, later or never, digests, and the guards of a run. */
export default async function* run(random) {
  const tools = makeTools();
  for (const tool of tools) yield line('digest', toolDigest(tool));
  for (let number = 0; number < 150; number++) {
    const list = random.list(5, () => ruleFor(random));
    const sound = list.filter((rule) => attempt(() => rules([rule])).throws === undefined);
    yield line(
      'rules',
      list.map((rule) => attempt(() => rules([rule]).rules.map(({ label, decision }) => [label, decision]))),
    );
    yield line('lint', lint(sound, { tools }));
    // Of a mode that is not there, a router takes no rules.
    const taken = sound.filter(
      (rule) => attempt(() => createRouter({ tools, rules: [rule] }).mode).throws === undefined,
    );
    yield line('taken', taken.length);
    const router = createRouter({
      tools,
      rules: taken,
      approve: random.pick([undefined, () => true, () => false, answer]),
    });
    for (let at = 0; at < 4; at++) {
      const call = { id: `p${number}_${at}`, name: random.pick(tools).name, arguments: argumentsFor(random) };
      const mode = random.pick(modes);
      yield line(mode, lasting(checked(await router.call(call, { run: { id: 'run_1', mode } }), call)));
      yield line(
        'explained',
        await explain(
          { tool: call.name, arguments: call.arguments, mode },
          { rules: sound, tool: tools.find(({ name }) => name === call.name) },
        ),
      );
    }
    for (const mode of modes)
      yield line(
        'offered',
        (await router.report('openai', { mode })).map(({ tool }) => tool),
      );
  }
  yield line('modes', Object.keys(builtInModes));

  const store = memoryStore();
  const router = createRouter({ tools, approvals: store });
  for (let number = 0; number < 40; number++) {
    const call = { id: `w${number}`, name: 'pay', arguments: argumentsFor(random) };
    const result = await router.call(call, { run: { id: 'run_1' } });
    yield line('pending', lasting(result));
    const pending = result.details?.pending;
    if (pending === undefined) continue;
    const options = random.pick([
      {},
      { reason: 'as discussed' },
      { arguments: { to: 'Eve', amount: 1 } },
      { arguments: { to: 3 } },
    ]);
    const signed = signDecision(await store.load(pending.id), random.pick(['allow', 'allow', 'deny']), key, options);
    yield line(
      'resumed',
      lasting(await router.resume(random.chance(0.8) ? signed : { ...signed, reason: 'changed' }, { store, key })),
    );
    yield line('again', lasting(await router.resume(signed, { store, key })));
  }

  const guarded = createRouter({
    tools,
    mode: 'trusted',
    pipeline: defaultPipeline()
      .before('permission', 'loopGuard', loopGuard({ repeats: 2 }))
      .after('permission', 'budget', budget({ calls: 1_200, perTool: { pay: 20 } })),
  });
  for (let number = 0; number < 120; number++) {
    const call = {
      id: `g${number}`,
      name: random.pick(['look', 'pay']),
      arguments: { to: random.pick(['Ada', 'Bob']) },
    };
    yield line('guarded', checked(await guarded.call(call, { run: { id: 'run_1' } }), call));
  }

  for (let number = 0; number < 200; number++) {
    const value = random.json(4);
    yield line('canonical', canonicalJson(value));
    const tool = random.pick(tools);
    yield line(
      'call digest',
      attempt(() => callDigest({ tool, arguments: value, effects: [], cwd: '', rules: '' })),
    );
  }
  for (const text of policyTexts)
    yield line(
      'file',
      attempt(() => parsePolicy(text)),
    );
}

function answer({ arguments: args }) {
  if (args.amount > 50) return { decision: 'deny', reason: 'too much' };
  return { decision: 'allow', arguments: { ...args, note: 'checked' } };
}

function makeTools() {
  const parameters = {
    type: 'object',
    properties: {
      to: { type: 'string' },
      amount: { type: 'number', default: 1 },
      note: { type: 'string' },
      tags: { type: 'array' },
    },
  };
  const handler = (args) => ({ done: args });
  return [
    defineTool({ name: 'look', description: 'Looks.', parameters, permission: 'read', handler }),
    defineTool({
      name: 'pay',
      description: 'Pays.',
      parameters,
      permission: 'write',
      tags: ['money'],
      preview: ({ to }) => `to ${to}`,
      handler,
    }),
    defineTool({
      name: 'run',
      description: 'Runs.',
      parameters,
      permission: 'execute',
      annotations: { destructive: true },
      handler,
    }),
    defineTool({
      name: 'call_home',
      description: 'Calls.',
      parameters,
      permission: 'network',
      tags: ['net', 'money'],
      handler,
    }),
    defineTool({ name: 'own', description: 'Own level.', parameters, permission: 'house', handler }),
    defineTool({ name: 'bare', description: 'No level.', parameters, handler }),
  ];
}

function argumentsFor(random) {
  return {
    ...(random.chance(0.8) && { to: random.pick(['Ada', 'Bob', 'STRASSE', 'straße', 'Ǆ', 'a*b', random.word()]) }),
    ...(random.chance(0.6) && { amount: random.pick([0, 1, 49.99, 50, 1000, -1, 1e21]) }),
    ...(random.chance(0.2) && { note: random.text() }),
    ...(random.chance(0.2) && { tags: random.list(3, () => random.word()) }),
  };
}

function ruleFor(random) {
  const may = (probability, member) => (random.chance(probability) ? member() : {});
  return {
    decision: random.pick(['allow', 'ask', 'deny', 'deny', 'ask', 'perhaps']),
    ...may(0.5, () => ({
      tool: random.pick(['pay', 'look', '*', '{pay,run}', ['own', 'b?re'], 'call_*', '[', '!(pay)', 'absent']),
    })),
    ...may(0.2, () => ({ tag: random.pick(['money', 'n*', []]) })),
    ...may(0.2, () => ({ level: random.pick(['read', 'none', ['write', 'house']]) })),
    ...may(0.2, () => ({ mode: random.pick(['auto', '*', 'a*', 'none such']) })),
    ...may(0.1, () => ({ annotations: random.pick([{ destructive: true }, { readOnly: false }, { other: true }]) })),
    ...may(0.5, () => ({ arguments: random.pick(argumentConditions) })),
    ...may(0.3, () => ({ reason: random.text() || 'because' })),
    ...may(0.1, () => ({ name: random.word() })),
    ...may(0.1, () => ({ only: ['to'] })),
  };
}

const argumentConditions = [
  { to: 'Ada' },
  { to: { glob: 'A*' } },
  { to: { oneOf: ['Ada', 'Bob'] } },
  { to: { startsWith: 'st' } },
  { to: { path: 'src/**' } },
  { to: { host: '*.example.com' } },
  { amount: { min: 50 } },
  { amount: { max: 50, min: 0 } },
  { amount: 1 },
  { '/tags/*': 'a' },
  { '/tags/0': { glob: '*' } },
  { absent: { present: true } },
  { absent: { exists: false } },
  { note: { matches: '^a' } },
  { to: { unknown: 1 } },
];

const policyTexts = [
  '',
  '{}',
  '[]',
  '{"rules":[]}',
  '{"version":1,"rules":[{"decision":"deny","tool":"pay"}]}',
  '{"version":1,"rules":[{"decision":"deny","tool":"pay",}]}',
  '{"version":1,"rules":[{"decision":"no"}]}',
  '{"version":2,"rules":[]}',
  '{"version":1,"rules":[{"decision":"deny","decision":"allow"}]}',
  'rules:\n  - deny',
  '{"version":1,"rules":[{"decision":"deny","tool":"pay(to:A*)"}',
];
