/**
 * Makes errors without a stack, for those that say what happened to a call and not where in the code. A stack costs more than
 * the rest of such an error; and until somebody reads it, V8 keeps all that it passed through: every function with what it closed
 * over, every receiver. Whoever keeps a failure would keep that with its cause.
 */
export function withoutStack<T>(make: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
