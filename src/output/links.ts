const mayHoldLink = /:\/\/|\]\(\/\/|["']\/\//;
/** A link in text, Markdown or HTML: with a scheme, or that of the page (`//host/`) where a link is expected. */
const link =
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'`<>()[\]{}|\\^]{1,2048}|(?<=\]\(|["'])\/\/[^\s"'`<>()[\]{}|\\^]{1,2048}/gi;
const mostHosts = 20;

/**
 * Makes a function that finds the hosts of links in JSON-safe data that are not among the allowed ones, each once and at
 * most 20. A link that cannot be read is named by its first characters: a reader may make more of it.
 *
 * Throws a TypeError for what is no host.
 *
 * @param allowed hosts, such as `example.com`; `*.example.com` is every host below it
 */
export function outboundHosts(allowed: readonly string[]): (data: unknown) => string[] {
  if (!Array.isArray(allowed)) throw new TypeError('normalize({ linkHosts }) must be a list of hosts.');
  const exact = new Set<string>();
  const below: string[] = [];
  for (const pattern of allowed) {
    const host = typeof pattern === 'string' ? hostOf(`http://${pattern.replace(/^\*\./, '')}`) : undefined;
    if (host === undefined || !/^(?:\*\.)?[^\s/?#@*:]+$/.test(pattern)) {
      throw new TypeError(`normalize({ linkHosts }): ${JSON.stringify(pattern)} is not a host such as "example.com".`);
    }
    if (pattern.startsWith('*.')) below.push(`.${host}`);
    else exact.add(host);
  }
  const isAllowed = (host: string) => exact.has(host) || below.some((suffix) => host.endsWith(suffix));
  return (data) => {
    const found = new Set<string>();
    eachText(data, (text) => {
      if (!mayHoldLink.test(text)) return;
      for (const [url] of text.matchAll(link)) {
        if (found.size >= mostHosts) return;
        const host = hostOf(url.startsWith('//') ? `http:${url}` : url);
        if (host === undefined) found.add(url.slice(0, 100));
        else if (!isAllowed(host)) found.add(host);
      }
    });
    return [...found];
  };
}

function hostOf(url: string): string | undefined {
  try {
    const { hostname } = new URL(url);
    return hostname === '' ? undefined : hostname.replace(/\.$/, '').toLowerCase();
  } catch {
    return undefined;
  }
}

/** All texts in JSON-safe data, the names of members too. */
function eachText(data: unknown, visit: (text: string) => void): void {
  if (typeof data === 'string') visit(data);
  if (typeof data !== 'object' || data === null) return;
  for (const [key, value] of Object.entries(data)) {
    visit(key);
    eachText(value, visit);
  }
}
