import type * as Sdk from '@modelcontextprotocol/server';
import type { Clock } from '../../clock.ts';
import type { Session } from './session.ts';

/** A session of a client that speaks a protocol with sessions. */
export interface HttpSession {
  readonly principal: string | undefined;
  readonly session: Session;
  readonly server: Sdk.Server;
  readonly transport: Sdk.WebStandardStreamableHTTPServerTransport;
  /** The ids of its calls under way. */
  readonly requests: ReadonlySet<string | number>;
}

interface Entry extends HttpSession {
  /** How many of its requests and streams are open. */
  open: number;
  lastUsed: number;
  timer: unknown;
}

export interface HttpSessionsOptions {
  readonly max: number;
  /** In milliseconds. */
  readonly idle: number;
  readonly clock: Clock;
}

/** The sessions of an endpoint, by ids that nobody can guess. Those that nobody uses end by themselves. */
export class HttpSessions {
  readonly #entries = new Map<string, Entry>();
  readonly #options: HttpSessionsOptions;
  /** Places of sessions that are being opened. */
  #reserved = 0;

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
  }

  /** The session, if it is this principal's; to others it does not exist. */
  get(id: string, principal: string | undefined): HttpSession | undefined {
    const entry = this.#entries.get(id);
    return entry !== undefined && entry.principal === principal ? entry : undefined;
  }

  /**
   * Keeps a place for one more, at once, so that many who come together get no more than there are. Where none is left a session
   * ends: of those that nobody uses the one that was not used for the longest time. A principal who has more sessions gives way to
   * one who has fewer, and not the other way round, so that none can take them all. Gives the function that gives the place back, to
   * be called when the session has been added or will not be; `undefined` where all sessions are in use.
   */
  reserve(principal: string | undefined): (() => void) | undefined {
    if (this.#entries.size + this.#reserved >= this.#options.max) {
      const oldest = this.#whoGivesWayTo(principal);
      if (oldest === undefined) return undefined;
      void this.end(oldest);
    }
    this.#reserved++;
    let isKept = true;
    return () => {
      if (isKept) this.#reserved--;
      isKept = false;
    };
  }

  #whoGivesWayTo(principal: string | undefined): string | undefined {
    const counts = new Map<string | undefined, number>();
    for (const entry of this.#entries.values()) counts.set(entry.principal, (counts.get(entry.principal) ?? 0) + 1);
    const own = counts.get(principal) ?? 0;
    const more = (entry: Entry): number => (counts.get(entry.principal) ?? 0) - own;
    const unused = this.#oldest((entry) => isUnused(entry) && (entry.principal === principal || more(entry) > 0));
    return unused ?? this.#oldest((entry) => more(entry) > 1);
  }

  #oldest(isMeant: (entry: Entry) => boolean): string | undefined {
    let oldest: [string, Entry] | undefined;
    for (const [id, entry] of this.#entries) {
      if (isMeant(entry) && entry.lastUsed <= (oldest?.[1].lastUsed ?? Number.POSITIVE_INFINITY)) oldest = [id, entry];
    }
    return oldest?.[0];
  }

  add(id: string, session: HttpSession): void {
    const entry: Entry = { ...session, open: 0, lastUsed: this.#options.clock.now(), timer: undefined };
    this.#entries.set(id, entry);
    this.#rest(id, entry);
  }

  /** Notes that a request of the session is open; gives the function that notes its end. */
  use(id: string): () => void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return () => {};
    entry.open++;
    this.#options.clock.clearTimeout(entry.timer);
    return () => {
      entry.open--;
      entry.lastUsed = this.#options.clock.now();
      if (entry.open === 0 && this.#entries.get(id) === entry) this.#rest(id, entry);
    };
  }

  forget(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#options.clock.clearTimeout(entry.timer);
  }

  async end(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    this.forget(id);
    await entry?.server.close().catch(() => {});
  }

  /** Ends the questions of all of them. */
  silence(): void {
    for (const { session } of this.#entries.values()) session.silence();
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.end(id)));
  }

  #rest(id: string, entry: Entry): void {
    const { clock, idle } = this.#options;
    if (idle === Number.POSITIVE_INFINITY) return;
    const timer = clock.setTimeout(() => {
      // A call may go on after its client has hung up: the session is not idle before it has ended.
      if (entry.requests.size > 0) this.#rest(id, entry);
      else this.end(id);
    }, idle);
    (timer as { unref?: () => void } | undefined)?.unref?.();
    entry.timer = timer;
  }
}

function isUnused({ open, requests }: Entry): boolean {
  return open === 0 && requests.size === 0;
}
