import { traitsOf } from '../traits.ts';
import type { Entry } from './chain.ts';

/**
 * Refuses an order of stages that cannot work or is not safe, by the traits they declare. A bare function declares
 * nothing and is trusted to add whatever a later stage needs: the types checked it.
 */
export function checkOrder(entries: readonly Entry[]): void {
  const added = new Set<string>();
  let anythingAdded = false;
  for (const [at, { name, stage }] of entries.entries()) {
    const traits = traitsOf(stage);
    for (const need of traits.needs ?? []) {
      if (!anythingAdded && !added.has(need)) {
        throw new TypeError(`"${name}" needs "${need}", which no stage before it adds. ${placed(entries)}`);
      }
    }
    for (const add of traits.adds ?? []) added.add(add);
    const declares = traits.step ?? traits.finish ?? traits.adds ?? traits.needs;
    if (declares === undefined) anythingAdded = true;

    const earlier = entries.slice(0, at);
    const end = earlier.find((other) => traitsOf(other.stage).ends);
    if (end !== undefined) {
      throw new TypeError(`"${name}" would never run: "${end.name}" before it answers every call. ${placed(entries)}`);
    }
    for (const other of earlier) checkPair(other, { name, stage }, entries);
  }
}

/** Refuses a pipeline in which nothing answers: its last stage hands on to nobody. */
export function checkComplete(entries: readonly Entry[]): void {
  const last = entries.at(-1);
  if (last === undefined)
    throw new TypeError('The pipeline has no stages: it needs at least one that answers, such as execute().');
  const { step, finish, needs, adds, ends } = traitsOf(last.stage);
  // A bare function may well answer by itself.
  if (ends || (step ?? finish ?? needs ?? adds) === undefined) return;
  throw new TypeError(`Nothing answers a call: "${last.name}" is the last stage and hands on. ${placed(entries)}`);
}

function checkPair(outer: Entry, inner: Entry, entries: readonly Entry[]): void {
  const first = traitsOf(outer.stage);
  const second = traitsOf(inner.stage);
  if (first.guard && second.rewrites && !(second.guard && first.provides)) {
    throw new TypeError(
      `"${inner.name}" rewrites arguments, so it must stand before the guard "${outer.name}", which would ` +
        `otherwise judge other arguments than those that run. ${placed(entries)}`,
    );
  }
  if (second.guard && first.stores) {
    throw new TypeError(
      `"${outer.name}" answers from what it stored, so it must stand after the guard "${inner.name}", or it ` +
        `would answer what the guard refuses. ${placed(entries)}`,
    );
  }
  if (second.rewrites && first.stores) {
    throw new TypeError(
      `"${outer.name}" stores answers by the arguments it sees, so it must stand after "${inner.name}", which hands on ` +
        `others: what is stored would belong to other arguments than those that ran. ${placed(entries)}`,
    );
  }
  if (second.guard && first.repeats) {
    throw new TypeError(
      `"${outer.name}" repeats what stands after it, so it must stand after the guard "${inner.name}", or one ` +
        `approval would be asked for again with every attempt, and what it refuses be tried again. ${placed(entries)}`,
    );
  }
}

function placed(entries: readonly Entry[]): string {
  return `The order was: ${entries.map(({ name }) => name).join(', ')}.`;
}
