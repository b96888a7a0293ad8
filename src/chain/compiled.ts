import { type FinishFunction, traitsOf } from '../traits.ts';
import type { Chain, Entry } from './chain.ts';
import { type ComposeOptions, compose } from './compose.ts';

/** A pipeline made ready to run. */
export interface Compiled {
  readonly chain: Chain;
  /** The finishing stages that stand outermost, innermost first: the router runs them where it ends a call anyway. */
  readonly finishes: readonly FinishFunction[];
  /** Where edited arguments enter again: inside what only finishes, at the first stage that looks at a call. */
  readonly restart: Chain;
}

export interface CompileOptions extends ComposeOptions {
  /** Puts something around each stage. */
  readonly around?: ((entry: Entry) => Entry) | undefined;
}

/** Composes a pipeline's stages. Done once a pipeline, not once a call. */
export function compile(entries: readonly Entry[], options: CompileOptions): Compiled {
  const { around, ...composing } = options;
  let entrance = 0;
  for (const [at, { stage }] of entries.entries()) {
    const { step, guard, adds, finish } = traitsOf(stage);
    if (step !== undefined || guard || adds !== undefined) break;
    if (finish !== undefined) entrance = at + 1;
  }
  const stages = around === undefined ? entries : entries.map(around);
  const restart = compose(stages.slice(entrance), composing);
  // Whoever watches the stages wants to see the finishing ones too.
  const isSeen = options.watcher !== undefined || around !== undefined;
  let outer = 0;
  while (!isSeen && traitsOf(entries[outer]?.stage).finish !== undefined) outer++;
  return {
    chain: outer === entrance ? restart : compose(stages.slice(outer), composing),
    finishes: entries
      .slice(0, outer)
      .map(({ stage }) => traitsOf(stage).finish as FinishFunction)
      .reverse(),
    restart,
  };
}
