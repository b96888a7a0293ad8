import type { Fetch } from './limited-fetch.ts';

/** A server sends requests on to where they do not go. */
export class RedirectError extends Error {
  override readonly name = 'RedirectError';
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Those that keep the method and the body. */
const keeping: ReadonlySet<number> = new Set([307, 308]);
const mostRedirects = 5;

/**
 * Fetches from one origin and no other: requests carry the host's own headers, which are meant for nobody else. A redirect
 * is followed within the origin and where the request stays what it is, at most five times; any other rejects with a
 * {@link RedirectError}.
 */
export function ownOrigin(address: URL, fetch: Fetch): Fetch {
  return async (url, init) => {
    let at = new URL(url);
    if (at.origin !== address.origin) throw new RedirectError(elsewhere(address, at));
    for (let followed = 0; ; followed++) {
      const response = await fetch(at, { ...init, redirect: 'manual' });
      const to = redirects.has(response.status) ? response.headers.get('location') : null;
      if (to === null) return response;
      await response.body?.cancel().catch(() => {});
      const target = URL.canParse(to, at.href) ? new URL(to, at) : undefined;
      const { status } = response;
      if (target === undefined)
        throw new RedirectError(`The server answers with a redirect to no address (HTTP ${status}).`);
      if (target.origin !== address.origin) throw new RedirectError(elsewhere(address, target, status));
      if (!keeping.has(status) && (init?.method ?? 'GET') !== 'GET') throw new RedirectError(changed(target, status));
      if (followed === mostRedirects) throw new RedirectError(`The server redirects more than ${mostRedirects} times.`);
      at = target;
    }
  };
}

function elsewhere(own: URL, target: URL, status?: number): string {
  const how = status === undefined ? '' : ` (HTTP ${status})`;
  return `The server sends requests on to ${shown(target)}${how}, and they go to ${own.origin} only. If the other is meant, give it as the url.`;
}

function changed(target: URL, status: number): string {
  return `The server sends requests on to ${shown(target)} in a way that drops what they say (HTTP ${status}). Give that as the url, if it is meant.`;
}

/** Without what may be secret. */
function shown({ origin, pathname }: URL): string {
  return `${origin}${pathname}`.slice(0, 200);
}
