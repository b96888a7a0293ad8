import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forLog, forModel, forTerminal } from '../../src/output/control-characters.ts';

const esc = '\u001b';
const english = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';

const rows: [what: string, text: string, model: string, terminal: string][] = [
  ['plain text', 'a b\n\tc\r\n', 'a b\n\tc\r\n', 'a b\n\tc\r\n'],
  ['letters of any script', 'é漢字😀', 'é漢字😀', 'é漢字😀'],
  ['a colour', `${esc}[31mred${esc}[0m`, 'red', '\\u001b[31mred\\u001b[0m'],
  ['a cleared screen (O14)', `a${esc}[2Jb`, 'ab', 'a\\u001b[2Jb'],
  ['the clipboard, OSC 52 (O14)', `a${esc}]52;c;aGk=\u0007b`, 'ab', 'a\\u001b]52;c;aGk=\\u0007b'],
  [
    'a link, OSC 8 (O14)',
    `${esc}]8;;http://evil${esc}\\click${esc}]8;;${esc}\\`,
    'click',
    '\\u001b]8;;http://evil\\u001b\\click\\u001b]8;;\\u001b\\',
  ],
  ['a sequence of one byte (O14)', 'a\u009b31mb\u009d0;t\u009cc', 'abc', 'a\\u009b31mb\\u009d0;t\\u009cc'],
  ['a device control string', `a${esc}Pq#0${esc}\\b`, 'ab', 'a\\u001bPq#0\\u001b\\b'],
  ['a sequence without an end', `a${esc}]0;title`, 'a0;title', 'a\\u001b]0;title'],
  ['a reset', `a${esc}cb`, 'ab', 'a\\u001bcb'],
  ['a line written over (O14)', 'rm -rf /\recho hi', 'rm -rf /\recho hi', 'rm -rf /\\u000decho hi'],
  ['backspaces and null', 'a\b\u0000b\u007f', 'ab', 'a\\u0008\\u0000b\\u007f'],
  ['a direction override (O15)', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c', 'a\\u202eb\\u2066c'],
  ['a direction mark', 'a\u200fb', 'a\u200fb', 'a\\u200fb'],
  ['text in tag characters', 'a\u{e0041}\u{e0042}b', 'ab', 'a\\u{e0041}\\u{e0042}b'],
  ['the flag of England', english, english, english],
  ['zero width (O17)', 'a\u200bb\ufeff', 'a\u200bb\ufeff', 'a\\u200bb\\ufeff'],
  ['a run of variation selectors (O17)', 'a\ufe01\ufe02\ufe03b', 'a\ufe01b', 'a\ufe01\\ufe02\\ufe03b'],
  ['one variation selector', '❤\ufe0f', '❤\ufe0f', '❤\ufe0f'],
  ['variation selectors of the second plane', 'a\u{e0101}\u{e0102}', 'a\u{e0101}', 'a\u{e0101}\\u{e0102}'],
  ['a joined emoji', family, family, family],
  ['a joiner outside of emoji', 'a\u200db', 'a\u200db', 'a\\u200db'],
  ['line separators', 'a\u2028b', 'a\u2028b', 'a\\u2028b'],
];

describe('control characters', () => {
  it.each(rows)('%s: for the model and for a terminal', (_what, text, model, terminal) => {
    expect(forModel(text)).toBe(model);
    expect(forTerminal(text)).toBe(terminal);
  });

  it('keeps a log entry on one line', () => {
    expect(forLog('a\nb\r\nc\td\u001b[0m')).toBe('a\\nb\\r\\nc\\td\\u001b[0m');
  });

  it('gives text without such characters as it is', () => {
    const text = 'x'.repeat(10_000);
    expect(forModel(text)).toBe(text);
  });

  it('leaves nothing to do for a second time', () => {
    const part = fc.constantFrom(
      esc,
      '[',
      ']',
      '0',
      'm',
      '\u009b',
      '\u0007',
      '\\',
      '\u202e',
      '\u{e0041}',
      '\ufe0f',
      'a',
      '\r',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be gone
        expect(forModel(text)).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e]/);
        expect(forModel(forModel(text))).toBe(forModel(text));
        expect(forTerminal(forTerminal(text))).toBe(forTerminal(text));
        expect(forLog(text)).not.toMatch(/[\n\r\t]/);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([esc, `${esc}[`, `${esc}]`, '\u009d', '\u009b1', '\u{e0041}', '\ufe0f', '\u200d'])(
    'takes linear time for many %j',
    (unit) => {
      const begun = performance.now();
      forModel(unit.repeat(300_000));
      forTerminal(unit.repeat(100_000));
      expect(performance.now() - begun).toBeLessThan(2_000);
    },
  );
});
