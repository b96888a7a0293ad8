import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { LineWriter } from '../../src/mcp/line-writer.ts';

/** A stream that notes every write, and takes the next one when it is told to. */
function slowStream(highWaterMark: number) {
  const writes: string[] = [];
  const waiting: ((error?: Error) => void)[] = [];
  const stream = new Writable({
    highWaterMark,
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      writes.push(chunk);
      waiting.push(done);
    },
  });
  stream.on('error', () => {});
  return { stream, writes, taken: (error?: Error) => waiting.shift()?.(error) };
}

test('the messages of one turn are written in one go, in their order, each on a line', async () => {
  const { stream, writes } = slowStream(1_000);
  const writer = new LineWriter(stream);
  const first = writer.write({ id: 1 });
  // A promise later is still the same turn.
  await Promise.resolve().then(() => writer.write({ id: 2, text: 'a\nb' }));
  await first;
  expect(writes).toEqual(['{"id":1}\n{"id":2,"text":"a\\nb"}\n']);
});

test('a message to a stream that is full counts as written when it has been', async () => {
  const { stream, writes, taken } = slowStream(4);
  const writer = new LineWriter(stream);
  let isWritten = false;
  const written = writer.write({ id: 1 }).then(() => {
    isWritten = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([writes.length, isWritten]).toEqual([1, false]);
  taken();
  await written;
  expect(isWritten).toBe(true);
});

test('a failure is told for every message of the turn', async () => {
  const { stream, taken } = slowStream(4);
  const writer = new LineWriter(stream);
  const written = Promise.allSettled([writer.write(1), writer.write(2)]);
  await new Promise((resolve) => setImmediate(resolve));
  taken(new Error('gone'));
  expect((await written).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('flush writes at once, and nothing twice', async () => {
  const { stream, writes } = slowStream(1_000);
  const writer = new LineWriter(stream);
  const written = writer.write({ id: 1 });
  writer.flush();
  expect(writes).toEqual(['{"id":1}\n']);
  await written;
  await new Promise((resolve) => setImmediate(resolve));
  expect(writes).toHaveLength(1);
});

test('what is large is not held back', async () => {
  const { stream, writes } = slowStream(1_000_000);
  const writer = new LineWriter(stream);
  const large = 'x'.repeat(70_000);
  const written = [writer.write('a'), writer.write(large)];
  expect(writes).toEqual([`"a"\n"${large}"\n`]);
  written.push(writer.write('b'));
  await Promise.all(written);
  expect(stream.writableLength).toBeGreaterThan(large.length);
});
