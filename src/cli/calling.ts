import { type Interruption, listenForInterruption } from './interruption.ts';
import type { Io } from './io.ts';
import { personAt } from './person.ts';
import type { Asker } from './prompt.ts';
import { openSession, type Session } from './session.ts';
import type { SessionValues } from './session-options.ts';
import { catchStrays } from './strays.ts';

/** How a person is asked meanwhile. */
export interface CallingOptions {
  /** Whether standard input is taken up with the calls. */
  readonly callsFromStdin: boolean;
  /** Asks while nothing else is written. */
  readonly alone: Asker['alone'];
}

/**
 * Opens a session in which calls are made, and gives it up whatever becomes of `work`: calls can be interrupted, and the
 * person at the terminal is asked. Gives the exit status: that of an interruption, else what `work` gives.
 */
export async function inSession(
  values: SessionValues,
  io: Io,
  options: CallingOptions,
  work: (session: Session, interruption: Interruption) => Promise<number>,
): Promise<number> {
  const interruption = listenForInterruption();
  const stopCatching = catchStrays(io, () => interruption.crash());
  const person = personAt(io, { ...options, interrupted: () => interruption.interrupt() });
  let session: Session | undefined;
  let status: number;
  try {
    session = await openSession(values, io.cwd, person);
    status = await work(session, interruption);
  } finally {
    await session?.close();
    stopCatching();
    interruption.stop();
  }
  // Not before: who interrupts what is still being given up has interrupted the command.
  return interruption.status ?? status;
}
