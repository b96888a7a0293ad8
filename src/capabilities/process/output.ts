import { wholeCharacters } from '../whole-characters.ts';

/** Keeps the start and the end of a stream, and counts the rest, so that memory stays flat whatever is written. */
export class KeptOutput {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  /** Bytes that were written, kept or not. */
  total = 0;

  /** @param keep in bytes; half of it from the start, half from the end */
  constructor(keep: number) {
    this.#half = Math.max(1, Math.floor(keep / 2));
  }

  add(chunk: Buffer): void {
    this.total += chunk.length;
    let rest = chunk;
    const room = this.#half - this.#headBytes;
    if (room > 0) {
      // A copy: a slice would keep the whole chunk alive.
      const first = Buffer.from(rest.subarray(0, room));
      this.#head.push(first);
      this.#headBytes += first.length;
      rest = rest.subarray(room);
    }
    if (rest.length === 0) return;
    const last = Buffer.from(rest.subarray(-this.#half));
    this.#tail.push(last);
    this.#tailBytes += last.length;
    if (this.#tailBytes < this.#half * 4) return;
    const joined = Buffer.from(Buffer.concat(this.#tail).subarray(-this.#half));
    this.#tail = [joined];
    this.#tailBytes = joined.length;
  }

  get truncated(): boolean {
    return this.total > this.#headBytes + Math.min(this.#tailBytes, this.#half);
  }

  /** What was kept; bytes that are no UTF-8 are shown as U+FFFD. */
  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail).subarray(-this.#half);
    if (!this.truncated) return Buffer.concat([head, tail]).toString('utf8');
    const start = head.subarray(0, wholeCharacters(head)).toString('utf8');
    const end = tail.subarray(wholeFrom(tail)).toString('utf8');
    const left = this.total - Buffer.byteLength(start) - Buffer.byteLength(end);
    return `${start}\n[... ${Math.max(left, 1)} of ${this.total} bytes left out ...]\n${end}`;
  }
}

/** Where the first whole character begins. */
function wholeFrom(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] as number) & 0xc0) === 0x80) at++;
  return at;
}
