import { checkMilliseconds } from '../basics/milliseconds.ts';
import { type Clock, checkClock, systemClock } from '../clock.ts';
import { toFailure } from '../failure.ts';
import type { Failure } from '../result.ts';
import type { Call } from '../types.ts';
import { Leases } from './lease.ts';

/** How a stage lets calls wait for what other calls hold. */
export interface WaitingOptions {
  /** How many calls may wait, in all. Default 10,000. */
  readonly queue?: number;
  /** How long a call may wait, in milliseconds. Default: no limit. */
  readonly wait?: number;
  /**
   * How long what a call holds stays held for a handler that goes on after the call was answered, in milliseconds. Default
   * 30,000.
   */
  readonly afterAnswer?: number;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/** A call that waits: what it will be told, and how it is told that it may go on. */
export interface Turn {
  readonly answer: Promise<Failure | undefined>;
  come(): void;
}

/**
 * Where calls wait for what other calls hold: so many and no more, each until it is its turn, it is withdrawn or its time is
 * up. What a call holds is given back when its handlers have ended.
 */
export class WaitingRoom {
  readonly #leases: Leases;
  readonly #queue: number;
  readonly #wait: number;
  readonly #clock: Clock;
  #waiting = 0;

  /** Throws a TypeError for options that cannot be, under the name of the stage they were given to. */
  constructor(owner: string, options: WaitingOptions) {
    const { queue = 10_000, wait = Number.POSITIVE_INFINITY, afterAnswer = 30_000, clock = systemClock } = options;
    if (!(typeof queue === 'number' && queue >= 0)) {
      throw new TypeError(`${owner}({ queue }) must be a number of calls from 0; it is ${String(queue)}.`);
    }
    this.#queue = queue;
    this.#wait = checkMilliseconds(wait, `${owner}({ wait })`);
    this.#clock = checkClock(clock, `${owner}({ clock })`);
    const longest = afterAnswer === 0 ? 0 : checkMilliseconds(afterAnswer, `${owner}({ afterAnswer })`);
    this.#leases = new Leases(this.#clock, longest);
  }

  /** Has `giveBack` called once, when the call no longer needs what it holds or waits for. */
  lease(ctx: Call, giveBack: () => void): void {
    this.#leases.begin(ctx, giveBack);
  }

  /** The answer to a call that would have to wait, where too many do. */
  crowded(ctx: Call): Failure | undefined {
    if (this.#waiting < this.#queue) return undefined;
    const most = this.#queue.toLocaleString('en-US');
    return ctx.fail(
      'rate_limited',
      `"${ctx.call.name}" was not started: too many calls are waiting already (no more than ${most} may). ` +
        'Wait until some of them have been answered, then try again, with fewer calls at a time.',
      { details: { reason: 'queue', limit: this.#queue } },
    );
  }

  /**
   * Lets a call wait, whose lease has begun. `leave` gives up what it waits for, and is called if it is withdrawn or its time
   * is up; when the lease ends, it has to end the wait as well.
   */
  enter(ctx: Call, leave: () => void): Turn {
    this.#waiting++;
    this.#leases.await();
    const waiter = new Waiter(this, ctx, leave);
    if (this.#wait !== Number.POSITIVE_INFINITY) {
      waiter.timer = this.#clock.setTimeout(() => waiter.end(overdue(ctx, this.#wait)), this.#wait);
    }
    ctx.onAbort((reason) => waiter.abort(reason));
    return waiter;
  }

  /** For its waiters only. */
  left({ timer }: Waiter): void {
    this.#waiting--;
    this.#leases.awaited();
    if (timer !== undefined) this.#clock.clearTimeout(timer);
  }
}

// A class and no closures: thousands may wait.
class Waiter implements Turn {
  readonly answer: Promise<Failure | undefined>;
  timer: unknown = undefined;
  readonly #room: WaitingRoom;
  readonly #ctx: Call;
  readonly #leave: () => void;
  #settle: ((answer: Failure | undefined) => void) | undefined = undefined;

  constructor(room: WaitingRoom, ctx: Call, leave: () => void) {
    this.#room = room;
    this.#ctx = ctx;
    this.#leave = leave;
    this.answer = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  come(): void {
    this.end(undefined);
  }

  abort(reason: unknown): void {
    if (this.#settle !== undefined) this.end(toFailure(this.#ctx, reason));
  }

  end(failure: Failure | undefined): void {
    const settle = this.#settle;
    if (settle === undefined) return;
    this.#settle = undefined;
    this.#room.left(this);
    if (failure !== undefined) this.#leave();
    settle(failure);
  }
}

function overdue(ctx: Call, wait: number): Failure {
  return ctx.fail(
    'timeout',
    `"${ctx.call.name}" was not started: what it needs was in use by other calls for ${wait} ms. Try again later.`,
    { details: { reason: 'wait', limit_ms: wait } },
  );
}
