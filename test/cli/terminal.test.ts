import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Output } from '../../src/cli/io.ts';
import { type Answered, callBlock, type View } from '../../src/cli/terminal/call-block.ts';
import { duration } from '../../src/cli/terminal/duration.ts';
import { ProgressLine, progressText } from '../../src/cli/terminal/progress-line.ts';
import { coloured, styleFor } from '../../src/cli/terminal/style.ts';
import { summary, summaryLine, Tally } from '../../src/cli/terminal/summary.ts';
import { table } from '../../src/cli/terminal/table.ts';
import { cut, displayWidth, padStart, wrap } from '../../src/cli/terminal/width.ts';
import type { Visit } from '../../src/cli/trace.ts';
import { content } from '../../src/content.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { plain } from '../../src/output/style.ts';
import type { ToolResult } from '../../src/result.ts';

const passed = (...stages: string[]): Visit[] => stages.map((stage) => ({ stage, outcome: 'passed' }));

function success(data: unknown, meta = {}): ToolResult {
  return { ok: true, tool_name: 't', data, error: null, call_id: 'c', meta };
}

function failure(code: ErrorCode, error: string): ToolResult {
  return {
    ok: false,
    tool_name: 't',
    data: null,
    error,
    call_id: 'c',
    meta: {},
    code,
    retryable: false,
    effect: 'none',
  };
}

function answered(result: ToolResult, visits: Visit[], more: Partial<Answered> = {}): Answered {
  const call = { name: 'read_file', arguments: { path: 'a.txt' } };
  return { ordinal: 3, call, result, trace: { visits }, reports: 0, milliseconds: 4.2, ...more };
}

const view = (width = 100, style = plain): View => ({ width, style, hidden: new Set(['normalize']) });

describe('displayWidth, cut and wrap', () => {
  it.each([
    ['plain', 5],
    ['', 0],
    ['文档', 4],
    ['한글', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['👩\u200d🔧', 2],
    ['☕', 2],
    ['⚠\ufe0f', 2],
    ['\u001b[32m✓\u001b[39m', 1],
  ])('%j takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  it('cuts by columns and never inside a character', () => {
    expect(cut('文档/会议', 9)).toBe('文档/会议');
    expect(cut('文档/会议', 8)).toBe('文档/会…');
    expect(cut('文档/会议', 7)).toBe('文档/…');
    expect(cut('abc', 0)).toBe('');
    expect(padStart('文', 4)).toBe('  文');
  });

  it('cuts megabytes without looking at all of them', () => {
    const begun = performance.now();
    expect(displayWidth(cut('文'.repeat(5_000_000), 80))).toBeLessThanOrEqual(80);
    expect(performance.now() - begun).toBeLessThan(500);
  });

  it('breaks words that are longer than a line, and ends in … where lines are left out', () => {
    expect(wrap(['会议记录没有空格'], 6)).toEqual(['会议记', '录没有', '空格']);
    expect(wrap(['aa', 'bb', 'cc', 'dd'], 5, 1)).toEqual(['aa b…']);
    expect(wrap(['aa', 'bb', 'cc'], 6, 1)).toEqual(['aa bb…']);
    expect(wrap([], 10)).toEqual(['']);
  });

  it('for any text and width: no line is wider than it may be, and nothing is lost', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 })),
        fc.integer({ min: 2, max: 40 }),
        (words, columns) => {
          const lines = wrap(words, columns);
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
          expect(lines.join('').replaceAll(' ', '')).toBe(words.join('').replaceAll(' ', ''));
          for (const line of wrap(words, columns, 2)) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

describe('duration', () => {
  it.each([
    [0, '0.0 ms'],
    [0.44, '0.4 ms'],
    [9.96, '10 ms'],
    [123.4, '123 ms'],
    [999.7, '1.00 s'],
    [12_345, '12.35 s'],
    [59_999, '1 min 00 s'],
    [123_000, '2 min 03 s'],
  ])('%d is shown as %s', (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text);
  });
});

describe('callBlock', () => {
  it('shows the call, its way, the data and the time', () => {
    const visits: Visit[] = [...passed('normalize', 'lookup', 'validate'), { stage: 'execute', outcome: 'answered' }];
    const lines = callBlock(answered(success('two\nlines\n'), visits), view()).split('\n');
    expect(lines[0]).toMatch(/^ {3}3 ✓ read_file \{"path":"a.txt"\} +4\.2 ms$/);
    expect(lines[1]?.replaceAll('\u00a0', ' ')).toBe('       lookup ✓ validate ✓ execute ✓');
    expect(lines[2]).toBe('       → two ⏎ lines');
  });

  it('shows where a call was stopped, and why', () => {
    const visits: Visit[] = [...passed('lookup', 'validate'), { stage: 'pathGuard', outcome: 'answered' }];
    const block = callBlock(answered(failure('path_denied', 'It leads outside.'), visits), view());
    expect(block).toContain('path_denied');
    expect(block.replaceAll('\u00a0', ' ')).toContain('lookup ✓ validate ✓ pathGuard ✗\n');
    expect(block).toContain('It leads outside.');
  });

  it('shows the stage in which a call was cut off, and the one from which it began anew', () => {
    const visits: Visit[] = [
      ...passed('lookup'),
      { stage: 'permission', outcome: 'restarted' },
      ...passed('lookup', 'permission', 'timeout'),
      { stage: 'execute', outcome: 'open' },
    ];
    const block = callBlock(answered(failure('timeout', 'Too slow.'), visits), view()).replaceAll('\u00a0', ' ');
    expect(block).toContain('lookup ✓ permission ↻ lookup ✓ permission ✓ timeout ✓ execute …');
  });

  it('names images instead of spelling them out, and says what was noted', () => {
    const image = content(['Here:', { type: 'image', data: new Uint8Array(90), mimeType: 'image/png' }]);
    const block = callBlock(answered(success(image, { redacted: ['x'] }), [], { reports: 2 }), view());
    expect(block).toContain('→ Here: [image image/png, 90 bytes] (2 progress reports, redacted)');
  });

  it('shows broken arguments as the model wrote them', () => {
    const call = { name: 'read_file', arguments: "{path: 'a'" };
    expect(callBlock(answered(failure('invalid_json', 'no'), [], { call }), view())).toContain("read_file {path: 'a'");
  });

  it('lets nothing from a call or a tool act on the terminal', () => {
    const evil = '\u001b[2J\u001b]0;title\u0007\u202egnp.exe\u0000\r\u009b1A';
    const blocks = [
      callBlock(answered(success(evil), [{ stage: evil, outcome: 'passed' }]), view()),
      callBlock(answered(success({ [evil]: evil }, { [evil]: 1 }), []), view()),
      callBlock(answered(failure('tool_error', evil), [], { call: { name: evil, arguments: evil } }), view()),
      callBlock(answered(success(content([evil, { type: 'resource_link', uri: evil, name: evil }])), []), view()),
    ];
    for (const block of blocks) expect(block.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it('for any width and any text: no line is wider than the terminal', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 160 }),
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.boolean(),
        (width, text, ok) => {
          const result = ok ? success(text, { truncated: true }) : failure('invalid_arguments', text);
          const visits = passed(
            'lookup',
            'validate',
            'pathGuard',
            'commandGuard',
            'urlGuard',
            'permission',
            'timeout',
            'execute',
          );
          const call = { name: text, arguments: text };
          const block = callBlock(answered(result, visits, { call }), view(width, coloured));
          for (const line of block.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  it('has colours only where they are wanted', () => {
    const one = answered(success(1), passed('lookup'));
    const shown = callBlock(one, view(80, coloured));
    expect(shown).toContain('\u001b[32m✓');
    expect(stripVTControlCharacters(shown)).toBe(callBlock(one, view(80, plain)));
  });
});

describe('styleFor', () => {
  const output = (isTTY: boolean): Output => ({ isTTY }) as Output;

  it('colours a terminal, and nothing else', () => {
    expect(styleFor(output(true), {})).toBe(coloured);
    expect(styleFor(output(false), {})).toBe(plain);
    expect(styleFor(output(true), { NO_COLOR: '1' })).toBe(plain);
    expect(styleFor(output(true), { NO_COLOR: '' })).toBe(coloured);
    expect(styleFor(output(true), { TERM: 'dumb' })).toBe(plain);
  });
});

describe('summary', () => {
  function tally(): Tally {
    const counted = new Tally();
    counted.add(1, 'add', success(1), 2);
    counted.add(2, 'crawl', success(1), 1_500);
    counted.add(3, 'read_file', failure('path_denied', ''), 3);
    counted.add(4, 'read_file', failure('path_denied', ''), 3);
    counted.add(5, 'x', failure('unknown_tool', ''), 3);
    return counted;
  }

  it('counts calls, what went well, what failed by code, and names the slowest', () => {
    const text = summary(tally(), 1_520, 80, plain);
    expect(text).toMatch(/calls +5\n/);
    expect(text).toMatch(/ok +2 +█+\n/);
    expect(text).toMatch(/failed +3\n +path_denied +2 +█+\n +unknown_tool +1 +█+\n/);
    expect(text).toMatch(/slowest +1\.50 s {2}crawl \(call 2\)\n/);
    expect(text).toMatch(/total time +1\.52 s\n$/);
  });

  it.each([24, 40, 60, 200])('fits into %i columns', (width) => {
    for (const line of summary(tally(), 1, width, plain).split('\n')) {
      expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(width, 40));
    }
  });

  it('comes in one line, too, also for nothing', () => {
    expect(summaryLine(tally(), 1_520)).toBe('5 calls, 2 ok, 3 failed (path_denied 2, unknown_tool 1), 1.52 s\n');
    expect(summaryLine(new Tally(), 0)).toBe('0 calls, 0 ok, 0 failed, 0.0 ms\n');
    expect(summary(new Tally(), 0, 80, plain)).toMatch(/calls +0/);
  });
});

describe('progress', () => {
  it('names what is under way, for how long and how far', () => {
    const underway = [
      { name: 'crawl', milliseconds: 1_200, report: { progress: 3, total: 8, message: 'page 3' } },
      { name: 'sum', milliseconds: 300, report: 0.5 },
    ];
    const text = progressText({ answered: 12, underway, milliseconds: 80 }, 100, plain);
    expect(text).toBe('⠙ 12 answered, 2 under way: crawl 1.20 s 38 % page 3 · sum 300 ms 0.5');
  });

  it('is one line that fits, whatever a tool reports', () => {
    const underway = [{ name: 'x\n\u001b[A', milliseconds: 1, report: 'very\r\nlong '.repeat(100) }];
    for (const width of [24, 60]) {
      const text = progressText({ answered: 1, underway, milliseconds: 0 }, width, plain);
      expect(displayWidth(text)).toBeLessThan(width);
      expect(text).not.toMatch(/\p{Cc}/u);
    }
  });

  it('is taken away before anything else is written, and never shown while somebody is asked', async () => {
    const written: string[] = [];
    const output = { write: (text: string) => written.push(text) > 0 } as unknown as Output;
    const line = new ProgressLine(output, () => 'going on');
    line.start();
    line.pause();
    line.clear();
    expect(written).toEqual([]);
    line.resume();
    await expect.poll(() => written.at(-1), { interval: 5 }).toContain('going on');
    line.clear();
    expect(written.at(-1)).toBe('\r\u001b[2K');
    line.stop();
  });
});

describe('table', () => {
  it('sets the last column in several lines on a terminal, in one elsewhere, and leaves empty columns out', () => {
    const rows = [
      ['a', '', 'some words that need room'],
      ['bb', '', 'few'],
    ];
    expect(table(['x', 'y', 'text'], rows, 26, plain)).toBe(
      ['x   text', 'a   some words that need', '    room', 'bb  few', ''].join('\n'),
    );
    expect(table(['x', 'y', 'text'], rows, Number.POSITIVE_INFINITY, plain)).toBe(
      ['x   text', 'a   some words that need room', 'bb  few', ''].join('\n'),
    );
  });
});
