import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeptOutput } from '../../../src/capabilities/process/output.ts';

function kept(keep: number, ...chunks: (string | Buffer)[]): KeptOutput {
  const output = new KeptOutput(keep);
  for (const chunk of chunks) output.add(Buffer.from(chunk as string));
  return output;
}

test('what fits is kept whole', () => {
  expect(kept(10, 'abcde', 'fghij').text()).toBe('abcdefghij');
  expect(kept(10, 'abcde', 'fghij').truncated).toBe(false);
  expect(kept(10).text()).toBe('');
});

test('of more, start and end are kept, and a line says what is left out', () => {
  const output = kept(10, '0123456789', 'abcdefghij', 'X');
  expect(output.truncated).toBe(true);
  expect(output.total).toBe(21);
  expect(output.text()).toBe('01234\n[... 11 of 21 bytes left out ...]\nghijX');
});

test('characters are not cut in two', () => {
  const output = kept(10, 'ääääääääää');
  expect(output.text()).toBe('ää\n[... 12 of 20 bytes left out ...]\nää');
  expect(kept(10, '😀😀😀😀😀').text()).not.toContain('\ufffd');
});

test('whatever the chunks are, the text is that of the whole', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });
  fc.assert(
    fc.property(chunks, fc.integer({ min: 2, max: 60 }), (given, keep) => {
      const whole = Buffer.concat(given);
      const one = kept(keep, whole);
      const many = kept(keep, ...given.map((chunk) => Buffer.from(chunk)));
      expect(many.text()).toBe(one.text());
      expect(many.truncated).toBe(whole.length > Math.floor(keep / 2) * 2);
      if (!many.truncated) expect(many.text()).toBe(whole.toString('utf8'));
    }),
  );
});

test('memory does not grow with what is written', () => {
  const output = new KeptOutput(1000);
  const chunk = Buffer.alloc(65_536, 'x');
  for (let at = 0; at < 2000; at++) output.add(chunk);
  expect(output.total).toBe(131_072_000);
  expect(output.text().length).toBeLessThan(1100);
});
