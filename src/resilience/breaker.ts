/** `closed`: calls pass. `open`: they are refused. `half-open`: a few pass, to find out. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** When a breaker opens, and for how long. Times in milliseconds. */
export interface BreakerLimits {
  /** So many failures in a row open it. */
  readonly failures: number;
  /** Failures further apart than this are not in a row. */
  readonly withinMs: number;
  /** How long it stays open before probes pass. */
  readonly openMs: number;
  /** How many probes may be under way at a time, and have to succeed to close it. */
  readonly probes: number;
}

/** What a call that passed comes to: `none` for one that says nothing of the service. */
export type BreakerOutcome = 'success' | 'failure' | 'none';

/** To be told once what became of a call that passed. */
export type Report = (outcome: BreakerOutcome, now: number) => void;

/**
 * A circuit breaker as a state machine without a timer: time is what callers say it is. An outcome counts only in the state in
 * which its call began, so that what comes late neither opens nor closes anything.
 */
export class Breaker {
  readonly #limits: BreakerLimits;
  readonly #changed: (from: BreakerState, to: BreakerState) => void;
  #state: BreakerState = 'closed';
  /** Grows with every change of state. */
  #epoch = 0;
  #inARow = 0;
  #failedAt = 0;
  #openedAt = 0;
  #succeeded = 0;
  /** When each probe under way began. One that hangs gives its place up after `openMs`. */
  #probes: { readonly begunAt: number }[] = [];

  constructor(limits: BreakerLimits, changed: (from: BreakerState, to: BreakerState) => void) {
    this.#limits = limits;
    this.#changed = changed;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Whether nothing would be lost with it. */
  isIdle(now: number): boolean {
    return this.#state === 'closed' && (this.#inARow === 0 || now - this.#failedAt > this.#limits.withinMs);
  }

  /** Lets a call pass, and gives what its outcome is to be told to; or says for how many milliseconds not to try. */
  enter(now: number): Report | { readonly retryAfterMs: number } {
    if (this.#state === 'closed') return this.#reportOf(this.#epoch);
    const { openMs, probes } = this.#limits;
    if (this.#state === 'open') {
      const left = this.#openedAt + openMs - now;
      if (left > 0) return { retryAfterMs: left };
      this.#become('half-open');
    }
    this.#probes = this.#probes.filter(({ begunAt }) => now - begunAt < openMs);
    if (this.#probes.length >= probes) {
      const oldest = this.#probes[0]?.begunAt ?? now;
      return { retryAfterMs: Math.max(1, oldest + openMs - now) };
    }
    const probe = { begunAt: now };
    this.#probes.push(probe);
    return this.#reportOf(this.#epoch, probe);
  }

  #reportOf(epoch: number, probe?: { readonly begunAt: number }): Report {
    let isTold = false;
    return (outcome, now) => {
      if (isTold) return;
      isTold = true;
      if (this.#epoch !== epoch) return;
      if (probe !== undefined) this.#probes = this.#probes.filter((other) => other !== probe);
      if (outcome === 'failure') this.#failed(now);
      else if (outcome === 'success') this.#worked();
    };
  }

  #failed(now: number): void {
    const { failures, withinMs } = this.#limits;
    this.#inARow = now - this.#failedAt > withinMs ? 1 : this.#inARow + 1;
    this.#failedAt = now;
    if (this.#state === 'closed' && this.#inARow < failures) return;
    this.#openedAt = now;
    this.#become('open');
  }

  #worked(): void {
    this.#inARow = 0;
    if (this.#state !== 'half-open') return;
    this.#succeeded++;
    if (this.#succeeded >= this.#limits.probes) this.#become('closed');
  }

  #become(state: BreakerState): void {
    const from = this.#state;
    this.#state = state;
    this.#epoch++;
    this.#inARow = 0;
    this.#succeeded = 0;
    this.#probes = [];
    this.#changed(from, state);
  }
}
