import { type AnyStage, checkCalled, type Traits, traitsOf } from '../traits.ts';

/** A stage that adds nothing to the context and is no guard; any other is `never`, and does not compile here. */
export type AddsNothing<S extends AnyStage> = S extends { readonly guards: true }
  ? never
  : Parameters<Parameters<S>[1]> extends []
    ? S
    : never;

/**
 * The traits of `stage` when it may be skipped: it no longer provides a capability for sure, nor always ends the chain, and
 * the condition may throw.
 *
 * @throws TypeError for a stage that adds something (later stages would miss it whenever it is skipped), and for a guard.
 */
export function traitsWhenSkippable(owner: string, stage: AnyStage): Traits {
  if (typeof stage !== 'function') throw new TypeError(`${owner}() takes a stage; it got ${typeof stage}.`);
  checkCalled(`The stage in ${owner}()`, stage);
  const { adds = [], provides, ends, total, step, finish, concerns, ...kept } = traitsOf(stage);
  const name = stage.name || 'stage';
  if (adds.length > 0) {
    throw new TypeError(
      `${owner}() cannot stand around "${name}", which adds ${adds.join(', ')}: later stages need that for every call.`,
    );
  }
  if (kept.guard) {
    throw new TypeError(
      `${owner}() cannot stand around the guard "${name}": a guard that is skipped for some calls guards nothing. ` +
        'Put the condition into its rules, or write a guard of your own that knows it.',
    );
  }
  return kept;
}

/** A stage around another one gives up what that one owns (`closes`) and names the tools that it names (`namesTools`). */
export function standingFor<S extends AnyStage>(stage: S, inner: AnyStage): S {
  if ('closes' in inner) {
    Object.assign(stage, { closes: () => (inner as AnyStage & { closes(): unknown }).closes() });
  }
  return 'namesTools' in inner ? Object.assign(stage, { namesTools: inner.namesTools }) : stage;
}
