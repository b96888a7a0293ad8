import type { JsonSchema, JsonSchemaObject } from '../../schema/json-schema.ts';
import { at } from '../refs.ts';
import {
  type Alternative,
  alternativesOf,
  declaredItem,
  declaredProperty,
  demands,
  plausible,
  typesOf,
} from './alternatives.ts';

type Bag = { readonly [name: string]: unknown };

/** What to do with the values that a walk comes by. Each absent hook leaves them as they are. */
export interface Visitor {
  /** Gives another value for one that is not an object or array, or itself. */
  readonly replace?: (ways: readonly Alternative[], value: unknown, pointer: string) => unknown;
  /** A null was taken out that stands for an absent property. Absent: nulls stay. */
  readonly dropped?: (pointer: string) => void;
}

/**
 * Walks a value beside its schema. What changes is copied; where nothing changes the value itself comes back.
 *
 * A null stands for an absent property when the schema declares the property, does not demand it and does not let it
 * be null, in every branch that the rest of the object can be meant for.
 */
export function walkWithSchema(schema: JsonSchemaObject, value: unknown, visitor: Visitor): unknown {
  const known = new Map<JsonSchema, readonly Alternative[]>();
  return walk(waysOf(schema), value, '');

  function walk(ways: readonly Alternative[], given: unknown, pointer: string): unknown {
    if (ways.length === 0) return given;
    const here = visitor.replace ? visitor.replace(ways, given, pointer) : given;
    if (typeof here !== 'object' || here === null) return here;
    return Array.isArray(here) ? walkList(ways, here, pointer) : walkObject(ways, here as Bag, pointer);
  }

  function walkList(ways: readonly Alternative[], here: readonly unknown[], pointer: string): unknown {
    const walked = here.map((item, index) =>
      walk(merge(ways.map((way) => declaredItem(way, index))), item, at(pointer, index)),
    );
    return walked.some((item, index) => item !== here[index]) ? walked : here;
  }

  function walkObject(all: readonly Alternative[], here: Bag, pointer: string): unknown {
    const ways = plausible(possible(all, here), here);
    let changed = false;
    const kept: [string, unknown][] = [];
    for (const [name, item] of Object.entries(here)) {
      if (item === null && visitor.dropped && isAbsent(ways, all, name)) {
        changed = true;
        visitor.dropped(at(pointer, name));
        continue;
      }
      const walked = walk(merge(ways.map((way) => declaredProperty(way, name))), item, at(pointer, name));
      changed ||= walked !== item;
      kept.push([name, walked]);
    }
    return changed ? Object.fromEntries(kept) : here;
  }

  // Without the branches that demand a property which is null although they do not let it be null.
  function possible(ways: readonly Alternative[], here: Bag): readonly Alternative[] {
    const nulls = Object.keys(here).filter((name) => here[name] === null);
    if (nulls.length === 0) return ways;
    const left = ways.filter((way) => nulls.every((name) => !demands(way, name) || letsBeNull(way, name)));
    return left.length > 0 ? left : ways;
  }

  function isAbsent(ways: readonly Alternative[], all: readonly Alternative[], name: string): boolean {
    if (!all.some((way) => declaredProperty(way, name).length > 0)) return false;
    return ways.every((way) => !demands(way, name) && !letsBeNull(way, name));
  }

  function letsBeNull(way: Alternative, name: string): boolean {
    const declared = declaredProperty(way, name);
    if (declared.length === 0) return false;
    const ways = merge([declared]);
    return ways.length === 0 || ways.some((one) => typesOf(one).has('null'));
  }

  function merge(parts: readonly (readonly JsonSchema[])[]): readonly Alternative[] {
    const expanded = parts.map((all) => waysOf(all.length === 1 ? all[0]! : { allOf: all }));
    return expanded.some((ways) => ways.length === 0) ? [] : expanded.flat();
  }

  function waysOf(part: JsonSchema): readonly Alternative[] {
    let ways = known.get(part);
    ways ??= alternativesOf(schema, part);
    known.set(part, ways);
    return ways;
  }
}
