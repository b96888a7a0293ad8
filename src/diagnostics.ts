import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import type { Entry } from './compose.ts';
import type { CallContext } from './context.ts';
import { ToolError } from './errors.ts';
import { frozenCopy, type ObservedCall, observed } from './observers.ts';
import { causeOf, type ToolResult } from './result.ts';
import { isThenable, toPromise } from './thenable.ts';
import { type AnyStage, traitsOf, withTraits } from './traits.ts';
import type { Call, Maybe, Next, Run } from './types.ts';

/**
 * What subscribers of the tracing channel `callgate:call` get: one object a call, the same with each of its events, so
 * that a subscriber can keep something beside it. `start` and `end` stand around the part that ran at once,
 * `asyncStart` and `asyncEnd` around the answer; `error` comes before them when the answer is a failure.
 */
export interface TracedCall {
  readonly call: ObservedCall;
  readonly run: Run;
  /** A copy of the answer, made when it is read; from `error` and `asyncStart` on. */
  readonly result: ToolResult | undefined;
  /** The private cause of a failure, or a `ToolError` with its code and text where there is none. */
  readonly error: unknown;
}

/**
 * What subscribers of the tracing channel `callgate:stage` get, one object each time a call comes to a stage. What
 * happens further inside lies between its events. `error` means that the stage threw.
 */
export interface TracedStage {
  readonly call: ObservedCall;
  /** The stage's name in the pipeline. */
  readonly stage: string;
  /** A copy of what the stage answered with, made when it is read. */
  readonly result: ToolResult | undefined;
  /** What the stage threw. */
  readonly error: unknown;
}

// Automatic for every router: a look whether anybody subscribed costs a nanosecond. What a subscriber throws, Node.js
// itself reports as an uncaught exception, as on every channel; the call goes on.
/** One for every call that a router takes up. */
export const callChannel: TracingChannel<string, object> = tracingChannel('callgate:call');
/** One for every stage that a call comes to. */
export const stageChannel: TracingChannel<string, object> = tracingChannel('callgate:stage');

class Traced {
  readonly call: ObservedCall;
  error: unknown = undefined;
  #answer: ToolResult | undefined;
  #copy: ToolResult | undefined;

  constructor(ctx: Call) {
    this.call = observed(ctx.call);
  }

  get result(): ToolResult | undefined {
    this.#copy ??= frozenCopy(this.#answer);
    return this.#copy;
  }

  static answer(traced: Traced, answer: ToolResult): void {
    traced.#answer = answer;
  }
}

class TracedCallEvent extends Traced implements TracedCall {
  readonly run: Run;

  constructor(ctx: Call) {
    super(ctx);
    this.run = ctx.run;
  }
}

class TracedStageEvent extends Traced implements TracedStage {
  readonly stage: string;

  constructor(ctx: Call, stage: string) {
    super(ctx);
    this.stage = stage;
  }
}

/** Routes a call that somebody traces. `route` never rejects. */
export function traceCall(ctx: CallContext, route: () => Promise<ToolResult>): Promise<ToolResult> {
  const { start, end, asyncStart, asyncEnd, error } = callChannel;
  const event = new TracedCallEvent(ctx);
  return start.runStores(event, () => {
    const pending = route().then((result) => {
      Traced.answer(event, result);
      if (!result.ok) {
        event.error = causeOf(result) ?? new ToolError(result.error, { code: result.code });
        error.publish(event);
      }
      asyncStart.publish(event);
      asyncEnd.publish(event);
      return result;
    });
    end.publish(event);
    return pending;
  });
}

/** The same stage, under the eyes of whoever traces stages. */
export function tracedStage({ name, stage }: Entry): Entry {
  const { step, finish, ...traits } = traitsOf(stage);
  const traced = (ctx: Call, next: Next): Maybe<ToolResult> => {
    if (!stageChannel.hasSubscribers) return stage(ctx, next);
    return traceStage(new TracedStageEvent(ctx, name), () => stage(ctx, next));
  };
  return { name, stage: withTraits(traced as AnyStage, traits) };
}

function traceStage(event: Traced, run: () => Maybe<ToolResult>): Maybe<ToolResult> {
  const { start, end, asyncStart, asyncEnd, error } = stageChannel;
  const threw = (reason: unknown): void => {
    event.error = reason;
    error.publish(event);
  };
  return start.runStores(event, () => {
    try {
      const outcome = run();
      if (!isThenable(outcome)) {
        Traced.answer(event, outcome);
        return outcome;
      }
      return toPromise(outcome).then(
        (result) => {
          Traced.answer(event, result);
          asyncStart.publish(event);
          asyncEnd.publish(event);
          return result;
        },
        (reason: unknown) => {
          threw(reason);
          asyncStart.publish(event);
          asyncEnd.publish(event);
          throw reason;
        },
      );
    } catch (reason) {
      threw(reason);
      throw reason;
    } finally {
      end.publish(event);
    }
  });
}
