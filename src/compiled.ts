import { type Chain, type ComposeOptions, compose, type Entry } from './compose.ts';
import { type FinishFunction, traitsOf } from './traits.ts';

/** A pipeline made ready to run. */
export interface Compiled {
  readonly chain: Chain;
  /** The finishing stages that stand outermost, innermost first: the router runs them where it ends a call anyway. */
  readonly finishes: readonly FinishFunction[];
  /** Where edited arguments enter again: inside what only finishes, at the first stage that looks at a call. */
  readonly restart: Chain;
}

/** Composes a pipeline's stages. Done once a pipeline, not once a call. */
export function compile(entries: readonly Entry[], options: ComposeOptions): Compiled {
  let entrance = 0;
  for (const [at, { stage }] of entries.entries()) {
    const { step, guard, adds, finish } = traitsOf(stage);
    if (step !== undefined || guard || adds !== undefined) break;
    if (finish !== undefined) entrance = at + 1;
  }
  const restart = compose(entries.slice(entrance), options);
  // Whoever watches the stages wants to see the finishing ones too.
  let outer = 0;
  while (options.watcher === undefined && traitsOf(entries[outer]?.stage).finish !== undefined) outer++;
  return {
    chain: outer === entrance ? restart : compose(entries.slice(outer), options),
    finishes: entries
      .slice(0, outer)
      .map(({ stage }) => traitsOf(stage).finish as FinishFunction)
      .reverse(),
    restart,
  };
}
