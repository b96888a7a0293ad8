/*
 * Details of a failure are often the same for many calls, such as the place in a schema where arguments did not fit. They are
 * frozen and known by their identity, so that a cleaner which has found them clean once need not look at them again.
 */

const makers = new WeakMap<object, () => object>();

/**
 * What `make` gives, frozen all through: plain objects, arrays and scalars, the same each time. Results carry copies that
 * `make` gives anew, so that nobody who changes one changes another.
 */
export function constantData(make: () => object): object {
  const data = make();
  freezeAll(data);
  makers.set(data, make);
  return data;
}

/** What gives copies of this data if it is constant; `undefined` for all other data. */
export function makerOf(data: unknown): (() => object) | undefined {
  return typeof data === 'object' && data !== null ? makers.get(data) : undefined;
}

function freezeAll(data: object): void {
  for (const value of Object.values(data)) if (typeof value === 'object' && value !== null) freezeAll(value);
  Object.freeze(data);
}
