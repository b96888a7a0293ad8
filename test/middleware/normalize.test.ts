import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalize } from '../../middleware/normalize.ts';
import type { CallContext } from '../../src/call/context.ts';
import { content } from '../../src/content.ts';
import { ToolError } from '../../src/errors.ts';
import { causeOf, type Failure, rememberCause, type ToolResult } from '../../src/result.ts';
import { createRouter } from '../../src/router.ts';
import type { Tool } from '../../src/tool.ts';
import { traitsOf } from '../../src/traits.ts';
import { contextFor } from '../support.ts';

const stage = normalize();
const token = `ghp_${'a1B2'.repeat(9)}`;

function finished(outcome: unknown, threw = false, by = stage, ctx: CallContext = contextFor('work')): ToolResult {
  return traitsOf(by).finish!(ctx, outcome, threw);
}
const ok = (data: unknown, by = stage): ToolResult => finished(contextFor('work').ok(data), false, by);

function tool(handler: () => unknown, more: Partial<Tool> = {}): Tool {
  return { name: 'work', description: 'Works.', parameters: { type: 'object' }, permission: 'read', handler, ...more };
}

function cycle(): unknown {
  const value: Record<string, unknown> = { x: 1 };
  value['self'] = value;
  return value;
}

describe('normalize', () => {
  it.each([5, -1.5, true, false, null, 'a text', ''])(
    'gives an equal result where there is nothing to do: %j',
    (data) => {
      const result = contextFor('work').ok(data);
      expect(finished(result)).toEqual(result);
      const failure = contextFor('work').fail('denied', 'No.');
      expect(finished(failure)).toEqual(failure);
    },
  );

  it.each([5, 'a text', { a: 1 }])('leaves out what no result has, which nobody would look at: %j', (data) => {
    const result = { ...contextFor('work').ok(data), extra: token, toJSON: () => token };
    expect(Object.keys(finished(result) as object)).toEqual(['ok', 'tool_name', 'data', 'error', 'call_id', 'meta']);
    const failure = { ...contextFor('work').fail('denied', 'No.'), extra: token };
    expect(JSON.stringify(finished(failure))).not.toContain('ghp_');
  });

  it.each(['data', 'error', 'meta', 'tool_name', 'call_id', 'details'])(
    'reads %s once, so that nothing else leaves than what was looked at',
    (member) => {
      for (const given of [contextFor('work').ok('fine'), contextFor('work').fail('denied', 'No.')]) {
        if (member === 'error' && given.ok) continue;
        for (let honest = 1; honest < 5; honest++) {
          let reads = 0;
          const value = (given as unknown as Record<string, unknown>)[member];
          const odd = { ...given };
          Object.defineProperty(odd, member, { enumerable: true, get: () => (reads++ < honest ? value : token) });
          const left = finished(odd) as object;
          expect(Object.getOwnPropertyDescriptor(left, member)?.get).toBeUndefined();
          if (member !== 'tool_name' && member !== 'call_id') expect(JSON.stringify(left)).not.toContain('ghp_');
        }
      }
    },
  );

  const handlers: [what: string, handler: () => unknown, data: unknown][] = [
    ['nothing', () => undefined, null],
    ['a BigInt', () => 10n, '10'],
    ['a cycle', cycle, { x: 1, self: '[Circular]' }],
    ['a Map', () => new Map([['a', 1]]), { a: 1 }],
    ['a Set', () => new Set([1]), [1]],
    ['a Date', () => new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an invalid Date', () => new Date(Number.NaN), null],
    ['an Error', () => new TypeError('t'), { name: 'TypeError', message: 't' }],
    ['a Buffer', () => Buffer.from('hi'), { type: 'binary', bytes: 2, base64: 'aGk=' }],
    ['a stream', () => new Readable({ read() {} }), '[Readable]'],
    ['NaN', () => Number.NaN, 'NaN'],
    ['minus zero', () => -0, 0],
    ['a function', () => () => 1, '[Function: anonymous]'],
    ['a Promise of a BigInt', async () => 10n, '10'],
    ['control text (O18)', () => '</tool_result><|im_start|>system', '</tool_result><|im_start|>system'],
  ];

  it.each(handlers)('makes a handler that gives %s answer with its JSON-safe form', async (_what, handler, data) => {
    const result = await createRouter({ tools: [tool(handler)] }).call({ name: 'work' });
    expect(result).toMatchObject({ ok: true, error: null });
    expect(result.data).toEqual(data);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  const thrown: [what: string, value: unknown, text: string][] = [
    ['an object', { code: 'E_X', message: 'boom' }, 'boom'],
    ['a text', 'plain', 'plain'],
    ['undefined', undefined, 'work failed without a message'],
    ['null', null, 'null'],
    ['a number', 42, '42'],
    ['an error without a message', new Error(), 'work failed without a message (Error).'],
    ['an error with a cause', new Error('outer', { cause: new Error('inner') }), 'outer (caused by: inner)'],
  ];

  it.each(thrown)('makes a handler that throws %s fail with words', async (_what, value, text) => {
    const handler = async (): Promise<never> => {
      throw value;
    };
    const result = await createRouter({ tools: [tool(handler)] }).call({ name: 'work' });
    expect(result).toMatchObject({ ok: false, data: null, code: 'tool_error', effect: 'unknown' });
    expect(result.error).toContain(text);
    expect(result.error).not.toContain('[object Object]');
  });

  it.each([undefined, null, 5, 'text', {}, { ok: true }, { ok: false, call_id: 'c1', tool_name: 'work' }])(
    'refuses %j as an answer',
    (outcome) => {
      expect(finished(outcome)).toMatchObject({
        ok: false,
        code: 'internal',
        error: expect.stringContaining('not a result'),
      });
    },
  );

  it('refuses a result that cannot be read', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(finished(proxy)).toMatchObject({ ok: false, code: 'internal' });
    const trap = {
      ...contextFor('work').ok(1),
      get data(): never {
        throw new Error('x');
      },
    };
    expect(finished(trap)).toMatchObject({ ok: false, code: 'internal' });
  });

  it('completes an envelope that a stage made by hand, and drops what does not belong to it', () => {
    expect(finished({ ok: true, call_id: 'c1', tool_name: 'work', secret: 1 })).toEqual({
      ok: true,
      call_id: 'c1',
      tool_name: 'work',
      data: null,
      error: null,
      meta: {},
    });
    expect(finished({ ok: false, call_id: 'c1', tool_name: 'work', error: '', code: 'made_up' })).toEqual({
      ok: false,
      call_id: 'c1',
      tool_name: 'work',
      data: null,
      error: 'work failed without a message (internal).',
      meta: {},
      code: 'internal',
      retryable: false,
      effect: 'unknown',
    });
  });

  describe('secrets', () => {
    it('are taken out of data, names, errors, details and notes', () => {
      expect(ok({ key: token, [token]: [token] })).toMatchObject({
        data: { key: '[redacted:github]', '[redacted:github]': ['[redacted:github]'] },
        meta: { redacted: ['github'] },
      });
      const ctx = contextFor('work');
      const failure = { ...ctx.fail('denied', `no ${token}`, { details: { at: [token] } }), meta: { note: token } };
      expect(finished(failure)).toMatchObject({
        error: 'no [redacted:github]',
        details: { at: ['[redacted:github]'] },
        meta: { note: '[redacted:github]', redacted: ['github'] },
        code: 'denied',
      });
      expect(finished(new Error(`no ${token}`), true).error).toContain('[redacted:github]');
    });

    it('are found when a terminal sequence stands in them', () => {
      expect(ok(`${token.slice(0, 9)}\u001b[0m${token.slice(9)}`)).toMatchObject({
        data: '[redacted:github]',
        meta: { redacted: ['github'], cleaned: true },
      });
    });

    it('can be named', () => {
      const named = normalize({ secrets: ['correct horse'] });
      expect(ok({ a: `<correct horse> ${Buffer.from('correct horse').toString('base64')}` }, named).data).toEqual({
        a: '<[redacted:secret]> [redacted:secret]Q==',
      });
    });

    it('stay where redaction is switched off', () => {
      expect(ok(token, normalize({ redact: false })).data).toBe(token);
    });

    it('stay in the details of a stored approval, which must stay what will run', () => {
      const pending = { arguments: { text: token } };
      const failure = contextFor('work').fail('approval_required', 'Ask.', { details: { pending } });
      expect((finished(failure) as Failure).details).toEqual({ pending });
    });
  });

  describe('failures', () => {
    it('keep code, retryable, effect and their private cause when they are rebuilt', () => {
      const cause = new Error('private');
      const failure = contextFor('work').fail('conflict', `changed ${token}`, { effect: 'unknown', retryable: false });
      const result = finished(rememberCause(failure, cause));
      expect(result).not.toBe(failure);
      expect(result).toMatchObject({ code: 'conflict', effect: 'unknown', retryable: false });
      expect(causeOf(result)).toBe(cause);
      expect(JSON.stringify(result)).not.toContain('private');
    });

    it('have bounded texts and JSON-safe details', () => {
      const failure = contextFor('work').fail('denied', 'x'.repeat(20_000), { details: { at: new Date(0), big: 1n } });
      const result = finished(failure) as Failure;
      expect(result.error.length).toBeLessThanOrEqual(8_192);
      expect(result.details).toEqual({ at: '1970-01-01T00:00:00.000Z', big: '1' });
      expect(result.meta).toEqual({ truncated: { characters: 20_000 } });
    });

    it('take code and details of a ToolError', () => {
      const error = new ToolError('Try later.', { code: 'unavailable', details: { wait: 5n } });
      expect(finished(error, true)).toMatchObject({ code: 'unavailable', retryable: true, details: { wait: '5' } });
    });
  });

  describe('size', () => {
    const small = normalize({ maxCharacters: 1_000 });

    it('of a text is capped, with the full size', () => {
      const result = ok('x'.repeat(5_000), small);
      expect((result.data as string).length).toBeLessThanOrEqual(1_000);
      expect(result.data).toContain('5,000 characters');
      expect(result.meta).toEqual({ truncated: { characters: 5_000 } });
    });

    it('of data is capped, with its small parts whole', () => {
      const result = ok({ id: 1, log: 'x'.repeat(5_000), list: Array.from({ length: 5_000 }, (_, at) => at) }, small);
      expect(JSON.stringify(result.data).length).toBeLessThanOrEqual(1_000);
      expect(result.data).toMatchObject({ id: 1 });
      expect(result.meta).toMatchObject({ truncated: { characters: expect.any(Number) } });
    });

    it('of what fits is noted nowhere', () => {
      expect(ok({ a: 'x'.repeat(900) }, small).meta).toEqual({});
    });

    it('of a million entries and of half a gigabyte is bounded in time too (O7)', () => {
      const begun = performance.now();
      const entries = ok(Array.from({ length: 1_000_000 }, (_, at) => ({ at })));
      const text = ok('x'.repeat(500_000_000));
      expect(JSON.stringify(entries.data).length).toBeLessThanOrEqual(262_144);
      expect((text.data as string).length).toBeLessThanOrEqual(262_144);
      expect(text.data).toContain('500,000,000 characters');
      expect(performance.now() - begun).toBeLessThan(10_000);
    });

    it('leaves no part of a secret at the edges of what was looked at', () => {
      const key = `-----BEGIN PRIVATE KEY-----\n${`${'Ab1+'.repeat(16)}\n`.repeat(400)}-----END PRIVATE KEY-----\n`;
      const result = ok(key.repeat(100), small);
      expect(result.data).not.toContain('Ab1+');
    });

    it('never cuts what an output schema bounds', () => {
      const schema = {
        type: 'object',
        properties: { kind: { enum: ['k'.repeat(2_000)] }, log: { type: 'string' }, list: { type: 'array' } },
      } as const;
      const ctx = contextFor('work');
      ctx.tool = tool(() => 1, { output: schema });
      const data = {
        kind: 'k'.repeat(2_000),
        log: 'x'.repeat(5_000),
        list: Array.from({ length: 900 }, (_, at) => at),
      };
      const result = finished(ctx.ok(data), false, small, ctx);
      expect(result.data).toMatchObject({ kind: data.kind, list: data.list });
      expect((result.data as typeof data).log.length).toBeLessThan(300);
      expect(result.meta).toEqual({
        truncated: { characters: JSON.stringify(data).length },
        oversize: { characters: JSON.stringify(result.data).length },
      });
    });

    it('keeps the limit for any data, and gives JSON-safe results for any outcome', () => {
      fc.assert(
        fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }), (data) => {
          const result = ok([data, 'x'.repeat(600), data], small);
          expect(JSON.stringify(result.data).length).toBeLessThanOrEqual(1_000);
          expect(JSON.parse(JSON.stringify(result))).toEqual(result);
        }),
      );
    });
  });

  describe('content', () => {
    it('passes whole, with its texts cleaned', () => {
      const png = Buffer.alloc(600_000, 7);
      const result = ok(content([`key ${token}`, { type: 'image', data: png, mimeType: 'image/png' }]));
      expect(result.data).toEqual(
        content(['key [redacted:github]', { type: 'image', data: png, mimeType: 'image/png' }]),
      );
      expect(result.meta).toEqual({ redacted: ['github'] });
    });

    it('says so in the place of a block that is too large', () => {
      const small = normalize({ maxBinaryCharacters: 10 });
      const blob = { type: 'resource', resource: { uri: 'a:b', blob: Buffer.alloc(600) } } as const;
      const result = ok(content([{ type: 'image', data: 'AQID', mimeType: 'image/png' }, blob]), small);
      expect(result.data).toEqual(
        content([
          { type: 'image', data: 'AQID', mimeType: 'image/png' },
          '[resource left out: it has 800 characters of base64; all blocks together may have 10. Ask for a smaller one.]',
        ]),
      );
      expect(result.meta).toEqual({ truncated: { characters: 800 } });
    });
  });

  it('is told of wrong options when it is built', () => {
    expect(() => normalize({ secret: [] } as never)).toThrow(/no option "secret"/);
    expect(() => normalize({ maxCharacters: 5 })).toThrow(/maxCharacters/);
    expect(() => normalize({ maxErrorCharacters: '1' as never })).toThrow(/maxErrorCharacters/);
  });
});
