import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { createRouter, defaultPipeline, defineTool } from 'callgate';
import { repair } from 'callgate/middleware';
import * as v from 'valibot';
import { z } from 'zod';
import { checked, line } from './support.mjs';

/** What models send as arguments, and what programs hand over that no model could: through validation, with and without repair. */
export default async function* run(random) {
  const plain = createRouter({ tools: tools(), mode: 'trusted' });
  const mending = createRouter({
    tools: tools(),
    mode: 'trusted',
    pipeline: defaultPipeline().after('lookup', 'repair', repair()),
  });
  for (let number = 0; number < 1_500; number++) {
    const name = random.chance(0.03)
      ? random.word()
      : random.pick(['book', 'loose', 'draft04', 'zod', 'valibot', 'none']);
    const call = { id: `a${number}`, name, arguments: argumentsFor(random) };
    for (const router of [plain, mending]) yield line(name, checked(await router.call(call), call));
  }
  for (const call of [
    undefined,
    null,
    7,
    'book',
    [],
    {},
    { name: 3 },
    { name: 'book', id: 9 },
    {
      get name() {
        throw new Error('no');
      },
    },
  ]) {
    const { call_id: _, ...result } = await plain.call(call);
    yield line('no call', result);
  }
}

const booking = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2, maxLength: 40, pattern: '^[\\p{L} -]+$' },
    nights: { type: 'integer', minimum: 1, maximum: 30, default: 1 },
    when: { type: 'string', format: 'date-time' },
    class: { enum: ['first', 'second', 2, null] },
    tags: { type: 'array', items: { type: 'string' }, uniqueItems: true, maxItems: 3 },
    guest: { type: 'object', properties: { mail: { type: 'string', format: 'email' } }, required: ['mail'] },
    pay: {
      oneOf: [
        { type: 'object', required: ['card'] },
        { type: 'object', required: ['cash'] },
      ],
    },
    price: { type: 'number', multipleOf: 0.01, exclusiveMinimum: 0 },
  },
  required: ['city'],
  additionalProperties: false,
};

function tools() {
  const handler = (args) => args;
  return [
    defineTool({ name: 'book', description: 'Books.', parameters: booking, handler }),
    defineTool({ name: 'loose', description: 'Takes anything.', parameters: { type: 'object' }, handler }),
    defineTool({
      name: 'draft04',
      description: 'Old.',
      parameters: {
        $schema: 'http://json-schema.org/draft-04/schema#',
        type: 'object',
        properties: { limit: { type: 'number', minimum: 0, exclusiveMinimum: true }, a: { type: ['string', 'null'] } },
        patternProperties: { '^x-': { type: 'string' } },
        dependencies: { a: ['limit'] },
      },
      handler,
    }),
    defineTool({
      name: 'zod',
      description: 'By zod.',
      parameters: z.object({
        city: z.string().min(2),
        nights: z.int().min(1).default(1),
        tags: z.array(z.string()).optional(),
      }),
      handler,
    }),
    defineTool({
      name: 'valibot',
      description: 'By valibot.',
      parameters: toStandardJsonSchema(
        v.object({ city: v.pipe(v.string(), v.minLength(2)), limit: v.optional(v.number()) }),
      ),
      handler,
    }),
    defineTool({
      name: 'none',
      description: 'Takes nothing.',
      parameters: { type: 'object', additionalProperties: false },
      handler: () => 'done',
    }),
  ];
}

function argumentsFor(random) {
  const kind = random.below(10);
  if (kind < 3) return bookingFor(random);
  if (kind < 5) return JSON.stringify(bookingFor(random), null, random.pick([0, 2]));
  if (kind < 8) return broken(random, JSON.stringify(random.chance(0.5) ? bookingFor(random) : random.json()));
  if (kind === 8) return random.json();
  return random.pick(foreign)();
}

function bookingFor(random) {
  const may = (probability, member) => (random.chance(probability) ? member : {});
  return {
    ...may(0.9, { city: random.pick(['Bonn', 'Ý', 'São Paulo', 'İzmir', '東京', '', 'X1', '\u{1fae8}', 7, null]) }),
    ...may(0.5, { nights: random.pick([1, 30, 31, 0, 1.5, '3', 1e300, -0, null, true]) }),
    ...may(0.3, { when: random.pick(['2026-11-30T02:00:00Z', '2026-02-30T02:00:00Z', '2026-11-30', '', 4]) }),
    ...may(0.3, { class: random.pick(['first', 2, null, 'third', '2']) }),
    ...may(0.3, { tags: random.pick([[], ['a', 'a'], ['a', 'b', 'c', 'd'], 'a', ['a', 1], '["a"]']) }),
    ...may(0.3, { guest: random.pick([{}, { mail: 'a@example.com' }, { mail: 'a' }, '{"mail":"a@b.co"}', []]) }),
    ...may(0.2, { pay: random.pick([{}, { card: 1 }, { card: 1, cash: 1 }]) }),
    ...may(0.2, { price: random.pick([0.1, 0.07, 19.99, 0.001, 0, 1e21]) }),
    ...may(0.1, { [random.word()]: random.json(1) }),
  };
}

/** JSON text with a fault in it. */
function broken(random, text) {
  const at = random.below(text.length + 1);
  switch (random.below(10)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + random.word() + text.slice(at);
    case 2:
      return text.slice(0, at) + text.slice(at + 1);
    case 3:
      return `\`\`\`json\n${text}\n\`\`\``;
    case 4:
      return JSON.stringify(text);
    case 5:
      return text.replaceAll('"', "'");
    case 6:
      return text.replace(/([}\]])$/, ',$1');
    case 7:
      return text.replace('{', '{"city":"Bonn","city":"Ulm",');
    case 8:
      return random.pick(['\ufeff', ' ', '\u00a0', '//x\n']) + text + random.pick(['', '\n', ';', '}', ' tail']);
    default:
      return random.pick(texts);
  }
}

const texts = [
  ...[
    '',
    ' ',
    'null',
    'undefined',
    'NaN',
    '[]',
    '"{}"',
    '1',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1,}',
    '{a:1}',
    '{"a":01}',
    '{"a":1e}',
  ],
  ...[
    '{"a":"\\u12"}',
    '{"a":"\\x"}',
    '{"a":"\n"}',
    '{"a":tru}',
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":{}}}',
  ],
  ...['{"a":1e999}', '{"a":-0}', '{"a":9007199254740993}', '{"a":"\\ud800"}', `${'['.repeat(200)}${']'.repeat(200)}`],
  ...[
    `{"a":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`,
    `{"a":"${'x'.repeat(2_000_000)}"}`,
    `{"a":[${'0,'.repeat(150_000)}0]}`,
  ],
];

class Own {
  city = 'Bonn';
}

/** What no JSON text can say. */
const foreign = [
  () => undefined,
  () => null,
  () => 7,
  () => 7n,
  () => Symbol('s'),
  () => () => 'f',
  () => new Own(),
  () => new Date(0),
  () => new Map([['city', 'Bonn']]),
  () => ({ city: new Date(0) }),
  () => ({ city: 7n }),
  () => ({ city: undefined, nights: Number.NaN }),
  () => ({ city: Symbol.iterator }),
  () => ({ tags: Object.assign(Array(2), { 1: 'a' }) }),
  () => ({
    get city() {
      throw new RangeError('not to be read');
    },
  }),
  () =>
    new Proxy(
      { city: 'Bonn' },
      {
        ownKeys() {
          throw new Error('closed');
        },
      },
    ),
  () => Object.create(null, { city: { value: 'Bonn', enumerable: true } }),
  () => Object.create({ city: 'Bonn' }),
  () => {
    const round = { city: 'Bonn' };
    round.guest = round;
    return round;
  },
  () => JSON.parse('{"__proto__":{"polluted":true}}'),
  () => Object.freeze({ city: 'Bonn', tags: Object.freeze(['a']) }),
  () => ({ city: new String('Bonn') }),
  () => Array.from({ length: 3 }, () => 'city'),
  () => new Uint8Array(3),
];
