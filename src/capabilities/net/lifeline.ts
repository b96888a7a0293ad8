import { setMaxListeners } from 'node:events';
import { ToolError } from '../../errors.ts';
import { tooSlow } from './refusal.ts';

/** What a request hangs on: it ends once, for the first reason there is, and takes everything under way with it. */
export class Lifeline {
  readonly #controller = new AbortController();

  constructor() {
    // Every hop of a request listens.
    setMaxListeners(0, this.#controller.signal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(reason: ToolError): void {
    this.#controller.abort(reason);
  }

  /** Waits for work, but no longer than the lifeline holds: not everything that is waited for can be withdrawn. */
  race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const ended = () => reject(signal.reason);
      if (signal.aborted) ended();
      else signal.addEventListener('abort', ended, { once: true });
      work
        // What fails because the lifeline ended fails for that reason.
        .then(resolve, (error: unknown) => reject(signal.aborted ? signal.reason : error))
        .finally(() => signal.removeEventListener('abort', ended));
    });
  }

  /** As `race`; the lifeline ends with `timeout` if the work takes longer than this. */
  async within<T>(milliseconds: number, what: string, reason: string, work: () => Promise<T>): Promise<T> {
    const late = () => this.end(tooSlow(what, reason, milliseconds));
    const timer = milliseconds === Number.POSITIVE_INFINITY ? undefined : setTimeout(late, milliseconds);
    try {
      return await this.race(work());
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The reason for a request that its caller withdrew. */
export function withdrawn(): ToolError {
  return new ToolError('The request was withdrawn.', { code: 'aborted' });
}
