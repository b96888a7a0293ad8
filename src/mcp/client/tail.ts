/** Keeps the end of what a stream says. */
export class Tail {
  readonly #most: number;
  #text = '';

  /** `most` is in characters. */
  constructor(most: number) {
    this.#most = most;
  }

  add(text: string): void {
    this.#text = (this.#text + text.slice(-this.#most)).slice(-this.#most);
  }

  toString(): string {
    return this.#text;
  }
}
