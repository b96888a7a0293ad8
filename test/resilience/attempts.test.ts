import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallContext } from '../../src/call/context.ts';
import { contextFor } from '../support.ts';

/** What an attempt is, for the model: its context, the attempt it is part of, and what became of it. */
interface Attempt {
  readonly ctx: CallContext;
  readonly within: Attempt | undefined;
  isGivenUp: boolean;
}

const steps = fc.array(fc.record({ do: fc.constantFrom('fork', 'begin', 'end', 'give up'), which: fc.nat() }), {
  maxLength: 60,
});

test('an answer depends on the handlers of the attempts that were not given up, and only on these', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const root: Attempt = { ctx: contextFor(), within: undefined, isGivenUp: false };
      const attempts = [root];
      const atWork: Attempt[] = [];
      for (const step of list) {
        const attempt = attempts[step.which % attempts.length] as Attempt;
        if (step.do === 'fork') attempts.push({ ctx: attempt.ctx.fork(), within: attempt, isGivenUp: false });
        else if (step.do === 'give up' && attempt !== root) {
          CallContext.giveUp(attempt.ctx);
          attempt.isGivenUp = true;
        } else if (step.do === 'begin' && !isOver(attempt)) {
          attempt.ctx.began();
          atWork.push(attempt);
        } else if (step.do === 'end' && atWork.length > 0) {
          const [ended] = atWork.splice(step.which % atWork.length, 1);
          ended?.ctx.ended();
        }
        for (const one of attempts) {
          expect(one.ctx.running).toBe(atWork.some((worker) => isWithin(worker, one)));
          expect(one.ctx.awaited).toBe(atWork.some((worker) => isAwaitedBy(worker, one)));
        }
      }
    }),
  );
});

/** Nothing is begun in an attempt that has failed, nor in what was part of it. */
function isOver(attempt: Attempt | undefined): boolean {
  return attempt !== undefined && (attempt.isGivenUp || isOver(attempt.within));
}

function isWithin(worker: Attempt | undefined, one: Attempt): boolean {
  return worker !== undefined && (worker === one || isWithin(worker.within, one));
}

function isAwaitedBy(worker: Attempt | undefined, one: Attempt): boolean {
  if (worker === undefined) return false;
  return worker === one || (!worker.isGivenUp && isAwaitedBy(worker.within, one));
}
