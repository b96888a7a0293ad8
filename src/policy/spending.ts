import type { ScopedFile, ScopedFs } from '../capabilities/fs/types.ts';
import type { FetchInit, FetchResponse, ScopedFetch } from '../capabilities/net/types.ts';
import { ToolError } from '../errors.ts';

/** An amount that can be used up. */
export class Allowance {
  readonly limit: number;
  #used = 0;
  readonly #what: string;

  constructor(limit: number, what: string) {
    this.limit = limit;
    this.#what = what;
  }

  get left(): number {
    return this.limit - this.#used;
  }

  get used(): boolean {
    return this.#used >= this.limit;
  }

  /** Takes `amount`, or throws a ToolError `budget_exceeded` and takes nothing. */
  spend(amount: number): void {
    if (amount > this.left) throw this.exceeded();
    this.#used += amount;
  }

  exceeded(): ToolError {
    return new ToolError(spentText(`${this.limit.toLocaleString('en-US')} ${this.#what}`), {
      code: 'budget_exceeded',
      details: { reason: this.#what, limit: this.limit },
    });
  }
}

/** What a model is told when a run has used something up. */
export function spentText(what: string): string {
  return `This run has used up its budget of ${what}. Finish with what you have, and tell the user what is left to do.`;
}

/** Files whose every written byte is paid for before it is written. */
export function payingFs(fs: ScopedFs, allowance: Allowance): ScopedFs {
  const sizeOf = (content: string | Uint8Array): number =>
    typeof content === 'string' ? Buffer.byteLength(content, 'utf8') : content.byteLength;
  return Object.freeze({
    level: fs.level,
    async open(path, intent) {
      const file = await fs.open(path, intent);
      return intent === 'read' ? file : payingFile(file, allowance);
    },
    readBytes: (path, options) => fs.readBytes(path, options),
    readText: (path, options) => fs.readText(path, options),
    async writeText(path, content, options) {
      // A copy of what could still change, so that what is paid for is what is written.
      const paid = typeof content === 'string' ? content : content.slice();
      allowance.spend(sizeOf(paid));
      return fs.writeText(path, paid, options);
    },
    list: (path, options) => fs.list(path, options),
    stat: (path) => fs.stat(path),
    mkdir: (path, options) => fs.mkdir(path, options),
    remove: (path, options) => fs.remove(path, options),
    rename: (from, to) => fs.rename(from, to),
    cwdFor: (path) => fs.cwdFor(path),
    hostPath: (path) => fs.hostPath(path),
  } satisfies ScopedFs);
}

function payingFile(file: ScopedFile, allowance: Allowance): ScopedFile {
  return Object.freeze({
    get stat() {
      return file.stat;
    },
    read: (length, position) => file.read(length, position),
    async write(data) {
      const paid = data.slice();
      allowance.spend(paid.byteLength);
      await file.write(paid);
    },
    close: () => file.close(),
  } satisfies ScopedFile);
}

/** What a proxy passes at most unless it is told otherwise, in bytes. */
const proxyBytes = 52_428_800;

/**
 * Fetching whose every byte of an answer is paid for when it has come. An answer that is dearer than what is left is not
 * handed on; it is asked for no more than what is left, so that little comes in vain. Of a proxy, all that it may pass is
 * paid for when it is lent.
 */
export function payingFetch(fetch: ScopedFetch, allowance: Allowance): ScopedFetch {
  const paying = async (url: string, init: FetchInit = {}): Promise<FetchResponse> => {
    if (allowance.used) throw allowance.exceeded();
    const { left } = allowance;
    const isShort = left < (init.maxBytes ?? Number.POSITIVE_INFINITY);
    let response: FetchResponse;
    try {
      response = await fetch(url, isShort ? { ...init, maxBytes: left } : init);
    } catch (error) {
      throw isShort && isLongerThan(left, error) ? allowance.exceeded() : error;
    }
    allowance.spend((await response.bytes()).byteLength);
    return response;
  };
  const proxy: ScopedFetch['proxy'] = async ({ maxBytes = proxyBytes, ...options } = {}) => {
    if (allowance.used) throw allowance.exceeded();
    const paid = Math.min(maxBytes, allowance.left);
    allowance.spend(paid);
    return fetch.proxy({ ...options, maxBytes: paid });
  };
  return Object.freeze(Object.assign(paying, { proxy }));
}

function isLongerThan(limit: number, error: unknown): boolean {
  if (!(error instanceof ToolError)) return false;
  const { reason, maxBytes } = (error.options.details ?? {}) as { reason?: unknown; maxBytes?: unknown };
  return reason === 'too-large' && maxBytes === limit;
}
