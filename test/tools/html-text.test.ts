import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readablePage } from '../../src/tools/html-text.ts';

const read = (html: string) => readablePage(html, 'https://site.example/dir/page');

describe('a page as text', () => {
  it.each([
    ['paragraphs', '<p>a<p>b', 'a\n\nb'],
    ['headings', '<h2>a</h2>b', '## a\n\nb'],
    ['line breaks', 'a<br>b<br/>c', 'a\nb\nc'],
    ['lists', '<ul><li>a</li><li>b<ul><li>c</ul></ul>d', '- a\n- b\n\n- c\n\nd'],
    ['tables', '<table><tr><th>a<th>b<tr><td>c<td>d</table>', 'a | b\nc | d'],
    ['blanks', ' a \n\t b&nbsp; <b> c</b>d ', 'a b cd'],
    ['kept blanks', '<pre>a\n  b</pre>', 'a\n  b'],
    ['images', 'a<img alt="the sea">b<img alt="">', 'a [image: the sea] b'],
    [
      'references',
      '&lt;p&gt; &amp;amp; &#65;&#x42; &nosuch; &eacute &#0; &#xd800;',
      '<p> &amp; AB &nosuch; \xe9 \ufffd \ufffd',
    ],
    ['lesser signs', 'a < b <3 <- </ x', 'a < b <3 <- </ x'],
    ['comments', 'a<!-- <p>b --!> --><!---->c<!-->d<!x>e<?y?>f', 'acdef'],
    ['scripts', '<script>if (a</b) "</p>"</script>a<SCRIPT>b</ScRiPt >c', 'ac'],
    ['styles and templates', '<style>a</style><template>b<template>c</template>d</template>e', 'e'],
    ['drawings', '<svg><title>a</title><text>b</text></svg>c', 'c'],
    ['quoted tag ends', '<p title="a > b" x=\'>\'>c', 'c'],
    ['what never ends', 'a<p title="b', 'a'],
    ['text areas', '<textarea><p>a</textarea>b', '<p>ab'],
  ])('has %s', (_, html, text) => {
    expect(read(html).text).toBe(text);
  });

  it('has one title', () => {
    expect(read('<title> a\n <b> &amp; </title><title>c</title>d')).toMatchObject({ title: 'a <b> &', text: 'd' });
  });

  it('has each link once, absolute, and those of the web only', () => {
    const html =
      '<a href=a>1</a><a href="/a#x">2</a><a href="a">3</a><a href="mailto:x@y.example">4</a>' +
      '<a href="JavaScript:x">5</a><a href="#top">6</a><a href="http://[">7</a><a name=x>8</a>';
    expect(read(html)).toMatchObject({
      text: '1[L1]2[L2]3[L1]45678',
      links: ['https://site.example/dir/a', 'https://site.example/a'],
    });
  });

  it('reads links against the first base', () => {
    const html = '<base href="https://other.example/x/"><base href="https://third.example/"><a href=a>1</a>';
    expect(read(html).links).toEqual(['https://other.example/x/a']);
  });

  it('never throws, and holds no script, whatever the page', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '=',
      '/',
      '!',
      '--',
      'a',
      'script',
      'p',
      ' ',
      '&',
      '#x',
      ';',
      'href',
      'svg',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const { text } = read(`${pieces.join('')}">'><!-- --></script></svg><script>SECRET</script>`);
        expect(text).not.toContain('SECRET');
      }),
    );
  });

  it.each([
    ['open brackets', '<'],
    ['open tags', '<a '],
    ['open comments', '<!--'],
    ['open scripts', '<script>'],
    ['open quotes', '<a b="'],
    ['half closed scripts', '<script></scrip'],
    ['half references', '&#x'],
    ['nested drawings', '<svg>'],
    ['links', '<a href="x">'],
    ['blanks and equals signs', '<a = '],
  ])('takes time in proportion to its length: %s', (_, piece) => {
    // Ten times the length would take a hundred times as long if anything went back; the factor leaves room for noise.
    const time = (length: number) => {
      const html = piece.repeat(length / piece.length);
      const begun = performance.now();
      read(html);
      return performance.now() - begun;
    };
    time(20_000);
    const short = Math.min(time(40_000), time(40_000), time(40_000));
    const long = Math.min(time(400_000), time(400_000));
    expect(long).toBeLessThan(Math.max(short * 60, 150));
  });
});
