import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect } from 'vitest';

/** Of each property. */
export const runs: number = process.env['CALLGATE_FULL'] === '1' ? 20_000 : 2_000;

/** Keys that mean something to somebody, and others. */
export const key: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'ab', '') },
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    '0',
    '1',
    'a:b',
    '"a":',
    '\\":',
    'a/b~',
    '\ud800',
  ),
  fc.string({ maxLength: 4 }),
);

/** A string as JSON, any of its characters written as an escape. */
const written = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.integer()).map(([plain, escapes]) => {
    const units = Array.from({ length: plain.length }, (_, at) => {
      if (((escapes >> (at % 31)) & 7) !== 0) return JSON.stringify(plain.charAt(at)).slice(1, -1);
      return `\\u${plain.charCodeAt(at).toString(16).padStart(4, '0')}`;
    });
    return `"${units.join('')}"`;
  });

const blank = fc.constantFrom('', '', '', ' ', '\n', ' \t\r\n ');
const literal = fc.constantFrom('0', '-0', '7', '1.50', '1e3', '-2E-9', '1e999', '-1e400', 'true', 'false', 'null');

/** JSON text of all forms: blanks and escapes everywhere, keys twice, keys that are forbidden, numbers out of range. */
const { json, object } = fc.letrec<{ json: string; list: string; object: string }>((tie) => ({
  json: fc.oneof({ depthSize: 'small' }, literal, written(key), tie('object'), tie('list')),
  list: fc
    .array(fc.tuple(blank, tie('json'), blank), { maxLength: 4 })
    .map((items) => `[${items.map((item) => item.join('')).join(',')}]`),
  object: fc
    .array(fc.tuple(blank, written(key), blank, fc.constant(':'), blank, tie('json'), blank), { maxLength: 4 })
    .map((members) => `{${members.map((member) => member.join('')).join(',')}}`),
}));

/** JSON that is an object, mostly, or not one, or is encoded twice. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: object },
  json,
  json.map((inner) => JSON.stringify(inner)),
);

const put = fc.constantFrom(
  '',
  ',',
  ':',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  '0',
  '.',
  '-',
  ' ',
  '\uFEFF',
  '\u0000',
  '"a":1,',
);

/** The same with something cut out, and something put there. */
export const withFault = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(texts, fc.nat(), fc.nat({ max: 3 }), put).map(([whole, place, length, inserted]) => {
    const at = place % (whole.length + 1);
    return whole.slice(0, at) + inserted + whole.slice(at + length);
  });

export { object };

/** Equal in values, prototypes and signs of zero, and in the order of keys. */
export function same(one: unknown, other: unknown): void {
  assert.deepStrictEqual(one, other);
  expect(JSON.stringify(one)).toBe(JSON.stringify(other));
}
