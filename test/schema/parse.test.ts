import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentsFault } from '../../src/schema/fault.ts';
import { argumentLimits, defaultArgumentLimits } from '../../src/schema/limits.ts';
import { parseArguments } from '../../src/schema/parse.ts';

const fault = (raw: unknown, limits?: Partial<typeof defaultArgumentLimits>): ArgumentsFault => {
  const outcome = parseArguments(raw, argumentLimits(limits));
  expect(outcome).toBeInstanceOf(ArgumentsFault);
  return outcome as ArgumentsFault;
};

/** An object nested `levels` deep, built without recursion. */
const nested = (levels: number): Record<string, unknown> => {
  let value: Record<string, unknown> = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
};

describe('arguments that stand for none', () => {
  it.each([[undefined], [null], [''], [' \n\t'], ['{}'], ['null'], [' null '], [{}]])(
    '%j is an empty object',
    (raw) => {
      expect(parseArguments(raw)).toEqual({});
    },
  );
});

describe('text that is no acceptable JSON', () => {
  it.each([
    ['a comma too many', '{"a":1,}', 'not_json', 'a comma too many before "}"', 1, 8],
    ['a comma too many in a list', '{"a":[1,]}', 'not_json', 'a comma too many before "]"', 1, 9],
    ['text cut off in a string', '{"path":"a.md","content":"# Tit', 'truncated', 'look cut off', 1, 32],
    ['text cut off in an escape', '{"a":"\\u00', 'truncated', 'look cut off', 1, 11],
    ['text cut off after a colon', '{"a":', 'truncated', 'look cut off', 1, 6],
    ['text cut off in a word', '{"a":tru', 'truncated', 'look cut off', 1, 9],
    ['an open brace only', '{', 'truncated', 'look cut off', 1, 2],
    ['two objects', '{"x":3}{"x":3}', 'not_json', 'a second JSON value', 1, 8],
    ['words after the object', '{"x":3} done', 'not_json', 'nothing may follow', 1, 9],
    ['single quotes', "{'a':1}", 'not_json', 'double quotes', 1, 2],
    ['a key without quotes', '{a:1}', 'not_json', 'a key in double quotes', 1, 2],
    ["Python's words", '{"a":\n True}', 'not_json', 'True is not JSON; write true', 2, 2],
    ['NaN', '{"a":NaN}', 'not_json', 'NaN is not JSON', 1, 6],
    ['a Markdown fence', '```json\n{"a":1}\n```', 'not_json', 'Markdown fence', 1, 1],
    ['a raw line break in a string', '{"a":"x\ny"}', 'not_json', 'write it as \\n', 1, 8],
    ['an unknown escape', '{"a":"\\d"}', 'not_json', 'not an escape', 1, 7],
    ['a missing comma', '{"a":1 "b":2}', 'not_json', '"," or "}" after a value', 1, 8],
    ['a missing colon', '{"a" 1}', 'not_json', '":" after the key "a"', 1, 6],
    ['a leading zero', '{"a":01}', 'not_json', '"," or "}" after a value', 1, 7],
    ['plain words', 'hello', 'not_json', 'expected a value', 1, 1],
    ['a byte order mark', '\uFEFF{}', 'not_json', 'byte order mark', 1, 1],
  ])('%s: said with line and column', (_, text, reason, words, line, column) => {
    expect(() => JSON.parse(text)).toThrow();
    const found = fault(text);
    expect(found).toMatchObject({ code: 'invalid_json', reason, place: { line, column } });
    expect(found.message).toContain(words);
  });

  it('names a key that one object has twice, also when it is written differently', () => {
    expect(fault('{"path":"ok","path":"/etc/passwd"}')).toMatchObject({
      code: 'invalid_json',
      reason: 'duplicate_key',
      place: { pointer: '/path', line: 1, column: 14 },
    });
    expect(fault('{"a":[{"b":1,"\\u0062":2}]}').place.pointer).toBe('/a/0/b');
  });

  it('allows one key in two objects, and colons inside strings', () => {
    expect(parseArguments('{"a":{"k":"x:y"},"b":{"k":":::"}}')).toEqual({ a: { k: 'x:y' }, b: { k: ':::' } });
  });

  it('never takes part of a text for the whole', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, at) => {
        const text = JSON.stringify(value);
        const part = text.slice(0, at % text.length);
        fc.pre(part.trim() !== '');
        expect(parseArguments(part)).toBeInstanceOf(ArgumentsFault);
      }),
    );
  });
});

describe('JSON that is not an object', () => {
  it.each(['5', '"text"', '[]', '[1]', 'true'])('%s is refused', (text) => {
    expect(fault(text)).toMatchObject({ code: 'invalid_arguments', reason: 'not_an_object' });
    expect(fault(text).message).toContain('must be an object');
  });

  it.each([[5], [true], [[1]], [10n], [Symbol('s')], [() => 1]])('so is %s as a value', (value) => {
    expect(fault(value)).toMatchObject({ code: 'invalid_arguments', reason: 'not_an_object' });
  });

  it('says when an object was encoded twice', () => {
    const twice = JSON.stringify(JSON.stringify({ a: 1 }));
    expect(fault(twice)).toMatchObject({ code: 'invalid_arguments', reason: 'double_encoded' });
    expect(fault(twice).message).toContain('encoded twice');
  });
});

describe('limits', () => {
  it('refuses 5 MB of text before parsing it', () => {
    expect(fault(`{"a":"${'x'.repeat(5_000_000)}"}`)).toMatchObject({ code: 'invalid_json', reason: 'too_large' });
  });

  it('counts bytes of UTF-8 and not characters', () => {
    expect(fault(`{"a":"${'é'.repeat(600_000)}"}`).reason).toBe('too_large');
    expect(parseArguments(`{"a":"${'e'.repeat(600_000)}"}`)).not.toBeInstanceOf(ArgumentsFault);
  });

  it.each([20_000, 200_000])('refuses %i levels of text', (levels) => {
    expect(fault(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`).reason).toBe('too_deep');
    expect(fault(`{"a":${'['.repeat(levels)}`).reason).toBe('too_deep');
  });

  it('refuses an object 20,000 levels deep without overflowing', () => {
    expect(fault(nested(20_000))).toMatchObject({ code: 'invalid_arguments', reason: 'too_deep' });
  });

  it('allows exactly as deep as it says', () => {
    expect(parseArguments(nested(64))).toEqual(nested(64));
    expect(fault(nested(65)).reason).toBe('too_deep');
    expect(parseArguments(JSON.stringify(nested(64)))).toEqual(nested(64));
    expect(fault(JSON.stringify(nested(65))).reason).toBe('too_deep');
  });

  it('counts values in text and in objects, flat or nested', () => {
    const list = Array.from({ length: 50_001 }, (_, index) => index);
    const flat = Object.fromEntries(list.map((index) => [`k${index}`, index]));
    for (const value of [{ list }, flat, { inner: flat }]) {
      expect(fault(value).reason).toBe('too_many_values');
      expect(fault(JSON.stringify(value)).reason).toBe('too_many_values');
    }
    expect(parseArguments({ list: list.slice(0, 49_998) })).not.toBeInstanceOf(ArgumentsFault);
  });

  it('counts the text in an object that arrives parsed', () => {
    expect(fault({ a: 'x'.repeat(2_000_000) })).toMatchObject({ code: 'invalid_arguments', reason: 'too_large' });
    expect(fault({ a: { b: 'x'.repeat(2_000_000) } }).reason).toBe('too_large');
  });

  it('can be set, and refuses limits that are none', () => {
    expect(fault('{"a":"12345"}', { maxBytes: 10 }).reason).toBe('too_large');
    expect(() => argumentLimits({ maxBytes: 0 })).toThrow('positive whole number');
    expect(() => argumentLimits({ maxByte: 5 } as never)).toThrow('unknown limit "maxByte"');
    expect(argumentLimits()).toEqual(defaultArgumentLimits);
  });
});

describe('keys that can replace a prototype', () => {
  const own = (json: string): Record<string, unknown> => JSON.parse(json) as Record<string, unknown>;

  it.each([
    ['{"path":"x","__proto__":{"admin":true}}', '/__proto__'],
    ['{"__proto__":1}', '/__proto__'],
    ['{"\\u005f_proto__":{}}', '/__proto__'],
    ['{"body":{"__proto__":{"isAdmin":true}}}', '/body/__proto__'],
    ['{"list":[{"__proto__":null}]}', '/list/0/__proto__'],
    ['{"constructor":{"prototype":{"x":1}}}', '/constructor'],
    ['{"body":{"constructor":{"prototype":{}}}}', '/body/constructor'],
  ])('%s is refused as text and as an object', (text, pointer) => {
    for (const raw of [text, own(text)]) {
      for (const grows of [true, false]) {
        const found = parseArguments(raw, defaultArgumentLimits, grows);
        expect(found).toMatchObject({ code: 'invalid_arguments', reason: 'forbidden_key', place: { pointer } });
      }
    }
    expect(({} as { admin?: unknown; x?: unknown; isAdmin?: unknown }).admin).toBeUndefined();
    expect(Object.prototype).not.toHaveProperty('isAdmin');
  });

  it('"constructor" is an honest name where nothing hides in it', () => {
    for (const value of [{ constructor: 'Acme Ltd' }, { constructor: { name: 'x' } }, { a: { constructor: null } }]) {
      expect(parseArguments(JSON.stringify(value))).toEqual(value);
      expect(parseArguments(value)).toEqual(value);
    }
  });
});

describe('objects that arrive parsed', () => {
  class Point {
    x = 1;
  }

  const cycle: Record<string, unknown> = { a: { b: {} } };
  (cycle['a'] as Record<string, unknown>)['b'] = { again: cycle };

  const sparse: unknown[] = [1];
  sparse[2] = 3;

  it.each<[string, object, string]>([
    ['a class instance', new Point(), ''],
    ['a class instance inside', { p: new Point() }, '/p'],
    ['a Date', { at: new Date(0) }, '/at'],
    ['a Map', { m: new Map() }, '/m'],
    ['a function', { f: () => 1 }, '/f'],
    ['a BigInt', { n: 1n }, '/n'],
    ['a symbol', { s: Symbol('s') }, '/s'],
    ['NaN', { n: Number.NaN }, '/n'],
    ['Infinity in a list', { list: [Number.POSITIVE_INFINITY] }, '/list/0'],
    ['undefined in a list', { list: [undefined] }, '/list/0'],
    ['a list with holes', { list: sparse }, '/list/1'],
    ['a cycle', cycle, '/a/b/again'],
    ['a name that needs escaping', { 'a/b~c': () => 1 }, '/a~1b~0c'],
  ])('%s is refused, with the place', (_, value, pointer) => {
    expect(fault(value)).toMatchObject({ code: 'invalid_arguments', reason: 'not_plain_data', place: { pointer } });
  });

  it('leaves out what is undefined, as JSON does', () => {
    const args = parseArguments({ a: 1, b: undefined });
    expect(Object.keys(args)).toEqual(['a']);
  });

  it('takes objects without a prototype, and of another realm', async () => {
    const { runInNewContext } = await import('node:vm');
    expect(parseArguments(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 });
    const foreign = parseArguments(runInNewContext('({ a: { b: [1] } })'));
    expect(foreign).toEqual({ a: { b: [1] } });
    expect(Object.getPrototypeOf(foreign)).toBe(Object.prototype);
  });

  it('reads an accessor once, and gives what was checked', () => {
    let reads = 0;
    const hostile = {
      get path(): unknown {
        return reads++ === 0 ? 'notes.md' : '/etc/passwd';
      },
    };
    expect(parseArguments(hostile)).toEqual({ path: 'notes.md' });
    expect(reads).toBe(1);
  });

  it('survives an accessor or a proxy that throws', () => {
    const throwing = {
      get path(): never {
        throw new Error('no');
      },
    };
    expect(fault(throwing).reason).toBe('not_plain_data');
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(fault(proxy).reason).toBe('not_plain_data');
  });

  it('copies: nothing is shared with what it was given, and equal JSON comes out', () => {
    const keys = fc.string().filter((key) => key !== '__proto__' && key !== 'constructor');
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.string(),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('value'), { maxLength: 5 }),
      object: fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
    }));
    fc.assert(
      fc.property(json.object, fc.boolean(), (value, grows) => {
        const before = JSON.stringify(value);
        const copy = parseArguments(value, defaultArgumentLimits, grows);
        expect(JSON.stringify(copy)).toBe(before);
        expect(parseArguments(before)).toEqual(JSON.parse(before));
        for (const [key, item] of Object.entries(value as object)) {
          if (typeof item === 'object' && item !== null) expect((copy as Record<string, unknown>)[key]).not.toBe(item);
        }
        expect(copy).not.toBe(value);
      }),
    );
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSparseArray: true,
          withNullPrototype: true,
        }),
        (raw) => {
          const outcome = parseArguments(raw);
          expect(typeof outcome).toBe('object');
          if (!(outcome instanceof ArgumentsFault)) expect(JSON.parse(JSON.stringify(outcome))).toBeDefined();
        },
      ),
    );
  });
});
