import type { Writable } from 'node:stream';

/** So many characters are worth a call to the system of their own. */
const enough = 65_536;
/** What a message that waits costs beside its text, with all that waits for it to be written, in bytes. */
const costOfWaiting = 4_096;

/**
 * Writes messages to a stream, one a line. Those of one turn go in one go: a call to the system for each of them, and
 * waking up the reader, costs more than most messages do themselves.
 */
export class LineWriter {
  readonly #stream: Writable;
  #text = '';
  #messages = 0;
  #waiting = 0;
  #written: Promise<void> | undefined;
  #settle: ((error?: Error | null) => void) | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** How much waits for the reader, in bytes; 0 while the stream has room. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Settles when the stream has taken the message and has room for more, or has written it. */
  write(message: unknown): Promise<void> {
    this.#text += `${JSON.stringify(message)}\n`;
    this.#messages++;
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
    const messages = this.#messages;
    this.#text = '';
    this.#messages = 0;
    this.#written = undefined;
    this.#settle = undefined;
    let size = 0;
    const done = (error?: Error | null): void => {
      this.#waiting -= size;
      settle(error);
    };
    if (this.#stream.write(text, done)) {
      settle();
      return;
    }
    size = Buffer.byteLength(text) + messages * costOfWaiting;
    this.#waiting += size;
  };
}
