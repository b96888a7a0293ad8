import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shrink } from '../../src/output/shrink.ts';
import { shrinkWithinSchema } from '../../src/output/shrink-within-schema.ts';
import { truncateText } from '../../src/output/truncate.ts';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';

const isWellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed();

describe('truncateText', () => {
  it('gives text that fits as it is', () => {
    expect(truncateText('12345', 5)).toBe('12345');
  });

  it('keeps head and tail, and says how much there was and what to do', () => {
    const text = `HEAD${'é'.repeat(10_000)}TAIL`;
    const short = truncateText(text, 1_000, 'Ask for page 2.');
    expect(short).toHaveLength(1_000);
    expect(short).toMatch(
      /^HEADé+\n\[\.\.\. cut here: the whole text has 10,008 characters \(20,008 bytes\)\. Ask for page 2\. \.\.\.\]\né+TAIL$/,
    );
  });

  it('cuts head and tail of emoji between code points (O6)', () => {
    for (let limit = 0; limit < 600; limit += 1) {
      const short = truncateText('\u{1f600}'.repeat(1_000), limit);
      expect(short.length).toBeLessThanOrEqual(limit);
      expect(isWellFormed(short)).toBe(true);
    }
  });

  it('never splits a code point and never exceeds the limit, whatever the text', () => {
    const letters = fc.constantFrom('a', 'é', '漢', '\u{1f600}', '\n', '"');
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 600 }), fc.nat(700), (list, limit) => {
        const text = list.join('');
        const short = truncateText(text, limit);
        expect(short.length).toBeLessThanOrEqual(limit);
        expect(isWellFormed(short)).toBe(true);
        if (text.length <= limit) expect(short).toBe(text);
      }),
    );
  });
});

describe('shrink', () => {
  const length = (value: unknown): number => JSON.stringify(value).length;

  it('gives a value that fits as it is', () => {
    const value = { a: [1, 2, 3] };
    expect(shrink(value, 64)).toBe(value);
  });

  it('keeps small members whole and shortens the large ones', () => {
    const value = { id: 7, log: 'x'.repeat(5_000), list: Array.from({ length: 1_000 }, (_, at) => ({ at })), ok: true };
    const short = shrink(value, 1_500) as typeof value;
    expect(length(short)).toBeLessThanOrEqual(1_500);
    expect(short).toMatchObject({ id: 7, ok: true });
    expect(short.log).toContain('5,000 characters');
    expect(short.list[0]).toEqual({ at: 0 });
    expect(short.list.at(-1)).toEqual({ at: 999 });
    expect(short.list.filter((item) => typeof item === 'string')).toEqual([
      expect.stringContaining('1,000 items in all'),
    ]);
  });

  it('shortens every long item of a short list', () => {
    const short = shrink(['a'.repeat(900), 'b'.repeat(900), 'c'], 600) as string[];
    expect(short.map((text) => text[0])).toEqual(['a', 'b', 'c']);
    expect(length(short)).toBeLessThanOrEqual(600);
  });

  it('says how many members an object had', () => {
    const value = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`key${at}`, at]));
    const short = shrink(value, 1_000) as Record<string, unknown>;
    expect(short['key0']).toBe(0);
    expect(short['[left out]']).toBe('5,000 members in all');
    expect(length(short)).toBeLessThanOrEqual(1_000);
  });

  it('never exceeds the limit and never splits a code point, whatever the value', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 400 }),
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('"'.repeat(500), '\n'.repeat(300), '\u{1f600}'.repeat(200)),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.constant(null), tie('list'), tie('members')),
      list: fc.array(tie('value'), { maxLength: 30 }),
      members: fc.dictionary(fc.string({ maxLength: 90 }), tie('value'), { maxKeys: 30 }),
    }));
    fc.assert(
      fc.property(value, fc.integer({ min: 64, max: 2_000 }), (whole, limit) => {
        const short = shrink(whole, limit);
        const json = JSON.stringify(short);
        expect(json.length).toBeLessThanOrEqual(limit);
        if (JSON.stringify(whole).length <= limit) expect(short).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });
});

describe('shrinkWithinSchema', () => {
  const long = 'long text '.repeat(500);
  const text = { type: 'string' } as const;
  const rows: [what: string, schema: JsonSchemaObject, value: unknown, cut: boolean][] = [
    ['a free text', { type: 'object', properties: { a: text } }, { a: long }, true],
    [
      'a text with an upper bound',
      { type: 'object', properties: { a: { type: 'string', maxLength: 9_000 } } },
      { a: long },
      true,
    ],
    ['a text in a list', { type: 'array', items: text }, [long, 'b'], true],
    ['a text in a tuple', { type: 'array', prefixItems: [{ type: 'integer' }, text] }, [1, long], true],
    ['a member that the schema does not describe', { type: 'object' }, { a: { b: long } }, true],
    ['a member of additionalProperties', { type: 'object', additionalProperties: text }, { a: long }, true],
    [
      'a text with a pattern',
      { type: 'object', properties: { a: { type: 'string', pattern: '^long' } } },
      { a: long },
      false,
    ],
    [
      'a text with a format',
      { type: 'object', properties: { a: { type: 'string', format: 'uri' } } },
      { a: long },
      false,
    ],
    [
      'a text with a lower bound',
      { type: 'object', properties: { a: { type: 'string', minLength: 4_000 } } },
      { a: long },
      false,
    ],
    ['an enum', { type: 'object', properties: { a: { enum: [long] } } }, { a: long }, false],
    ['a constant', { type: 'object', properties: { a: { const: long } } }, { a: long }, false],
    [
      'a text behind a reference',
      { $defs: { t: text }, type: 'object', properties: { a: { $ref: '#/$defs/t' } } },
      { a: long },
      false,
    ],
    ['a text below a choice', { anyOf: [{ type: 'object', properties: { a: text } }] }, { a: long }, false],
    ['unique items', { type: 'array', items: text, uniqueItems: true }, [long, `${long}!`], false],
    [
      'a keyword that nobody knows',
      { type: 'object', properties: { a: { type: 'string', 'x-checksum': true } } },
      { a: long },
      false,
    ],
  ];

  it.each(rows)('%s', (_what, schema, value, cut) => {
    const short = shrinkWithinSchema(value, schema, 1_000);
    if (cut) expect(JSON.stringify(short).length).toBeLessThanOrEqual(1_000);
    else expect(short).toEqual(value);
  });

  it('keeps every item of a list, as a schema may demand them', () => {
    const value = Array.from({ length: 2_000 }, (_, at) => at);
    expect(shrinkWithinSchema(value, { type: 'array', items: { type: 'integer' } }, 1_000)).toEqual(value);
  });
});
