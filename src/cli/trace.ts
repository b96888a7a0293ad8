import { AsyncLocalStorage } from 'node:async_hooks';
import type { Router } from '../router.ts';
import { traitsOf } from '../traits.ts';

/** A stage that a call came to, and how it left it. */
export interface Visit {
  readonly stage: string;
  /** `restarted`: the call began anew from here, with edited arguments. `open`: it was cut off in this stage. */
  outcome: 'open' | 'passed' | 'answered' | 'threw' | 'restarted';
}

/** One call's way through the stages, in the order in which it came to them. */
export interface Trace {
  readonly visits: Visit[];
}

/** Writes down the ways of calls; to be stopped when nobody wants to know any more. */
export interface Tracer {
  /** Runs `work`, which makes one call, and writes the call's way into `trace`. */
  follow<Result>(trace: Trace, work: () => Result): Result;
  stop(): void;
}

export function newTrace(): Trace {
  return { visits: [] };
}

/** Stages that only look at what comes out: every call passes them on its way in, and they stop none. */
export function finishingStages({ pipeline }: Router): ReadonlySet<string> {
  const finishing = pipeline.entries.filter(({ stage }) => traitsOf(stage).finish !== undefined);
  return new Set(finishing.map(({ name }) => name));
}

/**
 * Follows the calls of a router. Calls are told apart by where they were made and not by their ids: models give several
 * calls the same.
 */
export function traceCalls(router: Pick<Router, 'on'>): Tracer {
  const current = new AsyncLocalStorage<{ readonly trace: Trace; id?: string }>();
  const stopStart = router.on('start', ({ call }) => {
    const following = current.getStore();
    if (following !== undefined) following.id ??= call.id;
  });
  const stopStage = router.on('stage', ({ call, stage, phase, outcome }) => {
    const following = current.getStore();
    // A tool may call back into the router; that is another call's way.
    if (following === undefined || following.id !== call.id) return;
    if (phase === 'enter') enter(following.trace, stage);
    else leave(following.trace, stage, outcome ?? 'passed');
  });
  return {
    follow: (trace, work) => current.run({ trace }, work),
    stop() {
      stopStart();
      stopStage();
    },
  };
}

function enter({ visits }: Trace, stage: string): void {
  const again = visits.findLastIndex((visit) => visit.stage === stage);
  const from = visits.at(-1);
  if (again >= 0 && from?.outcome === 'open') from.outcome = 'restarted';
  visits.push({ stage, outcome: 'open' });
}

function leave({ visits }: Trace, stage: string, outcome: 'passed' | 'answered' | 'threw'): void {
  const visit = visits.findLast((each) => each.stage === stage && each.outcome === 'open');
  if (visit !== undefined) visit.outcome = outcome;
}
