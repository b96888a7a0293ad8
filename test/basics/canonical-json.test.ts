import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/basics/canonical-json.ts';
import { deepFreeze, snapshot } from '../../src/policy/snapshot.ts';

describe('canonicalJson', () => {
  test('sorts keys at every depth, and leaves arrays as they are', () => {
    expect(canonicalJson({ b: [2, 1, { z: null, a: true }], a: 'x' })).toBe('{"a":"x","b":[2,1,{"a":true,"z":null}]}');
  });

  test('is JSON for JSON, and says the same of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('writes texts and numbers as JSON does', () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 100 }), fc.double({ noNaN: true }));
    fc.assert(
      fc.property(value, (written) => {
        if (written === Number.POSITIVE_INFINITY || written === Number.NEGATIVE_INFINITY) return;
        expect(canonicalJson(written)).toBe(JSON.stringify(written));
        expect(canonicalJson({ [`${written}`]: [written] })).toBe(JSON.stringify({ [`${written}`]: [written] }));
      }),
    );
    expect([-0, 1e21, 1e-7, '\ud800', '"', '\\', '\n', '\u007f'].map(canonicalJson)).toEqual(
      [-0, 1e21, 1e-7, '\ud800', '"', '\\', '\n', '\u007f'].map((written) => JSON.stringify(written)),
    );
  });

  test('orders members by their code units', () => {
    const names = ['b', 'a', 'é', 'B', '10', '9', '\u{1f600}', '\uff5e', ''];
    const value = Object.fromEntries(names.map((name) => [name, 1]));
    expect(canonicalJson(value)).toBe(`{${names.sort().map((name) => `${JSON.stringify(name)}:1`)}}`);
  });

  test('does not depend on the order in which properties were set', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(canonicalJson(Object.fromEntries(Object.entries(value).reverse()))).toBe(canonicalJson(value));
      }),
    );
  });

  test('tells apart what JSON would confuse', () => {
    const values = [
      undefined,
      null,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1n,
      1,
      '1',
      new Date(1),
      new Date(Number.NaN),
    ];
    const texts = [...values, 'undefined()', 'bigint(1)', 'date(1)', {}, { a: undefined }, [], ['']].map(canonicalJson);
    expect(new Set(texts).size).toBe(texts.length);
  });

  test('tells own `__proto__` keys apart', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
  });

  test.each([
    ['a function', { a: [() => 1] }, '/a/0'],
    ['a symbol', { 'a/b': Symbol('x') }, '/a~1b'],
    ['an instance of Map', { a: new Map() }, '/a'],
    ['an instance of a class', [new (class Secret {})()], '/0'],
    ['an object that has members from a record', [Object.create(Object.assign(Object.create(null), { a: 1 }))], '/0'],
  ])('refuses %s and says where', (_, value, pointer) => {
    expect(() => canonicalJson(value)).toThrow(`"${pointer}"`);
  });

  test('refuses a cycle and what is nested too deeply', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(() => canonicalJson(cycle)).toThrow('a cycle');
    expect(() => snapshot(cycle)).toThrow('a cycle');
  });
});

describe('snapshot', () => {
  test('is equal, and shares nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const copy = snapshot(value);
        expect(canonicalJson(copy)).toBe(canonicalJson(value));
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
      }),
    );
  });

  test('reads a getter once', () => {
    let reads = 0;
    const copy = snapshot({
      get path() {
        return reads++ === 0 ? 'a.txt' : '/etc/passwd';
      },
    });
    expect([copy.path, copy.path, reads]).toEqual(['a.txt', 'a.txt', 1]);
  });

  test('keeps an own `__proto__` member without setting the prototype', () => {
    const copy = snapshot(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(copy.polluted).toBeUndefined();
  });

  test('copies dates, which freezing would not protect', () => {
    const at = new Date(0);
    const copy = deepFreeze(snapshot({ at }));
    at.setTime(1);
    expect(copy.at.getTime()).toBe(0);
  });
});
