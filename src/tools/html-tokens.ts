/** A piece of a page: text with its references decoded, or a tag. */
export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'open' | 'close';
      /** In lower case. */
      readonly name: string;
      /** What stands between the name and `>`. */
      readonly rest: string;
    };

// Their content is no markup: it goes on to their own end tag.
const rawElements: ReadonlySet<string> = new Set([
  'script',
  'style',
  'iframe',
  'noembed',
  'noframes',
  'xmp',
  'plaintext',
]);
const rawTextElements: ReadonlySet<string> = new Set(['title', 'textarea']);

/**
 * Cuts a page into text and tags as browsers do, near enough for reading, in one pass: no input makes it go back, so the
 * time is linear. Scripts, styles and comments are left out.
 *
 * @see https://html.spec.whatwg.org/multipage/parsing.html#tokenization
 */
export function* htmlTokens(html: string): Generator<HtmlToken, void, undefined> {
  let at = 0;
  while (at < html.length) {
    const begin = tagBegin(html, at);
    if (begin > at) yield { kind: 'text', text: decodeReferences(html.slice(at, begin)) };
    if (begin >= html.length) return;
    const next = html[begin + 1];
    if (next === '!' || next === '?') {
      at = commentEnd(html, begin);
      continue;
    }
    const closing = next === '/';
    const nameFrom = begin + (closing ? 2 : 1);
    const nameTo = skip(html, nameFrom, isNameCharacter);
    const end = tagEnd(html, nameTo);
    // A tag that never ends swallows the rest, as in browsers.
    if (end === undefined) return;
    const name = html.slice(nameFrom, nameTo).toLowerCase();
    at = end + 1;
    yield { kind: closing ? 'close' : 'open', name, rest: html.slice(nameTo, end) };
    if (closing || !(rawElements.has(name) || rawTextElements.has(name))) continue;
    const close = closeOf(html, name, at);
    if (rawTextElements.has(name)) yield { kind: 'text', text: decodeReferences(html.slice(at, close)) };
    at = close;
  }
}

/** Where the next tag or comment begins; a `<` before anything else is text. */
function tagBegin(html: string, from: number): number {
  let at = from;
  for (;;) {
    const begin = html.indexOf('<', at);
    if (begin < 0) return html.length;
    if (
      /[A-Za-z!?]/.test(html[begin + 1] ?? '') ||
      (html[begin + 1] === '/' && /[A-Za-z]/.test(html[begin + 2] ?? ''))
    ) {
      return begin;
    }
    at = begin + 1;
  }
}

function commentEnd(html: string, begin: number): number {
  const isComment = html.startsWith('<!--', begin);
  // `<!-->` is a whole comment, so the search begins inside its dashes.
  const end = html.indexOf(isComment ? '-->' : '>', begin + 2);
  return end < 0 ? html.length : end + (isComment ? 3 : 1);
}

/** The `>` that ends a tag: one inside a quoted value does not. */
function tagEnd(html: string, from: number): number | undefined {
  let at = from;
  while (at < html.length) {
    const character = html[at];
    if (character === '>') return at;
    if ((character === '"' || character === "'") && html[skipBack(html, at - 1)] === '=') {
      const close = html.indexOf(character, at + 1);
      if (close < 0) return undefined;
      at = close;
    }
    at++;
  }
  return undefined;
}

/** The nearest place before that is not blank. Blanks before a quote are looked at twice at most. */
function skipBack(html: string, from: number): number {
  let at = from;
  while (at >= 0 && isBlank(html[at])) at--;
  return at;
}

function closeOf(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

function skip(html: string, from: number, is: (character: string | undefined) => boolean): number {
  let at = from;
  while (at < html.length && is(html[at])) at++;
  return at;
}

function isNameCharacter(character: string | undefined): boolean {
  return character !== undefined && !isBlank(character) && character !== '/' && character !== '>';
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r' || character === '\f';
}

/** The value of an attribute in a tag's rest, its references decoded. */
export function attribute(rest: string, name: string): string | undefined {
  for (const [, key = '', double, single, bare] of rest.matchAll(
    /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]*)))?/g,
  )) {
    if (key.toLowerCase() === name) return decodeReferences(double ?? single ?? bare ?? '');
  }
  return undefined;
}

const named: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '\u00a9',
  reg: '\u00ae',
  trade: '\u2122',
  hellip: '\u2026',
  mdash: '\u2014',
  ndash: '\u2013',
  lsquo: '\u2018',
  rsquo: '\u2019',
  ldquo: '\u201c',
  rdquo: '\u201d',
  sbquo: '\u201a',
  bdquo: '\u201e',
  laquo: '\u00ab',
  raquo: '\u00bb',
  lsaquo: '\u2039',
  rsaquo: '\u203a',
  bull: '\u2022',
  middot: '\u00b7',
  times: '\u00d7',
  divide: '\u00f7',
  deg: '\u00b0',
  plusmn: '\u00b1',
  frac12: '\u00bd',
  euro: '\u20ac',
  pound: '\u00a3',
  yen: '\u00a5',
  cent: '\u00a2',
  sect: '\u00a7',
  para: '\u00b6',
  larr: '\u2190',
  rarr: '\u2192',
  uarr: '\u2191',
  darr: '\u2193',
  le: '\u2264',
  ge: '\u2265',
  ne: '\u2260',
  auml: '\u00e4',
  ouml: '\u00f6',
  uuml: '\u00fc',
  Auml: '\u00c4',
  Ouml: '\u00d6',
  Uuml: '\u00dc',
  szlig: '\u00df',
  eacute: '\u00e9',
  egrave: '\u00e8',
  agrave: '\u00e0',
  ccedil: '\u00e7',
  ntilde: '\u00f1',
  iexcl: '\u00a1',
  iquest: '\u00bf',
  shy: '',
  zwnj: '',
  zwj: '',
  thinsp: ' ',
  ensp: ' ',
  emsp: ' ',
};

/** Decodes numeric references and the usual named ones; an unknown one stays as it is written. */
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([A-Za-z][A-Za-z0-9]{1,31}));?/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
      const code = Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16);
      const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}
