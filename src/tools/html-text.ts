import { attribute, htmlTokens } from './html-tokens.ts';

/** What there is to read on a page. */
export interface ReadablePage {
  readonly title: string;
  /** Paragraphs, lists and headings as plain text; link 1 is marked `[L1]` behind its text. */
  readonly text: string;
  /** Absolute URLs, http and https only, each once, in the order of their numbers. */
  readonly links: readonly string[];
}

const maxLinks = 500;
// Reading a URL costs more than all else, and a page can hold very many.
const maxResolved = 5000;

const blocks: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'header hgroup hr legend li main menu nav ol option p pre section select summary table tbody tfoot thead tr ul ' +
    'h1 h2 h3 h4 h5 h6 title'
  ).split(' '),
);
const spaced: ReadonlySet<string> = new Set('p blockquote ul ol dl pre table figure h1 h2 h3 h4 h5 h6'.split(' '));
// Drawings and templates hold no text for readers.
const unread: ReadonlySet<string> = new Set(['svg', 'template', 'object', 'noscript', 'canvas', 'datalist']);

/** Makes a page readable, in time linear in its length; runs and loads nothing. `base` is where the page came from. */
export function readablePage(html: string, base: string): ReadablePage {
  const writer = new Writer(base);
  let hidden: { readonly name: string; depth: number } | undefined;
  for (const token of htmlTokens(html)) {
    if (token.kind === 'text') {
      if (hidden === undefined) writer.text(token.text);
      continue;
    }
    const { kind, name, rest } = token;
    if (hidden !== undefined) {
      if (name === hidden.name) hidden.depth += kind === 'open' && !rest.endsWith('/') ? 1 : kind === 'close' ? -1 : 0;
      if (hidden.depth === 0) hidden = undefined;
    } else if (kind === 'open' && unread.has(name)) {
      if (!rest.endsWith('/')) hidden = { name, depth: 1 };
    } else if (kind === 'open') writer.open(name, rest);
    else writer.close(name);
  }
  return writer.page();
}

/** Collects the text and keeps blanks and empty lines down to what separates. */
class Writer {
  #base: string;
  #rebased = false;
  #resolved = 0;
  #title: string[] | undefined;
  #titleText: string | undefined;
  readonly #parts: string[] = [];
  readonly #links = new Map<string, number>();
  #link: number | undefined;
  #pre = 0;
  /** What has to stand before the next text: nothing, a blank, a line end, or an empty line. */
  #gap: '' | ' ' | '\n' | '\n\n' = '';

  constructor(base: string) {
    this.#base = base;
  }

  text(text: string): void {
    if (this.#title !== undefined) this.#title.push(text);
    else if (this.#pre > 0) this.#write(text.replaceAll('\r\n', '\n'));
    else this.#flow(text);
  }

  open(name: string, rest: string): void {
    if (name === 'title') this.#title = [];
    else if (name === 'base') this.#rebase(attribute(rest, 'href'));
    else if (name === 'br') this.#part('\n');
    else if (name === 'a') this.#openLink(attribute(rest, 'href'));
    else if (name === 'img') this.#image(attribute(rest, 'alt'));
    else if (name === 'td' || name === 'th') this.#cell();
    if (blocks.has(name)) this.#part(spaced.has(name) ? '\n\n' : '\n');
    if (name === 'pre') this.#pre++;
    else if (name === 'li') this.#write('- ');
    else if (/^h[1-6]$/.test(name)) this.#write(`${'#'.repeat(Number(name[1]))} `);
  }

  close(name: string): void {
    if (name === 'title' && this.#title !== undefined) this.#endTitle();
    else if (name === 'a') this.#closeLink();
    else if (name === 'pre' && this.#pre > 0) this.#pre--;
    if (blocks.has(name)) this.#part(spaced.has(name) ? '\n\n' : '\n');
  }

  page(): ReadablePage {
    if (this.#title !== undefined) this.#endTitle();
    return { title: this.#titleText ?? '', text: this.#parts.join('').trim(), links: [...this.#links.keys()] };
  }

  #endTitle(): void {
    this.#titleText ??= (this.#title ?? []).join('').replace(/\s+/g, ' ').trim();
    this.#title = undefined;
  }

  #flow(text: string): void {
    const words = text.replace(/[ \t\r\n\f\u00a0]+/g, ' ');
    if (words === ' ' || words === '') {
      if (words !== '') this.#part(' ');
      return;
    }
    if (words.startsWith(' ')) this.#part(' ');
    this.#write(words.trim());
    if (words.endsWith(' ')) this.#part(' ');
  }

  #write(text: string): void {
    if (this.#gap !== '' && this.#parts.length > 0) {
      // A marker such as "- " ends in the blank that is wanted.
      if (this.#gap !== ' ' || !this.#parts.at(-1)?.endsWith(' ')) this.#parts.push(this.#gap);
    }
    this.#gap = '';
    this.#parts.push(text);
  }

  #part(gap: ' ' | '\n' | '\n\n'): void {
    if (gap.length > this.#gap.length || (gap !== ' ' && this.#gap === ' ')) this.#gap = gap;
  }

  #cell(): void {
    if (this.#gap === '' || this.#gap === ' ') {
      this.#gap = '';
      if (this.#parts.length > 0) this.#write(' | ');
    }
  }

  #image(alt: string | undefined): void {
    const text = alt?.replace(/\s+/g, ' ').trim();
    if (text) this.#flow(` [image: ${text}] `);
  }

  #openLink(href: string | undefined): void {
    const url = href === undefined ? undefined : this.#resolve(href);
    if (url === undefined) return;
    let number = this.#links.get(url);
    if (number === undefined && this.#links.size < maxLinks) {
      number = this.#links.size + 1;
      this.#links.set(url, number);
    }
    this.#link = number;
  }

  #closeLink(): void {
    if (this.#link !== undefined) this.#write(`[L${this.#link}]`);
    this.#link = undefined;
  }

  #rebase(href: string | undefined): void {
    const url = href === undefined || this.#rebased ? undefined : this.#resolve(href);
    if (url === undefined) return;
    this.#base = url;
    this.#rebased = true;
  }

  /** A place inside this page is no link to go to. */
  #resolve(href: string): string | undefined {
    if (href.trim().startsWith('#') || ++this.#resolved > maxResolved) return undefined;
    try {
      const url = new URL(href, this.#base);
      if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
      url.hash = '';
      return url.href;
    } catch {
      return undefined;
    }
  }
}
