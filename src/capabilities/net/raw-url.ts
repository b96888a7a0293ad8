import { domainToUnicode } from 'node:url';
import { refusal } from './refusal.ts';

const longest = 8192;
const plain = /^[!-[\]-~]+$/;
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const webScheme = /^https?:\/\/(?!\/)/i;
const anyScheme = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Refuses what a URL parser would quietly repair or read another way than the next parser does, then parses once, as
 * WHATWG URLs are. From then on only the parsed URL counts.
 *
 * @see https://url.spec.whatwg.org/
 */
export function checkText(input: unknown): URL {
  if (typeof input !== 'string') throw refusal('type');
  checkCharacters(input);
  if (!webScheme.test(input)) {
    const scheme = anyScheme.exec(input)?.[0].toLowerCase();
    throw refusal(scheme === undefined || scheme === 'http:' || scheme === 'https:' ? 'syntax' : 'scheme');
  }
  const start = input.indexOf('//') + 2;
  const end = input.slice(start).search(/[/?#]/);
  const authority = end < 0 ? input.slice(start) : input.slice(start, start + end);
  // Also an empty user name, which the parser would drop.
  if (authority.includes('@')) throw refusal('userinfo');
  return parsed(input);
}

/** The URL that a `Location` header means, refused where its text is doubtful. */
export function resolveLocation(location: string, base: string): string {
  // Header bytes come as Latin-1; where they are UTF-8 they are meant so.
  const text = Buffer.from(location, 'latin1').toString('utf8').trim();
  checkCharacters(text);
  return parsed(text, base).href;
}

function checkCharacters(text: string): void {
  if (text === '') throw refusal('empty');
  if (text.length > longest) throw refusal('length');
  if (plain.test(text)) return;
  if (/[\s\p{Cc}\p{Cs}\ufffd]/u.test(text)) throw refusal('char');
  if (text.includes('\\')) throw refusal('backslash');
  if (invisible.test(text)) throw refusal('invisible');
}

function parsed(text: string, base?: string): URL {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    throw refusal('syntax');
  }
  if (hasEmptyPunycode(url.hostname)) throw refusal('syntax');
  return url;
}

/** Whether a label of a host says that it is punycode and stands for no name: not every URL parser refuses that. */
function hasEmptyPunycode(hostname: string): boolean {
  if (!hostname.includes('xn--')) return false;
  const labels = domainToUnicode(hostname).replace(/\.$/, '').split('.');
  return labels.some((label) => label === '' || label.startsWith('xn--'));
}
