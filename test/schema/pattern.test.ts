import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildAutomaton } from '../../src/schema/pattern/automaton.ts';
import { compilePattern, SlowPattern } from '../../src/schema/pattern/compile.ts';
import { LinearMatcher } from '../../src/schema/pattern/linear.ts';
import { parsePattern } from '../../src/schema/pattern/syntax.ts';
import { workOf } from '../../src/schema/pattern/work.ts';

function linear(pattern: string, flags: '' | 'u' = 'u'): LinearMatcher | undefined {
  const node = parsePattern(pattern);
  const automaton = node && buildAutomaton(node, flags);
  return automaton && new LinearMatcher(automaton, flags === 'u');
}

describe('the linear matcher', () => {
  it.each([
    ['', ['', 'a']],
    ['^$', ['', 'a', '\n']],
    ['a|b|', ['', 'c']],
    ['^(a|ab)(c|bcd)(d*)$', ['abcd', 'acd', 'abcdd', 'ab']],
    ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', ['a@b.co', 'a@b', '@b.co', 'a b@c.de']],
    ['^\\p{L}+$', ['Ünïcödé', 'a1', '']],
    ['^.$', ['😀', 'ab', '\n', '']],
    ['^\\u{1F600}{2}$', ['😀😀', '😀']],
    ['(?<year>\\d{4})-(?:0[1-9]|1[0-2])', ['on 2024-05', '2024-13']],
    ['^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$', ['www.example.com', '-a.com', 'a..com']],
    ['^(a{2,3}){2}$', ['aaaa', 'aaa', 'aaaaaa', 'aaaaaaa']],
    ['x*?y+?z??$', ['xxyz', 'y', 'x']],
    ['a^b', ['ab', 'a\nb']],
    ['[\\]\\-\\\\a]', ['-', ']', '\\', 'b']],
    ['\\x41\\u0042\\cJ\\t\\.', ['AB\n\t.', 'AB']],
  ])('%s gives what RegExp gives', (pattern, texts) => {
    const matcher = linear(pattern);
    for (const text of texts)
      expect(matcher?.test(text), JSON.stringify(text)).toBe(new RegExp(pattern, 'u').test(text));
  });

  it('follows the rules without Unicode where a pattern needs them', () => {
    for (const [pattern, text] of [
      ['^did\\:key$', 'did:key'],
      ['^a{,2}$', 'a{,2}'],
      ['^[a-z\\"]$', '"'],
      ['^..$', '😀'],
      [']}', ']}'],
    ] as const) {
      expect(linear(pattern, '')?.test(text)).toBe(new RegExp(pattern).test(text));
    }
  });

  it('gives what RegExp gives for any pattern and text', () => {
    const pattern = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('a', 'b', '.', '\\d', '\\w', '[ab]', '[^a]', '^', '$', '😀', '\\.'),
        fc.tuple(tie('node'), tie('node')).map(([one, other]) => `(?:${one})(?:${other})`),
        fc.tuple(tie('node'), tie('node')).map(([one, other]) => `(${one}|${other})`),
        fc
          .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,}', '*?'))
          .map(([one, times]) => `(?:${one})${times}`),
      ),
    })).node;
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '.', '😀', '\n'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, texts) => {
        const matcher = linear(source);
        for (const one of texts) expect(matcher?.test(one)).toBe(new RegExp(source, 'u').test(one));
      }),
      { numRuns: 500 },
    );
  });

  it('forgets what it has seen rather than grow without end', () => {
    const matcher = linear('(?:a|b)*a(?:a|b){12}$');
    let text = '';
    for (let at = 0, seed = 1; at < 60_000; at++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      text += seed > 1_073_741_824 ? 'a' : 'b';
    }
    expect(matcher?.test(text)).toBe(text.at(-13) === 'a');
  });
});

describe('patterns', () => {
  it.each([
    ['^[a-z]+$', 1],
    ['[a-z]+$', 2],
    ['^[^@]+@[^@]+$', 2],
    ['^abc{3}$', 0],
  ])('%s may take as many steps as length to the power of %i', (pattern, degree) => {
    expect(workOf(parsePattern(pattern) as never).degree).toBe(degree);
  });

  it.each(['^(a+)+$', '(a|a)*b', '^(a?){30}a{30}$', '(?:x*y*)*z', '^(\\w+\\s?)*$'])(
    '%s is known to be exponential, and is fast',
    (pattern) => {
      expect(workOf(parsePattern(pattern) as never).factor).toBe(Number.POSITIVE_INFINITY);
      const begun = process.cpuUsage();
      compilePattern(pattern).test(`${'a'.repeat(50_000)}!`);
      const { user, system } = process.cpuUsage(begun);
      expect((user + system) / 1_000).toBeLessThan(500);
    },
  );

  it('are matched by RegExp itself while the text is short enough', () => {
    const pattern = compilePattern('^(?=.*\\d)(?=.*[a-z]).{4,}$');
    expect([pattern.test('abc1'), pattern.test('abcd')]).toEqual([true, false]);
    expect(compilePattern('^(.)\\1$').test('aa')).toBe(true);
  });

  it('refuse a text for which only backtracking is left and which is too long for it', () => {
    expect(compilePattern('(?=x).*y.*z').test('x'.repeat(2_000))).toBe(false);
  });

  it('throw when they are exponential and cannot be matched otherwise', () => {
    for (const pattern of ['^(?!(a+)+b)c', '(a|b\\1)+', '^((a*)*\\b)$'])
      expect(() => compilePattern(pattern)).toThrow(expect.any(SlowPattern));
    expect(() => compilePattern('(')).toThrow(SyntaxError);
  });

  it('that repeat too often to be built are refused, and those nested too deeply as well', () => {
    expect(() => compilePattern('^(?:(?:a{1,500}){1,500}b?)+$')).toThrow(expect.any(SlowPattern));
    expect(() => compilePattern(`${'('.repeat(150)}a*${')*'.repeat(150)}`)).toThrow(expect.any(SlowPattern));
  });
});
