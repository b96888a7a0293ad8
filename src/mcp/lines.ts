/** Cuts a stream into lines, without ever holding more than a given number of bytes. */
export class Lines {
  readonly #most: number;
  readonly #each: (line: string) => void;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(most: number, each: (line: string) => void) {
    this.#most = most;
    this.#each = each;
  }

  /** Takes what came; false when a line is too long. */
  add(chunk: Buffer): boolean {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      if (!this.#keep(chunk.subarray(from, end))) return false;
      const line = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#size = 0;
      from = end + 1;
      this.#each(line.toString('utf8'));
    }
    return this.#keep(chunk.subarray(from));
  }

  #keep(piece: Buffer): boolean {
    this.#size += piece.length;
    if (this.#size > this.#most) {
      this.#pieces = [];
      return false;
    }
    this.#pieces.push(piece);
    return true;
  }
}
