import { forLog } from '../output/control-characters.ts';
import { reasonOf } from './errors.ts';
import type { Io } from './io.ts';

/**
 * Catches what tools let fall outside of their calls. A rejected promise that nobody waits for is told once, and the run
 * goes on. An error thrown where nobody can catch it, such as in a timer, leaves the process in a state that nobody
 * knows: it is told, and `crashed` is called to end the run. Returns the function that stops.
 */
export function catchStrays(io: Io, crashed: () => void): () => void {
  let told = false;
  const onRejection = (reason: unknown): void => {
    if (!told) io.stderr.write(`callgate: a tool left a rejected promise behind: ${forLog(reasonOf(reason))}\n`);
    told = true;
  };
  const onUncaught = (error: unknown): void => {
    io.stderr.write(
      `callgate: a tool threw an error outside of its call, so the run ends: ${forLog(reasonOf(error))}\n`,
    );
    crashed();
  };
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onUncaught);
  return () => {
    process.off('unhandledRejection', onRejection);
    process.off('uncaughtException', onUncaught);
  };
}
