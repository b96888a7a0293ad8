import { createRouter, defineTool, toModelText } from 'callgate';
import { makeAliases, openaiChat, portableNames, providers, repairSteps, undoStrictNulls } from 'callgate/providers';
import { attempt, line } from './support.mjs';

/** All formats there and back: tools, reports, calls from whole and broken responses, from streams cut anywhere, and results. */
export default async function* run(random) {
  const tools = makeTools();
  const router = createRouter({ tools, mode: 'trusted' });
  for (const [name, format] of Object.entries(providers)) {
    for (const strict of [false, true, ['get.weather']]) {
      const offer = format.definitions(tools, { strict });
      yield line(name, [offer.tools, offer.report, [...offer.nullsMeanAbsent.keys()]]);
    }
    yield line(name, await router.schemas(name));
    const offer = format.definitions(tools);
    for (let number = 0; number < 60; number++) {
      const response = responseFor(random, name, offer);
      const broken = random.chance(0.3) ? damaged(random, response) : response;
      const calls = attempt(() => format.readCalls(broken, offer));
      yield line(name, withoutIds(calls));
      if (calls.gives === undefined || calls.gives.length === 0) continue;
      const results = await router.callAll(calls.gives);
      yield line(name, withoutIds(attempt(() => format.writeResults(calls.gives, results))));
      yield line(name, results.map(toModelText));
    }
    for (let number = 0; number < 20; number++) {
      const reader = format.createCallReader(offer);
      const early = random.list(6, () =>
        attempt(() => reader.push(random.chance(0.5) ? random.json(4) : responseFor(random, name, offer))),
      );
      yield line(`${name} events`, withoutIds([early, attempt(() => reader.end())]));
    }
  }
  for (let number = 0; number < 60; number++) yield line('stream', withoutIds(streamed(random)));
  for (let number = 0; number < 60; number++) {
    const names = random.list(8, () =>
      random.pick([
        'a.b',
        'a/b',
        'a__b',
        'a-b',
        'A_b',
        'x'.repeat(128),
        `${'x'.repeat(127)}y`,
        'get.weather',
        'ß',
        random.word(),
      ]),
    );
    const rule = random.pick([{ limit: 64, characters: /[A-Za-z0-9_-]/, first: /[A-Za-z_]/ }, portableNames]);
    yield line(
      'aliases',
      attempt(() => names.map((name) => makeAliases(names, rule).toAlias?.(name))),
    );
    yield line(
      'nulls',
      attempt(() => undoStrictNulls(random.pick(tools), random.json(3))),
    );
  }
  yield line('steps', repairSteps);
}

function makeTools() {
  const handler = (args) =>
    args.fails ? Promise.reject(new Error('no weather')) : { args, text: 'Grüße\n', at: new Date(0) };
  return [
    defineTool({
      name: 'get.weather',
      description: 'Weather.',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', minLength: 1, format: 'own', description: 'Where.' },
          days: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
          unit: { enum: ['C', 'F', null] },
          fails: { type: 'boolean' },
        },
        required: ['city'],
        additionalProperties: false,
      },
      output: { type: 'object' },
      annotations: { readOnly: true, title: 'Weather' },
      permission: 'read',
      handler,
    }),
    defineTool({
      name: 'tree/add',
      description: 'Adds to a tree.',
      parameters: {
        type: 'object',
        properties: {
          node: { $ref: '#/$defs/node' },
          either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
          pair: { prefixItems: [{ type: 'string' }], items: false },
        },
        patternProperties: { '^x-': { type: 'string', pattern: '^\\p{L}+$' } },
        $defs: { node: { type: 'object', properties: { value: { const: 1 }, next: { $ref: '#/$defs/node' } } } },
      },
      handler,
    }),
    defineTool({
      name: 'nothing',
      description: '',
      parameters: { type: 'object', properties: {} },
      handler: () => 'ok',
    }),
    defineTool({
      name: `${'long_name_'.repeat(12)}end`,
      description: 'd'.repeat(2_000),
      parameters: { type: 'object', additionalProperties: { type: 'number' } },
      handler,
    }),
  ];
}

/** A response that makes up to four calls, as the provider would write it. */
function responseFor(random, provider, offer) {
  const calls = random.list(4, () => ({
    id: random.pick(['c1', 'c2', 'c1', '', undefined, 7]),
    name: random.chance(0.9) ? random.pick(offer.report).alias : random.word(),
    args: random.pick([
      { city: 'Bonn' },
      { city: 'Bonn', days: null, unit: 'C' },
      { city: '', fails: true },
      {},
      { node: { value: 1 } },
      random.json(2),
    ]),
  }));
  const text = (args) => (random.chance(0.1) ? JSON.stringify(args).slice(0, -1) : JSON.stringify(args));
  const stop = random.chance(0.2);
  switch (provider) {
    case 'openai':
      return {
        choices: [
          {
            finish_reason: stop ? 'length' : 'tool_calls',
            message: {
              role: 'assistant',
              tool_calls: calls.map(({ id, name, args }) => ({
                id,
                type: 'function',
                function: { name, arguments: text(args) },
              })),
            },
          },
        ],
      };
    case 'openai-responses':
      return {
        status: stop ? 'incomplete' : 'completed',
        output: calls.map(({ id, name, args }) => ({
          type: 'function_call',
          call_id: id,
          name,
          arguments: text(args),
          status: 'completed',
        })),
      };
    case 'anthropic':
      return {
        stop_reason: stop ? 'max_tokens' : 'tool_use',
        content: [
          { type: 'text', text: 'x' },
          ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
        ],
      };
    case 'gemini':
      return {
        candidates: [
          {
            finishReason: stop ? 'MAX_TOKENS' : 'STOP',
            content: {
              role: 'model',
              parts: calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } })),
            },
          },
        ],
      };
    case 'bedrock':
      return {
        stopReason: stop ? 'max_tokens' : 'tool_use',
        output: {
          message: {
            role: 'assistant',
            content: calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } })),
          },
        },
      };
    case 'mistral':
      return {
        choices: [
          {
            finishReason: stop ? 'length' : 'tool_calls',
            message: {
              toolCalls: calls.map(({ id, name, args }) => ({
                id,
                function: { name, arguments: random.chance(0.5) ? args : text(args) },
              })),
            },
          },
        ],
      };
    case 'ollama':
      return {
        done: true,
        done_reason: stop ? 'length' : 'stop',
        message: {
          role: 'assistant',
          content: '',
          tool_calls: calls.map(({ name, args }) => ({ function: { name, arguments: args } })),
        },
      };
    case 'ai-sdk':
      return {
        finishReason: stop ? 'length' : 'tool-calls',
        content: calls.map(({ id, name, args }) => ({
          type: 'tool-call',
          toolCallId: id,
          toolName: name,
          input: args,
        })),
      };
    default: {
      const [{ name, args } = { name: 'nothing', args: {} }] = calls;
      return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    }
  }
}

/** The same with one value somewhere in it replaced. */
function damaged(random, value, depth = 0) {
  if (typeof value !== 'object' || value === null || (depth > 0 && random.chance(0.25))) return random.json(1);
  const key = random.pick(Object.keys(value));
  if (key === undefined) return value;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[key] = damaged(random, copy[key], depth + 1);
  return copy;
}

function streamed(random) {
  const reader = openaiChat.createCallReader();
  const texts = [0, 1, 2].map(() => JSON.stringify(random.json(3)));
  const sent = [0, 0, 0];
  const given = [];
  const push = (index, text, more = {}) =>
    given.push(
      reader.push({
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [{ index, ...more, function: { ...(more.id && { name: `t${index}` }), arguments: text } }],
            },
            finish_reason: null,
          },
        ],
      }),
    );
  for (const index of [0, 1, 2]) push(index, '', { id: `id${index}`, type: 'function' });
  for (let step = 0; step < 20; step++) {
    const index = random.below(3);
    const length = random.below(8);
    push(index, texts[index].slice(sent[index], sent[index] + length));
    sent[index] += length;
  }
  return [given, reader.end()];
}

/** Ids that were missing are made at random: 9 characters for Mistral, longer ones elsewhere. */
function withoutIds(value) {
  return JSON.parse(JSON.stringify(value).replaceAll(/"(\w+)":"(?:call_[0-9a-f]{24}|[A-Za-z0-9]{9})"/g, '"$1":"made"'));
}
