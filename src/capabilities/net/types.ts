/** What a request may say beside its URL. */
export interface FetchInit {
  /** Default `GET`. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent to the first origin only: a redirect to another origin drops them all. */
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Uint8Array;
  /** Further ends the request, with `aborted`. The call's own signal always does. */
  readonly signal?: AbortSignal;
  /**
   * Media types that are wanted, such as `text/html`, `text/*` or `application/*+json`; any other fails before its body
   * is read. Default: all.
   */
  readonly types?: readonly string[];
  /** The most decoded bytes of the body. Default: the guard's `maxBytes`, which it cannot exceed. */
  readonly maxBytes?: number;
  /** Whether a longer body is cut at `maxBytes`, or fails with `too-large`. Default `fail`. */
  readonly overflow?: 'fail' | 'cut';
}

/** An answer, its body already read and decoded. */
export interface FetchResponse {
  readonly status: number;
  /** Names in lower case; the values of a repeated header are joined by `, `. */
  readonly headers: { readonly [name: string]: string };
  /** Where the answer came from, after redirects. */
  readonly url: string;
  /** The media type in lower case without parameters, such as `text/html`; empty where the server names none. */
  readonly type: string;
  /** Whether the body was cut at `maxBytes`. */
  readonly truncated: boolean;
  bytes(): Promise<Uint8Array>;
  /** Decoded by its byte order mark, else by the charset of its content type, else as UTF-8. */
  text(): Promise<string>;
}

/**
 * The only way a tool reaches the network: just the URLs that it was called with, and where they redirect to as far as
 * the guard's rules allow. Resolves also for answers such as 404. Rejects with a ToolError: `url_denied` (its
 * `details.reason` says why), `unavailable`, `timeout`, `aborted`, `tool_error` (`too-large`, `content-type`,
 * `encoding`, `header`). Revoked when the call settles.
 */
export interface ScopedFetch {
  (url: string, init?: FetchInit): Promise<FetchResponse>;
  /**
   * Opens a proxy on loopback for a program that fetches by itself, such as a browser. Through it whatever the guard's
   * rules allow can be reached: every host is judged, looked up and connected to as for `fetch`; where the guard follows
   * no redirects to other hosts, only the hosts of the call. Closed when the call settles.
   */
  proxy(options?: ProxyOptions): Promise<LentProxy>;
}

export interface ProxyOptions {
  /** The most bytes that pass in both directions together; then everything is cut off. Default 50 MiB (52,428,800). */
  readonly maxBytes?: number;
}

/** A proxy that a call was lent. */
export interface LentProxy {
  /** Such as `http://127.0.0.1:40123`. */
  readonly server: string;
  /** Without these it serves nobody. */
  readonly username: string;
  readonly password: string;
  /** The hosts that were refused, each once, with the reason: `evil.example rule`. */
  readonly refused: readonly string[];
  /** Aborted when it has closed; the reason says why: the call is over, or too much had passed. */
  readonly closed: AbortSignal;
  close(): Promise<void>;
}
