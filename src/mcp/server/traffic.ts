/** Counts the calls under way, so that stopping can wait for them. */
export class Traffic {
  #open = 0;
  #closing = false;
  #idle: (() => void) | undefined;

  /** No new calls are taken. */
  get closing(): boolean {
    return this.#closing;
  }

  begin(): void {
    this.#open++;
  }

  end(): void {
    this.#open--;
    if (this.#open === 0) this.#idle?.();
  }

  /** From now on no new calls are taken. */
  stop(): void {
    this.#closing = true;
  }

  /** Waits until no call is under way and the last answer is on its way, at most so long, in milliseconds. */
  async drained(milliseconds: number): Promise<void> {
    if (milliseconds > 0) {
      await this.#ended(milliseconds);
      // The SDK writes an answer some turns after it was given.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    }
  }

  #ended(milliseconds: number): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = Number.isFinite(milliseconds) ? setTimeout(() => this.#idle?.(), milliseconds) : undefined;
      this.#idle = () => {
        clearTimeout(timer);
        this.#idle = undefined;
        resolve();
      };
    });
  }
}
