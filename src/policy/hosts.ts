import { type Match, matchOf } from './match.ts';

/**
 * A test for hosts: `example.com` is that host, `*.example.com` every host below it. Judges a URL or a bare host name,
 * read as WHATWG URLs are, so that letter case, a trailing dot and the many ways to write an IP address do not count.
 * A text that is neither, and a URL with a user name in it, is not judged.
 *
 * @see https://url.spec.whatwg.org/
 */
export function hostMatcher(patterns: readonly string[]): (value: unknown) => Match {
  const exact = new Set<string>();
  const suffixes: string[] = [];
  for (const pattern of patterns) {
    if (pattern.startsWith('*.')) suffixes.push(`.${hostPattern(pattern.slice(2))}`);
    else exact.add(hostPattern(pattern));
  }
  return (value) => {
    const host = typeof value === 'string' ? hostOf(value) : undefined;
    if (host === undefined) return 'unsure';
    return matchOf(exact.has(host) || suffixes.some((suffix) => host.endsWith(suffix)));
  };
}

function hostPattern(pattern: string): string {
  const host = /[*?/\s]/.test(pattern) ? undefined : hostOf(pattern);
  if (host === undefined) {
    throw new TypeError(`"${pattern}" is not a host; expected one such as "example.com" or "*.example.com".`);
  }
  return host;
}

/** The host of a URL or of a bare host name, in canonical form. */
function hostOf(text: string): string | undefined {
  // What a URL parser would repair silently is not what somebody meant to write.
  if (/[\s\\\p{Cc}]/u.test(text)) return undefined;
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const isAddress = !hasScheme && /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text);
  try {
    const url = new URL(hasScheme ? text : `http://${isAddress ? `[${text}]` : text}/`);
    if (url.username !== '' || url.password !== '' || url.hostname === '') return undefined;
    if (!hasScheme && (url.pathname !== '/' || url.search !== '' || url.hash !== '')) return undefined;
    return url.hostname.replace(/\.$/, '').toLowerCase();
  } catch {
    return undefined;
  }
}
