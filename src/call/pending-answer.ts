import { ignore } from '../basics/thenable.ts';
import type { ToolResult } from '../result.ts';
import type { Call } from '../types.ts';
import { CallContext } from './context.ts';
import { enterTurn, type Fresh, leaveTurn } from './turn.ts';
import type { UnderWay } from './under-way.ts';

type Resolve = (outcome: ToolResult | Promise<never>) => void;
const noop = (): void => {};

/** Makes the answer of what came out of the chain, or with `threw` of what was thrown. */
export type LastWord = (ctx: CallContext, outcome: unknown, threw: boolean) => ToolResult;

/** Sets the timer of a deadline. Times in milliseconds. */
export interface Timekeeper {
  start(answer: PendingAnswer, begunAt: number, limit: number): void;
}

/**
 * The answer of a call that is still to come: a promise, and those who may settle it before the tool does (a deadline, the
 * caller's signal, a router that closes) or say the last word about it. Without it each of them would put another promise
 * around the tool's.
 */
export class PendingAnswer implements Fresh {
  readonly ctx: CallContext;
  readonly promise: Promise<ToolResult>;
  place = -1;
  #settled = false;
  #last: LastWord | undefined = undefined;
  #list: UnderWay | undefined = undefined;
  #timekeeper: Timekeeper | undefined = undefined;
  #begunAt = 0;
  #limit = 0;
  #resolve: Resolve = noop;

  constructor(ctx: Call) {
    this.ctx = ctx as CallContext;
    this.promise = new Promise<ToolResult>((resolve) => {
      this.#resolve = resolve;
    });
    CallContext.expect(this.ctx, this);
  }

  /** As `pending.then(fulfilled, rejected)`, where neither throws. */
  static from<C extends Call, V>(
    ctx: C,
    pending: Promise<V>,
    fulfilled: (ctx: C, value: V) => ToolResult,
    rejected: (ctx: C, error: unknown) => ToolResult,
  ): PendingAnswer {
    const answer = new PendingAnswer(ctx);
    pending.then(
      (value) => answer.settle(fulfilled(ctx, value), false),
      (error: unknown) => answer.settle(rejected(ctx, error), false),
    );
    return answer;
  }

  /** One that settles as `promise` does. */
  static following(ctx: Call, promise: Promise<ToolResult>): PendingAnswer {
    const answer = new PendingAnswer(ctx);
    promise.then(
      (result) => answer.settle(result, false),
      (error: unknown) => answer.settle(error, true),
    );
    return answer;
  }

  /**
   * The one whose promise this is, as long as it has not settled. Only the call's own: a stage may hand over a promise of
   * another call, which is not its to settle.
   */
  static of(ctx: Call, promise: Promise<ToolResult>): PendingAnswer | undefined {
    const answer = CallContext.answerOf(ctx as CallContext);
    return answer !== undefined && answer.promise === promise && !answer.#settled ? answer : undefined;
  }

  /** Settles it, unless it has settled: whether it had not. */
  settle(outcome: unknown, threw: boolean): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    if (this.place >= 0) leaveTurn(this);
    if (this.#last === undefined) {
      if (threw) this.#fail(outcome);
      else this.#resolve(outcome as ToolResult);
      return true;
    }
    try {
      this.#resolve(this.#last(this.ctx, outcome, threw));
    } catch (error) {
      this.#fail(error);
    }
    return true;
  }

  /** A stage that drops the promise has a fault, but must not bring the process down with it. */
  #fail(error: unknown): void {
    ignore(this.promise);
    this.#resolve(Promise.reject(error));
  }

  /** Gives somebody the last word: whether that can be, which is once. */
  conclude(last: LastWord): boolean {
    if (this.#settled || this.#last !== undefined) return false;
    this.#last = last;
    return true;
  }

  /** Has the call stand in a list once it has outlasted its turn. */
  listed(list: UnderWay): void {
    this.#list = list;
    if (this.place < 0) enterTurn(this);
  }

  /**
   * Sets a deadline, `limit` milliseconds after `begunAt`: whether that can be, which is once, and before somebody has the
   * last word, as what stands inside of a deadline does not hear of it.
   */
  due(timekeeper: Timekeeper, begunAt: number, limit: number): boolean {
    if (this.#settled || this.#last !== undefined || this.#timekeeper !== undefined) return false;
    this.#timekeeper = timekeeper;
    this.#begunAt = begunAt;
    this.#limit = limit;
    if (this.place < 0) enterTurn(this);
    return true;
  }

  outlast(): void {
    if (this.#settled) return;
    this.#list?.add(this);
    this.#timekeeper?.start(this, this.#begunAt, this.#limit);
  }
}
