/** What is used of `fetch`. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const newline = 10;
const carriageReturn = 13;

/**
 * Fetches, and breaks off an answer that is longer than `most` bytes; in a stream of events, one event that is. What a
 * server sends is held in memory until it is whole, so that it must have an end.
 */
export function limitedFetch(most: number): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const counted = response.body.pipeThrough(counter(most, isStream));
    const { status, statusText, headers } = response;
    const limited = new Response(counted, { status, statusText, headers });
    Object.defineProperty(limited, 'url', { value: response.url });
    return limited;
  };
}

function counter(most: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let wasNewline = false;
  return new TransformStream({
    transform(chunk, controller) {
      if (!isStream) size += chunk.length;
      for (let at = 0; isStream && at < chunk.length; at++) {
        const byte = chunk[at];
        size++;
        // An empty line ends an event.
        if (byte === newline && wasNewline) size = 0;
        if (byte !== carriageReturn) wasNewline = byte === newline;
      }
      if (size > most) controller.error(new Error('The server sent a message that is longer than allowed.'));
      else controller.enqueue(chunk);
    },
  });
}
