/** A timer that does not keep the process from ending. */
export function unrefTimer<T>(timer: T): T {
  (timer as { unref?(): void } | undefined)?.unref?.();
  return timer;
}

/** Whether something has ended, well or badly, within this time, in milliseconds. Never rejects. */
export async function within(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
