import { describe, expect, it } from 'vitest';
import { content } from '../src/content.ts';
import { toModelText } from '../src/model-text.ts';
import { contextFor } from './support.ts';

const ctx = contextFor();

function cycle(): unknown {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}

describe('toModelText', () => {
  it.each<[unknown, string]>([
    ['a text', 'a text'],
    ['', ''],
    [5, '5'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'null'],
    [[1, 'a'], '[1,"a"]'],
    [{ a: { b: 1 } }, '{"a":{"b":1}}'],
    [7n, '"7"'],
    [() => 1, '"[Function: anonymous]"'],
    [cycle(), '{"self":"[Circular]"}'],
  ])('gives %s as %s', (data, text) => {
    expect(toModelText(ctx.ok(data))).toBe(text);
  });

  it('gives a failure as an object with its error', () => {
    expect(toModelText(ctx.fail('unknown_tool', 'unknown tool: "divide"'))).toBe(
      '{"error":"unknown tool: \\"divide\\""}',
    );
  });

  it('gives the texts of content, and a note for what is no text', () => {
    const data = content([
      'before',
      { type: 'image', data: Buffer.alloc(1_234), mimeType: 'image/png' },
      { type: 'audio', data: Buffer.alloc(1), mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///a.bin', mimeType: 'application/zip', blob: Buffer.alloc(2) } },
      { type: 'resource_link', uri: 'https://example.com', name: 'site', size: 10 },
    ]);
    expect(toModelText(ctx.ok(data)).split('\n')).toEqual([
      'before',
      '[image: image/png, 1,234 bytes]',
      '[audio: audio/wav, 1 byte]',
      'inside',
      '[resource: file:///a.bin, application/zip, 2 bytes]',
      '[resource: site, https://example.com, 10 bytes]',
    ]);
  });
});
