import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDoc, readParam } from '../../src/codegen/jsdoc.ts';
import { createNames, humanized, snakeCase } from '../../src/codegen/names.ts';
import { printKey, printText, printValue } from '../../src/codegen/print.ts';

describe('a documentation comment', () => {
  it('has its description, and its tags with their places', () => {
    const comment = '/**\n * First line.\n *   - a point\n *\n * More.\n * @param a - one\n *   two\n * @tool\n */';
    const { description, tags } = parseDoc(comment, 10);
    expect(description).toBe('First line.\n  - a point\n\nMore.');
    expect(tags.map(({ name, text }) => [name, text])).toEqual([
      ['param', 'a - one\n  two'],
      ['tool', ''],
    ]);
    expect(tags.map(({ position }) => comment.slice(position - 10, position - 10 + 5))).toEqual(['@para', '@tool']);
  });

  it('of one line may have tags behind its text; in several lines a tag comes first', () => {
    expect(parseDoc('/** Size. @minimum 1 @integer */', 0)).toEqual({
      description: 'Size.',
      tags: [
        { name: 'minimum', text: '1', position: 10 },
        { name: 'integer', text: '', position: 21 },
      ],
    });
    expect(parseDoc('/**\n * Ask user@example.org or @tool makers.\n */', 0).tags).toEqual([]);
    expect(parseDoc('/** Mail user@example.org */', 0).tags).toEqual([]);
  });

  it('keeps code as it is, and shows links as their text', () => {
    const comment = '/**\n * See {@link Date}, {@link Map | the map}.\n * ```\n * @tool\n * ```\n */';
    expect(parseDoc(comment, 0)).toEqual({ description: 'See Date, the map.\n```\n@tool\n```', tags: [] });
  });

  it('reads the same with line ends of either kind', () => {
    const comment = '/**\n * Text.\n * @param a one\n */';
    const strip = (doc: ReturnType<typeof parseDoc>): unknown => [doc.description, doc.tags.map(({ text }) => text)];
    expect(strip(parseDoc(comment.replaceAll('\n', '\r\n'), 0))).toEqual(strip(parseDoc(comment, 0)));
  });

  it.each([
    ['a - text', 'a', 'text'],
    ['a text', 'a', 'text'],
    ['{string} a text', 'a', 'text'],
    ['[a] text', 'a', 'text'],
    ['[a=5] - text', 'a', 'text'],
    ['a.b text', 'a.b', 'text'],
    ['a[] text', 'a[]', 'text'],
    ['a', 'a', ''],
  ])('understands @param %s', (text, path, description) => {
    expect(readParam({ name: 'param', text, position: 0 })).toEqual({ path, text: description });
  });
});

describe('names', () => {
  it.each([
    ['searchNotes', 'search_notes', 'Search notes.'],
    ['getHTTPStatus2', 'get_http_status2', 'Get http status2.'],
    ['already_snake', 'already_snake', 'Already snake.'],
    ['$run', 'run', 'Run.'],
    ['URL', 'url', 'Url.'],
    ['parseURL', 'parse_url', 'Parse url.'],
    ['a', 'a', 'A.'],
  ])('%s is %s', (name, snake, words) => {
    expect([snakeCase(name), humanized(name)]).toEqual([snake, words]);
  });

  it('are given out once, and are never keywords', () => {
    const name = createNames(['tools']);
    expect(['tools', 'a', 'a', 'delete', '1a', 'a-b'].map(name)).toEqual([
      'tools2',
      'a',
      'a2',
      'delete2',
      '_1a',
      'a_b',
    ]);
  });
});

describe('printed values', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const printed: unknown = new Function(`return (${printValue(value)});`)();
        // The sign of zero is the one thing that JSON Schema has no use for.
        expect(JSON.stringify(printed)).toBe(JSON.stringify(value));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => new Function(`return ${printText(text)};`)() === text),
    );
  });

  it('have keys in quotes only where they must', () => {
    expect([printKey('a1'), printKey('$ref'), printKey('odd-name'), printKey('größe')]).toEqual([
      'a1',
      '$ref',
      "'odd-name'",
      "'größe'",
    ]);
  });
});
