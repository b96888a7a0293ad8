import { isThenable, toPromise } from '../basics/thenable.ts';
import { CallContext } from '../call/context.ts';
import { PendingAnswer } from '../call/pending-answer.ts';
import { StageError } from '../errors.ts';
import type { ToolResult } from '../result.ts';
import { type FinishFunction, traitsOf } from '../traits.ts';
import type { Maybe } from '../types.ts';
import { addTo } from './additions.ts';
import type { Chain, Entry } from './chain.ts';
import { stepRow, stepsByTool } from './step-row.ts';

/** How a stage let a call through: on to the next, with an answer of its own, or with an error. */
export type StageOutcome = 'passed' | 'answered' | 'threw';

/** Is told how a call moves through the stages. */
export interface StageWatcher {
  enter(ctx: CallContext, stage: string): void;
  leave(ctx: CallContext, stage: string, outcome: StageOutcome, durationMs: number): void;
}

export interface ComposeOptions {
  /** Names the asynchronous stage that answers nothing, or before its own `next()` has settled. Costs a promise a stage. */
  readonly strict?: boolean | undefined;
  readonly watcher?: StageWatcher | undefined;
}

/** Folds stages into one function, the first outermost. Built once a pipeline; a call only walks the closures. */
export function compose(entries: readonly Entry[], options: ComposeOptions = {}): Chain {
  const last = entries.at(-1);
  let chain: Chain = () => {
    throw new StageError(last?.name ?? '(none)', 'called next(), but it is the last: there is nothing to hand on to');
  };
  let total = true;
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at] as Entry;
    const inner = total ? chain : observed(chain);
    const traits = traitsOf(entry.stage);
    // A finishing stage gets what was thrown inside it, so only its own faults could get out.
    total = (traits.total ?? false) && (total || traits.finish !== undefined);
    if (options.watcher !== undefined) {
      chain = watched(entry, inner, options.watcher, options.strict ?? false);
      continue;
    }
    if (traitsOf(entry.stage).step === undefined) {
      chain = layer(entry, inner, options.strict ?? false);
      continue;
    }
    let first = at;
    while (first > 0 && traitsOf(entries[first - 1]?.stage).step !== undefined) first--;
    chain = stepsByTool(entries.slice(first, at + 1), chain);
    total = false;
    at = first;
  }
  return chain;
}

const noop = (): void => {};

/** A stage that drops the promise of its own `next()` has a fault, but must not bring the process down with it. */
function observed(chain: Chain): Chain {
  return (ctx) => {
    const answer = chain(ctx);
    guardDropped(ctx, answer);
    return answer;
  };
}

function guardDropped(ctx: CallContext, answer: unknown): void {
  // A pending answer guards itself, when it fails.
  if (answer instanceof Promise && PendingAnswer.of(ctx, answer) === undefined) answer.then(noop, noop);
}

function layer(entry: Entry, inner: Chain, strict: boolean): Chain {
  const { step, finish, repeats, ends } = traitsOf(entry.stage);
  if (step !== undefined) return stepRow([entry], inner);
  if (finish !== undefined) return finishing(finish, inner);
  if (repeats) return repeating(entry, inner);
  if (ends && !strict) return ending(entry);
  return strict ? strictly(entry, inner) : once(entry, inner);
}

/** A stage that never hands on needs no `next` of its own for every call. */
function ending({ name, stage }: Entry): Chain {
  const none = (): never => {
    throw new StageError(name, 'called next(), although it declares that it ends the chain');
  };
  return (ctx) => {
    const answer = stage(ctx, none);
    if (answer === undefined) throw new StageError(name, noAnswer);
    return answer;
  };
}

/** The usual `(ctx, next)` stage. */
function once({ name, stage }: Entry, inner: Chain): Chain {
  return (ctx) => {
    let entered = false;
    const answer = stage(ctx, (adds?: object) => {
      if (entered) throw new StageError(name, 'called next() twice');
      entered = true;
      if (ctx.settled) return CallContext.afterEnd(ctx);
      if (adds !== undefined) addTo(ctx, adds);
      return inner(ctx);
    });
    if (answer === undefined) throw new StageError(name, noAnswer);
    return answer;
  };
}

const noAnswer = 'answered nothing; return next(), or an answer such as ctx.fail(...)';

/** As {@link once}, and an asynchronous stage is named when it answers nothing or too early. */
function strictly(entry: Entry, inner: Chain): Chain {
  return (ctx) => {
    let waiting = 0;
    const chain = once(entry, (inside) => {
      const answer = inner(inside);
      if (answer instanceof Promise) {
        waiting++;
        const done = (): void => {
          waiting--;
        };
        answer.then(done, done);
      }
      return answer;
    });
    const answer = chain(ctx);
    if (!isThenable(answer)) {
      if (waiting > 0) throw new StageError(entry.name, tooEarly);
      return answer;
    }
    return toPromise(answer).then((result) => {
      if (result === undefined) throw new StageError(entry.name, noAnswer);
      // An early failure is a timeout doing its work; an early success hides what is still running.
      if (waiting > 0 && result.ok) throw new StageError(entry.name, tooEarly);
      return result;
    });
  };
}

const tooEarly = 'answered before its own next() had settled; await it, or return it';

function finishing(look: FinishFunction, inner: Chain): Chain {
  return (ctx) => {
    let outcome: Maybe<ToolResult>;
    try {
      outcome = inner(ctx);
    } catch (error) {
      return look(ctx, error, true);
    }
    if (!isThenable(outcome)) return look(ctx, outcome, false);
    const pending = toPromise(outcome);
    if (PendingAnswer.of(ctx, pending)?.conclude(look)) return pending;
    return pending.then(
      (result) => look(ctx, result, false),
      (error: unknown) => look(ctx, error, true),
    );
  };
}

/** A stage that may call `next()` again: every call gets a fork, so nothing of the last attempt is left in it. */
function repeating({ name, stage }: Entry, inner: Chain): Chain {
  return (ctx) => {
    const answer = stage(ctx, (adds?: object) => {
      if (ctx.settled) return CallContext.afterEnd(ctx);
      const fork = ctx.fork();
      if (adds !== undefined) addTo(fork, adds);
      const attempt = settling(fork, inner);
      guardDropped(fork, attempt);
      return attempt;
    });
    if (answer === undefined) throw new StageError(name, noAnswer);
    return answer;
  };
}

function settling(fork: CallContext, inner: Chain): Maybe<ToolResult> {
  let answer: Maybe<ToolResult>;
  try {
    answer = inner(fork);
  } catch (error) {
    CallContext.giveUp(fork);
    fork.settle();
    throw error;
  }
  if (!isThenable(answer)) return settled(fork, answer);
  return toPromise(answer).then(
    (result) => settled(fork, result),
    (error: unknown) => {
      CallContext.giveUp(fork);
      fork.settle();
      throw error;
    },
  );
}

function settled(fork: CallContext, result: ToolResult): ToolResult {
  // An attempt that failed may have left its handler at work; one that succeeds and has done so is not to be believed.
  if (result?.ok === false) CallContext.giveUp(fork);
  fork.settle();
  return result;
}

function watched(entry: Entry, inner: Chain, watcher: StageWatcher, strict: boolean): Chain {
  return (ctx) => {
    const begun = performance.now();
    let left = false;
    const leave = (outcome: StageOutcome): void => {
      if (left) return;
      left = true;
      watcher.leave(ctx, entry.name, outcome, performance.now() - begun);
    };
    const chain = layer(
      entry,
      (inside) => {
        leave('passed');
        return inner(inside);
      },
      strict,
    );
    watcher.enter(ctx, entry.name);
    let answer: Maybe<ToolResult>;
    try {
      answer = chain(ctx);
    } catch (error) {
      leave('threw');
      throw error;
    }
    if (!isThenable(answer)) {
      leave('answered');
      return answer;
    }
    return toPromise(answer).then(
      (result) => {
        leave('answered');
        return result;
      },
      (error: unknown) => {
        leave('threw');
        throw error;
      },
    );
  };
}
