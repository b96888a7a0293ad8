import type pTimeout from 'p-timeout';
import { longestTimer } from '../basics/milliseconds.ts';
import { withoutStack } from '../basics/stackless.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { ToolResult } from '../result.ts';
import type { Call } from '../types.ts';
import { PendingAnswer, type Timekeeper } from './pending-answer.ts';

/**
 * What a deadline means to whoever sets it. One object for all of its calls, so that a call that settles in time, as nearly
 * all do, costs no closures.
 */
export interface DeadlineRules<Context extends Call> {
  /** By which the time passes. */
  readonly clock: Clock;
  /** The time is up. */
  expired(ctx: Context, limit: number, answer: PendingAnswer): void;
  /** Called when the wait outlasts a turn of the event loop: for those who may settle it for another reason. */
  watch(ctx: Context, settle: (outcome: ToolResult) => void): void;
}

let timeoutOf: typeof pTimeout | undefined;

async function load(): Promise<void> {
  timeoutOf ??= (await import('p-timeout')).default;
}

/** Deadlines by the same rules. No timer could fire before the turn's end, so one is armed only for what is pending then. */
export class Deadlines<Context extends Call> implements Timekeeper {
  readonly #rules: DeadlineRules<Context>;

  constructor(rules: DeadlineRules<Context>) {
    this.#rules = rules;
  }

  /**
   * Gives the outcome of `pending`, unless the rules settle it before: because it took longer than `limit` milliseconds
   * after `begunAt` (by the rules' clock), or for a reason of their own. What was waited for goes on.
   */
  set(ctx: Context, pending: Promise<ToolResult>, begunAt: number, limit: number): Promise<ToolResult> {
    if (PendingAnswer.of(ctx, pending)?.due(this, begunAt, limit)) return pending;
    const answer = PendingAnswer.following(ctx, pending);
    answer.due(this, begunAt, limit);
    return answer.promise;
  }

  start(answer: PendingAnswer, begunAt: number, limit: number): void {
    let timed: ReturnType<typeof pTimeout> | undefined;
    // First of all, as an abort does not wait for what makes the timer to be loaded.
    this.#rules.watch(answer.ctx as Call as Context, (outcome) => {
      answer.settle(outcome, false);
      // What was withdrawn leaves no timer behind to keep the process alive.
      timed?.clear();
    });
    const arm = (): void => {
      timed = this.#timed(answer, begunAt, limit);
    };
    if (timeoutOf === undefined) void load().then(arm);
    else arm();
  }

  #timed(answer: PendingAnswer, begunAt: number, limit: number): ReturnType<typeof pTimeout> | undefined {
    const { clock } = this.#rules;
    const ctx = answer.ctx as Call as Context;
    const left = begunAt + limit - clock.now();
    // p-timeout 7 fires at once for what is longer than a timer can be.
    const milliseconds = left > longestTimer ? Number.POSITIVE_INFINITY : left;
    if (milliseconds <= 0) {
      this.#rules.expired(ctx, limit, answer);
      return undefined;
    }
    const fallback = (): void => this.#rules.expired(ctx, limit, answer);
    // It makes an error for each of its timers, in case they fire, and the stack of one is what costs most here.
    const timed = withoutStack(() =>
      (timeoutOf as typeof pTimeout)(answer.promise, { milliseconds, fallback, ...timersOf(clock) }),
    );
    timed.catch(() => {});
    return timed;
  }
}

// Those of the machine's own clock are p-timeout's own: what tests put in their place is then found when a timer is set.
function timersOf(clock: Clock): { customTimers?: NonNullable<Parameters<typeof pTimeout>[1]['customTimers']> } {
  if (clock === systemClock) return {};
  return {
    customTimers: {
      setTimeout: ((callback: () => void, milliseconds = 0) => clock.setTimeout(callback, milliseconds)) as never,
      clearTimeout: ((timer: unknown) => clock.clearTimeout(timer)) as never,
    },
  };
}
