/** Bytes before each message: its length, as an unsigned 32-bit number, the lowest byte first. */
const headerLength = 4;

/** What stands before a message on a stream of bytes. */
export function headerFor(message: Uint8Array): Uint8Array {
  const header = new Uint8Array(headerLength);
  new DataView(header.buffer).setUint32(0, message.byteLength, true);
  return header;
}

/**
 * Takes messages out of a stream of bytes, each with its length before it. Nothing is set aside for a message before its
 * bytes are there, and one that says it is longer than `limit` ends the reading: whoever wrote it is not to be trusted.
 */
export class FrameReader {
  readonly #limit: number;
  readonly #message: (bytes: Uint8Array) => void;
  readonly #tooLong: (length: number) => void;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #ended = false;

  constructor(limit: number, message: (bytes: Uint8Array) => void, tooLong: (length: number) => void) {
    this.#limit = limit;
    this.#message = message;
    this.#tooLong = tooLong;
  }

  push(chunk: Uint8Array): void {
    if (this.#ended) return;
    this.#chunks.push(chunk);
    this.#size += chunk.byteLength;
    while (this.#size >= headerLength) {
      const length = this.#length();
      if (length > this.#limit) {
        this.#ended = true;
        this.#chunks = [];
        this.#tooLong(length);
        return;
      }
      if (this.#size < headerLength + length) return;
      this.#take(headerLength);
      this.#message(this.#take(length));
      if (this.#ended) return;
    }
  }

  /** Reads no further, not even what is here already. */
  end(): void {
    this.#ended = true;
    this.#chunks = [];
  }

  #length(): number {
    const [first] = this.#chunks;
    // The first bytes may have come one by one.
    if (first === undefined || first.byteLength < headerLength) this.#chunks = [this.#joined(this.#size)];
    const start = this.#chunks[0] as Uint8Array;
    return new DataView(start.buffer, start.byteOffset, headerLength).getUint32(0, true);
  }

  #take(length: number): Uint8Array {
    const taken = this.#joined(length);
    let left = length;
    let at = 0;
    for (let chunk = this.#chunks[at]; chunk !== undefined && left > 0; chunk = this.#chunks[at]) {
      if (chunk.byteLength > left) {
        this.#chunks[at] = chunk.subarray(left);
        break;
      }
      left -= chunk.byteLength;
      at++;
    }
    if (at > 0) this.#chunks.splice(0, at);
    this.#size -= length;
    return taken;
  }

  /** The first bytes as memory of their own: what is read out of them must not share memory with anything else. */
  #joined(length: number): Uint8Array {
    const joined = new Uint8Array(length);
    let at = 0;
    for (const chunk of this.#chunks) {
      if (at === length) break;
      const part = chunk.byteLength > length - at ? chunk.subarray(0, length - at) : chunk;
      joined.set(part, at);
      at += part.byteLength;
    }
    return joined;
  }
}
