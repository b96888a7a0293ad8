import { didYouMean } from '../basics/nearest.ts';

/** How much a call's arguments may weigh. What is over a limit is refused before it is looked at closely. */
export interface ArgumentLimits {
  /**
   * Size of the arguments: of JSON text in bytes of UTF-8; of an object the length of all its keys and strings,
   * in UTF-16 code units. Default 1,048,576 (1 MiB).
   */
  readonly maxBytes: number;
  /** Objects and arrays inside one another, the outermost counted. Default 64. */
  readonly maxDepth: number;
  /** Values altogether: objects, arrays and what they hold. Default 50,000. */
  readonly maxNodes: number;
}

export const defaultArgumentLimits: ArgumentLimits = Object.freeze({
  maxBytes: 1_048_576,
  maxDepth: 64,
  maxNodes: 50_000,
});

/**
 * Fills `limits` up with the defaults. Throws a TypeError for an unknown name or for anything but a positive
 * whole number.
 */
export function argumentLimits(limits: Partial<ArgumentLimits> = {}): ArgumentLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultArgumentLimits, name)) {
      const names = Object.keys(defaultArgumentLimits);
      throw new TypeError(
        `limits: unknown limit "${name}"; the limits are ${names.join(', ')}.${didYouMean(name, names)}`,
      );
    }
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw new TypeError(`limits.${name} must be a positive whole number, not ${String(value)}.`);
    }
  }
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  return Object.freeze({ ...defaultArgumentLimits, ...given });
}
