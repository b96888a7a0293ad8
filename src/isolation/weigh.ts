/** The most values a message may hold, written out: what is in two places counts twice. */
export const mostValues = 500_000;
/** Deeper than any data that is meant. */
export const deepest = 500;

/**
 * How many values there are in something, written out; `undefined` where there are more than `most`, or they lie too deep.
 * Few bytes can stand for a list of four thousand million places, or for lists that hold each other many times over, and
 * whoever walks through such data later does not come back.
 */
export function weigh(value: unknown, most: number = mostValues): number | undefined {
  const known = new Map<object, number>();

  function weightOf(one: unknown, depth: number): number {
    if (typeof one !== 'object' || one === null || ArrayBuffer.isView(one)) return 1;
    const before = known.get(one);
    if (before !== undefined) return before;
    if (depth > deepest) return Number.POSITIVE_INFINITY;
    // Met again inside itself it is a cycle, which others know to end.
    known.set(one, 1);
    let weight = 1;
    const add = (member: unknown): boolean => {
      weight += weightOf(member, depth + 1);
      return weight <= most;
    };
    if (Array.isArray(one)) {
      // Places count, whether or not something is there.
      weight += one.length;
      if (weight <= most) one.every(add);
    } else if (one instanceof Map) {
      for (const [key, member] of one) if (!add(key) || !add(member)) break;
    } else if (one instanceof Set) {
      for (const member of one) if (!add(member)) break;
    } else {
      for (const name in one) if (!add((one as Record<string, unknown>)[name])) break;
    }
    known.set(one, weight);
    return weight;
  }

  const weight = weightOf(value, 0);
  return weight <= most ? weight : undefined;
}
