import { describe, expect, it } from 'vitest';
import { callsOf } from '../../src/cli/input/calls.ts';
import { InputError, linesOf, longestLine } from '../../src/cli/input/lines.ts';
import { placeOfMember } from '../../src/cli/input/member.ts';

async function* chunksOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* chunks;
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function linesIn(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const lines = await collected(linesOf(chunksOf(...chunks)));
  return lines.map(({ bytes }) => Buffer.from(bytes).toString());
}

describe('linesOf', () => {
  it('joins a line that came in several chunks, and needs no line break at the end', async () => {
    expect(await linesIn('on', 'e\ntw', 'o', '\n\nfo', 'ur')).toEqual(['one', 'two', '', 'four']);
  });

  it('does not break a character that stands on the border of two chunks', async () => {
    const bytes = Buffer.from('a☕b\n');
    expect(await linesIn(bytes.subarray(0, 2), bytes.subarray(2, 3), bytes.subarray(3))).toEqual(['a☕b']);
  });

  it('gives nothing for nothing', async () => {
    expect(await linesIn()).toEqual([]);
    expect(await linesIn('')).toEqual([]);
  });

  it('refuses an endless line before it fills the memory', async () => {
    const megabyte = new Uint8Array(1024 * 1024).fill(97);
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('first\n');
      for (;;) {
        read += megabyte.length;
        yield megabyte;
      }
    }
    await expect(collected(linesOf(endless()))).rejects.toMatchObject({ line: 2, column: 1 });
    expect(read).toBeLessThan(longestLine + 2 * megabyte.length);
  });
});

describe('callsOf', () => {
  it('reads calls with arguments as an object, as text, or without any', async () => {
    const text = '{"id":"a","name":"x","arguments":{"n":1}}\n{"name":"y","arguments":"{}"}\n{"name":"z"}';
    expect(await collected(callsOf(chunksOf(text)))).toEqual([
      { line: 1, call: { id: 'a', name: 'x', arguments: { n: 1 } } },
      { line: 2, call: { name: 'y', arguments: '{}' } },
      { line: 3, call: { name: 'z' } },
    ]);
  });

  it('does not mind blank lines, CRLF, a byte order mark and numeric ids', async () => {
    const text = '\uFEFF{"id":7,"name":"x"}\r\n\r\n   \n{"name":"y"}\r\n';
    expect(await collected(callsOf(chunksOf(text)))).toEqual([
      { line: 1, call: { id: '7', name: 'x' } },
      { line: 4, call: { name: 'y' } },
    ]);
  });

  it('leaves to the router what a model got wrong inside the call', async () => {
    const text = ['{"name":""}', '{"name":"x","arguments":[1]}', '{"name":"x","arguments":"{broken"}'].join('\n');
    expect(await collected(callsOf(chunksOf(text)))).toHaveLength(3);
  });

  it('takes arguments that are nested deeper than anybody will accept', async () => {
    const deep = `{"name":"x","arguments":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect(await collected(callsOf(chunksOf(deep)))).toHaveLength(1);
  });

  it('gives the calls before the line that cannot be used', async () => {
    const calls = callsOf(chunksOf('{"name":"x"}\nnonsense\n{"name":"y"}\n'));
    expect((await calls.next()).value).toMatchObject({ line: 1 });
    await expect(calls.next()).rejects.toMatchObject({ line: 2 });
  });

  it.each([
    ['a missing value', '{"name":}', 9, 'expected a value'],
    ['single quotes', "{'name':'x'}", 2, 'double quotes'],
    ['a comma too many', '{"name":"x",}', 13, 'comma too many'],
    ['a line that was cut off', '{"name":"x","argum', 19, 'ends in the middle'],
    ['two values on a line', '{"name":"x"} {"name":"y"}', 14, 'second JSON value'],
    ['columns counted in characters, not in code units', '{"name":"👩‍🔧☕",}', 16, 'comma too many'],
    ['a list', '[{"name":"x"}]', 1, 'expected an object'],
    ['null', 'null', 1, 'expected an object'],
    ['no name', '{"id":"a"}', 1, 'no "name"'],
    ['a name that is no text', '{"id":"a","name":5}', 11, 'must be text; it is a number'],
    ['an id that is no text', '{"name":"x","id":{}}', 13, 'it is an object'],
    ['a name given twice', '{"name":"x","name":"y"}', 13, 'twice'],
    ['an argument given twice', '{"name":"x","arguments":{"p":1,"p":2}}', 32, 'twice'],
    ['a mistyped member', '{"name":"x","argument":{}}', 13, 'did you mean "arguments"?'],
    ['the member of another format', '{"name":"x","input":{}}', 13, 'did you mean "arguments"?'],
    ['a member of no format', '{"name":"x","comment":"input"}', 13, 'no member "comment"'],
    ['a byte order mark in the middle', '{"name":\uFEFF"x"}', 9, 'expected a value'],
  ])('locates %s', async (_what, line, column, problem) => {
    const failure: unknown = await collected(callsOf(chunksOf(`{"name":"good"}\n${line}\n`))).catch((error) => error);
    expect(failure).toBeInstanceOf(InputError);
    expect(failure).toMatchObject({ line: 2, column, message: expect.stringContaining(problem) });
  });

  it('locates a byte that is no UTF-8, also behind a replacement character that is meant', async () => {
    const line = Buffer.concat([Buffer.from('{"name":"\uFFFDé'), Buffer.from([0xe9]), Buffer.from('"}\n')]);
    await expect(collected(callsOf(chunksOf(line)))).rejects.toMatchObject({ line: 1, column: 12 });
  });
});

describe('placeOfMember', () => {
  it('finds keys of the outermost object only', () => {
    const text = '{"a":{"name":1},"b":"\\"name\\": x","name":2}';
    expect(text.slice(placeOfMember(text, 'name'))).toBe('"name":2}');
  });

  it('finds a key that is written with escapes, and gives 0 for one that is not there', () => {
    expect(placeOfMember('{ "n\\u0061me" : 1}', 'name')).toBe(2);
    expect(placeOfMember('{"a":"name"}', 'name')).toBe(0);
  });
});
