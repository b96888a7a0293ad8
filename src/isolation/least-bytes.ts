/**
 * At least so many bytes a value takes as a structured clone; counting ends soon after `most`. Found from lengths alone: a
 * text that was put together out of pieces is laid out nowhere for it, which could take more memory than there is. For
 * values that {@link weigh} has found to be of a bounded number and depth.
 */
export function leastBytes(value: unknown, most: number): number {
  const seen = new Set<object>();
  let bytes = 0;

  function add(one: unknown): boolean {
    if (typeof one === 'string') bytes += one.length;
    else if (typeof one === 'bigint') bytes += bytesOf(one);
    else if (typeof one !== 'object' || one === null || seen.has(one)) bytes += 1;
    else addObject(one);
    return bytes <= most;
  }

  function addObject(one: object): void {
    // What is there twice is written once.
    seen.add(one);
    if (ArrayBuffer.isView(one) || one instanceof ArrayBuffer) bytes += one.byteLength;
    else if (one instanceof String) bytes += one.length;
    else if (one instanceof Error) add(one.message);
    else if (one instanceof Set || Array.isArray(one)) everyOf(one, add);
    else if (one instanceof Map) everyOf(one, ([key, member]) => add(key) && add(member));
    else everyOf(Object.keys(one), (name) => add(name) && add((one as Record<string, unknown>)[name]));
  }

  add(value);
  return bytes;
}

function everyOf<T>(items: Iterable<T>, goesOn: (item: T) => boolean): void {
  for (const item of items) if (!goesOn(item)) return;
}

/** Of a number of any size, to a factor of eight. */
function bytesOf(number: bigint): number {
  let bits = 512;
  while (number >> BigInt(bits) !== 0n && number >> BigInt(bits) !== -1n) bits *= 8;
  return bits === 512 ? 1 : bits / 64;
}
