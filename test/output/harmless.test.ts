import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forModel } from '../../src/output/control-characters.ts';
import { isHarmless, isShortAndHarmless } from '../../src/output/harmless.ts';
import { keyHeader } from '../../src/output/private-keys.ts';
import { createRedactor } from '../../src/output/redact.ts';
import { secretPatterns } from '../../src/output/secret-patterns.ts';

const { redact } = createRedactor();

/** The shortest of its kind. */
const secrets = {
  aws: [`AKIA${'A1'.repeat(8)}`, `aws_secret_access_key=${'a1/+'.repeat(10)}`],
  github: [`ghp_${'a1B2'.repeat(9)}`, `github_pat_${'a_1'.repeat(8)}`],
  gitlab: [`glpat-${'a-1_'.repeat(5)}`],
  slack: [`xapp-${'a1'.repeat(5)}`, `xoxb-${'1-'.repeat(5)}`],
  google: [`AIza${'a1-_b'.repeat(7)}`],
  npm: [`npm_${'a1B2'.repeat(9)}`],
  stripe: [`sk_live_${'a1'.repeat(8)}`, `rk_test_${'a1'.repeat(8)}`],
  jwt: ['eyJhbGci.eyJzdWIi.'],
  'api-key': [`sk-${'a1B2_'.repeat(4)}`],
  bearer: [`bearer ${'a.1~'.repeat(4)}`],
  credentials: ['://:p@', 'a://b:c@d'],
  'private-key': [
    `-----BEGIN PRIVATE KEY----- ${'a'.repeat(16)}`,
    '-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----',
  ],
};

describe('a harmless text', () => {
  it('is none that holds a secret of a kind that is recognized', () => {
    expect(Object.keys(secrets).sort()).toEqual(
      [...new Set([...secretPatterns.map(({ type }) => type), 'private-key'])].sort(),
    );
    for (const [type, samples] of Object.entries(secrets)) {
      for (const secret of samples) {
        expect(redact(secret), secret).toContain(`[redacted:${type}]`);
        expect(isHarmless(secret), secret).toBe(false);
      }
    }
  });

  it('may have any word that is no secret', () => {
    expect(isHarmless('read_a_file_of_the_workspace')).toBe(true);
    expect(isHarmless(`/${'a'.repeat(100)}`)).toBe(true);
  });

  it('has seams where no trigger can be, nor a full stop', () => {
    for (const trigger of [keyHeader.trimEnd(), ...secretPatterns.flatMap(({ triggers }) => triggers)]) {
      expect(trigger).not.toMatch(/[\s"'`()[\]{}\\;,.]/);
    }
  });

  it.each(['\u0000', '\u001b[2J', '\n', '\u007f', 'é', '\u200b', '\u202e', '\ufe0f', '\ud800', '\u{e0041}', '漢'])(
    'is printable ASCII: not %j',
    (text) => {
      expect(isHarmless(text)).toBe(false);
      expect(isHarmless(`a ${text} b`)).toBe(false);
    },
  );

  const piece = fc.oneof(
    fc.constantFrom(...Object.values(secrets).flat(), ...secretPatterns.flatMap(({ triggers }) => triggers)),
    fc.constantFrom(
      '-----BEGIN ',
      'PRIVATE KEY',
      '-----',
      '-----END ',
      ':',
      '/',
      '-',
      '@',
      '.',
      '=',
      ' ',
      '"',
      '(',
      ')',
      '\\n',
    ),
    fc.string({ maxLength: 6 }),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
    fc.constantFrom('a', 'A1', 'eyJ', 'key', 'secret', 'bearer 1', 'x'.repeat(12)),
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

  it('comes through cleaning as it is, whatever it is', () => {
    fc.assert(
      fc.property(text, (whole) => {
        fc.pre(isHarmless(whole));
        expect(redact(forModel(whole))).toBe(whole);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is what harmless parts make together, if a space, quote or bracket is between them', () => {
    const part = fc
      .array(piece, { maxLength: 3 })
      .map((pieces) => pieces.join(''))
      .filter(isHarmless);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.constantFrom(' ', '"', '(', ')', '; '), (parts, seam) => {
        const whole = parts.join(seam);
        expect(isHarmless(whole)).toBe(true);
        expect(redact(forModel(`${whole}.`))).toBe(`${whole}.`);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is also made with texts in quotes that are too short for a secret, whatever they begin', () => {
    const part = fc
      .array(piece, { maxLength: 3 })
      .map((pieces) => pieces.join(''))
      .filter((text) => isHarmless(text) || isShortAndHarmless(text))
      .map((text) => (isHarmless(text) ? text : `"${text}")`));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.constantFrom(' ', '(', '; '), (parts, seam) => {
        const whole = `${parts.join(seam)}.`;
        expect(redact(forModel(whole))).toBe(whole);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['x://u:p@h', 'a:b', '"', '\\', 'é', '\n', 'a'.repeat(15)])('is not surely so in quotes: %j', (text) => {
    expect(isShortAndHarmless(text)).toBe(false);
  });
});
