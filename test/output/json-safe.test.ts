import { Readable, Writable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJsonSafe } from '../../src/output/json-safe.ts';

class Empty {
  readonly #hidden = 1;
  hidden(): number {
    return this.#hidden;
  }
}
class Point {
  x = 1;
  get double(): number {
    return 2;
  }
}
class Money {
  cents = 150;
  toJSON(): unknown {
    return { amount: '1.50', at: new Date(0) };
  }
}
class BrokenJson {
  kept = true;
  toJSON(): unknown {
    throw new Error('no');
  }
}
class Endless {
  toJSON(): unknown {
    return new Endless();
  }
}

function cyclic(): unknown {
  const value: Record<string, unknown> = { x: 1 };
  value['self'] = value;
  value['list'] = [value];
  return value;
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const hostile = (trap: string): unknown =>
  new Proxy(
    { a: 1 },
    {
      [trap]() {
        throw new Error('trap');
      },
    },
  );

function holes(): unknown[] {
  const list: unknown[] = [];
  list[2] = 'c';
  return list;
}

const forms: [name: string, value: unknown, form: unknown][] = [
  ['undefined', undefined, null],
  ['null', null, null],
  ['a text', 'a', 'a'],
  ['a number', 1.5, 1.5],
  ['minus zero', -0, 0],
  ['NaN', Number.NaN, 'NaN'],
  ['the infinities', [1 / 0, -1 / 0], ['Infinity', '-Infinity']],
  ['a BigInt', 2n ** 70n, '1180591620717411303424'],
  ['half a surrogate pair', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
  ['half a surrogate pair in a name', { 'a\ud800': 1 }, { 'a\ufffd': 1 }],
  ['a whole surrogate pair', '\u{1f600}', '\u{1f600}'],
  ['undefined members', { a: undefined, b: 1 }, { b: 1 }],
  ['undefined items', [undefined, 1], [null, 1]],
  ['holes', holes(), [null, null, 'c']],
  ['a function', function named() {}, '[Function: named]'],
  ['a symbol', Symbol('s'), '[Symbol: s]'],
  ['functions and symbols as members', { f() {}, s: Symbol('s'), [Symbol('key')]: 1, kept: 1 }, { kept: 1 }],
  ['functions as items', [() => 1], ['[Function: anonymous]']],
  ['a Date', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['an invalid Date', new Date(Number.NaN), null],
  ['a RegExp', /a+/gi, '/a+/gi'],
  ['a URL', new URL('https://example.com/a?b=c'), 'https://example.com/a?b=c'],
  ['URLSearchParams', new URLSearchParams({ a: '1' }), 'a=1'],
  ['boxed primitives', [Object('a'), Object(1), Object(2n), Object(false)], ['a', 1, '2', false]],
  ['a Map with text keys', new Map([['a', new Map([['b', 1]])]]), { a: { b: 1 } }],
  [
    'a Map with other keys',
    new Map<unknown, unknown>([
      [1, 'a'],
      [{ k: 1 }, 'b'],
    ]),
    [
      [1, 'a'],
      [{ k: 1 }, 'b'],
    ],
  ],
  ['a Map with __proto__ as a key', new Map([['__proto__', { x: 1 }]]), JSON.parse('{"__proto__":{"x":1}}')],
  ['a Set', new Set([1, undefined, 'a']), [1, null, 'a']],
  ['an Error', new RangeError('too far'), { name: 'RangeError', message: 'too far' }],
  [
    'an Error with a cause and a code',
    Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'E_X', extra: 1 }),
    { name: 'Error', message: 'outer', code: 'E_X', cause: { name: 'Error', message: 'inner' } },
  ],
  [
    'an AggregateError',
    new AggregateError([new Error('a'), 'b'], 'all'),
    { name: 'AggregateError', message: 'all', errors: [{ name: 'Error', message: 'a' }, 'b'] },
  ],
  ['a small Buffer', Buffer.from('hi'), { type: 'binary', bytes: 2, base64: 'aGk=' }],
  ['a view of a part', new Uint8Array([1, 2, 3, 4]).subarray(1, 3), { type: 'binary', bytes: 2, base64: 'AgM=' }],
  ['a typed array', new Float64Array(2), { type: 'binary', bytes: 16, base64: 'AAAAAAAAAAAAAAAAAAAAAA==' }],
  ['an ArrayBuffer', new ArrayBuffer(1), { type: 'binary', bytes: 1, base64: 'AA==' }],
  [
    'a Buffer of 4,096 bytes',
    Buffer.alloc(4_096),
    { type: 'binary', bytes: 4_096, base64: Buffer.alloc(4_096).toString('base64') },
  ],
  ['a Buffer of 4,097 bytes', Buffer.alloc(4_097), { type: 'binary', bytes: 4_097 }],
  ['a Blob', new Blob(['abc']), { type: 'binary', bytes: 3 }],
  ['Headers', new Headers({ a: 'b' }), [['a', 'b']]],
  ['an instance', new Point(), { x: 1 }],
  ['an instance without members', new Empty(), '[Empty]'],
  ['an instance with toJSON', new Money(), { amount: '1.50', at: '1970-01-01T00:00:00.000Z' }],
  ['an instance whose toJSON throws', new BrokenJson(), { kept: true }],
  ['an instance whose toJSON gives itself again and again', new Endless(), '[Too deep]'],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ["a plain object's own toJSON", { toJSON: () => ({ role: 'system' }), a: 1 }, { a: 1 }],
  ['a member called toJSON that is data', { toJSON: 'text' }, { toJSON: 'text' }],
  ['a member called __proto__', JSON.parse('{"__proto__":{"x":1},"a":1}'), JSON.parse('{"__proto__":{"x":1},"a":1}')],
  ['a Promise', Promise.resolve(1), '[Promise]'],
  [
    'a foreign thenable',
    {
      a: new (class Later {
        // biome-ignore lint/suspicious/noThenProperty: being taken for a promise is what is tested
        then(): void {}
      })(),
    },
    { a: '[Later]' },
  ],
  ['a readable stream', new Readable({ read() {} }), '[Readable]'],
  ['a writable stream', new Writable(), '[Writable]'],
  ['a web stream', new ReadableStream(), '[ReadableStream]'],
  ['a Response', new Response('x'), '[Response]'],
  ['an iterator', [1][Symbol.iterator](), '[Array Iterator]'],
  [
    'a generator',
    (function* generate() {
      yield 1;
    })(),
    '[Generator]',
  ],
  ['a WeakMap', new WeakMap(), '[WeakMap]'],
  ['a cycle', cyclic(), { x: 1, self: '[Circular]', list: ['[Circular]'] }],
  ['the same object twice, which is no cycle', ((one) => [one, one])({ a: 1 }), [{ a: 1 }, { a: 1 }]],
  [
    'a throwing getter',
    {
      get a(): never {
        throw new Error('x');
      },
      b: 2,
    },
    { a: '[Unreadable]', b: 2 },
  ],
  [
    'a getter',
    {
      get a() {
        return { b: 1n };
      },
    },
    { a: { b: '1' } },
  ],
  [
    'an array with a throwing getter',
    Object.defineProperty([1, 2], 0, {
      get() {
        throw 1;
      },
    }),
    ['[Unreadable]', 2],
  ],
  ['a revoked Proxy', [revoked()], ['[Unreadable]']],
  ['a Proxy that hides its keys', hostile('ownKeys'), '[Unreadable]'],
  ['a Proxy that refuses to be read', hostile('get'), { a: '[Unreadable]' }],
  ['a Proxy without a prototype to show', hostile('getPrototypeOf'), '[Unreadable]'],
  [
    'plain objects of another realm',
    runInNewContext('({ a: {}, list: [{}], then() {}, inner: { then() {} }, n: Object.create(null) })'),
    { a: {}, list: [{}], inner: {}, n: {} },
  ],
  [
    'objects of another realm',
    runInNewContext('({ d: new Date(0), m: new Map([["a", [1]]]), e: new TypeError("t") })'),
    { d: '1970-01-01T00:00:00.000Z', m: { a: [1] }, e: { name: 'TypeError', message: 't' } },
  ],
];

describe('toJsonSafe', () => {
  it.each(forms)('gives %s its defined form', (_name, value, form) => {
    const safe = toJsonSafe(value);
    expect(safe).toEqual(form);
    expect(JSON.parse(JSON.stringify(safe))).toEqual(safe);
  });

  it('gives a text or a number that is nothing special as it is', () => {
    expect(toJsonSafe('a text')).toBe('a text');
    expect(toJsonSafe(5)).toBe(5);
  });

  it('gives a copy, so that what happens to the value later changes no result', () => {
    const value = { list: [1] };
    const safe = toJsonSafe(value);
    value.list.push(2);
    expect(safe).toEqual({ list: [1] });
  });

  it('stops at a depth of 100 unless told otherwise', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    const text = JSON.stringify(toJsonSafe(deep));
    expect(text).toContain('[Too deep]');
    expect(text.length).toBeLessThan(300);
    expect(toJsonSafe([[[1]]], { maxDepth: 2 })).toEqual([['[Too deep]']]);
  });

  it('counts what it leaves out', () => {
    expect(toJsonSafe([1, 2, 3, 4], { maxValues: 2 })).toEqual([1, 2, '[2 more items]']);
    expect(toJsonSafe({ a: 1, b: 2, c: 3 }, { maxValues: 1 })).toEqual({ a: 1, '[left out]': '2 more members' });
    expect(toJsonSafe(new Set([1, 2, 3]), { maxValues: 1 })).toEqual([1, '[2 more items]']);
    expect(
      toJsonSafe(
        new Map([
          ['a', 1],
          ['b', 2],
        ]),
        { maxValues: 1 },
      ),
    ).toEqual({ a: 1, '[left out]': '1 more members' });
    expect(toJsonSafe(['aaaa', 'bbbb', 'cccc'], { maxCharacters: 6 })).toEqual(['aaaa', 'bbbb', '[1 more items]']);
  });

  it('stops at a value that is small in memory and endless as text', () => {
    let bomb: unknown = 'x';
    for (let level = 0; level < 60; level += 1) bomb = [bomb, bomb];
    const text = JSON.stringify(toJsonSafe(bomb, { maxValues: 1_000 }));
    expect(text.length).toBeLessThan(20_000);
    expect(JSON.stringify(toJsonSafe(new Array(2 ** 32 - 1), { maxValues: 10 }))).toContain('4294967285 more items');
  });

  it('applies the given function to texts and names', () => {
    const text = (part: string): string => part.toUpperCase();
    expect(toJsonSafe({ a: ['b'], A: 1 }, { text })).toEqual({ A: ['B'], A_: 1 });
    expect(toJsonSafe({ a: ['b'] }, { text, key: (name) => name })).toEqual({ a: ['B'] });
  });

  it('takes no members from a polluted prototype', () => {
    Object.defineProperty(Object.prototype, 'polluted', {
      value: 1,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    try {
      expect(Object.keys(toJsonSafe({ a: 1 }) as object)).toEqual(['a']);
    } finally {
      delete (Object.prototype as { polluted?: unknown }).polluted;
    }
  });

  it('survives JSON unchanged, whatever it was', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const safe = toJsonSafe(value);
        const text = JSON.stringify(safe);
        expect(JSON.stringify(toJsonSafe(JSON.parse(text)))).toBe(text);
        expect(JSON.parse(text)).toEqual(safe);
      }),
      { numRuns: 2_000 },
    );
  });
});
