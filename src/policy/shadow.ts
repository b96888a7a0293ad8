import { checkOptions } from '../basics/options.ts';
import { isThenable } from '../basics/thenable.ts';
import { type Clock, checkClock, systemClock } from '../clock.ts';
import { checkFinite } from '../resilience/numbers.ts';
import type { Maybe } from '../types.ts';
import { judge, type Policy, type PolicyRequest } from './policy.ts';
import type { Ruling } from './verdict.ts';

export interface ShadowOptions {
  /** The policy that decides; the result of `shadow` takes its place. */
  readonly beside: Policy;
  /** Is told where the two differ. What it throws is ignored. */
  readonly report: (difference: Difference) => void;
  /** How long either may take, in milliseconds. Default 10,000. */
  readonly decideTimeout?: number;
  /** Where that is taken from. Default: the machine's own. */
  readonly clock?: Clock;
}

/** Two policies that said different things of one call; `undefined` is no opinion. */
export interface Difference {
  readonly request: PolicyRequest;
  readonly decided: Ruling | undefined;
  readonly shadow: Ruling | undefined;
}

/**
 * Runs a policy beside the real one and only reports: whatever it says, throws or does not say, the other decides, and
 * does not wait for it.
 *
 * @example
 * permission({ policies: [shadow(rules(tomorrow), { beside: rules(today), report: ({ request }) => log(request.tool.name) })] });
 */
export function shadow(candidate: Policy, options: ShadowOptions): Policy {
  checkOptions('shadow', options, ['beside', 'report', 'decideTimeout', 'clock']);
  const { beside, report } = options;
  const decideTimeout = checkFinite(options.decideTimeout ?? 10_000, 'shadow({ decideTimeout })');
  const clock = checkClock(options.clock ?? systemClock, 'shadow({ clock })');
  const compare = async (request: PolicyRequest, real: Maybe<Ruling | undefined>): Promise<void> => {
    try {
      const [decided, other] = await Promise.all([real, judge([candidate], request, decideTimeout, clock)]);
      if (decided?.decision !== other?.decision) report(Object.freeze({ request, decided, shadow: other }));
    } catch {
      // Nothing that happens in the shadow may reach the call.
    }
  };
  return Object.freeze({
    name: beside.name ?? 'policy',
    ...(beside.version !== undefined && { version: beside.version }),
    ...(beside.foresee !== undefined && { foresee: beside.foresee.bind(beside) }),
    decide(request: PolicyRequest): Maybe<Ruling | undefined> {
      const real = judge([beside], request, decideTimeout, clock);
      if (isThenable(real)) void compare(request, real);
      else queueMicrotask(() => void compare(request, real));
      return real;
    },
  });
}
