import { ToolError } from '../../errors.ts';

const messages = {
  type: 'a URL must be a string',
  empty: 'a URL must not be empty',
  length: 'the URL is too long (at most 8,192 characters)',
  char: 'the URL holds spaces, control characters or broken Unicode; write the plain, percent-encoded URL',
  invisible: 'the URL holds invisible characters; write the plain URL',
  backslash: 'backslashes are not allowed; separate with "/"',
  scheme: 'only URLs that begin with "https://" or "http://" can be opened here, and not every guard permits both',
  syntax: 'this is no valid absolute URL; expected one such as "https://example.com/page"',
  userinfo: 'a URL must not hold a user name or password; leave out everything up to "@"',
  host: 'the host is not a plain host name or address',
  'single-label': 'a host name without a dot is local to this network and is not reached from here',
  'special-name': 'this host name is reserved for local use and is not reached from here',
  'not-allowed': 'this host is not among those that may be reached; do not try other spellings of it',
  rule: 'a rule forbids this host; do not try other spellings of it',
  port: 'this port is not open to tools; the usual ones are 443 and 80',
  address: 'the host is or leads to an address that is not public; do not try other spellings of it',
  redirects: 'the server redirects too often or in a loop',
  'redirect-scheme': 'the server redirects from https to http, which is not followed',
  'redirect-host': 'the server redirects to another host, which is not followed here; ask for that URL itself',
  'redirect-body': 'the server redirects a request with a body to another host, which is not followed',
  'not-granted': 'the tool may only reach the URLs that it was called with',
  revoked: 'the call is over, so its access to the network has ended',
} as const;

/** Why a URL was refused: stable, as `details.reason` of a `url_denied` failure. */
export type UrlReason = keyof typeof messages;

/** The failure for a refused URL. Tells nothing about what a name stands for inside this network. */
export function refusal(reason: UrlReason, where?: string): ToolError {
  const at = where === undefined ? 'URL refused' : `Refused after a redirect to ${JSON.stringify(shown(where))}`;
  return new ToolError(`${at}: ${messages[reason]}.`, { code: 'url_denied', details: { reason } });
}

const longestShown = 200;

function shown(text: string): string {
  return text.length > longestShown ? `${text.slice(0, longestShown)}...` : text;
}

/** The failure for a host that gives no usable answer. */
export function unavailable(what: string, reason: string, cause?: unknown): ToolError {
  return new ToolError(`${what}. Try again later, or another source.`, {
    code: 'unavailable',
    details: { reason },
    ...(cause !== undefined && { cause }),
  });
}

/** The failure for a stage of the request that took too long. */
export function tooSlow(what: string, reason: string, milliseconds: number): ToolError {
  const text = `${what} took longer than ${milliseconds} ms. Try again later, or another source.`;
  return new ToolError(text, { code: 'timeout', details: { reason } });
}
