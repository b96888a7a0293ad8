import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../src/errors.ts';
import { FrameReader, headerFor } from '../../src/isolation/frames.ts';
import { leastBytes } from '../../src/isolation/least-bytes.ts';
import { LoadFailures } from '../../src/isolation/load-failures.ts';
import { handlerModuleOf, moduleHandler } from '../../src/isolation/module-handler.ts';
import { readFromWorker, written } from '../../src/isolation/protocol.ts';
import { heardError, tellError } from '../../src/isolation/told-error.ts';
import { weigh } from '../../src/isolation/weigh.ts';

describe('messages on a stream of bytes', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 });

  it('come out as they went in, however the stream is cut', () => {
    fc.assert(
      fc.property(messages, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (given, cuts) => {
        const stream = Buffer.concat(given.flatMap((message) => [headerFor(message), message]));
        const read: Uint8Array[] = [];
        const reader = new FrameReader(
          1_000,
          (bytes) => read.push(bytes),
          () => expect.unreachable(),
        );
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const length = cuts[turn % cuts.length] as number;
          reader.push(stream.subarray(at, at + length));
          at += length;
        }
        expect(read).toEqual(given);
        // Memory of their own, and no more than that.
        for (const bytes of read)
          expect([bytes.buffer.byteLength, Buffer.isBuffer(bytes)]).toEqual([bytes.length, false]);
      }),
    );
  });

  it('end with the first that is too long', () => {
    const read: number[] = [];
    const tooLong: number[] = [];
    const reader = new FrameReader(
      8,
      ({ length }) => read.push(length),
      (length) => tooLong.push(length),
    );
    const long = new Uint8Array(9);
    reader.push(Buffer.concat([headerFor(new Uint8Array(8)), new Uint8Array(8), headerFor(long)]));
    reader.push(long);
    reader.push(headerFor(new Uint8Array(1)));
    expect([read, tooLong]).toEqual([[8], [9]]);
  });
});

describe('what a worker sends', () => {
  it('is a message of a known form, or nothing, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withMap: true, withTypedArray: true }), (value) => {
        const read = readFromWorker(written(value as never));
        expect(read === undefined || typeof read.message.type === 'string').toBe(true);
      }),
    );
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void readFromWorker(bytes)));
  });

  it('holds nothing but the members that belong to it', () => {
    const sent = { type: 'done', call: 1, data: 2, extra: 3, ['__proto__']: { polluted: true } };
    expect(readFromWorker(written(sent as never))?.message).toEqual({ type: 'done', call: 1, data: 2 });
  });
});

describe('data that is more than its bytes', () => {
  const list = (places: number): unknown[] => Object.assign([], { length: places });
  let shared: unknown = ['x'];
  for (let times = 0; times < 40; times++) shared = [shared, shared];
  let deep: unknown = 'x';
  for (let times = 0; times < 2_000; times++) deep = { deep };
  const cycle: unknown[] = [];
  cycle.push(cycle, cycle);

  it.each([
    ['a list of places', list(4_294_967_295), undefined],
    ['lists that hold each other', shared, undefined],
    ['too deep', deep, undefined],
    ['a cycle', cycle, 5],
    ['what is in lists, with its places', [1, [2, 3]], 9],
    ['a map', new Map([['a', new Set([1, 2])]]), 5],
    ['bytes', new Uint8Array(1_000_000), 1],
  ])('is counted: %s', (_what, value, weight) => {
    expect(weigh(value)).toBe(weight);
    const read = readFromWorker(written({ type: 'done', call: 1, data: value }));
    expect(read === undefined).toBe(weight === undefined);
  });
});

describe('the least bytes of a value', () => {
  it('are never more than it takes written out', () => {
    const anything = fc.anything({
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withBigInt: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const size = written({ type: 'done', call: 1, data: value }).byteLength;
        expect(leastBytes({ type: 'done', call: 1, data: value }, Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(size);
      }),
    );
  });

  it.each([
    ['texts', 'x'.repeat(10_000)],
    ['texts in lists and objects', [{ a: 'x'.repeat(5_000) }, ['y'.repeat(5_000)]]],
    ['the same text twice, which is written twice', Array(2).fill('x'.repeat(5_000))],
    ['bytes', new Uint8Array(10_000)],
    ['a buffer', new ArrayBuffer(10_000)],
    ['large numbers, either side of nought', [1n << 500_000n, -(1n << 500_000n)]],
    ['many small values', Array(10_000).fill(true)],
  ])('are not far from that: %s', (_, value) => {
    const size = written({ type: 'done', call: 1, data: value }).byteLength;
    expect(leastBytes(value, Number.POSITIVE_INFINITY)).toBeGreaterThan(size / 10);
    expect(leastBytes(value, 100)).toBeGreaterThan(100);
  });

  it('of what holds itself are counted once', () => {
    const cycle: unknown[] = ['x'.repeat(100)];
    cycle.push(cycle, new Map([[cycle, cycle]]));
    expect(leastBytes(cycle, 1_000)).toBeLessThan(200);
  });
});

describe('errors on their way', () => {
  it.each([
    new TypeError('wrong', { cause: new Error('because') }),
    Object.assign(new Error('no such file'), { code: 'ENOENT' }),
    new AggregateError([new Error('one'), new Error('two')], 'all failed'),
    new DOMException('stopped', 'AbortError'),
  ])('keep name, message, code, cause and errors: %s', (error) => {
    const heard = heardError(structuredClone(tellError(error))) as AggregateError & { code?: unknown };
    expect(heard).toBeInstanceOf(Error);
    expect([heard.name, heard.message]).toEqual([error.name, error.message]);
    expect((heard.cause as Error | undefined)?.message).toBe((error.cause as Error | undefined)?.message);
    if (error instanceof AggregateError) expect(heard.errors.map(({ message }) => message)).toEqual(['one', 'two']);
    else if (typeof (error as { code?: unknown }).code === 'string') expect(heard.code).toBe('ENOENT');
  });

  it('of a ToolError keep code, text and options; its private cause becomes text', () => {
    const error = new ToolError('changed', {
      code: 'conflict',
      retryable: false,
      effect: 'none',
      details: { at: 1n },
      cause: new Error('private'),
    });
    const heard = heardError(structuredClone(tellError(error))) as ToolError;
    expect(heard).toBeInstanceOf(ToolError);
    expect(heard).toMatchObject({
      message: 'changed',
      code: 'conflict',
      options: { retryable: false, effect: 'none', details: { at: '1' }, cause: expect.stringContaining('private') },
    });
  });

  it('are errors or data, whatever was thrown and whatever was told of it', () => {
    fc.assert(fc.property(fc.anything(), (thrown) => void structuredClone(tellError(thrown))));
    fc.assert(
      fc.property(fc.anything(), (told) => {
        heardError(told);
      }),
    );
    const hidden = new Proxy(new Error('x'), {
      get() {
        throw new Error('not readable');
      },
    });
    expect(heardError(tellError(hidden))).toBeInstanceOf(Error);
  });
});

describe('moduleHandler', () => {
  it.each([
    [new URL('file:///app/tool.js'), 'file:///app/tool.js'],
    ['file:///app/tool.js', 'file:///app/tool.js'],
    ['/app/a tool.js', 'file:///app/a%20tool.js'],
    ['data:text/javascript,export default 1', 'data:text/javascript,export default 1'],
    ['some-package', 'some-package'],
    ['@scope/package/tools', '@scope/package/tools'],
  ])('names the module: %s', (given, module) => {
    expect(handlerModuleOf(moduleHandler(given, 'run'))).toEqual({ module, name: 'run' });
  });

  it.each(['./tool.js', '../tool.js', '', '.', '.\\tool.js', 'https://example.com/tool.js', 7 as unknown as string])(
    'refuses %j',
    (given) => {
      expect(() => moduleHandler(given, 'run')).toThrow(TypeError);
    },
  );

  it('refuses what is no name of an export', () => {
    expect(() => moduleHandler('some-package', '')).toThrow(/name of an export/);
    expect(() => moduleHandler('some-package', undefined as unknown as string)).toThrow(/name of an export/);
  });
});

it('a module rests longer with each failure, and no longer once it has loaded', () => {
  let now = 0;
  const loadFailures = new LoadFailures({ now: () => now, setTimeout: () => 0, clearTimeout: () => {} });
  const rests = Array.from({ length: 12 }, () => {
    loadFailures.note('m', false);
    return loadFailures.restOf('m')?.rest ?? 0;
  });
  expect(rests.slice(0, 5)).toEqual([0, 250, 500, 1_000, 2_000]);
  expect(rests.at(-1)).toBe(30_000);
  now = 30_001;
  expect(loadFailures.restOf('m')).toBeUndefined();
  loadFailures.note('m', true);
  loadFailures.note('m', false);
  expect(loadFailures.restOf('m')).toBeUndefined();
});
