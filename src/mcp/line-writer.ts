import type { Writable } from 'node:stream';

/** So many characters are worth a call to the system of their own. */
const enough = 65_536;

/**
 * Writes messages to a stream, one a line. Those of one turn go in one go: a call to the system for each of them, and
 * waking up the reader, costs more than most messages do themselves.
 */
export class LineWriter {
  readonly #stream: Writable;
  #text = '';
  #written: Promise<void> | undefined;
  #settle: ((error?: Error | null) => void) | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** Settles when the stream has taken the message and has room for more, or has written it. */
  write(message: unknown): Promise<void> {
    this.#text += `${JSON.stringify(message)}\n`;
    this.#written ??= new Promise((resolve, reject) => {
      this.#settle = (error) => (error ? reject(error) : resolve());
      // After all promises of this turn.
      process.nextTick(this.flush);
    });
    const written = this.#written;
    if (this.#text.length >= enough) this.flush();
    return written;
  }

  /** Writes at once what has not been written yet. */
  readonly flush = (): void => {
    const settle = this.#settle;
    if (settle === undefined) return;
    const text = this.#text;
    this.#text = '';
    this.#written = undefined;
    this.#settle = undefined;
    if (this.#stream.write(text, settle)) settle();
  };
}
