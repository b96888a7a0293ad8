import { homedir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ToolError } from '../src/errors.ts';
import { toFailure } from '../src/failure.ts';
import { causeOf } from '../src/result.ts';
import { contextFor } from './support.ts';

function failing(thrown: unknown): ReturnType<typeof toFailure> {
  const ctx = contextFor('work');
  ctx.began();
  return toFailure(ctx, thrown);
}

class Broken {
  get message(): string {
    throw new Error('evil');
  }
}

const rows: [what: string, thrown: unknown, text: string | RegExp][] = [
  ['an error', new Error('boom'), 'boom'],
  ['an error without a message', new TypeError(), 'work failed without a message (TypeError).'],
  ['an error with a blank message', new Error('  '), 'work failed without a message (Error).'],
  ['an error with a cause', new Error('outer', { cause: new Error('inner') }), 'outer (caused by: inner)'],
  ['a cause that is a text', new Error('outer', { cause: 'inner' }), 'outer (caused by: inner)'],
  ['a cause that the message tells already', new Error('outer: inner', { cause: new Error('inner') }), 'outer: inner'],
  ['an error that has only a cause', new Error('', { cause: new Error('inner') }), 'inner'],
  ['an error with a code', Object.assign(new Error('no access'), { code: 'EACCES' }), 'no access (EACCES)'],
  [
    'several errors',
    new AggregateError(
      ['a', 'b', 'c', 'd'].map((text) => new Error(text)),
      'all failed',
    ),
    'all failed (a; b; c; and 1 more)',
  ],
  ['a plain object', { code: 'E_X', message: 'boom' }, 'boom (E_X)'],
  ['an object in other words', { error: 'it broke' }, 'it broke'],
  ['an object without words', { status: 500, id: 7n }, '{"status":500,"id":"7"}'],
  ['an empty object', {}, 'work failed without a message (Object).'],
  ['a getter that throws', new Broken(), 'work failed without a message (Broken).'],
  [
    'an own getter that throws',
    {
      get message(): string {
        throw new Error('evil');
      },
    },
    'work failed without a message (Object).',
  ],
  ['a text', 'plain', 'work failed: plain'],
  ['an empty text', '', 'work failed without a message (it threw an empty text).'],
  ['a number', 42, 'work failed: 42'],
  ['a BigInt', 42n, 'work failed: 42'],
  ['a symbol', Symbol('s'), 'work failed: Symbol(s)'],
  ['undefined', undefined, 'work failed without a message (it threw undefined).'],
  ['null', null, 'work failed without a message (it threw null).'],
  ['a function', () => 1, 'work failed without a message (it threw function).'],
];

describe('toFailure', () => {
  it.each(rows)('tells of %s', (_what, thrown, text) => {
    const failure = failing(thrown);
    expect(failure).toMatchObject({
      ok: false,
      code: 'tool_error',
      effect: 'unknown',
      tool_name: 'work',
      call_id: 'c1',
    });
    expect(failure.error).toBe(text);
    expect(causeOf(failure)).toBe(thrown === null ? null : thrown);
  });

  it('survives whatever cannot be read', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(failing(proxy).error).not.toBe('');
    const loop = new Error('a');
    loop.cause = loop;
    expect(failing(loop).error).toBe('a');
  });

  it('takes code, text and options of a ToolError', () => {
    const cause = new Error('private');
    const failure = failing(new ToolError('Try later.', { code: 'unavailable', details: { wait: 1 }, cause }));
    expect(failure).toMatchObject({ code: 'unavailable', error: 'Try later.', retryable: true, details: { wait: 1 } });
    expect(causeOf(failure)).toBe(cause);
    expect(failing(new ToolError('')).error).toBe('work failed without a message (ToolError).');
  });

  it('blames a stage when the tool was never started', () => {
    expect(toFailure(contextFor('work'), new Error('boom'))).toMatchObject({
      code: 'internal',
      effect: 'none',
      error: 'A stage failed before the tool was started: boom',
    });
  });

  it('takes an AbortError, and whatever the call was aborted with, for a withdrawal', () => {
    expect(failing(new DOMException('This operation was aborted', 'AbortError'))).toMatchObject({
      code: 'aborted',
      error: 'The call was withdrawn.',
    });
    const reason = { kind: 'user_cancelled', message: 'the user pressed stop' };
    const ctx = contextFor('work');
    ctx.abort(reason);
    expect(toFailure(ctx, reason)).toMatchObject({
      code: 'aborted',
      error: 'The call was withdrawn: the user pressed stop',
    });
    expect(toFailure(ctx, new Error('other')).code).toBe('internal');
  });

  it('takes a TimeoutError as the reason of the abort for a deadline, and elsewhere for a failure of the tool', () => {
    const reason = new DOMException('timed out', 'TimeoutError');
    const ctx = contextFor('work');
    ctx.abort(reason);
    expect(toFailure(ctx, reason).code).toBe('timeout');
    expect(failing(new DOMException('timed out', 'TimeoutError')).code).toBe('tool_error');
  });

  it('hides paths of the host and stack frames (O21)', () => {
    const cwd = process.cwd();
    const home = homedir();
    const cases: [text: string, hidden: string][] = [
      [
        `ENOENT: no such file or directory, open '${cwd}/notes/a.txt'`,
        "ENOENT: no such file or directory, open 'notes/a.txt'",
      ],
      [`cannot enter ${cwd}`, 'cannot enter .'],
      [`cannot read ${home}/.config/x`, 'cannot read ~/.config/x'],
      ["EACCES: permission denied, open '/etc/shadow'", "EACCES: permission denied, open '<host>/shadow'"],
      ['at C:\\Users\\bob\\key.txt', 'at <host>/key.txt'],
      [`cannot load ${pathToFileURL(`${cwd}/a.js`)}`, 'cannot load a.js'],
      ['GET https://example.com/etc/x failed', 'GET https://example.com/etc/x failed'],
      ['no route /users/5', 'no route /users/5'],
      ['boom\n    at work (/srv/app/x.js:1:2)\n    at async /srv/app/y.js:3:4\nend', 'boom\nend'],
    ];
    for (const [text, hidden] of cases) expect(failing(new Error(text)).error).toBe(hidden);
  });

  it('bounds what it says', () => {
    expect(failing(new Error('x'.repeat(1_000_000))).error.length).toBeLessThanOrEqual(4_000);
  });
});
