// Taken when this is loaded, so that a test runner's fake timers do not stop it.
const soon = setImmediate;

/** Lets the event loop turn: what is due by then has happened, and what that led to. */
export async function turns(count: number): Promise<void> {
  for (let made = 0; made < count; made++) await new Promise<void>((resolve) => soon(resolve));
}
