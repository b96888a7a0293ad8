import type { Fetch } from './limited-fetch.ts';

/** So much waits for a server already that it is sent no more. */
export class UnreadError extends Error {
  override readonly name = 'UnreadError';

  constructor(most: number) {
    super(`more than ${most} bytes wait for the server to read them`);
  }
}

/** What a request under way costs beside its body, in bytes. */
const costOfRequest = 16_384;

/**
 * Fetches, and rejects with an {@link UnreadError} while the requests that the server has not begun to answer have more than
 * `most` bytes: what a server asks for, again and again, is answered by requests too.
 */
export function limitedSending(most: number, fetch: Fetch): Fetch {
  let waiting = 0;
  return async (url, init) => {
    if (typeof init?.body !== 'string') return fetch(url, init);
    if (waiting > most) throw new UnreadError(most);
    const size = Buffer.byteLength(init.body) + costOfRequest;
    waiting += size;
    try {
      return await fetch(url, init);
    } finally {
      waiting -= size;
    }
  };
}
