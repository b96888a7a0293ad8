import { checkMilliseconds } from '../basics/milliseconds.ts';
import { checkOptions } from '../basics/options.ts';
import type { Closes } from '../chain/stage-properties.ts';
import type { Clock } from '../clock.ts';
import { ToolError } from '../errors.ts';
import type { UnderWay } from './under-way.ts';

/** How a router is closed. */
export interface CloseOptions {
  /** How long calls under way may go on before they are aborted, in milliseconds; 0 aborts at once. Default 10,000. */
  readonly drain?: number;
  /** How long handlers that were aborted are waited for, in milliseconds. Default 1,000. */
  readonly grace?: number;
}

/**
 * The end of a router: calls under way are drained, what is left then is aborted, and what the stages own is given up. Asked
 * for again, it takes the shorter of the times.
 */
export class Shutdown {
  /** Whether calls under way have been told to stop. */
  aborting = false;
  readonly #clock: Clock;
  readonly #timers: unknown[] = [];
  readonly #drained: Signalled = signalled();
  #grace = Number.POSITIVE_INFINITY;
  #done: Promise<void> | undefined;
  #over = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Settles when all has ended that can be waited for. Throws a TypeError for options that cannot be. */
  run(options: CloseOptions, underWay: UnderWay, closers: () => readonly Closes[]): Promise<void> {
    const { drain, grace } = checked(options);
    if (this.#over) return this.#done as Promise<void>;
    this.#grace = Math.min(this.#grace, grace);
    if (drain === 0) this.#drained.now();
    else this.#after(drain, this.#drained.now);
    this.#done ??= this.#run(underWay, closers);
    return this.#done;
  }

  async #run(underWay: UnderWay, closers: () => readonly Closes[]): Promise<void> {
    // Calls of this turn stand among those under way from the next one on.
    await turn();
    const ended = underWay.empty();
    await Promise.race([ended, this.#drained.promise]);
    this.aborting = true;
    underWay.abort(new ToolError('The call was stopped, since its router was closed.', { code: 'aborted' }));
    const overdue = signalled();
    // Every call gets its answer in the turn that begins here, also where no handler is given any time.
    await turn();
    this.#after(this.#grace, overdue.now);
    await Promise.race([ended, overdue.promise]);
    this.#over = true;
    for (const timer of this.#timers.splice(0)) this.#clock.clearTimeout(timer);
    await closeAll(closers());
  }

  #after(milliseconds: number, then: () => void): void {
    if (milliseconds !== Number.POSITIVE_INFINITY) this.#timers.push(this.#clock.setTimeout(then, milliseconds));
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Signalled {
  readonly promise: Promise<void>;
  readonly now: () => void;
}

function signalled(): Signalled {
  let now = (): void => {};
  const promise = new Promise<void>((resolve) => {
    now = resolve;
  });
  return { promise, now };
}

function checked(options: CloseOptions): Required<CloseOptions> {
  checkOptions('close', options, ['drain', 'grace']);
  const { drain = 10_000, grace = 1_000 } = options;
  return {
    drain: drain === 0 ? 0 : checkMilliseconds(drain, 'close({ drain })'),
    grace: grace === 0 ? 0 : checkMilliseconds(grace, 'close({ grace })'),
  };
}

async function closeAll(closers: readonly Closes[]): Promise<void> {
  const faults: unknown[] = [];
  for (const closes of closers) {
    try {
      await closes();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, 'The router is closed, but not all that its stages own.');
}
