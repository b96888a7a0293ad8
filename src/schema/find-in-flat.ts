import { isRecord } from '../basics/plain-object.ts';
import { missing, most, wrongType } from './find-violations.ts';
import type { Plan } from './plan.ts';
import type { Violation } from './violation.ts';

const isOwn = Object.prototype.hasOwnProperty;

/**
 * Finds what `findViolations` finds, where a schema asks an object for properties of some types and for nothing else, as that
 * of many a tool: a short look, at a fraction of what the search costs. It finds all that is wrong, so that no error of an
 * engine can add to it. `undefined` where it has nothing to say, as of other schemas and of unknown properties.
 */
export function findInFlat(plan: Plan | undefined, value: unknown): readonly Violation[] | undefined {
  if (!plan?.isFlat || !isRecord(value)) return undefined;
  const { properties, required } = plan;
  let found: Violation[] | undefined;
  for (let at = 0; at < required.length; at++) {
    const property = required[at]!;
    if (!isOwn.call(value, property.name)) found = added(found, missing(property, ''));
  }
  for (const name in value) {
    if (!isOwn.call(value, name)) continue;
    const property = properties.get(name);
    if (property?.plan === undefined) return undefined;
    const item = value[name];
    if (!property.plan.allows(item)) found = added(found, wrongType(property.plan, item, property.step, property));
  }
  return found !== undefined && found.length > most ? undefined : found;
}

/** Mostly there is one, and an empty list that gets its first item makes room for seventeen. */
function added(found: Violation[] | undefined, violation: Violation): Violation[] {
  if (found === undefined) return [violation];
  found.push(violation);
  return found;
}
