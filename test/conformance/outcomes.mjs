import { content, createRouter, defaultPipeline, defineTool, errorCodes, step, ToolError, toModelText } from 'callgate';
import { checked, line, turns } from './support.mjs';

/** All that handlers and stages do: data of every kind, failures of every kind, in every manner, and the text for the model. */
export default async function* run(random) {
  let act;
  const parameters = { type: 'object', additionalProperties: false };
  const described = {
    type: 'object',
    properties: { n: { type: 'integer' }, text: { type: 'string' } },
    required: ['n'],
  };
  const tools = [
    defineTool({ name: 'sync', description: 'x', parameters, handler: () => act() }),
    defineTool({ name: 'async', description: 'x', parameters, handler: async () => act() }),
    defineTool({ name: 'later', description: 'x', parameters, handler: async () => turns(2).then(() => act()) }),
    defineTool({
      name: 'thenable',
      description: 'x',
      parameters,
      handler: () => ({
        // biome-ignore lint/suspicious/noThenProperty: a promise of another library
        then: (give, refuse) => {
          try {
            give(act());
          } catch (error) {
            refuse(error);
          }
        },
      }),
    }),
    defineTool({
      name: 'generator',
      description: 'x',
      parameters,
      handler: async function* () {
        yield 'on its way';
        yield act();
      },
    }),
    defineTool({ name: 'described', description: 'x', parameters, output: described, handler: () => act() }),
    defineTool({
      name: 'hasty',
      description: 'x',
      parameters,
      timeout: 3,
      handler: async () => {
        act();
        await new Promise(() => {});
      },
    }),
  ];
  const mode = 'trusted';
  const options = { secrets: ['correct horse battery'], normalize: { maxCharacters: 900, linkHosts: ['example.com'] } };
  const stages = {
    plain: createRouter({ tools, mode, ...options }),
    strict: createRouter({ tools, mode, ...options, strict: true }),
    staged: createRouter({
      tools,
      mode,
      pipeline: defaultPipeline(options).before(
        'execute',
        'acting',
        step(() => void act()),
      ),
    }),
    mute: createRouter({
      tools,
      mode,
      pipeline: defaultPipeline(options).before('execute', 'mute', async (_, next) => void (await next())),
    }),
    double: createRouter({
      tools,
      mode,
      pipeline: defaultPipeline(options).before('execute', 'double', async (_, next) => {
        await next();
        return next();
      }),
    }),
  };
  let number = 0;
  const acts = [
    ...data.map((make) => () => make()),
    ...thrown.map((make) => () => {
      throw make();
    }),
  ];
  for (const each of acts) {
    for (const name of ['sync', 'async', 'later', 'thenable', 'generator', 'described']) {
      act = each;
      const call = { id: `o${number++}`, name, arguments: {} };
      const result = checked(await stages.plain.call(call), call);
      yield line(name, [result, toModelText(result)]);
    }
    act = each;
    const router = random.pick(['strict', 'staged', 'mute', 'double']);
    const call = { id: `o${number++}`, name: random.pick(['sync', 'async', 'generator']), arguments: {} };
    yield line(router, checked(await stages[router].call(call), call));
  }
  for (let at = 0; at < 600; at++) {
    const value = random.chance(0.3) ? { n: random.number(), text: random.text() } : random.json(4);
    act = random.chance(0.8)
      ? () => value
      : () => {
          throw new Error(random.text() || 'empty');
        };
    const call = { id: `r${at}`, name: random.pick(['sync', 'async', 'described', 'generator']), arguments: {} };
    const result = checked(await stages.plain.call(call), call);
    yield line(call.name, [result, toModelText(result)]);
  }
  act = () => {};
  for (let at = 0; at < 5; at++) {
    const call = { id: `t${at}`, name: 'hasty', arguments: {} };
    yield line('hasty', checked(await stages.plain.call(call), call));
  }
}

class Money {
  constructor(cents) {
    this.cents = cents;
  }
  toJSON() {
    return `${this.cents / 100} EUR`;
  }
}

class Account {
  #secret = 1;
  owner = 'Ada';
  get shown() {
    return this.#secret;
  }
}

function rounded() {
  const round = { name: 'round', list: [] };
  round.self = round;
  round.list.push(round.list);
  return round;
}

const data = [
  () => undefined,
  () => null,
  () => 0,
  () => -0,
  () => Number.NaN,
  () => Number.NEGATIVE_INFINITY,
  () => 12345678901234567890n,
  () => Symbol('sign'),
  () => function named() {},
  () => class Named {},
  () => new Date(0),
  () => new Date(Number.NaN),
  () => /a+/giu,
  () => new URL('https://user:pw@exämple.com:443/ä?q=ü#f'),
  () => new URLSearchParams('a=1&b=ü'),
  () =>
    new Map([
      ['a', 1],
      [{ b: 2 }, new Set([1])],
    ]),
  () => new Set(['a', ['b']]),
  () => new WeakMap(),
  () => Buffer.from('Grüße'),
  () => new Uint8Array([0, 1, 255]),
  () => new Float64Array([0.1, Number.NaN, -0]),
  () => new BigInt64Array([1n]),
  () => new ArrayBuffer(4),
  () => new SharedArrayBuffer(4),
  () => new DataView(new ArrayBuffer(2)),
  () => new Error('as data', { cause: new TypeError('inner') }),
  () => new AggregateError([new Error('one'), 'two'], 'several'),
  () => new Money(1999),
  () => new Account(),
  () => rounded(),
  () => Object.assign(Array(3), { 1: 'after a hole', 2: () => {} }),
  () => ({ u: undefined, f() {}, s: Symbol('x'), n: Number.NaN, d: new Date(0) }),
  () => Object.create(null, { a: { value: 1, enumerable: true }, hidden: { value: 2 } }),
  () => new Proxy({ a: 1 }, {}),
  () =>
    new Proxy(
      {},
      {
        get() {
          throw new Error('closed');
        },
        ownKeys() {
          throw new Error('closed');
        },
      },
    ),
  () => ({
    get bad() {
      throw new Error('getter');
    },
    good: 1,
  }),
  () => ({
    toJSON() {
      throw new Error('toJSON');
    },
  }),
  () => ({ toJSON: () => ({ deep: new Date(0) }) }),
  () => new Headers({ a: '1', b: '2' }),
  () => new Blob(['x']),
  () => new AbortController().signal,
  () => new Promise(() => {}).constructor.name,
  () => Promise.resolve('nested'),
  () => [1, 2, 3].values(),
  () =>
    (function* () {
      yield 1;
      return 'returned';
    })(),
  () => new Intl.NumberFormat('en-US'),
  () => globalThis.performance.constructor.name,
  () => '\ud800 \u001b[31mred\u001b[0m \u202e \u{e0041} correct horse battery',
  () => Buffer.from('correct horse battery').toString('base64'),
  () => encodeURIComponent('correct horse battery'),
  () => 'see https://evil.example/x and https://example.com/y and http://xn--bcher-kva.example/',
  () => 'x'.repeat(5_000),
  () => `${'ä👩‍👩‍👧'.repeat(300)}`,
  () => Array.from({ length: 500 }, (_, at) => ({ at, text: 'row '.repeat(at % 7) })),
  () => Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, at])),
  () => ({ 10: 'ten', 9: 'nine', b: 1, a: 2, '-1': 3 }),
  () => ({ n: 1, text: 'y'.repeat(3_000) }),
  () => ({ n: 1.5 }),
  () => ({ n: 'one', extra: new Map() }),
  () =>
    content([
      { type: 'text', text: 'hello' },
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      'and more',
    ]),
  () => content([{ type: 'audio', data: new Uint8Array([1, 2, 3]), mimeType: 'audio/wav' }]),
  () => ({ type: 'content', content: 'no list' }),
];

class Own extends Error {
  name = 'OwnError';
  status = 418;
}

/** What is thrown: by the program's own code, with its own words, so that none of them is the platform's. */
const thrown = [
  () => undefined,
  () => null,
  () => 0,
  () => '',
  () => 'a text',
  () => 42n,
  () => Symbol('sign'),
  () => () => 'a function',
  () => ({}),
  () => ({ message: 'like an error', code: 'E_LIKE' }),
  () => ({ error: { message: 'nested' } }),
  () => [],
  () => [new Error('in a list')],
  () => new Error('plain'),
  () => new Error(''),
  () => new Own('own'),
  () => Object.assign(new Error('coded'), { code: 'E_CODED', errno: -2, path: '/home/somebody/secret.txt' }),
  () => new Error('at /home/somebody/project/file.js:3:4 with file:///var/x/y.js', { cause: 'a reason' }),
  () => new Error('outer', { cause: new Error('middle', { cause: new Error('inner', { cause: rounded() }) }) }),
  () => new AggregateError([new Error('one'), new Own('two'), 'three', 4], 'several'),
  () => new AggregateError([], ''),
  () => new DOMException('went away', 'AbortError'),
  () => new DOMException('too late', 'TimeoutError'),
  () => new DOMException('other', 'DataError'),
  () => Object.freeze(new Error('frozen')),
  () => {
    const error = new Error('round');
    error.cause = error;
    return error;
  },
  () =>
    Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error('message');
      },
    }),
  () =>
    new Proxy(new Error('behind a proxy'), {
      get() {
        throw new Error('closed');
      },
    }),
  () => new Error('\u001b[31mred\u001b[0m correct horse battery '.repeat(300)),
  () => new Error(`${'word '.repeat(3_000)}`),
  () => {
    const error = new Error('stacked');
    error.stack = 'Error: stacked\n    at secret (/root/x.js:1:1)';
    return error;
  },
  () =>
    new ToolError('Ask again later.', {
      code: 'unavailable',
      details: { reason: 'busy', at: new Date(0) },
      cause: new Error('why'),
    }),
  () => new ToolError('', { code: 'no such code' }),
  () => new ToolError('No.', { retryable: true, effect: 'none' }),
  ...errorCodes.map((code) => () => new ToolError(`It was ${code}.`, { code })),
  () => new Response('body', { status: 503 }).status,
  () => rounded(),
  () => new Money(5),
];
