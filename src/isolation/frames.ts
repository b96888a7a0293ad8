/** Bytes before each message: its length, as an unsigned 32-bit number, the lowest byte first. */
const headerLength = 4;
const empty = new Uint8Array(0);

/** What stands before a message on a stream of bytes. */
export function headerFor(message: Uint8Array): Uint8Array {
  const header = new Uint8Array(headerLength);
  new DataView(header.buffer).setUint32(0, message.byteLength, true);
  return header;
}

/**
 * Takes messages out of a stream of bytes, each with its length before it. Never is more than twice of what has come set
 * aside, however long a message says that it is and however small the pieces; one that says it is longer than `limit` ends
 * the reading, since whoever wrote it is not to be trusted.
 */
export class FrameReader {
  readonly #limit: number;
  readonly #message: (bytes: Uint8Array) => void;
  readonly #tooLong: (length: number) => void;
  /** What has come of a message that is not whole yet: the first `#size` bytes. */
  #kept: Uint8Array = empty;
  #size = 0;
  #ended = false;

  constructor(limit: number, message: (bytes: Uint8Array) => void, tooLong: (length: number) => void) {
    this.#limit = limit;
    this.#message = message;
    this.#tooLong = tooLong;
  }

  push(chunk: Uint8Array): void {
    if (this.#ended) return;
    const bytes = this.#size === 0 ? chunk : this.#joined(chunk);
    let at = 0;
    while (bytes.byteLength - at >= headerLength) {
      const length = new DataView(bytes.buffer, bytes.byteOffset + at, headerLength).getUint32(0, true);
      if (length > this.#limit) {
        this.end();
        this.#tooLong(length);
        return;
      }
      const end = at + headerLength + length;
      if (end > bytes.byteLength) break;
      // Memory of its own: what is read out of a message must not share any with something else.
      const message = new Uint8Array(bytes.subarray(at + headerLength, end));
      at = end;
      this.#message(message);
      if (this.#ended) return;
    }
    this.#keep(bytes.subarray(at));
  }

  /** Reads no further, not even what is here already. */
  end(): void {
    this.#ended = true;
    this.#kept = empty;
    this.#size = 0;
  }

  #joined(chunk: Uint8Array): Uint8Array {
    this.#makeRoom(this.#size + chunk.byteLength);
    this.#kept.set(chunk, this.#size);
    this.#size += chunk.byteLength;
    return this.#kept.subarray(0, this.#size);
  }

  #keep(rest: Uint8Array): void {
    this.#size = rest.byteLength;
    if (rest.byteLength === 0) {
      this.#kept = empty;
    } else if (rest.buffer === this.#kept.buffer) {
      this.#kept.set(rest);
    } else {
      this.#makeRoom(rest.byteLength);
      this.#kept.set(rest);
    }
  }

  #makeRoom(size: number): void {
    if (this.#kept.byteLength >= size) return;
    const larger = new Uint8Array(Math.max(size, 2 * this.#kept.byteLength));
    larger.set(this.#kept);
    this.#kept = larger;
  }
}
