import { checkMilliseconds } from '../../basics/milliseconds.ts';
import { checkOptions } from '../../basics/options.ts';
import type { RestartOptions } from './types.ts';

/** A server that lived this long starts with a clean slate, in milliseconds. */
const longLife = 60_000;

/** How long to wait before a server is started again, and when to give up. */
export class Restarts {
  readonly #delay: number;
  readonly #maxDelay: number;
  readonly #attempts: number;
  #used = 0;

  /** Throws a TypeError for options that cannot be meant; `false` gives up at once. */
  constructor(options: RestartOptions | false = {}) {
    const { delay = 500, maxDelay = 30_000, attempts = 8 } = options === false ? { attempts: 0 } : options;
    if (options !== false) checkOptions('mcpTools restart', options, ['delay', 'maxDelay', 'attempts']);
    this.#delay = checkMilliseconds(delay, 'mcpTools({ restart: { delay } })');
    this.#maxDelay = checkMilliseconds(maxDelay, 'mcpTools({ restart: { maxDelay } })');
    if (!(typeof attempts === 'number' && attempts >= 0)) {
      throw new TypeError(`mcpTools({ restart: { attempts } }) must be a number; it is ${String(attempts)}.`);
    }
    this.#attempts = attempts;
  }

  /** The time to wait, in milliseconds, after a server that lived for `lived`; nothing when it is to be given up. */
  next(lived: number): number | undefined {
    if (lived >= longLife) this.#used = 0;
    if (this.#used >= this.#attempts) return undefined;
    return Math.min(this.#maxDelay, this.#delay * 2 ** this.#used++);
  }
}
