/** A timer that does not keep the process from ending. */
export function unrefTimer<T>(timer: T): T {
  (timer as { unref?(): void } | undefined)?.unref?.();
  return timer;
}
