import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCleaner, Notes } from '../../src/output/clean.ts';
import { constantData, makerOf } from '../../src/output/constant-data.ts';
import { createRedactor } from '../../src/output/redact.ts';

function cleanerFor(secrets: readonly string[] = []) {
  return createCleaner({ redactor: createRedactor({ secrets }), maxCharacters: 1_000, hint: '' });
}

describe('constant data', () => {
  const data = constantData(() => ({ reason: 'schema', places: [{ pointer: '/b' }] })) as { places: object[] };

  it('is frozen all through', () => {
    for (const part of [data, data.places, data.places[0]]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('leaves as a copy that belongs to whoever gets it, the first time and later', () => {
    const cleaner = cleanerFor();
    for (let time = 0; time < 3; time++) {
      const copy = cleaner.value(data, new Notes()) as { places: unknown[]; more?: true };
      expect(copy).toStrictEqual({ reason: 'schema', places: [{ pointer: '/b' }] });
      copy.places.push('changed');
      copy.more = true;
    }
  });

  it('is cleaned each time when something in it is a secret, by each cleaner for itself', () => {
    const told = constantData(() => ({ rule: 'hunter2-hunter2' }));
    const careful = cleanerFor(['hunter2-hunter2']);
    const other = cleanerFor();
    for (let time = 0; time < 3; time++) {
      const notes = new Notes();
      expect(careful.value(told, notes)).toEqual({ rule: '[redacted:secret]' });
      expect([...(notes.redacted ?? [])]).toEqual(['secret']);
      expect(other.value(told, new Notes())).toEqual({ rule: 'hunter2-hunter2' });
    }
  });

  it('is nothing that looks like it', () => {
    expect(makerOf(structuredClone(data))).toBeUndefined();
    for (const value of [undefined, null, 'text', 7]) expect(makerOf(value)).toBeUndefined();
  });

  it('is cleaned like all other data, whatever it is', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(`ghp_${'a1B2'.repeat(10)}`, 'http://ada:pass@host/', '\u001b[2J', '\u202e', 'x'.repeat(2_000)),
    );
    const values = fc.dictionary(
      text,
      fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.double(), fc.constant(null)),
      {
        maxKeys: 4,
      },
    );
    fc.assert(
      fc.property(values, (value) => {
        const constant = constantData(() => structuredClone(value));
        const cleaner = cleanerFor();
        for (let time = 0; time < 2; time++) {
          const notes = new Notes();
          const expected = new Notes();
          expect(cleaner.value(constant, notes)).toEqual(cleanerFor().value(structuredClone(value), expected));
          expect(notes).toEqual(expected);
        }
      }),
    );
  });
});
