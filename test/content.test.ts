import { describe, expect, it } from 'vitest';
import { type Content, content, isContent } from '../src/content.ts';

describe('content', () => {
  it('takes text, bytes and blocks, and gives JSON-safe blocks in MCP form', () => {
    const made = content([
      'a chart',
      { type: 'image', data: new Uint8Array([1, 2, 3]), mimeType: 'image/png' },
      { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', blob: Buffer.from('x') } },
      { type: 'resource', resource: { uri: 'file:///b', text: 'b' } },
      { type: 'resource_link', uri: 'https://example.com', name: 'example' },
    ]);
    expect(made.content.slice(0, 4)).toEqual([
      { type: 'text', text: 'a chart' },
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
      { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', blob: 'eA==' } },
    ]);
    expect(isContent(made)).toBe(true);
    expect(isContent(JSON.parse(JSON.stringify(made)))).toBe(true);
  });

  const wrong: unknown[] = [
    null,
    5,
    {},
    { type: 'video', data: 'AQID', mimeType: 'video/mp4' },
    { type: 'text' },
    { type: 'image', data: 'AQID' },
    { type: 'image', data: 'not base64!', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'a' } },
    { type: 'resource', resource: { uri: 'a', text: 'a', blob: 'AQID' } },
    { type: 'resource', resource: null },
    { type: 'resource_link', uri: 'a' },
  ];

  it.each(wrong)('refuses the block %j, and says which one it is', (block) => {
    expect(() => content(['first', block as string])).toThrow(/Block 1 of content/);
    expect(isContent({ type: 'content', content: [block] })).toBe(false);
  });

  it.each([null, 'content', [], { type: 'content' }, { type: 'content', content: [], more: 1 }])(
    'does not take %j for content',
    (value) => {
      expect(isContent(value)).toBe(false);
    },
  );

  it('has a type of its own', () => {
    const made: Content = content([]);
    expect(made).toEqual({ type: 'content', content: [] });
  });
});
