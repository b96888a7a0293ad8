import { didYouMean } from '../basics/nearest.ts';
import type { Offers } from '../offers.ts';
import type { RouterPipeline } from '../pipeline.ts';
import type { Maybe } from '../types.ts';

// What a stage says of itself beside its traits, by properties of its function. Any stage may have them.

/** A stage that cleans results says by a function `cleans` of its own how it does that with other data. */
export function cleanerOf({ entries }: RouterPipeline<never>): ((data: unknown) => unknown) | undefined {
  const cleaning = entries.flatMap(({ stage }) =>
    'cleans' in stage ? [stage.cleans as (data: unknown) => unknown] : [],
  );
  if (cleaning.length === 0) return undefined;
  return (data) => cleaning.reduceRight((shown, clean) => clean(shown), data);
}

/** A stage that decides knows what can never be allowed, and says so by a function `offers` of its own. */
export function offersOf({ entries }: RouterPipeline<never>): Offers {
  const deciding = entries.flatMap(({ stage }) => ('offers' in stage ? [stage.offers as Offers] : []));
  return (tool, mode) => deciding.every((offers) => offers(tool, mode));
}

/** A mode that nobody knows would deny every call, and tell the model what the programmer should hear. */
export function checkMode({ entries }: RouterPipeline<never>, mode: string): void {
  for (const { stage } of entries) {
    const modes = 'modes' in stage && Array.isArray(stage.modes) ? stage.modes : undefined;
    if (modes !== undefined && !modes.includes(mode)) {
      throw new TypeError(`There is no mode "${mode}". The modes are: ${modes.join(', ')}.${didYouMean(mode, modes)}`);
    }
  }
}

/** Gives up what a stage owns, such as its workers, connections and timers. See {@link closersOf}. */
export type Closes = () => Maybe<void>;

/**
 * A stage that owns something says by a function `closes` of its own how that is given up. `router.close()` calls it once
 * no call is under way any more, or none is waited for; the innermost stage first. It may be called more than once, must
 * end in bounded time by itself, and what it throws rejects `close()` after all other stages have been closed.
 *
 * @example
 * Object.assign(stage, { closes: () => pool.destroy() })
 */
export function closersOf({ entries }: RouterPipeline<never>): Closes[] {
  return entries.flatMap(({ stage }) => ('closes' in stage ? [stage.closes as Closes] : [])).reverse();
}
