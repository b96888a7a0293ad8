import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesToExpect, readExpected } from '../../src/schema/expected-text.ts';
import { weighJson } from '../../src/schema/json-text.ts';
import { defaultArgumentLimits } from '../../src/schema/limits.ts';
import { runs, same, withFault } from './json-texts.ts';

describe('reading the text that a schema lets expect', () => {
  const expected = ['a', 'b', 'path', 'is_open'];

  it.each([
    '{"a":2,"b":3}',
    '{"path":"notes/today.md","is_open":true}',
    '{ "a" : -0.50 , "b" : 0, "path": "x: y, \u{1f600} é", "is_open": null }',
    '{"b":"","is_open":false}',
    `{"path":"${'x'.repeat(117)}"}`,
  ])('takes %s', (given) => {
    assert.deepStrictEqual(readExpected(given, expected), JSON.parse(given));
  });

  it.each([
    ['an empty object', '{}'],
    ['another name', '{"a":1,"c":2}'],
    ['another order', '{"b":1,"a":2}'],
    ['a key twice', '{"a":1,"a":2}'],
    ['a longer name', '{"ab":1}'],
    ['an object inside', '{"a":{}}'],
    ['a list', '[]'],
    ['a list inside', '{"a":[]}'],
    ['an escape', '{"a":"\\n"}'],
    ['an escaped key', '{"\\u0061":1}'],
    ['an exponent', '{"a":1e9}'],
    ['blanks other than spaces', '{"a":\n1}'],
    ['more behind it', '{"a":1} '],
    ['long text', `{"path":"${'x'.repeat(118)}"}`],
  ])('leaves %s alone, which is JSON', (_, given) => {
    expect(readExpected(given, expected)).toBeUndefined();
    expect(() => JSON.parse(given)).not.toThrow();
  });

  it.each([
    '',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{"a":1}}',
    '{"a":1}{"b":1}',
    '{"a" 1}',
    '{,"a":1}',
    '{"a":01}',
    '{"a":-}',
    '{"a":--1}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":1.5.5}',
    '{"a":truest}',
    '{"a":nul}',
    '{"a":"x}',
    '{"a":"x""b":1}',
    '{"a":"x\ty"}',
    '{"a":"x\u0000"}',
    '{a:1}',
    '{"a":1 2}',
    '{"a":1;"b":2}',
    '{"a":NaN}',
    '{"a":\u00a01}',
    '\uFEFF{"a":1}',
  ])('leaves %j alone, which is no JSON', (given) => {
    expect(readExpected(given, expected)).toBeUndefined();
    expect(() => JSON.parse(given)).toThrow();
  });

  it('expects names that stand in text as they are, that no object inherits, and not too many', () => {
    const properties = JSON.parse(
      '{"b":{},"__proto__":{},"constructor":{},"toString":{},"q\\"":{},"back\\\\":{},"line\\n":{},"\\ud800":{},"é":{},"":{},"a":{}}',
    );
    expect(namesToExpect({ properties })).toEqual(['b', 'é', '', 'a']);
    expect(namesToExpect({})).toEqual([]);
    expect(
      namesToExpect({ properties: Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`n${at}`, {}])) }),
    ).toHaveLength(32);
  });

  it('gives what JSON.parse gives, or nothing', () => {
    const space = fc.constantFrom('', '', ' ', '  ');
    const plain = fc.oneof(
      fc.constantFrom(
        'true',
        'false',
        'null',
        '0',
        '-0',
        '-1.50',
        '00',
        '1e3',
        '{}',
        '9007199254740993',
        '0.1',
        '5e-324',
      ),
      fc.integer().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.string({ maxLength: 8 }).map((inner) => JSON.stringify(inner)),
      fc.string({ maxLength: 8, unit: 'binary' }).map((inner) => `"${inner}"`),
    );
    const inOrder = fc
      .tuple(fc.subarray(expected), fc.infiniteStream(fc.tuple(space, space, space, plain, space)))
      .map(([chosen, parts]) => {
        const members = chosen.map((name) => {
          const [before, after, start, value, end] = parts.next().value;
          return `${before}"${name}"${after}:${start}${value}${end}`;
        });
        return `{${members.join(',')}}`;
      });
    let taken = 0;
    fc.assert(
      fc.property(fc.oneof(inOrder, withFault(inOrder)), (given) => {
        const read = readExpected(given, expected);
        if (read === undefined) return;
        taken++;
        same({ value: read }, { value: JSON.parse(given) });
        expect(weighJson(given, defaultArgumentLimits).keys).toBe(Object.keys(read).length);
      }),
      { numRuns: runs },
    );
    expect(taken).toBeGreaterThan(runs / 10);
  });
});
