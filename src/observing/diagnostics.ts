import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { isThenable, toPromise } from '../basics/thenable.ts';
import type { CallContext } from '../call/context.ts';
import type { Entry } from '../chain/chain.ts';
import { ToolError } from '../errors.ts';
import { causeOf, type ToolResult } from '../result.ts';
import { type AnyStage, traitsOf, withTraits } from '../traits.ts';
import type { Call, Maybe, Next, Run } from '../types.ts';
import { frozenCopy, type ObservedCall, observed } from './observers.ts';

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

// Automatic for every router: a look whether anybody subscribed costs a few nanoseconds. What a subscriber throws, Node.js
// itself reports as an uncaught exception, as on every channel; the call goes on.
// `object` twice, as the two type parameters have changed places in @types/node 26.
/** One for every call that a router takes up. */
export const callChannel: TracingChannel<object, object> = tracingChannel('callgate:call');
/** One for every stage that a call comes to. */
export const stageChannel: TracingChannel<object, object> = tracingChannel('callgate:stage');

/** What there is to tell of an end, once there is one. */
class Outcome {
  error: unknown = undefined;
  answer: ToolResult | undefined = undefined;
  #copy: ToolResult | undefined;

  get result(): ToolResult | undefined {
    this.#copy ??= frozenCopy(this.answer);
    return this.#copy;
  }
}

// Getters, so that a subscriber may add to the object and change nothing of it for the next one.

function callEvent({ call, run }: Call, outcome: Outcome): TracedCall {
  const shown = observed(call);
  return {
    get call() {
      return shown;
    },
    get run() {
      return run;
    },
    get result() {
      return outcome.result;
    },
    get error() {
      return outcome.error;
    },
  };
}

function stageEvent({ call }: Call, stage: string, outcome: Outcome): TracedStage {
  const shown = observed(call);
  return {
    get call() {
      return shown;
    },
    get stage() {
      return stage;
    },
    get result() {
      return outcome.result;
    },
    get error() {
      return outcome.error;
    },
  };
}

/** Routes a call that somebody traces. `route` never rejects. */
export function traceCall(ctx: CallContext, route: () => Promise<ToolResult>): Promise<ToolResult> {
  const { start, end, asyncStart, asyncEnd, error } = callChannel;
  const outcome = new Outcome();
  const event = callEvent(ctx, outcome);
  return start.runStores(event, () => {
    const pending = route().then((result) => {
      outcome.answer = result;
      if (!result.ok) {
        outcome.error = causeOf(result) ?? new ToolError(result.error, { code: result.code });
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
    return traceStage(ctx, name, () => stage(ctx, next));
  };
  return { name, stage: withTraits(traced as AnyStage, traits) };
}

function traceStage(ctx: Call, name: string, run: () => Maybe<ToolResult>): Maybe<ToolResult> {
  const { start, end, asyncStart, asyncEnd, error } = stageChannel;
  const outcome = new Outcome();
  const event = stageEvent(ctx, name, outcome);
  const threw = (reason: unknown): void => {
    outcome.error = reason;
    error.publish(event);
  };
  const settled = (): void => {
    asyncStart.publish(event);
    asyncEnd.publish(event);
  };
  return start.runStores(event, () => {
    try {
      const answer = run();
      if (!isThenable(answer)) {
        outcome.answer = answer;
        return answer;
      }
      return toPromise(answer).then(
        (result) => {
          outcome.answer = result;
          settled();
          return result;
        },
        (reason: unknown) => {
          threw(reason);
          settled();
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
