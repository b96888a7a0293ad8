import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Io, Output } from '../../src/cli/io.ts';
import { type Asker, terminalApprover, terminalInput } from '../../src/cli/prompt.ts';
import { Turns } from '../../src/cli/turns.ts';
import { plain } from '../../src/output/style.ts';
import type { ApprovalRequest } from '../../src/policy/approval.ts';
import { questionFor } from '../../src/policy/question.ts';

function request(more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    version: 1,
    id: 'q',
    digest: 'd',
    callId: 'c',
    run: { id: 'r', mode: 'ask' },
    tool: 'write_file',
    description: '',
    level: 'write',
    arguments: { path: 'a.txt', content: 'hello' },
    effects: [{ kind: 'fs.write', path: '/w/a.txt' }],
    reason: 'mode "ask" asks before tools of level "write"',
    rule: 'mode ask',
    preview: '+hello',
    created: '2026-01-01T00:00:00.000Z',
    ...more,
  } as ApprovalRequest;
}

/** A person at a terminal of the test's own. */
function person({ isTerminal = false } = {}) {
  const input = Object.assign(new PassThrough(), isTerminal && { setRawMode: () => input });
  const output = new PassThrough().setEncoding('utf8');
  let shown = '';
  output.on('data', (text: string) => {
    shown += text;
  });
  const events: string[] = [];
  const turns = new Turns();
  const asker: Asker = {
    input,
    output,
    style: plain,
    alone: (work) => turns.take(work),
    interrupted: () => events.push('interrupted'),
  };
  return {
    approve: terminalApprover(asker),
    events,
    get shown() {
      return shown;
    },
    sees: (text: string) => expect.poll(() => shown, { interval: 2 }).toContain(text),
    types: (text: string) => void input.write(text),
    hangsUp: () => void input.end(),
  };
}

const { signal } = new AbortController();
const textOf = (...of: Parameters<typeof questionFor>): string => questionFor(...of).text;

describe('the question on a terminal', () => {
  it.each([
    ['y\r', 'allow'],
    ['YES\r', 'allow'],
    ['n\r', 'deny'],
    ['no\r', 'deny'],
  ])('%j is %s', async (typed, decision) => {
    const { approve, sees, types } = person();
    const answer = approve(request(), { signal });
    await sees('[y yes, n no, e edit the arguments]');
    types(typed);
    expect(await answer).toBe(decision);
  });

  it('takes no answer that was typed before it was shown', async () => {
    const { approve, sees, types } = person({ isTerminal: true });
    types('y\r');
    types('a\r');
    const answer = approve(request(), { signal });
    await sees('[y yes, n no, e edit the arguments]');
    types('n\r');
    expect(await answer).toBe('deny');
  });

  it('nor of a rest, or of a rule, that was not shown when it was typed', async () => {
    const terminal = person({ isTerminal: true });
    const long = Array.from({ length: 60 }, (_, n) => `+line ${n}`).join('\n');
    const always = { rule: { decision: 'allow' }, scopes: ['run'] } as const;
    const answer = terminal.approve(request({ preview: long, always }), { signal });
    await terminal.sees('[s show all of it, n no]');
    terminal.types('s\r');
    terminal.types('y\r');
    await terminal.sees('a always]');
    terminal.types('a\r');
    terminal.types('r\r');
    await terminal.sees('r for this run, b back]');
    terminal.types('b\r');
    await expect.poll(() => terminal.shown.split('a always]').length).toBe(3);
    terminal.types('n\r');
    expect(await answer).toBe('deny');
  });

  it('hears Ctrl-C among what was typed before', async () => {
    const { approve, events, types } = person({ isTerminal: true });
    types('y\r\u0003');
    expect(await approve(request(), { signal })).toBeUndefined();
    expect(events).toEqual(['interrupted']);
  });

  it('asks again after an answer that is none of the three: a return alone is no yes', async () => {
    const { approve, sees, types } = person();
    const answer = approve(request(), { signal });
    await sees('e edit the arguments] ');
    types('\r');
    await sees('Answer y yes');
    types('maybe\r');
    types('n\r');
    expect(await answer).toBe('deny');
  });

  it('takes other arguments, and shows where they are no JSON', async () => {
    const { approve, sees, types } = person();
    const answer = approve(request({ arguments: { n: 1 } }), { signal });
    await sees('e edit the arguments] ');
    types('e\r');
    await sees('{"n":1}');
    types('\u0015{"n":\r');
    await sees('not JSON at character 6');
    types('\u0015{"n":2}\r');
    expect(await answer).toEqual({ decision: 'allow', arguments: { n: 2 } });
  });

  it('takes arguments that were emptied as a no', async () => {
    const { approve, sees, types } = person();
    const answer = approve(request(), { signal });
    await sees('e edit the arguments] ');
    types('e\r');
    await sees('arguments: ');
    types('\u0015\r');
    expect(await answer).toBe('deny');
  });

  it('cannot be said yes to while a part of it is not shown', async () => {
    const terminal = person();
    const { approve, sees, types } = terminal;
    const long = Array.from({ length: 60 }, (_, n) => `+line ${n}`).join('\n');
    const answer = approve(request({ preview: long, always: { rule: { decision: 'allow' }, scopes: ['run'] } }), {
      signal,
    });
    await sees('... and 20 lines more');
    await sees('[s show all of it, n no]');
    for (const [at, key] of ['y', 'yes', 'a', 'e', ''].entries()) {
      types(`${key}\r`);
      await expect.poll(() => terminal.shown.split('There is more than is shown').length).toBe(at + 2);
    }
    expect(terminal.shown).not.toContain('+line 59');
    types('s\r');
    await sees('+line 59');
    await sees('[y yes, n no, e edit the arguments, a always]');
    types('y\r');
    expect(await answer).toBe('allow');
  });

  it.each([
    ['r\r', 'run'],
    ['project\r', 'project'],
  ] as const)('shows the rule whole before it is kept: %j', async (typed, scope) => {
    const { approve, sees, types } = person();
    const always = {
      rule: { decision: 'allow', tool: 'write_file', name: 'x\u202ey' },
      scopes: ['run', 'project'],
    } as const;
    const answer = approve(request({ always }), { signal });
    await sees('a always]');
    types('a\r');
    await sees('"tool": "write_file"');
    await sees('x\\u202ey');
    await sees('[r for this run, p for this project, b back]');
    types('b\r');
    types('a\r');
    types('y\r');
    await sees('Answer r for this run');
    types(typed);
    expect(await answer).toEqual({ decision: 'allow', always: { scope } });
  });

  it('offers no always where there is none', async () => {
    const { approve, sees, types } = person();
    const answer = approve(request(), { signal });
    await sees('e edit the arguments] ');
    types('a\r');
    await sees('Answer y yes');
    types('n\r');
    expect(await answer).toBe('deny');
  });

  it('asks one question after the other', async () => {
    const terminal = person();
    const { approve, sees, types } = terminal;
    const first = approve(request({ tool: 'first_tool' }), { signal });
    const second = approve(request({ tool: 'second_tool' }), { signal });
    await sees('first_tool');
    expect(terminal.shown).not.toContain('second_tool');
    types('y\r');
    expect(await first).toBe('allow');
    await sees('second_tool');
    types('n\r');
    expect(await second).toBe('deny');
  });

  it('is no answer when the input ends, and never hangs', async () => {
    const { approve, sees, hangsUp } = person();
    const answer = approve(request(), { signal });
    await sees('May this run?');
    hangsUp();
    expect(await answer).toBeUndefined();
    expect(await approve(request(), { signal })).toBeUndefined();
  });

  it('goes away with its call', async () => {
    const abort = new AbortController();
    const terminal = person();
    const { approve, sees } = terminal;
    const answer = approve(request(), { signal: abort.signal });
    const waiting = approve(request({ tool: 'later' }), { signal: abort.signal });
    await sees('May this run?');
    abort.abort();
    expect(await answer).toBeUndefined();
    expect(await waiting).toBeUndefined();
    expect(terminal.shown).not.toContain('later');
  });

  it('hands Ctrl-C on to the run', async () => {
    const { approve, sees, types, events } = person();
    const answer = approve(request(), { signal });
    await sees('e edit the arguments] ');
    types('\u0003');
    expect(await answer).toBeUndefined();
    expect(events).toContain('interrupted');
  });
});

describe('questionFor', () => {
  it('shows the tool, its level, why it is asked, the arguments, the effects and the preview', () => {
    const text = textOf(request(), plain);
    for (const part of ['write_file (write)', 'mode "ask"', '"path": "a.txt"', 'writes /w/a.txt', '+hello']) {
      expect(text).toContain(part);
    }
  });

  it('shows every kind of effect', () => {
    const effects = [
      { kind: 'fs.read', path: '/r' },
      { kind: 'net', host: 'example.com', port: 443 },
      { kind: 'exec', argv: ['git', 'log', 'a b'] },
    ] as const;
    const text = textOf(request({ effects }), plain);
    for (const part of ['reads /r', 'talks to example.com, port 443', 'starts "git" "log" "a b"']) {
      expect(text).toContain(part);
    }
  });

  it('lets nothing in it act or hide', () => {
    const evil = 'a\u001b[2K\u202eb\u200bc\r';
    const text = textOf(
      request({
        tool: evil,
        reason: evil,
        preview: evil,
        arguments: { [evil]: evil },
        effects: [{ kind: 'fs.write', path: evil }],
      }),
      plain,
    );
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it.each<[string, string, string | undefined]>([
    ['a Cyrillic letter among Latin ones', '/w/p\u0430ssword', '"\u0430" is U+0430'],
    ['a full-width letter', '/w/\uff41', '"\uff41" is U+FF41'],
    ['a mathematical letter', '/w/\u{1d41a}', 'U+1D41A'],
    ['a name in one script', '/w/\u043f\u0440\u0438\u0432\u0435\u0442/ä/日本.txt', undefined],
  ])('points out letters that look like others: %s', (_, path, note) => {
    const text = textOf(request({ effects: [{ kind: 'fs.write', path }] }), plain);
    if (note === undefined) expect(text).not.toContain('careful');
    else expect(text).toMatch(new RegExp(`careful: letters that look like others: .*${note.replace('+', '\\+')}`));
  });

  it('says so when there is more than it shows', () => {
    const text = textOf(request({ preview: 'line\n'.repeat(500) }), plain);
    expect(text).toContain('lines more');
    expect(text.split('\n').length).toBeLessThan(100);
    const wide = textOf(request({ arguments: { content: 'x'.repeat(1_000_000) } }), plain);
    expect(wide.length).toBeLessThan(20_000);
    expect(wide).toMatch(/and [\d,]+ characters more/);
  });
});

describe('where somebody is asked', () => {
  const io = (stdin: boolean, stderr: boolean): Io => ({
    stdin: Object.assign(new PassThrough(), { isTTY: stdin }),
    stdout: new PassThrough(),
    stderr: Object.assign(new PassThrough(), { isTTY: stderr }) as Output,
    env: {},
    cwd: '/',
  });

  it('on standard input, if it is a terminal and the question can be seen', () => {
    const seen = io(true, true);
    expect(terminalInput(seen, false)).toBe(seen.stdin);
    expect(terminalInput(io(true, false), false)).toBeUndefined();
    expect(terminalInput(io(false, false), false)).toBeUndefined();
    expect(terminalInput(io(false, false), true)).toBeUndefined();
  });

  it('nowhere, if standard input is a terminal on which the calls are typed', () => {
    expect(terminalInput(io(true, true), true)).toBeUndefined();
  });
});
