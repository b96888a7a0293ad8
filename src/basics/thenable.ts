/** Whether a value has yet to come: a promise, of any realm or library. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  // By kind first: most answers and data are looked at here, and few of them are promises.
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/** Of something that nobody waits for: when it rejects, that must not end the process. */
export function ignore(value: unknown): void {
  if (isThenable(value)) toPromise(value).then(undefined, () => {});
}

/**
 * What a function gave that has to answer at once. Where it is a promise after all, it is no answer, and nobody waits for it:
 * its rejection must not end the process.
 */
export function atOnce<T>(value: T): T {
  ignore(value);
  return value;
}

/** A real promise of a value that has yet to come; the same one where it is a real promise already. */
export function toPromise<T>(value: PromiseLike<T>): Promise<T> {
  return value instanceof Promise ? value : Promise.resolve(value);
}
